"""An embedder that can be held up or made to fail, and waiting without waiting."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import wait as wait_until_done
from typing import Any

from core.protocols import Vectors
from tests.e2e.planted import PlantedEmbedder
from tests.manual_clock import ManualClock

_PATIENCE_S = 30  # no limit on anything that works


class SlowEmbedder(PlantedEmbedder):
    """Plants its distances as before, once it is let go. `hold()`, `let_go()`; `calls` counts queries begun; `takes` is
    done by each of them, say, to let a clock run on."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.is_held = False
        self.takes: Callable[[], None] = lambda: None
        self._gate = threading.Event()
        self._gate.set()

    def hold(self) -> None:
        """Queries from now on hang."""
        self._gate = threading.Event()
        self.is_held = True

    def let_go(self) -> None:
        """What hangs goes on."""
        self.is_held = False
        self._gate.set()

    def encode_query(self, tokens: Sequence[str], weights: Sequence[float], text: str) -> Vectors:
        self.calls += 1
        gate = self._gate
        assert gate.wait(_PATIENCE_S), "the test did not let the embedder go"
        self.takes()
        return super().encode_query(tokens, weights, text)


class Patience:
    """Waits in the test's time: for a held embedder the clock runs on to the end of the wait, anything else comes."""

    def __init__(self, clock: ManualClock, embedder: SlowEmbedder) -> None:
        self._clock = clock
        self._embedder = embedder
        self.waited: list[float] = []

    def __call__(self, future: Future[Any], seconds: float) -> bool:
        self.waited.append(round(seconds, 3))
        if self._embedder.is_held:
            self._clock.advance(max(0.0, seconds))
            return False
        assert wait_until_done([future], _PATIENCE_S).done
        return True
