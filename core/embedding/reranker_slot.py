"""RerankerSlot: the one reranker that is loaded, if it is quick enough, and what became of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from core.embedding.model_fault import ModelUnusable
from core.protocols import Reranker, Scores


class LoadableReranker(Reranker, Protocol):
    """`device`, `pairs_ms` (what 30 pairs take): known once it is loaded."""

    device: str | None
    pairs_ms: float | None

    @property
    def is_quick(self) -> bool:
        """Whether an answer can wait for it."""

    def load(self) -> None:
        """Make it ready and measure it. Raises ModelUnusable."""

    def close(self) -> None:
        """Release what it holds. Idempotent."""


def flag_reranker(folder: Path) -> LoadableReranker:
    """What runs one of a folder. Raises ModelUnusable, OSError."""
    from core.embedding.flag_reranker import FlagReranker

    return FlagReranker(folder)


class RerankerSlot:
    """Itself the Reranker that is asked. Thread-safe."""

    def __init__(
        self, make: Callable[[Path], LoadableReranker], on_fault: Callable[[str, ModelUnusable], None]
    ) -> None:
        """`on_fault`: told once of one that can be asked no more, by its name."""
        self._make = make
        self._on_fault = on_fault
        self._lock = threading.Lock()
        self._held: LoadableReranker | None = None
        self._making: LoadableReranker | None = None
        self.name = ""
        self.pairs_ms: float | None = None
        self.device: str | None = None

    @property
    def in_use(self) -> bool:
        """Whether results are ordered by it now. Microseconds."""
        held = self._held
        return held is not None and held.is_quick

    def load(self, folder: Path) -> None:
        """Have the reranker of this folder instead of another; one that is too slow is ended, its figure kept. Nothing
        where it was loaded before. Raises ModelUnusable, OSError."""
        if self.name == folder.name:
            return
        self.close()
        made = self._making = self._make(folder)
        try:
            made.load()
        except BaseException:
            made.close()
            raise
        finally:
            self._making = None
        self.name, self.pairs_ms, self.device = folder.name, made.pairs_ms, made.device
        if made.is_quick:
            self._held = made
        else:
            made.close()

    def scores(self, query: str, passages: Sequence[str], seconds: float | None = None) -> Scores:
        """As the reranker does. Raises TimeoutError also where there is none any more, ModelUnusable."""
        held = self._held
        if held is None:
            raise TimeoutError
        try:
            return held.scores(query, passages, seconds)
        except ModelUnusable as error:
            if self._let_go(held):
                self.name = ""
                self._on_fault(held.name, error)
            raise
        finally:
            if not held.is_quick and self._let_go(held):
                self.pairs_ms = held.pairs_ms

    def close(self) -> None:
        """Have none; one that is being loaded is ended. Idempotent."""
        self.name, self.pairs_ms, self.device = "", None, None
        held, making = self._held, self._making
        if held is not None:
            self._let_go(held)
        if making is not None:
            making.close()

    def _let_go(self, held: LoadableReranker) -> bool:
        """Whether it was still held."""
        with self._lock:
            if self._held is not held:
                return False
            self._held = None
        held.close()
        return True
