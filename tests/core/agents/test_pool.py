"""Who serves: tiers, scores, penalties, breakers, probes, recovery (contract §8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest

from core.agents.pool import GOOD_PROBES, Assignment, Pool
from core.agents.routing import penalty
from core.agents.tier import tiers
from core.agents.window import Call
from core.figures import AgentFigures, BreakerState
from core.settings import Settings
from tests.manual_clock import ManualClock

TYPES = ("network", "workplace", "general")


class Desk:
    """A pool whose calls take as long as the test says, each in an instant."""

    def __init__(self, *, with_model: bool = True, settings: Settings | None = None) -> None:
        self.clock = ManualClock()
        self.settings = settings or Settings()
        self.calls: list[Call] = []
        self.recovered: list[tuple[str, datetime]] = []
        self.served: list[str | None] = []
        self.pool = self.made(tiers(with_model=with_model))

    def made(self, standing: dict[str, int]) -> Pool:
        return Pool(
            TYPES,
            standing,
            self.settings,
            self.clock,
            on_call=self.calls.append,
            on_recovery=lambda agent, since: self.recovered.append((agent, since)),
        )

    def lookup(self, takes: Callable[[str], float | None], type_: str = "network") -> str | None:
        """One lookup and the probes that follow it; `takes`: milliseconds of an instance's call, None: it fails."""
        assignment = self.pool.route(type_)
        if assignment is not None:
            self._make(assignment, takes)
        self.served.append(assignment.agent if assignment else None)
        for probe in self.pool.probes_due(type_, assignment.agent if assignment else None):
            self._make(probe, takes)
        return self.served[-1]

    def _make(self, assignment: Assignment, takes: Callable[[str], float | None]) -> None:
        duration = takes(assignment.agent)
        self.clock.advance(1)
        self.pool.finish(assignment, ok=duration is not None, duration_ms=10.0 if duration is None else duration)

    def collect(self) -> None:
        """What the monitor does with penalties."""
        self.pool.set_penalties(
            {one.id: penalty(one.success_rate, one.avg_ms, n=one.total) for one in self.pool.figures()}
        )

    def of(self, agent: str) -> AgentFigures:
        return next(one for one in self.pool.figures() if one.id == agent)

    def open_breaker(self, agent: str) -> None:
        """Fails it until its breaker opens."""
        others = {one.id: 0.5 for one in self.pool.figures() if one.id != agent}
        before = {one.id: one.monitor_penalty for one in self.pool.figures()}
        self.pool.set_penalties({**others, agent: 0.0})
        for _ in range(self.settings.whole("breaker.failures")):
            assignment = self.pool.route(agent.partition("/")[0])
            assert assignment is not None
            assert assignment.agent == agent
            self.pool.finish(assignment, ok=False, duration_ms=1)
        self.pool.set_penalties(before)
        assert self.of(agent).breaker is BreakerState.OPEN


def good(agent: str) -> float:
    return 5.0


def test_every_type_has_instances_in_every_tier() -> None:
    ids = [one.id for one in Desk().pool.figures()]
    assert ids[:5] == [
        "network/semantic-1",
        "network/semantic-2",
        "network/hybrid-hashed-1",
        "network/hybrid-hashed-2",
        "network/keyword-1",
    ]
    assert len(ids) == len(set(ids)) == 15
    assert not [one.id for one in Desk(with_model=False).pool.figures() if one.tier == "semantic"]


def test_an_instance_without_calls() -> None:
    assert Desk().of("general/keyword-1") == AgentFigures(
        id="general/keyword-1",
        type="general",
        tier="keyword",
        total=0,
        success_rate=1.0,
        degraded=0,
        avg_ms=0.0,
        p95_ms=0.0,
        monitor_penalty=0.0,
        routing_score=1.0,
        breaker=BreakerState.CLOSED,
        breaker_since=ManualClock().now(),
    )


def test_among_equal_scores_the_fewest_calls_under_way_win_and_never_over_a_larger_score() -> None:
    pool = Desk().pool
    first, second, third = (pool.route("network") for _ in range(3))
    assert [one.agent for one in (first, second, third) if one] == [f"network/semantic-{n}" for n in (1, 2, 1)]
    assert second
    pool.finish(second, ok=True, duration_ms=0)  # its score is 1.0 as before, and it has nothing to do
    again = pool.route("network")
    assert again
    assert again.agent == second.agent
    pool.finish(again, ok=True, duration_ms=1)
    busy = [pool.route("network") for _ in range(4)]
    assert {one.agent for one in busy if one} == {"network/semantic-1"}


