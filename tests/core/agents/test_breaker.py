"""The breaker: five failures in a row open it, one probe may close it, whatever comes late (contract §3)."""

from __future__ import annotations

import random
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from core.agents.breaker import Breaker, Permit
from core.figures import BreakerState
from tests.manual_clock import START, ManualClock

FAILURES, WAIT_S = 5, 30


def opened(clock: ManualClock) -> Breaker:
    breaker = Breaker(FAILURES, WAIT_S, clock)
    for _ in range(FAILURES):
        permit = breaker.try_call()
        assert permit is not None
        breaker.failure(permit)
    assert breaker.state is BreakerState.OPEN
    return breaker


def test_five_failures_in_a_row_open_it_and_not_four() -> None:
    breaker = Breaker(FAILURES, WAIT_S, ManualClock())
    for outcome in (breaker.failure,) * 4 + (breaker.success,) + (breaker.failure,) * 4:
        permit = breaker.try_call()
        assert permit is not None
        outcome(permit)
    assert breaker.state is BreakerState.CLOSED
    permit = breaker.try_call()
    assert permit is not None
    breaker.failure(permit)
    assert breaker.state is BreakerState.OPEN
    assert breaker.try_call() is None


def test_the_wait_is_thirty_seconds_to_the_second() -> None:
    clock = ManualClock()
    breaker = opened(clock)
    clock.advance(WAIT_S - 0.001)
    assert not breaker.may_probe
    assert breaker.try_probe() is None
    clock.advance(0.001)
    assert breaker.may_probe
    assert breaker.try_probe() is not None
    assert breaker.state is BreakerState.HALF_OPEN


def test_half_open_lets_nothing_through_but_the_one_probe() -> None:
    clock = ManualClock()
    breaker = opened(clock)
    clock.advance(WAIT_S)
    assert breaker.try_probe() == Permit(2, probe=True)
    clock.advance(10 * WAIT_S)
    assert (breaker.try_probe(), breaker.try_call(), breaker.may_probe) == (None, None, False)


def test_a_good_probe_closes_it_and_a_bad_one_opens_it_for_another_wait() -> None:
    clock = ManualClock()
    breaker = opened(clock)
    clock.advance(WAIT_S)
    probe = breaker.try_probe()
    assert probe is not None
    breaker.failure(probe)
    assert breaker.state is BreakerState.OPEN
    clock.advance(WAIT_S - 1)
    assert breaker.try_probe() is None
    clock.advance(1)
    probe = breaker.try_probe()
    assert probe is not None
    breaker.success(probe)
    assert breaker.state is BreakerState.CLOSED
    assert breaker.since == clock.now()


def test_a_call_begun_before_it_opened_neither_closes_it_nor_counts() -> None:
    clock = ManualClock()
    breaker = Breaker(FAILURES, WAIT_S, clock)
    early = [breaker.try_call() for _ in range(FAILURES + 2)]
    permits = [permit for permit in early if permit is not None]
    for permit in permits[:FAILURES]:
        breaker.failure(permit)
    breaker.success(permits[-1])
    assert breaker.state is BreakerState.OPEN
    clock.advance(WAIT_S)
    probe = breaker.try_probe()
    assert probe is not None
    breaker.success(permits[-1])
    assert breaker.state is BreakerState.HALF_OPEN
    breaker.failure(permits[-2])
    assert breaker.state is BreakerState.HALF_OPEN
    breaker.success(probe)
    for permit in permits:
        breaker.failure(permit)
    assert breaker.state is BreakerState.CLOSED


def test_a_late_failure_does_not_make_the_wait_longer() -> None:
    clock = ManualClock()
    breaker = Breaker(1, WAIT_S, clock)
    first, second = breaker.try_call(), breaker.try_call()
    assert first is not None
    assert second is not None
    breaker.failure(first)
    clock.advance(WAIT_S - 1)
    breaker.failure(second)
    clock.advance(1)
    assert breaker.may_probe


def test_an_abandoned_probe_leaves_room_for_another_at_once() -> None:
    clock = ManualClock()
    breaker = opened(clock)
    clock.advance(WAIT_S)
    probe = breaker.try_probe()
    assert probe is not None
    breaker.abandon(probe)
    assert breaker.state is BreakerState.OPEN
    second = breaker.try_probe()
    assert second is not None
    breaker.success(probe)
    assert breaker.state is BreakerState.HALF_OPEN


