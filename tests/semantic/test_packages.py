"""The packages that FlagEmbedding runs on: as locked, complete, and importable without a network."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "packaging/requirements-semantic.txt"
# setuptools and pip come with the environment; the others hold torch's code for one kind of GPU, and torch pins them.
NOT_LOCKED = ("setuptools", "pip", "nvidia", "cuda", "triton", "pytorch-triton")


def pins() -> dict[str, Requirement]:
    lines = [line for line in LOCK.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    found = [Requirement(line) for line in lines]
    return {canonicalize_name(requirement.name): requirement for requirement in found}


def test_what_is_installed_is_what_is_locked() -> None:
    wrong = [
        f"{requirement}: {importlib.metadata.version(name)}"
        for name, requirement in pins().items()
        if not requirement.specifier.contains(importlib.metadata.version(name), prereleases=True)
    ]
    assert wrong == []


def test_what_the_pinned_packages_need_is_pinned_too() -> None:
    locked = pins()
    loose = []
    for name in locked:
        for text in importlib.metadata.requires(name) or []:
            needed = Requirement(text)
            if needed.marker is not None and not needed.marker.evaluate({"extra": ""}):
                continue
            key = canonicalize_name(needed.name)
            if key not in locked and not key.startswith(NOT_LOCKED):
                loose.append(f"{name} needs {text}")
    assert loose == []


def test_flag_embedding_is_imported_without_a_network() -> None:
    """In a process of its own: it takes long, warns, and stays in memory. transformers 5.24 fails here."""
    script = (
        "import socket\n"
        "def forbidden(*_, **__):\n"
        "    raise SystemExit('tried to reach the network')\n"
        "socket.socket.connect = socket.getaddrinfo = socket.create_connection = forbidden\n"
        "from FlagEmbedding import BGEM3FlagModel, FlagModel, FlagReranker\n"
        "print(all(isinstance(one, type) for one in (BGEM3FlagModel, FlagModel, FlagReranker)))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1:] == ["True"]