def test_the_largest_routing_score_wins_inside_a_tier() -> None:
    desk = Desk()
    desk.pool.restore(
        [
            Call("network/semantic-1", desk.clock.now(), 900, ok=True),
            Call("network/semantic-2", desk.clock.now(), 800, ok=True),
        ]
    )
    assert desk.lookup(good) == "network/semantic-2"
    desk.pool.restore([Call("network/semantic-2", desk.clock.now(), 5000, ok=True)])
    assert desk.lookup(good) == "network/semantic-1"
    desk.pool.set_penalties({"network/semantic-1": 0.09})  # still eligible, but worth less
    assert desk.of("network/semantic-1").routing_score > 0.8 * desk.of("network/semantic-2").routing_score
    desk.pool.restore([Call("network/semantic-2", desk.clock.now(), 1, ok=True)] * 30)
    assert desk.lookup(good) == "network/semantic-2"


def test_a_lower_tier_however_good_serves_only_when_none_above_is_eligible() -> None:
    desk = Desk()
    slow = [Call(f"network/semantic-{n}", desk.clock.now(), 2999, ok=True) for n in (1, 2)]
    desk.pool.restore(slow)
    assert desk.of("network/keyword-1").routing_score > desk.of("network/semantic-1").routing_score
    assert desk.lookup(good) == "network/semantic-1"
    desk.pool.set_penalties({"network/semantic-1": 0.10})
    assert desk.lookup(good) == "network/semantic-2"
    desk.pool.set_penalties({"network/semantic-2": 0.10})
    assert desk.lookup(good) == "network/hybrid-hashed-1"
    desk.pool.set_penalties({"network/hybrid-hashed-1": 0.2, "network/hybrid-hashed-2": 0.2})
    assert desk.lookup(good) == "network/keyword-1"


@pytest.mark.parametrize(("value", "serves"), [(0.0999, "network/semantic-1"), (0.1, "network/hybrid-hashed-1")])
def test_the_edge_of_eligibility_is_a_penalty_of_a_tenth(value: float, serves: str) -> None:
    desk = Desk()
    desk.pool.set_penalties({"network/semantic-1": value, "network/semantic-2": 0.5})
    assert desk.lookup(good) == serves


def test_a_penalty_never_changes_the_type() -> None:
    desk = Desk()
    for one in desk.pool.figures():
        if one.type == "network":
            desk.pool.set_penalties({one.id: 0.9})
    for _ in range(50):
        served = desk.lookup(good, "network")
        assert served is not None
        assert served.startswith("network/")
    assert {call.agent.partition("/")[0] for call in desk.calls} == {"network"}


def test_nobody_is_refused_because_of_a_penalty() -> None:
    desk = Desk()
    desk.pool.set_penalties({one.id: 0.4 for one in desk.pool.figures()})
    desk.pool.set_penalties({"network/semantic-2": 0.3})
    assert desk.lookup(good) == "network/semantic-2"
    desk.open_breaker("network/semantic-1")
    desk.open_breaker("network/semantic-2")
    assert desk.lookup(good) == "network/hybrid-hashed-1"


def test_an_open_breaker_is_passed_over() -> None:
    desk = Desk()
    desk.open_breaker("network/semantic-1")
    assert desk.lookup(good) == "network/semantic-2"
    desk.open_breaker("network/semantic-2")
    assert desk.lookup(good) == "network/hybrid-hashed-1"
    assert desk.lookup(good, "workplace") == "workplace/semantic-1"


def test_with_every_breaker_open_nobody_serves_until_a_wait_is_over() -> None:
    desk = Desk(with_model=False)
    for agent in ("network/hybrid-hashed-1", "network/hybrid-hashed-2", "network/keyword-1"):
        desk.open_breaker(agent)
    assert desk.pool.route("network") is None
    desk.clock.advance(29)
    assert desk.pool.route("network") is None
    assert desk.lookup(good, "general") == "general/hybrid-hashed-1"
    desk.clock.advance(1)
    lookups = [desk.pool.route("network") for _ in range(4)]
    served = [one.agent for one in lookups if one]
    assert served == ["network/hybrid-hashed-1", "network/hybrid-hashed-2", "network/keyword-1"]
    assert all(one.probe for one in lookups if one)
    assert lookups[3] is None  # each is being probed: "while OPEN or probing it is not eligible"
    assert lookups[0] is not None
    desk.pool.finish(lookups[0], ok=True, duration_ms=5)
    assert desk.lookup(good) == "network/hybrid-hashed-1"


