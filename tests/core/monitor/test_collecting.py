"""Collections: alerts open and resolve once, penalties follow, one process at a time, none is lost to a failure."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from core.agents.routing import penalty
from core.figures import Alert, AlertState, Period
from core.model import Actor, EventKind, Outcome, RelevanceLevel, Trigger
from core.monitor.alerting import AVG_MS, OUTAGE, SUCCESS_RATE
from core.settings import Settings
from core.store.activity import Activity
from core.store.alerts import Alerts
from core.store.collection_log import collected
from core.store.lease import LEASE_S
from tests.core.monitor.desk import AGENT, LOADED, Desk
from tests.manual_clock import START, ManualClock

KEY = "printer\n0x0000011b\n"
DAY = Period(START - timedelta(hours=1), START + timedelta(hours=23))


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[tuple[Desk, Desk]]:
    clock = ManualClock()
    both = Desk(tmp_path / "deskside.db", clock), Desk(tmp_path / "deskside.db", clock)
    yield both
    for desk in both:
        desk.close()


@pytest.fixture
def desk(desks: tuple[Desk, Desk]) -> Desk:
    return desks[0]


def alerts(desk: Desk) -> list[Alert]:
    """All that ever were, oldest first."""
    return list(reversed(Alerts(desk.database).listed(START - timedelta(days=1))))


def states(desk: Desk) -> list[tuple[str, str]]:
    return [(alert.name, str(alert.state)) for alert in alerts(desk)]


def collect(desk: Desk, times: int = 1) -> None:
    for _ in range(times):
        assert desk.collecting.collect()
        desk.clock.advance(10)


def ask(desk: Desk, session: str, *, actor: Actor = Actor.PERSON, trigger: Trigger = Trigger.ENTER) -> int:
    return Activity(desk.database, desk.clock).record_lookup(
        session,
        "打印机 0x0000011b",
        outcome=Outcome.FOUND,
        details={},
        duration_ms=5,
        relevance_level=RelevanceLevel.PRECISE,
        actor=actor,
        trigger=trigger,
        query_key=KEY,
    )


# -------------------------------------------------------------------- agents
def test_a_slow_agent_is_warned_of_once_and_penalised_and_the_alert_ends_with_the_reason(desk: Desk) -> None:
    desk.load(4200)
    collect(desk, 5)
    assert sorted(states(desk)) == [(f"{AVG_MS}:{agent}", "open") for agent in LOADED]
    assert desk.agent().monitor_penalty == penalty(1.0, 4200, n=30) == 0.12
    assert desk.record.log.states()[AGENT].penalty == 0.12
    for _ in range(20 * 12):
        desk.call(50)
        collect(desk)
    assert sorted(states(desk)) == [(f"{AVG_MS}:{agent}", "resolved") for agent in LOADED]
    assert {desk.agent(agent).monitor_penalty for agent in LOADED} == {0.0}


@pytest.mark.parametrize(("count", "warned"), [(19, 0), (20, 2)])
def test_nothing_is_concluded_from_nineteen_calls(desk: Desk, count: int, warned: int) -> None:
    desk.load(9000, count=count)
    collect(desk)
    assert len(states(desk)) == warned
    assert desk.agent().monitor_penalty == (0.4 if warned else 0.0)


def test_a_failing_agent_is_warned_of_with_its_rate(desk: Desk) -> None:
    desk.load(10, ok=lambda number: number % 4 > 0, count=40)
    collect(desk)
    found = alerts(desk)
    assert sorted(alert.name for alert in found) == [f"{SUCCESS_RATE}:{agent}" for agent in LOADED]
    assert {(alert.value, alert.threshold) for alert in found} == {(0.75, 0.90)}


def test_an_acknowledged_alert_stays_so_until_its_reason_is_gone_and_a_new_one_opens_anew(desk: Desk) -> None:
    desk.load(9000)
    collect(desk)
    for alert in alerts(desk):
        Alerts(desk.database).acknowledge(alert.id, desk.clock.now())
    collect(desk, 6)
    assert {state for _, state in states(desk)} == {"acknowledged"}
    names = [name for name, _ in states(desk)]
    desk.clock.advance(24 * 3600)
    collect(desk, 2)
    assert states(desk) == [(name, "resolved") for name in names]
    desk.load(9000)
    collect(desk, 2)
    assert sorted(states(desk)) == sorted([(n, "resolved") for n in names] + [(n, "open") for n in names])


def test_an_alert_tells_what_its_value_is_by_now(desk: Desk) -> None:
    desk.load(4000)
    collect(desk)
    desk.load(8000)
    collect(desk, 6)
    assert [alert.value for alert in alerts(desk)] == [
        desk.agent(a.name.partition(":")[2]).avg_ms for a in alerts(desk)
    ]


# ------------------------------------------------------------------- outages
def test_a_question_of_five_sessions_in_a_quarter_of_an_hour_is_a_suspected_outage_once(desk: Desk) -> None:
    for number in range(4):
        ask(desk, f"T-{number}")
        ask(desk, f"T-{number}")
        collect(desk)
    assert states(desk) == []
    ask(desk, "T-4")
    collect(desk, 3)
    (alert,) = alerts(desk)
    assert (alert.name, alert.value, alert.threshold, alert.detail) == (f"{OUTAGE}:{KEY}", 5, 5, "打印机 0x0000011b")
    desk.clock.advance(15 * 60 - 55)  # three of the five asked within the last quarter of an hour
    collect(desk)
    assert states(desk) == [(f"{OUTAGE}:{KEY}", "open")]
    collect(desk)  # two
    assert states(desk) == [(f"{OUTAGE}:{KEY}", "resolved")]


def test_an_outage_tells_how_many_asked_at_its_height(desk: Desk) -> None:
    for number in range(12):
        ask(desk, f"T-{number}")
    collect(desk)
    desk.clock.advance(10 * 60)
    for number in range(12, 16):
        ask(desk, f"T-{number}")
    collect(desk, 5)
    assert [alert.value for alert in alerts(desk)] == [16]
    desk.clock.advance(6 * 60)
    collect(desk, 6)
    assert [(alert.state, alert.value) for alert in alerts(desk)] == [("open", 16)]


def test_sessions_that_come_slowly_are_no_outage(desk: Desk) -> None:
    for number in range(20):
        ask(desk, f"T-{number}")
        desk.clock.advance(226)
        collect(desk)
    assert states(desk) == []


def test_an_outage_that_goes_on_at_the_threshold_is_one_outage(desk: Desk) -> None:
    for number in range(5):
        ask(desk, f"T-{number}")
    collect(desk)
    for number in range(5, 25):
        desk.clock.advance(200)  # four or five in any quarter of an hour
        ask(desk, f"T-{number}")
        collect(desk)
    assert states(desk) == [(f"{OUTAGE}:{KEY}", "open")]


def test_executors_and_superseded_rows_are_no_outage(desk: Desk) -> None:
    activity = Activity(desk.database, desk.clock)
    for number in range(9):
        ask(desk, f"E-{number}", actor=Actor.EXECUTOR, trigger=Trigger.MCP)
        activity.supersede(ask(desk, f"S-{number}", trigger=Trigger.SETTLE))
    for number in range(4):
        ask(desk, f"T-{number}")
    collect(desk)
    assert states(desk) == []


def test_rows_of_a_clock_that_was_set_back_since_hold_up_no_alert(desk: Desk) -> None:
    for number in range(5):
        ask(desk, f"T-{number}")
    collect(desk)
    desk.clock.set_back(30 * 86_400)
    collect(desk)
    assert [alert.state for alert in Alerts(desk.database).listed(START - timedelta(days=60))] == [AlertState.RESOLVED]


# ------------------------------------------------------------ what it leaves
def test_every_sixth_is_persisted_and_all_are_counted(desk: Desk) -> None:
    desk.call(100)
    collect(desk, 17)
    series = {one.agent: one for one in desk.record.log.series(DAY)}
    assert set(series) == {one.id for one in desk.pool.figures() if one.total}, "of idle ones there is nothing to draw"
    assert [len(one.at) for one in series.values()] == [2] * len(series)
    assert series[AGENT].width_s == 60
    ring = {one.agent: one for one in desk.collecting.ring.series(DAY.start, DAY.end)}
    assert [len(one.at) for one in ring.values()] == [17] * len(series)
    assert collected(desk.database.connection()).count == 17


def test_the_lowest_success_rate_and_the_count_survive_a_restart(desk: Desk, tmp_path: Path) -> None:
    desk.load(10, ok=lambda number: number % 4 > 0, count=40)
    collect(desk, 3)
    told = collected(desk.database.connection())
    assert told.min_success_rate == 0.75
    desk.close()
    later = Desk(tmp_path / "deskside.db", desk.clock)
    assert collected(later.database.connection()) == told
    collect(later)
    assert collected(later.database.connection()).count == 4
    later.close()


# ------------------------------------------------------------- two processes
def test_one_collects_and_the_other_follows(desks: tuple[Desk, Desk]) -> None:
    first, second = desks
    first.load(9000, count=15)
    second.load(9000, count=15)
    for _ in range(8):
        assert first.collecting.collect()
        assert not second.collecting.collect()
        first.clock.advance(10)
    warned = [alert for alert in alerts(first) if alert.name.startswith(AVG_MS)]
    assert [alert.state for alert in warned] == [AlertState.OPEN] * 2
    assert collected(first.database.connection()).count == 8
    for one in first.pool.figures():
        assert second.agent(one.id).total == one.total
        assert second.agent(one.id).monitor_penalty == one.monitor_penalty


@pytest.mark.parametrize("ends", ["in peace", "without a word"])
def test_the_other_takes_over_and_opens_nothing_anew(desks: tuple[Desk, Desk], ends: str) -> None:
    first, second = desks
    first.load(9000)
    assert first.collecting.collect()
    assert not second.collecting.collect()
    before = states(first)
    if ends == "in peace":
        first.close()
        second.clock.advance(10)
    else:
        for _ in range(int(LEASE_S / 10)):
            second.clock.advance(10)
            assert not second.collecting.collect()
        second.clock.advance(10)
    assert second.collecting.collect()
    assert states(second) == before != []
    assert not first.collecting.collect()


# ------------------------------------------------------------------ failures
def test_a_collection_that_fails_is_told_and_the_next_one_goes_on(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.load(4200)
    connection = desk.database.connection()
    connection.execute(
        "CREATE TRIGGER full BEFORE INSERT ON alert BEGIN SELECT RAISE(ABORT, 'nothing can be written'); END"
    )
    with caplog.at_level(logging.ERROR):
        assert not desk.collecting.collect()
    assert "a collection failed" in caplog.text
    assert (states(desk), collected(connection).count) == ([], 0)
    assert max(one.monitor_penalty for one in desk.pool.figures()) == 0.12, "routing follows all the same"
    connection.execute("DROP TRIGGER full")
    collect(desk)
    assert len(states(desk)) == 2


def test_after_closing_nothing_is_collected_and_nothing_complained_of(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    collect(desk)
    desk.close()
    assert not desk.collecting.collect()
    assert caplog.text == ""
    desk.close()


# ----------------------------------------------------------------- retention
def rounds(desk: Desk) -> None:
    """Two rounds of upkeep on days that follow each other: what is older than the first of them may go."""
    for _ in range(2):
        desk.clock.advance(25 * 3600)
        collect(desk, 6)


def test_metrics_get_coarser_after_two_days_and_calls_outside_the_windows_go(desk: Desk) -> None:
    desk.load(100)
    collect(desk, 6 * 30)  # half an hour: 30 rows an instance
    assert {(len(one.at), one.width_s) for one in desk.record.log.series(DAY)} == {(30, 60)}
    desk.clock.advance(49 * 3600)
    rounds(desk)
    kept = {one.agent: one for one in desk.record.log.series(DAY)}[AGENT]
    assert kept.width_s == 900
    assert 2 <= len(kept.at) <= 3
    assert set(kept.calls) == {30}
    assert desk.database.connection().execute("SELECT count(*) FROM agent_call").fetchone()[0] == 0


def test_a_clock_that_is_ahead_for_some_hours_deletes_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "deskside.db", ManualClock(), Settings({"log.retention_days": 180}))

    def kept() -> list[int]:
        tables = ("tool_invocation", "session_event", "agent_call", "agent_metric WHERE width_s = 60")
        connection = desk.database.connection()
        return [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]

    ask(desk, "s")
    Activity(desk.database, desk.clock).record_event("s", EventKind.COPIED, doc_key="a.md")
    desk.load(100)
    rounds(desk)
    desk.load(100)
    collect(desk, 6)
    before = kept()
    desk.clock.set_back(-2 * 365 * 86_400)
    for _ in range(20):  # most of a day
        desk.clock.advance(3600)
        collect(desk, 6)
    assert all(now >= then > 0 for now, then in zip(kept(), before, strict=True))
    desk.clock.set_back(2 * 365 * 86_400)
    for _ in range(3):
        rounds(desk)
    assert kept()[:2] == before[:2]
    desk.clock.advance(2 * 365 * 86_400)  # the clock is right, and stays so
    rounds(desk)
    assert kept() == [0, 0, 0, 0]
    desk.close()


def test_upkeep_is_done_once_an_hour(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds(desk)
    desk.clock.advance(3600)
    done: list[float] = []
    monkeypatch.setattr("core.monitor.upkeep.thin_metrics", lambda *_: done.append(desk.clock.monotonic()))
    collect(desk, 6 * 180)
    assert len(done) == 3
    assert [round(later - earlier) for earlier, later in pairwise(done)] == [3600, 3600]
