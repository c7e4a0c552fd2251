"""Each engine call ends once: with its leg, its answer, its deadline, or as if it had never been made."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import wait as wait_until_done
from typing import Any

import pytest

from core.agents.calls import EngineCalls
from core.agents.pool import Pool
from core.agents.window import Call
from core.agents.worker import WorkerUnusable
from core.settings import Settings
from tests.manual_clock import ManualClock

_PATIENCE_S = 30


class Base:
    """One support line of two hashed instances; a leg waits for `gate`."""

    def __init__(self) -> None:
        self.clock, self.gate, self.told = ManualClock(), threading.Event(), []  # type: ignore[var-annotated]
        self.begun = threading.Event()
        self.logged: list[Call] = []
        self.patient = True
        pool = Pool(["general"], {"hybrid-hashed": 2}, Settings(), self.clock, on_call=self.logged.append)
        self.calls = EngineCalls(pool, self.clock, deadline_s=10, wait=self.wait)

    def wait(self, future: Future[Any], seconds: float) -> bool:
        if self.patient:
            return bool(wait_until_done([future], _PATIENCE_S).done)
        self.clock.advance(max(0.0, seconds))
        return False

    def leg(self) -> str:
        self.begun.set()
        assert self.gate.wait(_PATIENCE_S)
        return "near"

    def begin(self) -> Any:
        call = self.calls.begin("general", self.clock.monotonic())
        assert call is not None
        return call

    def late_call(self) -> Any:
        """A call whose answer went out without its leg."""
        call, self.patient = self.begin(), False
        self.calls.run(call, self.leg)
        assert not self.calls.is_ready(call, self.clock.monotonic() + 1.5)
        self.calls.leave(call, lambda _, in_time: self.told.append(in_time))
        return call

    def occupied(self) -> Future[str]:
        """Both instances do something else until the gate is opened."""
        for number in (2, 1):
            work = self.calls._worker(f"general/hybrid-hashed-{number}").submit(self.leg)
        return work

    def rest(self) -> None:
        """What the workers were given before has ended."""
        for worker in list(self.calls._workers.values()):
            worker.submit(lambda: None).result(_PATIENCE_S)

    @property
    def counted(self) -> list[tuple[bool, float, bool]]:
        return [(call.ok, call.duration_ms, call.degraded) for call in self.logged]


@pytest.fixture
def base() -> Iterator[Base]:
    made = Base()
    yield made
    made.gate.set()
    made.calls.close()


def test_a_call_whose_leg_is_there_ends_with_its_answer(base: Base) -> None:
    base.gate.set()
    call = base.begin()
    base.calls.run(call, base.leg)
    assert base.calls.is_ready(call, base.clock.monotonic() + 1.5)
    base.clock.advance(0.2)
    base.calls.end(call, ok=True)
    base.calls.end(call, ok=False)
    assert [(ok, round(ms), degraded) for ok, ms, degraded in base.counted] == [(True, 200, False)]


def test_a_late_leg_ends_its_call(base: Base) -> None:
    call = base.late_call()
    base.calls.end(call, ok=True)  # the answer is out; the leg is not
    assert (base.counted, base.told) == ([], [])
    base.gate.set()
    base.rest()
    assert [ok for ok, *_ in base.counted] == [True]
    assert base.told == [True]


def test_a_lookup_that_fails_after_its_leg_was_left_is_a_failure(base: Base) -> None:
    call = base.late_call()
    base.calls.end(call, ok=False)
    base.gate.set()
    base.rest()
    assert [(ok, degraded) for ok, _, degraded in base.counted] == [(False, True)]


def test_a_call_past_its_deadline_is_given_up_once_and_told(base: Base) -> None:
    base.late_call()
    base.clock.advance(8.4)
    base.calls.give_up_overdue()
    assert base.counted == []
    base.clock.advance(0.1)
    base.calls.give_up_overdue()
    base.calls.give_up_overdue()
    assert base.counted == [(False, 10_000, True)]
    assert base.told == [False]
    base.gate.set()
    assert base.told == [False]


def test_the_next_lookup_gives_up_what_is_overdue(base: Base) -> None:
    base.late_call()
    base.clock.advance(9)
    base.calls.release(base.begin())
    assert base.counted == [(False, 10_000, True)]


def test_a_call_that_waits_up_to_its_own_deadline_is_given_up_while_waiting(base: Base) -> None:
    call, base.patient = base.begin(), False
    base.calls.run(call, base.leg)
    assert not base.calls.is_ready(call, base.clock.monotonic() + 60)
    assert base.counted == [(False, 10_000, True)]
    base.calls.leave(call, lambda _, in_time: base.told.append(in_time))
    assert base.told == [False]


def test_what_nobody_wants_counts_as_nothing(base: Base) -> None:
    base.calls.release(base.begin())
    assert base.counted == []


def test_a_leg_that_never_ran_counts_as_nothing(base: Base) -> None:
    """It stood behind another one when everything was closed."""
    base.calls.pool.set_penalties({"general/hybrid-hashed-2": 0.5})  # so that both go to the same instance
    first, second = base.late_call(), base.late_call()
    assert first.assignment.agent == second.assignment.agent
    ending = threading.Thread(target=base.calls.close)
    ending.start()
    while not second.leg.cancelled():
        ending.join(0.01)
    base.gate.set()
    ending.join()
    assert sorted(base.told) == [False, True]
    assert len(base.logged) == 1


def test_standing_behind_others_is_no_part_of_a_calls_duration(base: Base) -> None:
    base.occupied()
    base.late_call()
    base.clock.advance(4)
    base.gate.set()
    base.rest()
    assert (base.counted, base.told) == ([(True, 0.0, False)], [True])


def test_the_deadline_of_a_call_that_stood_behind_others_counts_from_its_turn(base: Base) -> None:
    before = base.occupied()
    call, begun, own = base.begin(), threading.Event(), threading.Event()
    base.clock.advance(0.5)
    base.calls.run(call, lambda: (begun.set(), own.wait(_PATIENCE_S)))
    base.calls.leave(call, lambda _, in_time: base.told.append(in_time))
    base.clock.advance(6)
    base.gate.set()
    assert before.result(_PATIENCE_S)
    assert begun.wait(_PATIENCE_S)
    base.clock.advance(9.25)
    base.calls.give_up_overdue()
    assert base.counted == []
    base.clock.advance(0.25)
    base.calls.give_up_overdue()
    assert (base.counted, base.told) == ([(False, 10_000, True)], [False])
    own.set()


def test_a_call_given_up_before_its_turn_counts_as_nothing(base: Base) -> None:
    base.occupied()
    call = base.late_call()
    base.clock.advance(8.4)
    base.calls.give_up_overdue()
    assert base.told == []
    base.clock.advance(0.1)
    base.calls.give_up_overdue()
    assert (base.counted, base.told) == ([], [False])
    assert call.leg.cancelled()
    base.gate.set()
    base.rest()
    assert (base.counted, base.told) == ([], [False])


def test_closed_they_make_no_thread_any_more(base: Base) -> None:
    call = base.begin()
    base.calls.close()
    threads = threading.active_count()
    for make in (lambda: base.calls.run(call, base.leg), lambda: base.calls.aside(base.leg, 1)):
        with pytest.raises(WorkerUnusable):
            make()
    assert threading.active_count() == threads


def test_what_is_overdue_is_given_up_after_closing_as_before(base: Base) -> None:
    base.late_call()
    assert base.begun.wait(_PATIENCE_S)
    base.calls.close()
    base.clock.advance(10)
    base.calls.give_up_overdue()
    assert base.counted == [(False, 10_000, True)]


def test_a_probe_runs_behind_and_counts_as_one(base: Base) -> None:
    pool = base.calls.pool
    pool.set_penalties({"general/hybrid-hashed-1": 0.5})
    base.gate.set()
    for _ in range(20):
        assignment = pool.route("general")
        assert assignment is not None
        pool.finish(assignment, ok=True, duration_ms=1)
    base.logged.clear()
    tiers: list[str] = []
    base.calls.probe("general", "general/hybrid-hashed-2", tiers.append)
    base.rest()
    assert tiers == ["hybrid-hashed"]
    assert [(call.agent, call.probe, call.ok) for call in base.logged] == [("general/hybrid-hashed-1", True, True)]


def test_a_failed_probe_is_no_degraded_answer(base: Base) -> None:
    pool = base.calls.pool
    pool.set_penalties({"general/hybrid-hashed-1": 0.5})
    for _ in range(20):
        assignment = pool.route("general")
        assert assignment is not None
        pool.finish(assignment, ok=True, duration_ms=1)
    base.logged.clear()

    def fails(tier: str) -> None:
        raise RuntimeError(tier)

    base.calls.probe("general", "general/hybrid-hashed-2", fails)
    base.rest()
    assert base.counted == [(False, 0.0, False)]


def test_what_is_asked_aside_counts_as_nothing_and_does_not_wait_for_ever(base: Base) -> None:
    base.gate.set()
    assert base.calls.aside(base.leg, 1.5) == "near"
    base.gate.clear()
    base.patient = False
    assert base.calls.aside(base.leg, 1.5) is None
    base.patient = True
    assert base.calls.aside(lambda: "next", 1.5) == "next"
    assert base.counted == []
    with pytest.raises(ZeroDivisionError):
        base.calls.aside(lambda: 1 // 0, 1.5)