def test_a_breaker_whose_wait_is_over_is_probed_behind_a_lookup() -> None:
    desk = Desk()
    desk.open_breaker("network/semantic-1")
    assert desk.pool.probes_due("network", "network/semantic-2") == ()
    desk.clock.advance(30)
    (probe,) = desk.pool.probes_due("network", "network/semantic-2")
    assert (probe.agent, probe.probe) == ("network/semantic-1", True)
    assert desk.of("network/semantic-1").breaker is BreakerState.HALF_OPEN
    assert desk.pool.probes_due("network", "network/semantic-2") == ()
    assert desk.lookup(good) == "network/semantic-2"
    desk.pool.finish(probe, ok=True, duration_ms=5)
    assert desk.of("network/semantic-1").breaker is BreakerState.CLOSED
    assert desk.calls[-1].probe


def test_a_released_probe_is_due_again() -> None:
    desk = Desk()
    desk.open_breaker("network/semantic-1")
    desk.clock.advance(30)
    (probe,) = desk.pool.probes_due("network", None)
    before = len(desk.calls)
    assert desk.pool.release(probe)
    assert len(desk.calls) == before
    (again,) = desk.pool.probes_due("network", None)
    assert again.agent == probe.agent
    assert not desk.pool.finish(probe, ok=True, duration_ms=1)
    assert desk.of("network/semantic-1").breaker is BreakerState.HALF_OPEN


def test_only_the_first_word_on_a_call_counts() -> None:
    desk = Desk()
    assignment = desk.pool.route("network")
    assert assignment is not None
    assert desk.pool.finish(assignment, ok=False, duration_ms=10_000)  # the deadline
    assert not desk.pool.finish(assignment, ok=True, duration_ms=12_000)  # and then it comes back after all
    assert not desk.pool.release(assignment)
    assert [(call.ok, call.duration_ms) for call in desk.calls] == [(False, 10_000)]


def test_a_degraded_result_is_a_failure_whatever_the_caller_says() -> None:
    desk = Desk()
    assignment = desk.pool.route("network")
    assert assignment is not None
    desk.pool.finish(assignment, ok=True, duration_ms=1500, degraded=True)
    figures = desk.of(assignment.agent)
    assert (figures.total, figures.success_rate, figures.degraded) == (1, 0.0, 1)


@pytest.mark.parametrize("duration", [-1.0, float("nan")])
def test_an_impossible_duration_does_not_lose_the_assignment(duration: float) -> None:
    desk = Desk()
    assignment = desk.pool.route("network")
    assert assignment is not None
    with pytest.raises(ValueError, match="ms"):
        desk.pool.finish(assignment, ok=True, duration_ms=duration)
    assert desk.pool.finish(assignment, ok=True, duration_ms=1)


def test_five_failures_in_a_row_send_the_next_lookup_to_the_next_instance() -> None:
    desk = Desk()
    served = [desk.lookup(lambda agent: None if agent == "network/semantic-1" else 5.0) for _ in range(8)]
    assert served.count("network/semantic-1") == 1, "a fresh sibling has the better score after one failure"
    failing = [desk.lookup(lambda agent: None if "semantic" in agent else 5.0) for _ in range(20)]
    assert failing[-1] == "network/hybrid-hashed-1"
    states = {one.id: one.breaker for one in desk.pool.figures() if one.type == "network"}
    assert states["network/semantic-1"] is states["network/semantic-2"] is BreakerState.OPEN


# ---------------------------------------------------------------- the worked example


def slow_semantic(agent: str) -> float:
    return 4200.0 if "semantic" in agent else 8.0


