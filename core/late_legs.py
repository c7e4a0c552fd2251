"""LateLegs: the legs that lookups did not wait for, and the whole answers once they have come (contract §3)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING

from core.model import Answer, LegState

if TYPE_CHECKING:
    from core.lookup import Search
    from core.retrieval import LateLeg

_KEPT = 32  # lookups; nobody goes back further for what came late


class LateLegs:
    """By the id of the lookup's row; `Engine.late_legs`. They outlast a change of settings. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._legs: OrderedDict[int, tuple[LateLeg, Callable[[Search], Answer]]] = OrderedDict()

    def expect(self, invocation_id: int, leg: LateLeg, answer: Callable[[Search], Answer]) -> None:
        """A lookup was answered without this leg. `answer`: the answer to its whole search, under the same row."""
        with self._lock:
            self._legs[invocation_id] = (leg, answer)
            while len(self._legs) > _KEPT:
                self._legs.popitem(last=False)

    def state(self, invocation_id: int) -> LegState:
        """What became of the leg of that lookup; LOST also where it had none. Microseconds."""
        with self._lock:
            known = self._legs.get(invocation_id)
        return LegState.LOST if known is None else known[0].state()

    def answer(self, invocation_id: int) -> Answer | None:
        """The answer with all its legs, under the same row; None while it has not come. Writes nothing."""
        with self._lock:
            known = self._legs.get(invocation_id)
        served = None if known is None else known[0].served
        if known is None or served is None:
            return None
        return known[1](served.search)
