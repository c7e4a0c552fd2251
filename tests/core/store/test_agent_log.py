"""core.store.agent_log, core.store.alerts: calls, states, metrics and alerts as processes share them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from core.agents.window import Call
from core.figures import AgentFigures, AlertState, BreakerState, Period
from core.store.agent_log import AgentLog, AgentState
from core.store.alerts import Alerts
from core.store.database import Database
from tests.core.store.log_maker import START
from tests.manual_clock import ManualClock

A, B = "network/hybrid-hashed-1", "network/keyword-1"
MINUTE = timedelta(minutes=1)


@pytest.fixture
def other(database: Database) -> Iterator[Database]:
    opened = Database.open(database.path)
    yield opened
    opened.close()


def call(agent: str, at: datetime = START, duration_ms: float = 5.0, *, ok: bool = True) -> Call:
    return Call(agent, at, duration_ms, ok, degraded=not ok, probe=not ok)


def agent_log(database: Database, calls: int = 5) -> AgentLog:
    return AgentLog(database, ManualClock(START), calls=calls, hours=24)


def test_the_window_of_every_instance_is_restored(database: Database, other: Database) -> None:
    log = agent_log(database)
    written = [call(A, START + n * MINUTE, n, ok=bool(n % 2)) for n in range(8)]
    for one in (call(B), call(A, START - timedelta(hours=25)), call("gone/keyword-1"), *written):
        log.append(one)
    database.log.flush()
    log.recovered(A, START + 2 * MINUTE)
    log.recovered(A, START)
    database.log.flush()
    calls, windows, newest = agent_log(other).restore([A, B])
    assert calls == (call(B), *written[3:])
    assert windows == {A: START + 2 * MINUTE}
    assert agent_log(other).calls_of_others(newest) == ((), newest)


def test_calls_of_other_processes_are_caught_up_with_once(database: Database, other: Database) -> None:
    mine, theirs = agent_log(database), agent_log(other)
    *_, newest = mine.restore([A])
    mine.append(call(A, START))
    for number in range(7):
        theirs.append(call(A, START + number * MINUTE))
    theirs.append(call(B, START))
    for one in (database, other):
        one.log.flush()
    found, seen = mine.calls_of_others(newest)
    assert [one.at for one in found if one.agent == A] == [START + n * MINUTE for n in range(2, 7)], "a window of each"
    assert [one.agent for one in found if one.agent == B] == [B]
    assert mine.calls_of_others(seen) == ((), seen)
    assert len(theirs.calls_of_others(newest)[0]) == 1


def test_states_are_those_written_last(database: Database, other: Database) -> None:
    penalised = replace(figures(A, 0.5), breaker=BreakerState.OPEN, breaker_since=START + MINUTE)
    log = agent_log(database)
    log.put_figures([figures(A, 1.0), figures(B, 1.0)])
    log.recovered(A, START)
    log.put_figures([penalised])
    expected = AgentState(A, 0.1, START, BreakerState.OPEN, START + MINUTE)
    assert agent_log(other).states() == {A: expected, B: AgentState(B, 0.1)}
    log.recovered(A, START + MINUTE)
    database.log.flush()
    assert agent_log(other).states()[A] == replace(expected, penalty=0.0, window_from=START + MINUTE)


def figures(agent: str, success: float, total: int = 100) -> AgentFigures:
    return AgentFigures(agent, "network", "keyword", total, success, 5, 40.0, 90.0, 0.1, 0.8, p50_ms=30.0)


@pytest.mark.parametrize(
    ("length", "points", "width"),
    [(timedelta(hours=24), 120, 60), (timedelta(days=7), 8, 900), (timedelta(days=30), 2, 3600)],
)
def test_long_series_are_means(database: Database, length: timedelta, points: int, width: int) -> None:
    log = agent_log(database)
    for minute in range(120):
        success = 1.0 if minute % 2 else 0.5
        log.add_metrics(START + minute * MINUTE, [figures(A, success), figures(B, 1.0, total=0)])
    first, second = log.series(Period(START, START + length))
    assert (first.agent, first.type, second.agent) == (A, "network", B)
    assert (len(first.at), first.width_s) == (points, width)
    assert first.at[0] == START
    assert sum(first.success_rate) / points == pytest.approx(0.75)
    assert (first.degraded_share[0], second.degraded_share[0], second.calls[0]) == (pytest.approx(0.05), 0.0, 0)
    assert {len(column) for column in (first.at, first.penalty, first.p95_ms, first.calls)} == {points}


def test_series_are_of_the_period_and_the_instances_asked_for(database: Database) -> None:
    log = agent_log(database)
    for minute in range(3):
        log.add_metrics(START + minute * MINUTE, [figures(A, 1.0), figures(B, 1.0)])
    (one,) = log.series(Period(START + MINUTE, START + 2 * MINUTE), {B})
    assert (one.agent, one.at) == (B, (START + MINUTE,))
    assert log.series(Period(START + 3 * MINUTE, START + 4 * MINUTE)) == ()


# -------------------------------------------------------------------- alerts


def test_an_alert_opens_once_over_processes_and_again_once_it_was_resolved(database: Database, other: Database) -> None:
    mine, theirs = Alerts(database), Alerts(other)
    assert mine.open("a", 0.8, 0.9, START, detail="why")
    assert not theirs.open("a", 0.7, 0.9, START)
    assert mine.open("b", 4000, 3000, START + MINUTE)
    (b, a) = theirs.standing()
    assert (a.name, a.value, a.threshold, a.opened_at, a.detail, a.state) == (
        "a",
        0.8,
        0.9,
        START,
        "why",
        AlertState.OPEN,
    )
    assert theirs.acknowledge(a.id, START + MINUTE)
    assert not mine.acknowledge(a.id, START + 2 * MINUTE)
    assert not mine.open("a", 0.6, 0.9, START), "acknowledged, it still stands"
    mine.resolve(["a", "unheard of"], START + 3 * MINUTE)
    assert theirs.standing() == (b,)
    assert mine.listed(None) == (b,)
    assert theirs.listed(START + 3 * MINUTE) == (
        b,
        replace(
            a,
            state=AlertState.RESOLVED,
            acknowledged_at=START + MINUTE,
            resolved_at=START + 3 * MINUTE,
        ),
    )
    assert theirs.listed(START + 4 * MINUTE) == (b,)
    assert theirs.open("a", 0.5, 0.9, START + 5 * MINUTE)
    assert len(mine.listed(START)) == 3
