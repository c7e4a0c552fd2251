"""A simulated day, whole: an outage, a slow spell, recovery; alerts, penalties, routing, and figures that agree."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.agents.routing import penalty
from core.engine import Engine
from core.figures import AgentFigures, AlertState, Period, Selection
from core.model import RelevanceLevel
from core.simulation.day import questions, simulate
from core.simulation.demonstration import SEED
from core.simulation.script import HOURS, SPELLS, Spell, day
from core.simulation.simulated_engine import SimulatedEngine
from tests.manual_clock import ManualClock

END = datetime(2026, 12, 1, 9, tzinfo=UTC)
START = END - timedelta(hours=HOURS)
PERIOD = Period(START, END)
EDGES = [START + timedelta(hours=hour) for hour in range(HOURS + 1)]
SLOW, OUTAGE = SPELLS


@dataclass
class SimulatedDay:
    root: Path
    collections: list[tuple[datetime, dict[str, AgentFigures]]] = field(default_factory=list)

    def collected(self, engine: SimulatedEngine) -> None:
        """What the monitor knew after a collection."""
        now = START + timedelta(seconds=engine.calls.moment)
        self.collections.append((now, {agent.id: agent for agent in engine.monitor.agents()}))

    def rows(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.root / "deskside.sqlite3")) as database:
            return database.execute(sql, values).fetchall()


def moment(part: float) -> datetime:
    return START + timedelta(hours=HOURS * part)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> SimulatedDay:
    made = SimulatedDay(tmp_path_factory.mktemp("day") / "data")
    simulate(made.root, day(questions(), SEED), end=END, seed=SEED, on_collected=made.collected)
    return made


@pytest.fixture(scope="module")
def engine(simulated: SimulatedDay) -> Iterator[Engine]:
    """The window of the evening."""
    opened = Engine.open(simulated.root, clock=ManualClock(END))
    yield opened
    opened.close()


def test_three_types_of_three_instances(engine: Engine) -> None:
    types = Counter(agent.type for agent in engine.monitor.agents())
    assert types == {"network": 3, "workplace": 3, "general": 3}


def test_alerts_open_and_resolve_once(simulated: SimulatedDay, engine: Engine) -> None:
    alerts = engine.monitor.alerts(since=START)
    names = Counter(alert.name for alert in alerts)
    expected = {
        *(f"agent_avg_ms:{agent}" for agent in SLOW.agents),
        *(f"agent_success_rate:{agent}" for agent in OUTAGE.agents),
    }
    assert {name for name in names if name.startswith("agent_")} == expected
    assert all(names[name] == 1 for name in expected)
    for alert in alerts:
        if alert.name in expected:
            spell = SLOW if "avg_ms" in alert.name else OUTAGE
            assert alert.state is AlertState.RESOLVED
            assert alert.resolved_at is not None
            assert moment(spell.start) < alert.opened_at < moment(spell.end) < alert.resolved_at
    wechat, dingtalk = (
        [one for one in alerts if one.name.startswith("suspected_outage:") and word in one.detail]
        for word in ("企业微信", "钉钉")
    )
    assert [one.state for one in wechat] == [AlertState.RESOLVED]
    assert [one.state for one in dingtalk] == [AlertState.OPEN]
    assert dingtalk[0].value >= dingtalk[0].threshold == 5


def test_penalties_follow_what_was_seen(simulated: SimulatedDay) -> None:
    worst: Counter[str] = Counter()
    for _, agents in simulated.collections:
        for agent in agents.values():
            due = penalty(
                agent.success_rate,
                agent.avg_ms,
                n=agent.total,
                success_rate_threshold=0.90,
                latency_ms_threshold=3000,
            )
            assert agent.monitor_penalty == pytest.approx(due)
            worst[agent.id] = max(worst[agent.id], round(1000 * agent.monitor_penalty))
    assert all(worst[agent] > 0 for agent in (*SLOW.agents, *OUTAGE.agents))
    assert all(worst[agent] >= 100 for agent in SLOW.agents)  # from which on another instance serves
    assert any(worst[agent] >= 100 for agent in OUTAGE.agents)
    assert all(worst[f"general/{name}"] < 100 for name in ("hybrid-hashed-1", "hybrid-hashed-2", "keyword-1"))
    last = simulated.collections[-1][1]
    assert all(last[agent].monitor_penalty == 0 for agent in (*SLOW.agents, *OUTAGE.agents))


@pytest.mark.parametrize("spell", SPELLS, ids=["slow", "outage"])
def test_routing_shifts_and_returns(simulated: SimulatedDay, spell: Spell) -> None:
    type_ = spell.agents[0].partition("/")[0]

    def tiers(start: datetime, end: datetime) -> set[str]:
        rows = simulated.rows(
            "SELECT DISTINCT agent FROM tool_invocation JOIN lookup_fact ON invocation_id = tool_invocation.id "
            "WHERE agent_type = ? AND created_at >= ? AND created_at < ? AND outcome <> 'degraded' "
            "AND ifnull(json_extract(retrieval_details, '$.cache_hit'), 0) = 0",
            type_,
            start.strftime("%Y-%m-%dT%H:%M:%S"),
            end.strftime("%Y-%m-%dT%H:%M:%S"),
        )
        return {str(agent).partition("/")[2].rpartition("-")[0] for (agent,) in rows}

    assert tiers(moment(0), moment(spell.start)) == {"hybrid-hashed"}
    assert "keyword" in tiers(moment(spell.start), moment(spell.end) + timedelta(minutes=10))
    assert tiers(moment(0.9), END) == {"hybrid-hashed"}


def test_every_panel_of_the_service_has_data_and_sums_agree(simulated: SimulatedDay, engine: Engine) -> None:
    told = engine.monitor.service(PERIOD, EDGES)
    ((lookups, answered, degraded, lost, sessions),) = simulated.rows(
        "SELECT count(*), sum(success), sum(outcome = 'degraded'), sum(outcome = 'not_found'), "
        "count(DISTINCT session_id) FROM tool_invocation WHERE superseded = 0"
    )
    assert (told.lookups, told.sessions, told.degraded) == (lookups, sessions, degraded)
    assert told.lookups > 1500
    assert (told.answered.count, told.answered.n) == (answered, lookups)
    assert (told.without_result.count, told.without_result.n) == (lost, lookups)
    assert told.answered.count + told.degraded == told.lookups
    assert told.degraded > 0
    assert told.adopted.n == told.sessions
    assert 0 < told.adopted.count < told.adopted.n
    assert 0 < told.repeated.count < told.repeated.n == lookups
    assert told.lookups_per_session == pytest.approx(told.lookups / told.sessions)
    assert sum(bucket.lookups for bucket in told.timeline) == lookups
    assert all(bucket.lookups == sum(bucket.levels.values()) > 0 for bucket in told.timeline)
    assert "投影仪没信号" in told.unanswered[0].query
    assert sum(one.count for one in told.unanswered) <= lost
    assert {concern for concern, count in told.concern_counts.items() if count} == {"flagged", "expired", "never_shown"}
    assert len(told.concerns) > 0
    for level in (RelevanceLevel.PRECISE, RelevanceLevel.HIGHLY_RELEVANT, RelevanceLevel.REFERENCE):
        share = told.honesty[level]
        assert share.count > 0
        assert share.share is not None


def test_every_panel_of_the_engines_has_data_and_sums_agree(simulated: SimulatedDay, engine: Engine) -> None:
    told = engine.monitor.engines(PERIOD, EDGES)
    assert told.lookups == sum(bucket.lookups for bucket in told.levels)
    totals: Counter[str] = Counter()
    for bucket in told.levels:
        assert sum(bucket.levels.values()) == bucket.lookups
        totals.update(bucket.levels)
    assert all(totals[level] > 0 for level in (*RelevanceLevel, "none", "degraded"))
    assert (told.degraded, told.degraded > 0) == (totals["degraded"], True)
    assert sum(told.dedup_reasons.values()) == totals["DEDUPED"]
    assert set(told.dedup_reasons) == {"doc_retrieved", "domain_retrieved"}
    assert told.leg_missing > 0
    assert told.p50_ms is not None
    assert told.p95_ms is not None
    assert told.p50_ms < told.p95_ms
    assert len(told.agents) == 9
    assert {series.agent for series in told.series} == {agent.id for agent in told.agents if agent.total}
    for type_ in engine.monitor.type_names():
        assert max(len(series.at) for series in told.series if series.type == type_) > HOURS * 20
    (histogram,) = told.similarity
    assert sum(histogram.counts) > 1000
    assert told.cache.hits > 0
    assert told.cache.misses > told.cache.hits
    assert told.failed_files == 1
    assert told.index_written_at is not None
    assert engine.monitor.suggestions()


def test_the_parts_make_the_whole(engine: Engine) -> None:
    whole = engine.monitor.service(PERIOD, EDGES)
    types = engine.monitor.type_names()
    parts = [engine.monitor.service(PERIOD, EDGES, Selection(type=name)) for name in types]
    assert sum(part.lookups for part in parts) == whole.lookups
    assert all(part.lookups for part in parts)
    halves = [Period(START, EDGES[4]), Period(EDGES[4], END)]
    assert sum(engine.monitor.service(half, [half.start, half.end]).lookups for half in halves) == whole.lookups


def test_a_number_leads_to_the_lookups_behind_it(engine: Engine) -> None:
    lost = engine.monitor.lookups(PERIOD, outcome="not_found", limit=10_000)
    assert len(lost) == engine.monitor.service(PERIOD, EDGES).without_result.count
    moments = engine.monitor.timeline(lost[0].session_id)
    assert lost[0].id in {one.lookup.id for one in moments if one.lookup is not None}


def test_the_same_seed_leaves_the_same_log(tmp_path: Path) -> None:
    logs = []
    for name in ("one", "two"):
        made = SimulatedDay(tmp_path / name)
        simulate(made.root, day(questions(), 4, hours=0.5, sessions=20), end=END, seed=4)
        logs.append(
            (
                made.rows(
                    "SELECT session_id, query, agent, created_at, duration_ms, outcome, relevance_level, dedup_reason, "
                    "retrieval_details FROM tool_invocation ORDER BY id"
                ),
                made.rows("SELECT at, agent, duration_ms, ok, degraded, probe FROM agent_call ORDER BY id"),
                made.rows("SELECT session_id, at, kind, doc_key, value FROM session_event ORDER BY id"),
                made.rows("SELECT * FROM agent_metric ORDER BY at, agent"),
            )
        )
    assert logs[0] == logs[1]
    assert all(logs[0])
