"""Whatever happens in whatever order: every call counts once, and nobody is probed twice at a time."""

from __future__ import annotations

import itertools

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from core.agents.pool import Assignment, Pool
from core.agents.routing import INELIGIBLE_FROM, penalty
from core.agents.window import Call
from core.figures import AgentFigures, BreakerState
from core.settings import Settings
from tests.manual_clock import ManualClock

TYPES = ("network", "general")
TIERS = {"semantic": 2, "keyword": 1}
ORDER = list(TIERS)
_SETTINGS = Settings({"breaker.failures": 2, "probe_every": 2, "window.calls": 12})


class PoolRules(RuleBasedStateMachine):
    """Lookups, probes, results early and late, penalties and time, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.calls: list[Call] = []
        self.pool = Pool(TYPES, TIERS, _SETTINGS, self.clock, on_call=self.calls.append)
        self.out: list[Assignment] = []
        self.back: list[Assignment] = []
        self.finished = 0

    @rule(type_=st.sampled_from(TYPES))
    def lookup(self, type_: str) -> None:
        before = [one for one in self.pool.figures() if one.type == type_]
        assignment = self.pool.route(type_)
        closed = [one for one in before if one.breaker is BreakerState.CLOSED]
        eligible = [one for one in closed if one.monitor_penalty < INELIGIBLE_FROM]
        if assignment is None:
            assert not closed, "somebody was refused although a breaker is closed"
            return
        self.out.append(assignment)
        assert assignment.type == type_ == assignment.agent.partition("/")[0]
        served = next(one for one in before if one.id == assignment.agent)
        assert assignment.probe == (not closed)
        if closed:
            candidates = eligible or closed
            best_tier = min(candidates, key=lambda one: ORDER.index(one.tier)).tier
            assert served in candidates
            assert served.tier == best_tier
            assert served.routing_score == max(one.routing_score for one in candidates if one.tier == best_tier)
        else:
            assert served.breaker is BreakerState.OPEN

    @rule(type_=st.sampled_from(TYPES), served=st.integers(0, 10))
    def probes(self, type_: str, served: int) -> None:
        agents = [one.id for one in self.pool.figures() if one.type == type_]
        before = {one.id: one for one in self.pool.figures()}
        answered = agents[served] if served < len(agents) else None
        for probe in self.pool.probes_due(type_, answered):
            assert probe.probe
            assert probe.type == type_
            assert probe.agent != answered
            assert before[probe.agent].monitor_penalty > 0 or before[probe.agent].breaker is BreakerState.OPEN
            self.out.append(probe)

    @precondition(lambda self: self.out)
    @rule(data=st.data(), outcome=st.sampled_from(["ok", "slow", "failed", "degraded", "released"]))
    def come_back(self, data: st.DataObject, outcome: str) -> None:
        assignment = self.out.pop(data.draw(st.integers(0, len(self.out) - 1)))
        self.back.append(assignment)
        if outcome == "released":
            assert self.pool.release(assignment)
            return
        self.finished += 1
        duration = 9000.0 if outcome == "slow" else 5.0
        ok = outcome in {"ok", "slow"}
        assert self.pool.finish(assignment, ok=ok, duration_ms=duration, degraded=outcome == "degraded")

    @precondition(lambda self: self.back)
    @rule(data=st.data(), ok=st.booleans())
    def come_back_again(self, data: st.DataObject, ok: bool) -> None:
        assignment = self.back[data.draw(st.integers(0, len(self.back) - 1))]
        assert not self.pool.finish(assignment, ok=ok, duration_ms=1.0)
        assert not self.pool.release(assignment)

    @rule()
    def collect(self) -> None:
        figures = self.pool.figures()
        self.pool.set_penalties({one.id: penalty(one.success_rate, one.avg_ms, n=2 * one.total) for one in figures})

    @rule(agent=st.sampled_from(["network/semantic-1", "general/keyword-1"]), value=st.sampled_from([0.0, 0.05, 0.5]))
    def penalise(self, agent: str, value: float) -> None:
        self.pool.set_penalties({agent: value})

    @rule(seconds=st.sampled_from([1, 29, 30, 3600, 25 * 3600]))
    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)

    @invariant()
    def every_call_counts_once(self) -> None:
        assert len(self.calls) == self.finished
        for one in self.pool.figures():
            made = [call for call in self.calls if call.agent == one.id]
            assert one.total <= min(len(made), 12)
            failed = round(one.total * (1 - one.success_rate))
            assert round(one.total * one.success_rate) + failed == one.total
            assert 0 <= one.degraded <= failed
            kept = made[len(made) - one.total :]
            assert one.degraded == sum(call.degraded for call in kept)
            assert failed == sum(not call.ok for call in kept)

    @invariant()
    def one_probe_of_an_instance_at_a_time(self) -> None:
        probed = sorted(one.agent for one in self.out if one.probe)
        assert all(one != other for one, other in itertools.pairwise(probed)), probed
        for one in self.pool.figures():
            if one.breaker is BreakerState.HALF_OPEN:
                assert one.id in probed, "half open, and nobody probes"

    @invariant()
    def figures_stay_in_their_bounds(self) -> None:
        for one in self.pool.figures():
            assert in_bounds(one), one


def in_bounds(one: AgentFigures) -> bool:
    return (
        0 <= one.success_rate <= 1
        and 0 <= one.monitor_penalty <= 0.9
        and 0 <= one.routing_score <= 1
        and 0 <= one.p50_ms <= one.p95_ms
        and one.avg_ms >= 0
    )


TestPoolRules = PoolRules.TestCase
TestPoolRules.settings = settings(max_examples=60, stateful_step_count=50)
