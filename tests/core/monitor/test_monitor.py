"""The monitor of an open engine: what it tells after collections, and what it suggests."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from core.agents.window import Call
from core.engine import Engine
from core.figures import AlertState, Period, Selection, SuggestionKind
from core.model import EventKind, Trigger
from tests.manual_clock import ManualClock

SLOW = "network/hybrid-hashed-1"
UNKNOWN = "磁悬浮咖啡机的磁环怎么除垢"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine.open(tmp_path / "data", clock=ManualClock())
    yield engine
    engine.close()


def clock_of(engine: Engine) -> ManualClock:
    clock = engine._clock
    assert isinstance(clock, ManualClock)
    return clock


def last_hour(engine: Engine) -> Period:
    now = clock_of(engine).now()
    return Period(now - timedelta(hours=1), now + timedelta(seconds=1))


def slow(engine: Engine, duration_ms: float = 4200, count: int = 30) -> None:
    """Calls of one instance that have ended already."""
    pool = engine._serving.calls.pool
    pool.restore(Call(SLOW, clock_of(engine).now(), duration_ms, ok=True) for _ in range(count))


def kinds(engine: Engine) -> list[SuggestionKind]:
    return [suggestion.kind for suggestion in engine.monitor.suggestions()]


def test_stats_tell_a_penalised_agent_its_alert_and_what_could_be_done(engine: Engine) -> None:
    slow(engine)
    assert engine.monitor.collect()
    told = engine.stats(24)
    (agent,) = (one for one in told["agents"] if one["id"] == SLOW)
    assert (agent["total"], agent["avg_ms"], agent["monitor_penalty"]) == (30, 4200, 0.12)
    assert agent["routing_score"] == pytest.approx((0.7 + 0.3 / 5.2) * 0.88)
    assert told["alerts"] == [
        {
            "name": f"agent_avg_ms:{SLOW}",
            "value": 4200,
            "threshold": 3000,
            "opened_at": "2026-11-30T20:10:00.123Z",
            "state": "open",
        }
    ]
    (suggestion,) = told["suggestions"]
    assert suggestion["title"] == f"{SLOW} 24 小时平均 4.2 s：由 network/hybrid-hashed-2 代答"
    assert suggestion["priority"] == 7


def test_a_fresh_folder_has_nothing_to_warn_of_or_to_suggest(engine: Engine) -> None:
    assert engine.monitor.collect()
    assert engine.monitor.alerts() == ()
    assert engine.monitor.suggestions() == ()
    assert {agent.total for agent in engine.monitor.agents()} == {0}


def test_the_newest_hour_stands_at_ten_seconds_and_the_rest_at_a_minute(engine: Engine) -> None:
    slow(engine, 40)
    for _ in range(6 * 90):
        engine.monitor.collect()
        clock_of(engine).advance(10)
    (found,) = engine.monitor.engines(last_hour(engine), (), Selection(agent=SLOW)).series
    assert {later - earlier for earlier, later in zip(found.at, found.at[1:], strict=False)} == {timedelta(seconds=10)}
    now = clock_of(engine).now()
    (found,) = engine.monitor.engines(Period(now - timedelta(hours=3), now), (), Selection(agent=SLOW)).series
    assert found.width_s == 60
    widths = [later - earlier for earlier, later in zip(found.at, found.at[1:], strict=False)]
    assert widths == sorted(widths, reverse=True)
    assert (widths[0], widths[-1]) == (timedelta(minutes=1), timedelta(seconds=10))


def test_a_selection_leaves_only_its_agents(engine: Engine) -> None:
    pool = engine._serving.calls.pool
    now = clock_of(engine).now()
    pool.restore(Call(one.id, now, 40, ok=True) for one in pool.figures() if one.id != "general/keyword-1")
    engine.monitor.collect()
    period = last_hour(engine)
    for selection, agents, series in (
        (Selection(type="network"), 3, 3),
        (Selection(agent=SLOW), 1, 1),
        (Selection(type="general"), 3, 2),
        (Selection(type="general", agent=SLOW), 0, 0),
        (Selection(domain="network"), 9, 8),
    ):
        figures = engine.monitor.engines(period, (), selection)
        assert (len(figures.agents), len(figures.series)) == (agents, series)


def test_articles_to_look_at_are_those_of_the_type(engine: Engine) -> None:
    now = clock_of(engine).now()
    edges = (now - timedelta(hours=1), now)
    counts = {
        type_: engine.monitor.service(Period(*edges), edges, Selection(type=type_)).concern_counts["never_shown"]
        for type_ in engine.monitor.type_names()
    }
    of_all = engine.monitor.service(Period(*edges), edges).concern_counts["never_shown"]
    assert sum(counts.values()) == of_all == engine.status().articles
    assert all(counts.values())


def test_a_question_that_was_answered_since_is_no_longer_to_be_written_about(engine: Engine, tmp_path: Path) -> None:
    for number in range(3):
        engine.lookup(UNKNOWN, session_id=f"T-{number}")
        clock_of(engine).advance(400)
    (suggestion,) = engine.monitor.suggestions()
    assert (suggestion.kind, suggestion.query) == (SuggestionKind.WRITE_ARTICLE, UNKNOWN)
    assert suggestion.title == f"“{UNKNOWN}” 3 次无结果：写文章"
    article = tmp_path / "articles" / "printing" / "maglev.md"
    article.parent.mkdir(parents=True)
    article.write_text(f"# {UNKNOWN}\n\n{UNKNOWN}：先断电，再用柠檬酸除垢。\n", encoding="utf-8")
    engine.ingest([article.parent.parent])
    assert kinds(engine) == [SuggestionKind.WRITE_ARTICLE], "nobody has asked since"
    assert engine.lookup(UNKNOWN, session_id="T-9").result.found
    assert kinds(engine) == []


def test_an_article_that_helps_nobody_is_to_be_reviewed(engine: Engine) -> None:
    for number in range(2):
        answer = engine.lookup("VPN 错误 691", session_id=f"T-{number}")
        assert answer.result.primary
        key = answer.result.primary.doc_key
        engine.record_event(f"T-{number}", EventKind.VOTED, doc_key=key, invocation_id=answer.invocation_id, value=-1)
    (suggestion,) = engine.monitor.suggestions()
    assert (suggestion.kind, suggestion.doc_key, suggestion.facts["count"]) == (SuggestionKind.REVIEW_ARTICLE, key, 2)


def test_an_outage_is_said_with_how_many_ask_by_now(engine: Engine) -> None:
    for number in range(5):
        engine.lookup("VPN 错误 691", session_id=f"T-{number}")
    engine.monitor.collect()
    for number in range(5, 9):
        engine.lookup("VPN 错误 691", session_id=f"T-{number}")
    (suggestion,) = engine.monitor.suggestions()
    assert suggestion.title == "疑似故障：“VPN 错误 691” 最近 15 分钟有 9 张工单在问"
    (alert,) = engine.monitor.alerts()
    lookups = engine.monitor.lookups(last_hour(engine), query_key=alert.name.partition(":")[2])
    assert len({lookup.session_id for lookup in lookups}) == 9


def test_an_executor_that_repeats_itself_is_no_outage(engine: Engine) -> None:
    from core.model import Actor, Mode

    for number in range(9):
        engine.lookup(
            "VPN 错误 691", session_id=f"E-{number}", mode=Mode.HARD, actor=Actor.EXECUTOR, trigger=Trigger.MCP
        )
    engine.monitor.collect()
    assert engine.monitor.alerts() == ()


def test_an_alert_is_acknowledged_once_and_told_after_it_was_resolved(engine: Engine) -> None:
    slow(engine)
    engine.monitor.collect()
    (alert,) = engine.monitor.alerts()
    engine.monitor.acknowledge(alert.id)
    engine.monitor.acknowledge(alert.id + 1)
    (seen,) = engine.monitor.alerts()
    assert (seen.state, seen.acknowledged_at) == (AlertState.ACKNOWLEDGED, clock_of(engine).now())
    clock_of(engine).advance(25 * 3600)
    engine.monitor.collect()
    assert engine.monitor.alerts() == ()
    (done,) = engine.monitor.alerts(clock_of(engine).now() - timedelta(hours=1))
    assert (done.id, done.state, done.resolved_at) == (alert.id, AlertState.RESOLVED, clock_of(engine).now())


def test_names_and_suggestions_follow_the_language(engine: Engine) -> None:
    slow(engine)
    assert engine.monitor.type_names()["network"] == "网络与系统"
    engine.language = "en"
    assert engine.monitor.type_names()["network"] != "网络与系统"
    (suggestion,) = engine.monitor.suggestions()
    assert suggestion.title == f"{SLOW} averages 4.2 s over 24 h: network/hybrid-hashed-2 answers instead"


def test_of_two_engines_on_a_folder_one_collects_until_it_closes(engine: Engine) -> None:
    other = Engine.open(engine.folder.root, clock=engine._clock)
    assert engine.monitor.collect()
    assert not other.monitor.collect()
    assert other.monitor.collected() == engine.monitor.collected()
    engine.close()
    assert other.monitor.collect()
    assert other.monitor.collected().count == 2
    other.close()
