"""core.store.retention: coarser with age, gone in the end, and the sums right all the same."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.figures import AgentFigures, BreakerState, CacheFigures, Period
from core.model import EventKind
from core.store.agent_log import AgentLog
from core.store.alerts import Alerts
from core.store.cache_counts import add_cache_counts, cache_counts
from core.store.database import Database
from core.store.retention import drop_old, drop_old_lookups, thin_metrics
from tests.core.store.log_maker import START, LogMaker
from tests.manual_clock import ManualClock

A = "network/keyword-1"
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


def figures(success: float, breaker: BreakerState = BreakerState.CLOSED) -> AgentFigures:
    return AgentFigures(A, "network", "keyword", 100, success, 4, 40.0, 90.0, 0.1, 0.8, breaker, p50_ms=30.0)


def kept(database: Database, width_s: int) -> list[tuple[str, float, str]]:
    found = database.connection().execute(
        "SELECT at, success_rate, breaker FROM agent_metric WHERE width_s = ? ORDER BY at", (width_s,)
    )
    return [tuple(row) for row in found]


def rows(database: Database, table: str) -> int:
    return int(database.connection().execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_metrics_become_means_of_quarter_hours_two_days_on(database: Database) -> None:
    log = AgentLog(database, ManualClock(START), calls=200, hours=24)
    for minute in range(40):
        state = BreakerState.OPEN if minute == 20 else BreakerState.CLOSED
        log.add_metrics(START + minute * MINUTE, [figures(minute / 40, state)])
    thin_metrics(database, START + 31 * MINUTE)
    assert kept(database, 900) == [
        ("2026-11-30T20:00:00.000Z", 7 / 40, "closed"),
        ("2026-11-30T20:15:00.000Z", 22 / 40, "open"),
    ]
    assert kept(database, 3600) == []
    assert len(kept(database, 60)) == 40
    now = START + 2 * DAY + 31 * MINUTE
    for _ in range(2):
        thin_metrics(database, now)
        assert kept(database, 900) == [
            ("2026-11-30T20:00:00.000Z", 7 / 40, "closed"),
            ("2026-11-30T20:15:00.000Z", 22 / 40, "open"),
            ("2026-11-30T20:30:00.000Z", 34.5 / 40, "closed"),
        ]
        assert kept(database, 3600) == [("2026-11-30T20:00:00.000Z", pytest.approx((7 + 22 + 34.5) / 3 / 40), "open")]
        assert next(at for at, *_ in kept(database, 60)) == "2026-11-30T20:30:00.000Z"
    (series,) = log.series(Period(START - 15 * MINUTE, START + DAY))
    assert (series.width_s, len(series.at)) == (900, 2 + 10)
    (long,) = log.series(Period(START - 15 * MINUTE, START + 20 * DAY))
    assert (long.width_s, len(long.at)) == (3600, 1)


def test_what_is_old_goes_and_what_stands_stays(database: Database) -> None:
    log = AgentLog(database, ManualClock(START), calls=3, hours=24)
    alerts = Alerts(database)
    for name, days in (("old", 20), ("young", 5), ("open", 20)):
        alerts.open(name, 1, 2, START - days * DAY)
    alerts.resolve(["old"], START - 11 * DAY)
    alerts.resolve(["young"], START - DAY)
    for days in (11, 9):
        log.add_metrics(START - days * DAY, [figures(1.0)])
        add_cache_counts(database, START - days * DAY, CacheFigures(1, 1, 1))
    connection = database.connection()
    for number in range(6):
        connection.execute(
            "INSERT INTO agent_call (at, agent, duration_ms, ok, process) VALUES (?, ?, 1, 1, 1)",
            (f"2026-11-{30 if number else 29}T19:0{number}:00.000Z", A),
        )
    drop_old(database, START, days=10, calls=3, hours=24)
    assert [alert.name for alert in alerts.listed(START - 30 * DAY)] == ["young", "open"]
    assert rows(database, "agent_metric") == 1
    assert cache_counts(database, Period(START - 30 * DAY, START)) == CacheFigures(1, 1, 1)
    kept = connection.execute("SELECT at FROM agent_call ORDER BY id")
    assert [row[0][11:16] for row in kept] == ["19:03", "19:04", "19:05"]


def test_lookups_are_kept_for_ever_unless_told_otherwise(database: Database, log: LogMaker) -> None:
    log.lookup(START - 900 * DAY)
    assert drop_old_lookups(database, START, days=0) == 0
    assert rows(database, "tool_invocation") == 1


def test_old_sessions_leave_as_a_whole(database: Database, log: LogMaker) -> None:
    for session, days in (("old", 50), ("old", 45), ("straddling", 50), ("straddling", 5), ("young", 1)):
        number = log.lookup(START - days * DAY, session=session)
        log.event(EventKind.VOTED, START - days * DAY, session=session, lookup=number, value=1)
        log.connection.execute(
            "INSERT INTO session (id, created_at, last_used_at) VALUES (?, '', ?) "
            "ON CONFLICT (id) DO UPDATE SET last_used_at = excluded.last_used_at",
            (session, (START - days * DAY).isoformat().replace("+00:00", "Z")),
        )
    assert drop_old_lookups(database, START, days=30) == 1
    assert [rows(database, table) for table in ("tool_invocation", "lookup_fact", "session_event", "vote")] == [3] * 4
    sums = log.connection.execute(
        "SELECT sum(answer_2), sum(first_0), sum(adopted_0) FROM lookup_sum WHERE width = 900"
    )
    assert tuple(sums.fetchone()) == (3, 2, 2)
    assert {row[0] for row in log.connection.execute("SELECT id FROM session")} == {"straddling", "young"}
    assert drop_old_lookups(database, START, days=30) == 0