def test_a_slow_model_is_penalised_replaced_probed_and_taken_back() -> None:
    """Both semantic instances average 4.2 s → penalty 0.12 → hashed serves; fast again → 5 good probes → they serve."""
    desk = Desk()
    desk.pool.restore([Call(f"network/semantic-{n}", desk.clock.now(), 4200, ok=True) for n in (1, 2)] * 200)
    assert desk.lookup(slow_semantic) == "network/semantic-1"
    desk.collect()
    for number in (1, 2):
        figures = desk.of(f"network/semantic-{number}")
        assert (figures.total, figures.avg_ms, figures.monitor_penalty) == (200, 4200, 0.12)
    assert desk.lookup(slow_semantic) == "network/hybrid-hashed-1"

    # Still slow: probed in the background, one lookup in twenty, and nothing comes back.
    before = len(desk.calls)
    for _ in range(200):
        served = desk.lookup(slow_semantic)
        assert served is not None
        assert "hybrid-hashed" in served
        desk.collect()
    probes = [call.agent for call in desk.calls[before:] if call.probe]
    assert [probes.count(f"network/semantic-{n}") for n in (1, 2)] == [10, 10]

    # Fast again.
    before, lookups = len(desk.calls), 0
    while True:
        lookups += 1
        served = desk.lookup(good)
        desk.collect()
        if served is not None and "semantic" in served:
            break
    assert lookups <= 120
    probes = [call.agent for call in desk.calls[before:] if call.probe]
    assert sorted(probes) == ["network/semantic-1"] * GOOD_PROBES + ["network/semantic-2"] * GOOD_PROBES
    assert desk.of("network/semantic-1").monitor_penalty == 0.0
    assert [agent for agent, _ in desk.recovered] == ["network/semantic-1", "network/semantic-2"]


def test_two_new_instances_that_are_slow_are_found_out_one_after_the_other() -> None:
    desk = Desk()
    for _ in range(40):
        served = desk.lookup(slow_semantic)
        assert served is not None
        assert "semantic" in served
        desk.collect()
    assert [desk.of(f"network/semantic-{n}").monitor_penalty for n in (1, 2)] == [0.12, 0.12]
    assert desk.lookup(slow_semantic) == "network/hybrid-hashed-1"


def test_one_slow_instance_of_two_is_replaced_by_its_sibling() -> None:
    """The tier keeps serving. Fast again, it is eligible after its five probes, and serves when its score is larger."""

    def one_slow(agent: str) -> float:
        return 4200.0 if agent == "network/semantic-1" else 900.0

    desk = Desk()
    desk.pool.restore([Call("network/semantic-1", desk.clock.now(), 4200, ok=True)] * 20)
    desk.collect()
    assert desk.of("network/semantic-1").monitor_penalty == 0.12
    assert {desk.lookup(one_slow) for _ in range(60)} == {"network/semantic-2"}
    served = [desk.lookup(lambda agent: 300.0 if agent == "network/semantic-1" else 900.0) for _ in range(120)]
    assert set(served) == {"network/semantic-2", "network/semantic-1"}
    assert served[-1] == "network/semantic-1", "300 ms against 900 ms"
    assert desk.of("network/semantic-1").total < 60, "its old window is gone"


def test_without_a_collection_the_penalty_goes_with_the_old_window() -> None:
    """Routing does not wait up to 10 s for what the five probes have shown."""
    desk = Desk()
    desk.pool.restore([Call("network/semantic-1", desk.clock.now(), 4200, ok=True)] * 30)
    desk.collect()
    for _ in range(100):
        desk.lookup(good)
    assert desk.of("network/semantic-1").monitor_penalty == 0.0
    assert desk.of("network/semantic-1").total == GOOD_PROBES


def test_a_probe_that_fails_or_is_slow_begins_the_row_anew() -> None:
    desk = Desk()
    desk.pool.restore([Call("network/semantic-1", desk.clock.now(), 4200, ok=True)] * 30)
    desk.collect()
    script = iter([1.0, 1.0, 1.0, 1.0, None, 3000.0, 1.0, 3000.1, 1.0, 1.0, 1.0, 1.0, 3000.0])
    probes = 0
    while not desk.recovered:
        desk.lookup(lambda agent: next(script) if agent == "network/semantic-1" else 1.0)
        probes = sum(call.probe for call in desk.calls)
    assert probes == 13
    assert next(script, "used up") == "used up"


def test_a_small_penalty_is_probed_too() -> None:
    """Below 0.10 an instance is eligible, but a better sibling would serve for ever: it must be able to recover."""
    desk = Desk()
    desk.pool.restore([Call("network/semantic-1", desk.clock.now(), 3500, ok=True)] * 20)
    desk.collect()
    assert desk.of("network/semantic-1").monitor_penalty == 0.05
    for _ in range(20 * GOOD_PROBES):
        desk.lookup(good)
    assert desk.of("network/semantic-1").monitor_penalty == 0.0


