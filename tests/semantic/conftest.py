"""These tests need packaging/requirements-semantic.txt; `dev.py test` installs it before its last stage."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A run of all tests without these packages skips them and says so."""
    if importlib.util.find_spec("FlagEmbedding") is None:
        for item in items:
            if "tests/semantic" in item.path.as_posix():
                item.add_marker(pytest.mark.skip(reason="FlagEmbedding is not installed"))


@dataclass(frozen=True)
class TinyModels:
    """`folder` holds bge-m3, narrow-m3 (64 numbers), small-zh (a plain encoder) and judge (a reranker); `gave`: what
    FlagEmbedding's classes made of tests.semantic.real_classes.TEXTS."""

    folder: Path
    gave: dict[str, Any]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyModels:
    folder = tmp_path_factory.mktemp("models")
    done = subprocess.run(
        [sys.executable, "-m", "tests.semantic.real_classes", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return TinyModels(folder, json.loads(done.stdout.splitlines()[-1]))
