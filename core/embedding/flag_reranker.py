"""FlagReranker: an added reranker that FlagEmbedding runs, in a process of its own; measured when it is loaded."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from core.embedding.model_fault import ModelUnusable
from core.embedding.model_folder import Kind, facts_of
from core.embedding.model_process import HANG_S, LOAD_S, ModelProcess, clean, in_time
from core.embedding_status import ModelFault
from core.protocols import Scores

PAIRS = 30
MOST_MS = 800.0
_FEW = 3
_MOST_S = 1.0
_LATE_IN_A_ROW = 3
_ASKED = "VPN 连不上，提示 691"
# About as long as the starter base's passages, in the middle: 350 characters.
_PASSAGE = "先确认网络是否正常，再检查用户名和密码；仍然不行时记下错误代码，联系服务台处理。" * 9


class FlagReranker:
    """Over one sound folder. Thread-safe; asked one at a time. `device`, `pairs_ms` (what 30 pairs of usual length
    take, there and back): known once it is loaded."""

    def __init__(
        self,
        folder: Path,
        *,
        process: Callable[[], ModelProcess] = ModelProcess,
        most_s: float = _MOST_S,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Reads the folder, loads nothing. `most_s`: how long `scores` waits at most. Raises ModelUnusable, OSError."""
        if facts_of(folder).kind is not Kind.RERANKER:
            raise ModelUnusable(ModelFault.NOT_A_MODEL, folder.name)
        self.name = folder.name
        self.device: str | None = None
        self.pairs_ms: float | None = None
        self._folder = folder
        self._make = process
        self._most_s = most_s
        self._now = now
        self._one = threading.Lock()
        self._late = 0
        self._is_closed = False
        self._process: ModelProcess | None = None

    @property
    def is_quick(self) -> bool:
        """Whether 30 pairs were measured to take no longer than an answer can wait; not after it was late several
        times in a row."""
        return self.pairs_ms is not None and self.pairs_ms <= MOST_MS

    def load(self) -> None:
        """Start its process, load it there and measure 30 pairs; from ten seconds to minutes. Raises ModelUnusable."""
        if self._is_closed:
            raise ModelUnusable(ModelFault.DIED, "closed")
        process = self._process = self._make()
        try:
            process.start()
            told, _ = in_time(process, "load", LOAD_S, folder=str(self._folder))
            self.device = str(told["device"])
            self.pairs_ms = round(1000 * self._thirty(process), 1)
        except BaseException:
            self._process = None
            process.close()
            raise

    def scores(self, query: str, passages: Sequence[str], seconds: float | None = None) -> Scores:
        """As `Reranker` says; waits `seconds` and never longer than a second. Raises TimeoutError, ModelUnusable."""
        process = self._process
        if process is None:
            raise ModelUnusable(ModelFault.DIED, "closed")
        if not passages:
            return np.empty(0, dtype=np.float64)
        left = self._most_s if seconds is None else min(self._most_s, seconds)
        by = self._now() + left
        if left <= 0 or not self._one.acquire(timeout=left):
            raise TimeoutError
        try:
            scores = self._asked(process, query, passages, max(0.0, by - self._now()))
        except TimeoutError:
            self._late += 1
            if self._late >= _LATE_IN_A_ROW:
                self.pairs_ms = max(self.pairs_ms or 0.0, 1000 * self._most_s)
            raise
        finally:
            self._one.release()
        self._late = 0
        return scores

    def close(self) -> None:
        """End its process, also while it is being loaded. Idempotent."""
        self._is_closed = True
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _thirty(self, process: ModelProcess) -> float:
        """Seconds that 30 pairs take; from a few of them where it would be a minute."""
        self._measured(process, 1)  # the first of all takes longer
        few = self._measured(process, _FEW)
        if few > 2 * MOST_MS / 1000:
            return few * PAIRS / _FEW
        return min(self._measured(process, PAIRS) for _ in range(2))

    def _measured(self, process: ModelProcess, count: int) -> float:
        started = self._now()
        self._asked(process, _ASKED, [_PASSAGE] * count, HANG_S)
        return self._now() - started

    @staticmethod
    def _asked(process: ModelProcess, query: str, passages: Sequence[str], seconds: float) -> Scores:
        texts = [clean(text) for text in passages]
        head, data = process.ask("scores", seconds=seconds, query=clean(query), texts=texts)
        if head.get("shape") != [len(texts)] or len(data) != 4 * len(texts):
            raise ModelUnusable(ModelFault.ERROR, f"shape {head.get('shape')}")
        scores: Scores = np.frombuffer(data, dtype=np.float32).astype(np.float64)
        if not np.isfinite(scores).all():
            raise ModelUnusable(ModelFault.PROBE, "nan")
        return scores