def test_probes_go_by_the_lookups_of_the_own_type_that_others_served() -> None:
    desk = Desk()
    desk.pool.set_penalties({"network/semantic-1": 0.5})
    for _ in range(100):
        desk.lookup(good, "workplace")
    assert not any(call.probe for call in desk.calls)
    for _ in range(19):
        desk.lookup(good)
    assert not any(call.probe for call in desk.calls)
    desk.lookup(good)
    assert [call.agent for call in desk.calls if call.probe] == ["network/semantic-1"]


def test_one_probe_of_an_instance_at_a_time() -> None:
    desk = Desk(settings=Settings({"probe_every": 1}))
    desk.pool.set_penalties({"network/semantic-1": 0.5})
    desk.pool.route("network")
    (probe,) = desk.pool.probes_due("network", "network/semantic-2")
    desk.pool.route("network")
    assert desk.pool.probes_due("network", "network/semantic-2") == ()
    desk.pool.finish(probe, ok=True, duration_ms=1)
    assert len(desk.pool.probes_due("network", "network/semantic-2")) == 1


# -------------------------------------------------------------------- restoring


def counted(pool: Pool) -> dict[str, AgentFigures]:
    return {one.id: replace(one, breaker_since=None) for one in pool.figures()}


def test_a_restart_goes_on_where_it_was() -> None:
    desk = Desk()
    for _ in range(40):
        desk.lookup(slow_semantic)
    again = desk.made(tiers(with_model=True))
    told = len(desk.calls)
    again.restore(list(desk.calls))
    assert len(desk.calls) == told, "what is in the log already is not told again"
    assert counted(again) == counted(desk.pool)


def test_a_restart_does_not_bring_a_dropped_window_back() -> None:
    desk = Desk()
    desk.pool.restore([Call("network/semantic-1", desk.clock.now(), 4200, ok=True)] * 30)
    desk.collect()
    for _ in range(100):
        desk.lookup(good)
    ((agent, since),) = desk.recovered
    again = desk.made(tiers(with_model=True))
    log = [Call("network/semantic-1", ManualClock().now(), 4200, ok=True)] * 30 + desk.calls
    again.restore(log, {agent: since})
    assert counted(again)[agent] == counted(desk.pool)[agent]
    assert counted(again)[agent].total == GOOD_PROBES


def test_calls_of_instances_that_are_no_more_are_ignored() -> None:
    desk = Desk(with_model=False)
    before = desk.pool.figures()
    desk.pool.restore(
        [Call("network/semantic-1", desk.clock.now(), 1, ok=True), Call("?", desk.clock.now(), 1, ok=True)]
    )
    desk.pool.set_penalties({"network/semantic-1": 0.5, "?": 0.5})
    assert desk.pool.figures() == before


@pytest.mark.parametrize(("value", "kept"), [(-1.0, 0.0), (0.45, 0.45), (7.0, 0.9)])
def test_penalties_are_clipped(value: float, kept: float) -> None:
    desk = Desk()
    desk.pool.set_penalties({"network/keyword-1": value})
    assert desk.of("network/keyword-1").monitor_penalty == kept


def test_an_unknown_type_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        Desk().pool.route("nonsense")


def test_what_another_process_saw_recover_is_recovered_here() -> None:
    desk = Desk()
    desk.pool.restore([Call("network/semantic-1", desk.clock.now(), 4200, ok=True)] * 30)
    desk.clock.advance(60)
    since = desk.clock.now()
    probes = [Call("network/semantic-1", since, 5, ok=True, probe=True)] * 3
    desk.pool.forget_before({"network/semantic-1": since, "no/such-1": since})
    desk.pool.restore(probes, {"network/semantic-1": since})
    desk.collect()
    figures = desk.of("network/semantic-1")
    assert (figures.total, figures.avg_ms, figures.monitor_penalty) == (3, 5, 0)


