"""core.store.monitor_triggers, core.store.counting: what the triggers keep is what counting anew finds."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest

from core.clock import iso
from core.model import DedupReason, EventKind, Outcome
from core.store.activity import Activity
from core.store.database import Database
from core.store.monitor_schema import ANSWERS, BINS, COUNTS, DURATION_BINS, HISTOGRAM_WIDTHS, SUM_WIDTHS
from core.store.monitor_triggers import recounting
from core.store.sums_check import mend_sums
from tests.core.store.log_maker import START, LogMaker
from tests.manual_clock import ManualClock

Table = dict[tuple[object, ...], tuple[int, ...]]


def summed(database: Database, table: str, columns: tuple[str, ...]) -> Table:
    """Every row that holds anything, by width, start and scope."""
    sums = ", ".join(f"sum({column})" for column in columns)
    rows = database.connection().execute(
        f"SELECT width, start, agent, agent_type, domain, embedder, {sums} FROM {table} AS s "
        "JOIN lookup_scope ON lookup_scope.id = s.scope GROUP BY 1, 2, 3, 4, 5, 6"
    )
    return {tuple(row)[:6]: tuple(row)[6:] for row in rows if any(tuple(row)[6:])}


def kept(database: Database) -> tuple[Table, Table, list[tuple[object, ...]]]:
    sessions = database.connection().execute("SELECT session_id, first_at, last_at, adopted FROM counted_session")
    return (
        summed(database, "lookup_sum", COUNTS),
        summed(database, "lookup_histogram", BINS),
        sorted(tuple(row) for row in sessions),
    )


def total(database: Database, name: str) -> int:
    query = f"SELECT ifnull(sum({name}), 0) FROM lookup_sum WHERE width = 86400"
    return int(database.connection().execute(query).fetchone()[0])


def wrought(log: LogMaker, chance: random.Random) -> None:
    """One thing that may happen to a log."""
    connection, session = log.connection, f"s{chance.randrange(6)}"
    some = chance.randrange(1, log.last + 2)
    match chance.choices(("lookup", "turn", "delete", "move", "event"), (70, 8, 5, 4, 13))[0]:
        case "lookup":
            answer = chance.choice(("PRECISE", "HIGHLY_RELEVANT", "REFERENCE", "DEDUPED", "not_found", "degraded"))
            log.lookup(
                START + timedelta(seconds=chance.randrange(3 * 86_400)),
                session=session,
                answer=answer,
                agent=chance.choice((None, "network/h-1", "network/h-2", "general/k-1")),
                domain=chance.choice(("vpn", "mail", None)),
                key=chance.choice(("k1", "k2", "", None)),
                duration_ms=chance.lognormvariate(4, 3),
                similarity=chance.choice((None, 0.0, 0.5, 0.75, 1.0)),
                missing=chance.choice(((), ("vector",))),
                superseded=chance.random() < 0.1,
                details=chance.choice((None, None, None, "{no JSON", "")),
            )
        case "turn":
            connection.execute("UPDATE tool_invocation SET superseded = 1 - superseded WHERE id = ?", (some,))
        case "delete":
            connection.execute("DELETE FROM tool_invocation WHERE id = ?", (some,))
        case "move":
            into = f"s{chance.randrange(6)}"
            connection.execute("UPDATE tool_invocation SET session_id = ? WHERE session_id = ?", (into, session))
        case "event":
            kind = chance.choice((EventKind.VOTED, EventKind.VOTED, EventKind.COPIED, EventKind.CLOSED))
            value = chance.choice((2, 1, -1, 0)) if kind is EventKind.VOTED else None
            log.event(kind, session=session, doc_key=chance.choice(("a.md", None)), lookup=some, value=value)


@pytest.mark.parametrize("number", range(4))
def test_whatever_happens_to_the_log_the_sums_are_those_of_its_rows(database: Database, number: int) -> None:
    seed = random.randrange(2**32)
    chance, log = random.Random(seed), LogMaker(database)
    with database.transaction():
        for _ in range(120):
            wrought(log, chance)
    connection, before = database.connection(), kept(database)
    lookups = connection.execute("SELECT count(*) FROM tool_invocation WHERE superseded = 0").fetchone()[0]
    assert sum(total(database, f"answer_{code}") for code in range(len(ANSWERS))) == lookups, f"seed {seed}"
    assert total(database, "first_0") == len(before[2]), f"seed {seed}"
    assert not mend_sums(database), f"seed {seed}"
    for statement in recounting():
        connection.execute(statement)
    assert kept(database) == before, f"seed {seed}"


@pytest.mark.parametrize(
    "drift",
    [
        "UPDATE lookup_sum SET answer_0 = answer_0 + 5",
        "UPDATE lookup_histogram SET duration_03 = duration_03 - 1 WHERE width = 3600",
        "DELETE FROM lookup_sum WHERE width = 900",
        "DELETE FROM counted_lookup WHERE id = 2",
        "UPDATE counted_session SET adopted = 1 - adopted",
        "DROP TRIGGER lookup_uncounted",
    ],
)
def test_sums_that_differ_from_the_log_are_counted_anew(database: Database, log: LogMaker, drift: str) -> None:
    for minutes in range(0, 300, 7):
        log.lookup(START + timedelta(minutes=minutes), session=f"s{minutes % 5}")
    before = kept(database)
    connection = database.connection()
    for trigger in ("session_adopted", "lookup_uncounted") if "UPDATE counted" in drift or "DELETE" in drift else ():
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(drift)
    if drift.startswith("DROP"):
        connection.execute("DELETE FROM tool_invocation WHERE id = 3")
        before = None
    assert mend_sums(database)
    assert before is None or kept(database) == before
    assert not mend_sums(database)
    log.lookup(START, session="after")
    connection.execute("DELETE FROM tool_invocation WHERE id = 5")
    assert not mend_sums(database), "triggers are there again"


def test_what_was_logged_before_is_counted_by_the_migration(tmp_path: Path) -> None:
    import sqlite3

    import sqlite_utils

    from core.store.migrations import migrations

    path = tmp_path / "deskside.sqlite3"
    with sqlite3.connect(path) as old:
        migrations.apply(sqlite_utils.Database(old), stop_before="m012_monitor")
        old.executemany(
            "INSERT INTO tool_invocation (session_id, query, created_at, outcome, success, superseded) "
            "VALUES ('s', ?, ?, ?, 1, ?)",
            [("VPN", iso(START), "found", 0), ("vpn ", iso(START), "not_found", 0), ("v", iso(START), "found", 1)],
        )
    old.close()
    opened = Database.open(path)
    try:
        assert [total(opened, f"answer_{ANSWERS.index(name)}") for name in ("unlevelled", "not_found")] == [1, 1]
        assert total(opened, "repeated") == 1, "without keys a question is the same when its letters are"
    finally:
        opened.close()


def test_quarters_hours_and_days_hold_the_same(database: Database, log: LogMaker) -> None:
    for minutes in range(0, 3000, 7):
        log.lookup(START + timedelta(minutes=minutes), session=f"s{minutes % 5}")
    for table, widths, column in (
        ("lookup_sum", SUM_WIDTHS, "answer_2"),
        ("lookup_histogram", HISTOGRAM_WIDTHS, f"duration_{11:02}"),
    ):
        rows = database.connection().execute(f"SELECT width, sum({column}) FROM {table} GROUP BY width")
        assert {row[0]: row[1] for row in rows} == dict.fromkeys(widths, 429)


def test_a_question_is_repeated_where_its_session_asked_it_before(database: Database, log: LogMaker) -> None:
    for session, key in (("s", "k1"), ("s", "k2"), ("s", "k1"), ("t", "k1"), ("t", "")):
        log.lookup(session=session, key=key)
    assert total(database, "repeated") == 1


@pytest.mark.parametrize("seconds", [3600, 0])
def test_first_is_what_was_asked_first_in_whatever_order_it_was_written(
    database: Database, log: LogMaker, seconds: int
) -> None:
    """At one moment: by the id."""
    log.last = 1
    later = log.lookup(START)
    log.last = 0
    earlier = log.lookup(START - timedelta(seconds=seconds))
    counted = database.connection().execute("SELECT id, firsts & 1, repeated FROM counted_lookup ORDER BY id")
    assert [tuple(row) for row in counted] == [(earlier, 1, 0), (later, 0, 1)]


def test_when_the_first_one_is_superseded_the_next_is_no_repetition(database: Database, log: LogMaker) -> None:
    first = log.lookup()
    log.lookup()
    assert total(database, "repeated") == 1
    Activity(database, ManualClock()).supersede(first)
    assert (total(database, "repeated"), total(database, "first_0"), total(database, "answer_2")) == (0, 1, 1)


@pytest.mark.parametrize(
    ("events", "adopted"),
    [
        ([(EventKind.OPENED, None)], 0),
        ([(EventKind.COPIED, None)], 1),
        ([(EventKind.CLOSED, None)], 1),  # with an article named
        ([(EventKind.VOTED, 1)], 1),
        ([(EventKind.VOTED, 2)], 1),
        ([(EventKind.VOTED, -1)], 0),
        ([(EventKind.VOTED, 2), (EventKind.VOTED, 0)], 0),
        ([(EventKind.VOTED, 2), (EventKind.VOTED, -1)], 0),
        ([(EventKind.VOTED, 0), (EventKind.VOTED, 1)], 1),
    ],
)
def test_a_session_is_adopted_by_what_stands(
    database: Database, log: LogMaker, events: list[tuple[EventKind, int | None]], adopted: int
) -> None:
    number = log.lookup()
    for kind, value in events:
        log.event(kind, lookup=number, value=value)
    assert total(database, "adopted_0") == adopted


def test_a_session_closed_without_an_article_is_not_adopted(database: Database, log: LogMaker) -> None:
    log.lookup()
    log.event(EventKind.CLOSED, doc_key=None)
    assert total(database, "adopted_0") == 0


def test_a_merged_session_counts_once(database: Database) -> None:
    activity = Activity(database, ManualClock())
    for session in ("s", "t"):
        activity.record_lookup(session, "vpn", outcome=Outcome.NOT_FOUND, details={}, duration_ms=1, query_key="vpn")
    activity.record_event("s", EventKind.COPIED, doc_key="a.md")
    assert (total(database, "first_0"), total(database, "adopted_0"), total(database, "repeated")) == (2, 1, 0)
    activity.merge_session("s", "t")
    assert (total(database, "first_0"), total(database, "adopted_0"), total(database, "repeated")) == (1, 1, 1)


def test_facts_are_those_of_the_row(database: Database) -> None:
    Activity(database, ManualClock()).record_lookup(
        "s",
        "vpn",
        outcome=Outcome.DEDUPED,
        details={"embedder": "bge"},
        duration_ms=1,
        dedup_reason=DedupReason.DOMAIN_RETRIEVED,
        agent="network/semantic-1",
        agent_type="network",
        domain="vpn",
        query_key="vpn",
    )
    rows = database.connection().execute("SELECT agent, agent_type, domain, embedder FROM lookup_scope")
    assert [tuple(row) for row in rows] == [("network/semantic-1", "network", "vpn", "bge")]
    assert total(database, "domain_retrieved") == 1


def test_a_deleted_row_takes_its_facts_along(database: Database, log: LogMaker) -> None:
    log.lookup()
    database.connection().execute("DELETE FROM tool_invocation")
    assert database.connection().execute("SELECT count(*) FROM lookup_fact").fetchone()[0] == 0
    assert kept(database) == ({}, {}, [])


@pytest.mark.parametrize("duration", [0.0, 0.99, 1.0, 999.9, 3000.0, 31_622.7, 1e9])
def test_every_duration_has_its_bin(database: Database, log: LogMaker, duration: float) -> None:
    from core.store.monitor_schema import DURATION_EDGES_MS

    log.lookup(duration_ms=duration)
    found = database.connection().execute("SELECT duration_bin FROM counted_lookup").fetchone()[0]
    assert found == sum(edge <= duration for edge in DURATION_EDGES_MS)
    assert 0 <= found < DURATION_BINS


def test_rows_of_other_tools_and_without_a_date_are_logged_and_not_counted(database: Database, log: LogMaker) -> None:
    for tool, at in (("other", iso(START)), ("lookup_knowledge", "yesterday")):
        log.connection.execute(
            "INSERT INTO tool_invocation (session_id, tool_name, query, created_at, outcome, success) "
            "VALUES ('s', ?, 'q', ?, 'found', 1)",
            (tool, at),
        )
    assert kept(database) == ({}, {}, [])
