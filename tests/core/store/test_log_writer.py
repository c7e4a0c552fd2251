"""core.store.log_writer: rows that nobody waits for, none of them lost silently."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import DataFolderUnusable
from core.model import EventKind, Outcome
from core.store.activity import Activity
from core.store.database import Database
from core.store.log_writer import Write
from tests.manual_clock import ManualClock

ROOT = Path(__file__).resolve().parents[3]


def meta(name: str) -> Write:
    def write(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO meta VALUES (?, '')", (name,))

    return write


def names(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[0] for row in connection.execute("SELECT name FROM meta ORDER BY rowid")]


def test_what_was_put_is_there_after_a_flush_in_order(database: Database) -> None:
    for number in range(1200):
        database.log.put(meta(f"{number:04}"))
    database.log.flush()
    assert names(database.path) == [f"{number:04}" for number in range(1200)]


def test_a_transaction_begins_once_the_queue_is_written(database: Database) -> None:
    database.log.put(meta("first"))
    with database.transaction() as connection:
        assert connection.execute("SELECT count(*) FROM meta").fetchone()[0] == 1


def test_closing_writes_what_is_left(database: Database) -> None:
    for number in range(50):
        database.log.put(meta(str(number)))
    database.close()
    assert len(names(database.path)) == 50


def test_a_fault_of_the_program_costs_its_own_row_and_is_counted(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    with database.transaction():  # so that all of them meet in one batch
        for name in ("a", "a", "b"):
            database.log.put(meta(name))
    database.log.flush()
    assert names(database.path) == ["a", "b"]
    assert database.log.lost == 1
    assert "lost" in caplog.text


def test_a_full_disk_is_told_by_the_next_flush_and_nothing_is_lost_once_there_is_room(database: Database) -> None:
    blocked = threading.Event()

    def write(connection: sqlite3.Connection) -> None:
        limit = 1 if not blocked.is_set() else 1_000_000
        connection.execute(f"PRAGMA max_page_count = {limit}")
        connection.execute("INSERT INTO meta VALUES ('big', zeroblob(300000))")

    database.log.put(write)
    database.log.put(meta("after"))
    for _ in range(2):
        with pytest.raises(sqlite3.OperationalError) as told:
            database.log.flush()
        assert isinstance(database.expected(told.value), DataFolderUnusable)
    database.log.catch_up()  # who only reads goes on
    blocked.set()
    database.log.flush()
    assert names(database.path) == ["big", "after"]
    assert database.log.lost == 0


def test_a_flush_is_not_told_of_an_attempt_that_had_begun_before_it(database: Database) -> None:
    begun, go_on = threading.Event(), threading.Event()
    told: list[BaseException] = []

    def write(connection: sqlite3.Connection) -> None:
        limit = 1_000_000 if begun.is_set() else 1  # the first attempt alone finds the disk full
        begun.set()
        go_on.wait()
        connection.execute(f"PRAGMA max_page_count = {limit}")
        connection.execute("INSERT INTO meta VALUES ('big', zeroblob(300000))")

    def flush() -> None:
        try:
            database.log.flush()
        except sqlite3.OperationalError as error:
            told.append(error)

    database.log.put(write)
    begun.wait()
    flushing = threading.Thread(target=flush)
    flushing.start()
    while not database.log._wanted:  # flush() is there, and the first attempt still runs
        pass
    go_on.set()
    flushing.join()
    assert told == []
    assert names(database.path) == ["big"]


def test_what_cannot_be_written_by_the_end_is_counted(database: Database, caplog: pytest.LogCaptureFixture) -> None:
    def write(connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA max_page_count = 1")
        connection.execute("INSERT INTO meta VALUES ('big', zeroblob(300000))")

    database.log.put(write)
    database.log.put(meta("after"))
    database.close()
    assert database.log.lost == 2
    database.log.put(meta("late"))
    assert database.log.lost == 3
    assert names(database.path) == []
    assert "lost" in caplog.text or "cannot be written" in caplog.text


def test_many_threads_lose_nothing(database: Database) -> None:
    start = threading.Barrier(8)

    def work(thread: int) -> None:
        start.wait()
        for number in range(100):
            database.log.put(meta(f"{thread}-{number}"))
            if number % 10 == 0:
                database.log.flush()
                with database.transaction() as connection:
                    connection.execute("INSERT INTO meta VALUES (?, '')", (f"{thread}-{number}-own",))

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    database.log.flush()
    found = names(database.path)
    assert len(found) == len(set(found)) == 8 * 110
    for thread in range(8):  # each thread's own in order
        own = [name for name in found if name.startswith(f"{thread}-") and not name.endswith("own")]
        assert own == [f"{thread}-{number}" for number in range(100)]


# ------------------------------------------------------------------- lookups


def test_a_queued_lookup_has_its_id_at_once_and_a_vote_finds_it(database: Database) -> None:
    activity = Activity(database, ManualClock())
    number = activity.record_lookup("s", "vpn", outcome=Outcome.NOT_FOUND, details={}, duration_ms=1, queued=True)
    assert activity.query_of(number) == "vpn"
    activity.record_event("s", EventKind.VOTED, doc_key="a", invocation_id=number, value=1)
    assert [session.lookups for session in activity.sessions()] == [1]


def test_queued_rows_are_seen_by_whoever_asks(database: Database) -> None:
    activity = Activity(database, ManualClock())

    def ask() -> int:
        return activity.record_lookup("s", "vpn", outcome=Outcome.NOT_FOUND, details={}, duration_ms=1, queued=True)

    ask()
    assert activity.memory("s").id == "s"
    superseded = ask()
    activity.supersede(superseded)
    ask()
    activity.close_session("s")
    with database.snapshot() as connection:
        assert connection.execute("SELECT count(*) FROM tool_invocation").fetchone()[0] == 3


def test_a_refused_row_is_refused_before_it_is_queued(database: Database) -> None:
    with pytest.raises(ValueError, match="gated"):
        Activity(database, ManualClock()).record_lookup(
            "s", "hi", outcome=Outcome.GATED, details={}, duration_ms=1, queued=True
        )


_KILLED = """
import os, signal, sys
from pathlib import Path
from core.clock import SystemClock
from core.model import Outcome
from core.store.activity import Activity
from core.store.database import Database
database = Database.open(Path(sys.argv[1]))
activity = Activity(database, SystemClock())
for number in range(100000):
    activity.record_lookup(f"s{number}", "q", outcome=Outcome.NOT_FOUND, details={}, duration_ms=1, queued=True)
    if number == 300:
        database.log.flush()
        print("go", flush=True)
"""


def test_killed_at_any_moment_rows_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "deskside.sqlite3"
    with subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        process.kill()
    database = Database.open(path)
    try:
        count = database.connection().execute
        (rows,) = count("SELECT count(*) FROM tool_invocation").fetchone()
        assert rows >= 301
        for table in ("lookup_fact", "counted_lookup", "session", "counted_session"):
            assert count(f"SELECT count(*) FROM {table}").fetchone()[0] == rows
        assert count("SELECT sum(answer_4) FROM lookup_sum WHERE width = 900").fetchone()[0] == rows
        assert count("SELECT count(*) FROM lookup_reading").fetchone()[0] == 0
    finally:
        database.close()