def test_good_probes_of_several_processes_make_one_row() -> None:
    """Every process sees all calls, so each comes to the same end by itself."""
    desk = Desk()
    slow = [Call("network/semantic-1", desk.clock.now(), 4200, ok=True)] * 200
    desk.pool.restore(slow)
    desk.collect()
    while sum(call.probe for call in desk.calls) < 2:
        desk.lookup(good)
    desk.pool.restore([Call("network/semantic-1", desk.clock.now(), 5, ok=True, probe=True)] * 3)
    figures = desk.of("network/semantic-1")
    assert (figures.total, figures.monitor_penalty) == (5, 0.0)
    assert desk.recovered == [], "what is in the log already is not told again"


def test_what_an_instance_serves_itself_brings_no_probe_nearer() -> None:
    desk = Desk()
    desk.pool.set_penalties({one.id: 0.5 for one in desk.pool.figures()})
    desk.pool.set_penalties({"network/semantic-1": 0.4})
    assert {desk.lookup(good) for _ in range(19)} == {"network/semantic-1"}
    desk.pool.set_penalties({"network/semantic-2": 0.3})
    assert desk.lookup(good) == "network/semantic-2"
    assert not any(call.probe for call in desk.calls if call.agent == "network/semantic-1")


def test_who_has_just_answered_is_not_probed() -> None:
    desk = Desk()
    desk.pool.set_penalties({"network/semantic-1": 0.5})
    for _ in range(20):
        desk.pool.route("network")
    assert desk.pool.probes_due("network", "network/semantic-1") == ()
    assert len(desk.pool.probes_due("network", "network/semantic-2")) == 1


def test_a_breaker_is_not_probed_while_an_earlier_probe_is_still_out() -> None:
    """One that was made while the breaker was closed, and has hung since."""
    desk = Desk(with_model=False, settings=Settings({"probe_every": 1}))
    desk.pool.set_penalties({"network/hybrid-hashed-1": 0.05})
    desk.pool.restore([Call("network/hybrid-hashed-1", desk.clock.now(), 2000, ok=True)])
    desk.pool.route("network")
    (hung,) = desk.pool.probes_due("network", "network/hybrid-hashed-2")
    for agent in ("network/hybrid-hashed-1", "network/hybrid-hashed-2", "network/keyword-1"):
        desk.open_breaker(agent)
    desk.clock.advance(30)
    assert desk.pool.probes_due("network", "network/hybrid-hashed-2")[0].agent == "network/keyword-1"
    served = desk.pool.route("network")
    assert served is not None
    assert served.agent == "network/hybrid-hashed-2"
    assert desk.pool.route("network") is None
    desk.pool.finish(hung, ok=False, duration_ms=10_000)
    again = desk.pool.route("network")
    assert again is not None
    assert again.agent == "network/hybrid-hashed-1"


def test_good_calls_between_good_probes_stay_with_them() -> None:
    desk = Desk()
    now = desk.clock.now()
    slow, live, probe = (
        Call("network/semantic-1", now, 4200, ok=True),
        Call("network/semantic-1", now, 6, ok=True),
        Call("network/semantic-1", now, 5, ok=True, probe=True),
    )
    desk.pool.restore([slow] * 50 + [live, probe, live] + [probe] * 4)
    assert desk.of("network/semantic-1").total == 6


def test_calls_before_the_moment_that_counts_are_left_out() -> None:
    desk = Desk()
    old = desk.clock.now()
    desk.clock.advance(60)
    calls = [Call("network/semantic-1", at, 10, ok=True) for at in (old, old, desk.clock.now())]
    desk.pool.restore(calls, {"network/semantic-1": desk.clock.now()})
    assert desk.of("network/semantic-1").total == 1


def test_a_released_probe_of_a_penalised_instance_is_due_at_once() -> None:
    desk = Desk()
    desk.pool.set_penalties({"network/semantic-1": 0.5})
    for _ in range(20):
        desk.pool.route("network")
    (probe,) = desk.pool.probes_due("network", None)
    desk.pool.release(probe)
    assert [one.agent for one in desk.pool.probes_due("network", None)] == ["network/semantic-1"]


def test_a_new_penalty_waits_its_lookups_anew() -> None:
    desk = Desk()
    desk.pool.set_penalties({"network/semantic-1": 0.5})
    for _ in range(19):
        desk.pool.route("network")
    desk.pool.set_penalties({"network/semantic-1": 0.0})
    desk.pool.set_penalties({"network/semantic-1": 0.5})
    desk.pool.route("network")
    assert desk.pool.probes_due("network", None) == ()
