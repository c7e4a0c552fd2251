"""core.simulation.calls: legs end in order of time, at their moment, and count as on a real day."""

from __future__ import annotations

from datetime import UTC, datetime

from core.agents.pool import Assignment, Pool
from core.agents.window import Call
from core.settings import Settings
from core.simulation.calls import SimulatedCalls
from core.simulation.virtual_clock import VirtualClock


class Stage:
    def __init__(self, *weather: tuple[float, bool]) -> None:
        self.clock = VirtualClock(datetime(2026, 12, 1, tzinfo=UTC))
        self.ended: list[Call] = []
        self.pool = Pool(["general"], {"hybrid-hashed": 1}, Settings(), self.clock, on_call=self.ended.append)
        coming = list(weather)

        def of(_: Assignment, __: float) -> tuple[float, bool]:
            return coming.pop(0)

        self.calls = SimulatedCalls(self.pool, self.clock, deadline_s=10, weather=of)


def test_a_leg_is_ready_when_the_script_says() -> None:
    stage = Stage((300, True))
    call = stage.calls.begin("general", stage.clock.monotonic())
    assert call is not None
    stage.calls.run(call, lambda: "found")
    assert stage.calls.is_ready(call, by=1.5)
    assert stage.clock.monotonic() == 0.3
    assert call.leg is not None and call.leg.result() == "found"
    stage.calls.end(call, ok=True)
    assert [(one.ok, one.duration_ms) for one in stage.ended] == [(True, 300)]


def test_a_late_leg_counts_when_it_ends_and_only_then() -> None:
    stage = Stage((4200, True))
    call = stage.calls.begin("general", 0)
    assert call is not None
    stage.calls.run(call, lambda: "found")
    assert not stage.calls.is_ready(call, by=1.5)
    arrived = []
    stage.calls.leave(call, lambda leg, in_time: arrived.append((leg.result(), in_time)))
    stage.calls.end(call, ok=True)
    stage.calls.pass_until(4.1)
    assert (stage.ended, arrived) == ([], [])
    stage.calls.pass_until(60)
    assert [(one.ok, round(one.duration_ms)) for one in stage.ended] == [(True, 4200)]
    assert arrived == [("found", True)]
    assert stage.clock.monotonic() == 60


def test_a_failing_leg_and_one_beyond_the_deadline_are_failures() -> None:
    stage = Stage((100, False), (11_000, True))
    for by in (1.5, 20.0):
        call = stage.calls.begin("general", stage.clock.monotonic())
        assert call is not None
        stage.calls.run(call, lambda: "found")
        ready = stage.calls.is_ready(call, by)
        assert ready == (by == 1.5)
        stage.calls.end(call, ok=False)
    stage.calls.pass_until(60)
    assert [one.ok for one in stage.ended] == [False, False]
    assert round(stage.ended[1].duration_ms) == 10_000
