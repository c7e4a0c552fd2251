"""SimulatedCalls: engine calls that take as long, and fail, as the script says; on one thread, by a virtual clock."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from core.agents.calls import EngineCall, EngineCalls
from core.agents.pool import Assignment, Pool
from core.simulation.virtual_clock import VirtualClock

Weather = Callable[[Assignment, float], tuple[float, bool]]
"""(milliseconds, whether it succeeds) of a call that an instance begins at a moment."""


class SimulatedFailure(Exception):
    """The script says that this call fails."""


class SimulatedCalls(EngineCalls):
    """As EngineCalls, but that legs run on the calling thread, when the clock has come to their end."""

    def __init__(self, pool: Pool, clock: VirtualClock, *, deadline_s: float, weather: Weather) -> None:
        super().__init__(pool, clock, deadline_s=deadline_s)
        self._virtual = clock
        self._weather = weather
        self._legs: list[tuple[float, int, Future[Any], Callable[[], Any]]] = []
        self._numbers = itertools.count()

    @property
    def moment(self) -> float:
        """Seconds since the beginning."""
        return self._virtual.monotonic()

    def run(self, call: EngineCall, leg: Callable[[], Any]) -> None:
        """The leg begins at once and ends when the script says."""
        begun = self._virtual.monotonic()
        milliseconds, succeeds = self._weather(call.assignment, begun)
        call.leg = Future()
        work = leg if succeeds else _fail
        heapq.heappush(self._legs, (begun + milliseconds / 1000, next(self._numbers), call.leg, work))

    def is_ready(self, call: EngineCall, by: float) -> bool:
        """Time passes until then, or until the leg ends."""
        assert call.leg is not None
        self.pass_until(min(by, call.deadline), call.leg)
        return call.leg.done() and not call.leg.cancelled()

    def pass_until(self, moment: float, awaited: Future[Any] | None = None) -> None:
        """Time passes up to a moment, or up to the end of what is awaited; legs end on the way, each when it does."""
        while self._legs and self._legs[0][0] <= moment and not (awaited is not None and awaited.done()):
            ends, _, future, work = heapq.heappop(self._legs)
            self._virtual.move_to(ends)
            self.give_up_overdue()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except Exception as error:
                future.set_exception(error)
            else:
                future.set_result(result)
        if awaited is None or not awaited.done():
            self._virtual.move_to(moment)
            self.give_up_overdue()


def _fail() -> None:
    raise SimulatedFailure("an outage")
