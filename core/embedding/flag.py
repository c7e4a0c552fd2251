"""FlagEmbedder: an added model that FlagEmbedding runs, in a process of its own; one vector a chunk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from core.embedding.model_fault import ModelUnusable
from core.embedding.model_folder import facts_of, fingerprint
from core.embedding.model_process import HANG_S, LOAD_S, Answer, ModelProcess, clean, in_time
from core.embedding_status import ModelFault
from core.protocols import Unit, Vectors

QUERY_S = 10.0
_PROBE = "VPN 连不上"
_PROBES = 3
_TOLERANCE = 1e-3
# Texts in one batch grow while batches take less than the first, and shrink when one takes more than the second: a
# question waits for the batch that is under way.
_QUICK_S, _SLOW_S = 0.15, 0.4
_MOST = 32


class FlagEmbedder:
    """Over one sound folder. Thread-safe; questions are encoded one at a time, and before documents that wait.

    `device`, `query_ms` (what a short question takes, there and back): known once it is loaded; `passages_per_s`: of
    the last batch."""

    unit = Unit.CHUNK

    def __init__(
        self,
        folder: Path,
        *,
        process: Callable[[], ModelProcess] = ModelProcess,
        query_s: float = QUERY_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Reads the folder, loads nothing. Raises ModelUnusable, OSError."""
        facts = facts_of(folder)
        self.name = folder.name
        self.dimension = facts.dimension
        self.fingerprint = fingerprint(folder, facts)
        self.device: str | None = None
        self.query_ms: float | None = None
        self.passages_per_s: float | None = None
        self._folder = folder
        self._make = process
        self._query_s = query_s
        self._now = now
        self._one_question = threading.Lock()
        self._process: ModelProcess | None = None
        self._is_closed = False
        self._batch = 1

    def load(self) -> None:
        """Start its process, load it there, try a sentence and measure a question; from ten seconds to minutes.
        Idempotent. Raises ModelUnusable."""
        if self._process is not None:
            return
        if self._is_closed:
            raise ModelUnusable(ModelFault.DIED, "closed")
        process = self._process = self._make()
        try:
            process.start()
            told, _ = in_time(process, "load", LOAD_S, folder=str(self._folder))
            self.device = str(told["device"])
            probe = self._vectors(in_time(process, "query", HANG_S, texts=[_PROBE]), 1)
            _check_unit(probe)
            took = []
            for _ in range(_PROBES):
                started = self._now()
                in_time(process, "query", HANG_S, texts=[_PROBE])
                took.append(self._now() - started)
        except BaseException:
            self._process = None
            process.close()
            raise
        self.query_ms = round(1000 * sorted(took)[_PROBES // 2], 1)

    def close(self) -> None:
        """End its process, also while it is being loaded. Idempotent."""
        self._is_closed = True
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def encode_documents(self, token_lists: Sequence[Sequence[str]], texts: Sequence[str]) -> Vectors:  # noqa: ARG002
        """One row a text, shape (n, dimension), float32, unit length; the tokens are not read. Raises
        ModelUnusable."""
        process = self._loaded()
        parts: list[Vectors] = [np.empty((0, self.dimension), dtype=np.float32)]
        done = 0
        while done < len(texts):
            part = [clean(text) for text in texts[done : done + self._batch]]
            started = self._now()
            parts.append(self._vectors(in_time(process, "passages", HANG_S, texts=part), len(part)))
            took = self._now() - started
            done += len(part)
            self.passages_per_s = round(len(part) / took, 1) if took > 0 else None
            if took < _QUICK_S and len(part) == self._batch:
                self._batch = min(_MOST, 2 * self._batch)
            elif took > _SLOW_S:
                self._batch = max(1, self._batch // 2)
        return np.concatenate(parts)

    def encode_query(self, tokens: Sequence[str], weights: Sequence[float], text: str) -> Vectors:  # noqa: ARG002
        """Shape (dimension,), float32, unit length; only the text is read. Raises ModelUnusable, TimeoutError."""
        process = self._loaded()
        by = self._now() + self._query_s
        if not self._one_question.acquire(timeout=self._query_s):
            raise TimeoutError(f"no answer within {self._query_s:g} s")
        try:
            left = max(0.0, by - self._now())
            answer = process.ask("query", seconds=left, texts=[clean(text)])
        finally:
            self._one_question.release()
        row: Vectors = self._vectors(answer, 1)[0]
        return row

    def _loaded(self) -> ModelProcess:
        if self._process is None:
            self.load()
        process = self._process
        if process is None:
            raise ModelUnusable(ModelFault.DIED, "closed")
        return process

    def _vectors(self, answer: Answer, count: int) -> Vectors:
        head, data = answer
        shape = tuple(head.get("shape", ()))
        if len(shape) != 2 or shape[0] != count or len(data) != 4 * shape[0] * shape[1]:
            raise ModelUnusable(ModelFault.ERROR, f"shape {shape}")
        if shape[1] != self.dimension:
            raise ModelUnusable(ModelFault.DIMENSION, f"{shape[1]}/{self.dimension}")
        return np.frombuffer(data, dtype=np.float32).reshape(shape)


def _check_unit(vectors: Vectors) -> None:
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.all(np.abs(lengths - 1) < _TOLERANCE):
        raise ModelUnusable(ModelFault.PROBE, f"{float(lengths.min()):.3f}")