def test_a_clock_set_back_makes_no_wait_longer() -> None:
    clock = ManualClock()
    breaker = opened(clock)
    clock.set_back(3600)
    clock.advance(WAIT_S)
    assert breaker.may_probe


class BreakerRules(RuleBasedStateMachine):
    """Against a model that keeps every permit ever given and knows which of them still may speak."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.breaker = Breaker(FAILURES, WAIT_S, self.clock)
        self.out: list[Permit] = []
        self.state = BreakerState.CLOSED
        self.in_a_row = 0
        self.opened_at = 0.0
        self.probe: Permit | None = None
        self.valid: set[int] = set()  # id of the permits that may still speak

    def _change(self, state: BreakerState) -> None:
        self.state, self.in_a_row, self.probe, self.valid = state, 0, None, set()

    @rule()
    def call(self) -> None:
        permit = self.breaker.try_call()
        assert (permit is not None) == (self.state is BreakerState.CLOSED)
        if permit is not None:
            self.out.append(permit)
            self.valid.add(len(self.out) - 1)

    @rule()
    def ask_to_probe(self) -> None:
        over = self.clock.monotonic() - self.opened_at >= WAIT_S
        permit = self.breaker.try_probe()
        assert (permit is not None) == (self.state is BreakerState.OPEN and over)
        if permit is not None:
            assert permit.probe
            self._change(BreakerState.HALF_OPEN)
            self.out.append(permit)
            self.probe = permit
            self.valid = {len(self.out) - 1}

    @precondition(lambda self: self.out)
    @rule(data=st.data(), good=st.booleans())
    def come_back(self, data: st.DataObject, good: bool) -> None:
        """Any permit, also one that has come back before or long ago."""
        place = data.draw(st.integers(0, len(self.out) - 1))
        permit = self.out[place]
        (self.breaker.success if good else self.breaker.failure)(permit)
        if place not in self.valid:
            return
        if self.state is BreakerState.HALF_OPEN:
            self._change(BreakerState.CLOSED if good else BreakerState.OPEN)
            self.opened_at = self.clock.monotonic()
        else:
            self.in_a_row = 0 if good else self.in_a_row + 1
            if self.in_a_row == FAILURES:
                self._change(BreakerState.OPEN)
                self.opened_at = self.clock.monotonic()

    @precondition(lambda self: self.probe is not None)
    @rule()
    def abandon(self) -> None:
        assert self.probe is not None
        self.breaker.abandon(self.probe)
        self._change(BreakerState.OPEN)

    @rule(seconds=st.sampled_from([0.5, WAIT_S - 1, WAIT_S, 1000]))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @rule()
    def set_the_clock_back(self) -> None:
        self.clock.set_back(3600)

    @invariant()
    def they_agree(self) -> None:
        assert self.breaker.state is self.state

    @invariant()
    def a_closed_breaker_lets_a_call_through_and_no_other_does(self) -> None:
        assert (self.breaker.try_call() is not None) == (self.state is BreakerState.CLOSED)


TestBreakerRules = BreakerRules.TestCase
TestBreakerRules.settings = settings(max_examples=60, stateful_step_count=40)


def test_under_threads_every_half_open_era_has_one_permit() -> None:
    """Sixteen threads that ask and fail at random, while time passes: whoever was let through in the era of a probe
    was the probe."""
    seed = random.randrange(2**32)
    sys.stdout.write(f"seed {seed}\n")
    clock = ManualClock(START)
    breaker = Breaker(2, 0, clock)  # no wait: it is forever opening and closing
    given: list[list[Permit]] = []
    ready = threading.Barrier(16)

    def ask(number: int) -> None:
        chance = random.Random(seed + number)
        mine: list[Permit] = []
        given.append(mine)
        ready.wait()
        for _ in range(400):
            permit = breaker.try_probe() or breaker.try_call()
            if permit is not None:
                mine.append(permit)
                (breaker.failure if chance.random() < 0.6 else breaker.success)(permit)

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(ask, range(16)))
    permits = [permit for mine in given for permit in mine]
    in_era = Counter(permit.era for permit in permits)
    probes = [permit for permit in permits if permit.probe]
    assert probes, "nothing was ever probed"
    assert [in_era[probe.era] for probe in probes] == [1] * len(probes)
