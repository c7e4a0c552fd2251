"""core.store.database: opening, upgrading, refusing, connections, transactions."""

from __future__ import annotations

import gc
import multiprocessing
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlite_utils

from core.errors import DatabaseDamaged, DatabaseTooNew, DataFolderUnusable
from core.store.database import SCHEMA, Database
from core.store.migrations import migrations


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "deskside.sqlite3"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    opened = Database.open(path)
    yield opened
    opened.close()


def old_database(path: Path, stop_before: str) -> None:
    """What an older program left: some migrations ran, and two lookups are in the log."""
    with closing(sqlite3.connect(path)) as connection:
        migrations.apply(sqlite_utils.Database(connection), stop_before=stop_before)
        connection.executemany(
            "INSERT INTO tool_invocation (session_id, query, created_at, outcome, success) VALUES (?, ?, ?, ?, 1)",
            [
                ("T-1", "打印机", "2025-01-01T00:00:00.000Z", "found"),
                ("T-1", "691", "2025-01-01T00:00:01.000Z", "found"),
            ],
        )
        connection.commit()


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return [tuple(row) for row in connection.execute(query)]


def test_the_names_held_here_are_the_migrations() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        assert tuple(step.name for step in migrations.pending(sqlite_utils.Database(connection))) == SCHEMA


def test_every_connection_has_the_promised_state(database: Database) -> None:
    connection = database.connection()
    read = {
        name: connection.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    }
    assert read == {"journal_mode": "wal", "synchronous": 1, "foreign_keys": 1, "busy_timeout": 10_000}
    assert connection.isolation_level is None
    assert connection.row_factory is sqlite3.Row


def test_a_new_database_makes_no_copy_and_is_found_again(path: Path) -> None:
    for _ in range(2):
        opened = Database.open(path)
        opened.connection().execute("INSERT OR REPLACE INTO meta VALUES ('a', 'b')")
        opened.close()
    assert rows(path, "SELECT * FROM meta") == [("a", "b")]
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("first_missing", SCHEMA[1:])
def test_an_older_database_is_upgraded_after_a_copy(path: Path, first_missing: str) -> None:
    old_database(path, first_missing)
    before = rows(path, "SELECT session_id, query, created_at FROM tool_invocation")
    Database.open(path).close()
    copy = path.with_name(f"{path.name}.before-{first_missing}")
    for file in (path, copy):
        assert rows(file, "SELECT session_id, query, created_at FROM tool_invocation") == before
    assert rows(path, "SELECT name FROM _sqlite_migrations ORDER BY id") == [(name,) for name in SCHEMA]
    assert rows(copy, "SELECT name FROM _sqlite_migrations ORDER BY id") == [
        (name,) for name in SCHEMA[: SCHEMA.index(first_missing)]
    ]
    assert rows(path, "SELECT relevance_level, dedup_reason FROM tool_invocation") == [(None, None)] * 2


def test_a_failed_upgrade_changes_nothing(path: Path) -> None:
    old_database(path, "m003_sessions")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE chunk (something_else TEXT)")  # in the way of m004
        connection.commit()
    before = rows(path, "SELECT name FROM sqlite_master ORDER BY name")
    with pytest.raises(DataFolderUnusable, match="chunk"):
        Database.open(path)
    assert rows(path, "SELECT name FROM sqlite_master ORDER BY name") == before


def test_a_newer_database_is_refused_unchanged(path: Path) -> None:
    Database.open(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO _sqlite_migrations (migration_set, name) VALUES ('deskside', 'm999_later')")
        connection.commit()
    before = path.read_bytes()
    with pytest.raises(DatabaseTooNew) as refused:
        Database.open(path)
    assert refused.value.facts == {"path": str(path), "found": "m999_later", "known": SCHEMA[-1]}
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: "这不是数据库".encode() * 200,
        lambda data: b"SQLite format 3\x00" + b"\xff" * 5000,
        lambda data: data[: len(data) // 2],
        lambda data: data[:100] + b"\x00" * 4000 + data[4100:],
    ],
    ids=["text", "noise behind the right first bytes", "cut in half", "first page wiped"],
)
def test_a_damaged_file_is_refused_unchanged(path: Path, spoil: object) -> None:
    Database.open(path).close()
    spoiled = spoil(path.read_bytes())  # type: ignore[operator]
    path.write_bytes(spoiled)
    with pytest.raises(DatabaseDamaged):
        Database.open(path)
    assert path.read_bytes() == spoiled


def test_another_programs_database_is_refused_unchanged(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmark (url TEXT)")
    before = path.read_bytes()
    with pytest.raises(DatabaseDamaged, match="not one of this program"):
        Database.open(path)
    assert path.read_bytes() == before


def test_a_folder_in_the_place_of_the_file_is_an_expected_error(path: Path) -> None:
    path.mkdir()
    with pytest.raises(DataFolderUnusable):
        Database.open(path)


def test_names_with_any_characters_work(tmp_path: Path) -> None:
    path = tmp_path / "数据 100% #1?.sqlite3"
    old_database(path, "m002_relevance_level_and_dedup_reason")
    Database.open(path).close()
    assert path.with_name(path.name + ".before-m002_relevance_level_and_dedup_reason").exists()


def test_a_transaction_keeps_all_or_nothing(database: Database) -> None:
    with pytest.raises(KeyError), database.transaction() as connection:
        connection.execute("INSERT INTO meta VALUES ('a', '1')")
        raise KeyError
    with database.transaction() as connection:
        connection.execute("INSERT INTO meta VALUES ('b', '2')")
    assert [tuple(row) for row in database.connection().execute("SELECT * FROM meta")] == [("b", "2")]


def test_a_nested_transaction_is_part_of_the_outer_one(database: Database) -> None:
    with pytest.raises(KeyError), database.transaction():
        with database.transaction() as inner:
            inner.execute("INSERT INTO meta VALUES ('a', '1')")
        raise KeyError
    assert database.connection().execute("SELECT count(*) FROM meta").fetchone()[0] == 0


def test_each_thread_has_its_own_connection_closed_at_its_end(database: Database) -> None:
    seen: list[sqlite3.Connection] = []
    thread = threading.Thread(target=lambda: seen.extend([database.connection(), database.connection()]))
    thread.start()
    thread.join()
    assert seen[0] is seen[1]
    assert seen[0] is not database.connection()
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        seen[0].execute("SELECT 1")


def test_close_closes_every_thread_and_only_once_matters(path: Path) -> None:
    database = Database.open(path)
    opened, leave = threading.Event(), threading.Event()
    seen = [database.connection()]

    def hold() -> None:
        seen.append(database.connection())
        opened.set()
        leave.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    opened.wait()
    database.close()
    database.close()
    leave.set()
    thread.join()
    for connection in seen:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
    for use in (database.connection, database.data_version):
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            use()
    assert [file.name for file in path.parent.iterdir()] == [path.name]  # no write-ahead log left behind


def test_data_version_sees_every_commit_and_nothing_else(database: Database) -> None:
    first = database.data_version()
    with database.transaction() as connection:
        connection.execute("INSERT INTO meta VALUES ('a', '1')")
        assert database.data_version() == first
    second = database.data_version()
    assert second != first
    database.connection().execute("SELECT * FROM meta").fetchall()
    assert database.data_version() == second
    with closing(sqlite3.connect(database.path)) as other:
        other.execute("INSERT INTO meta VALUES ('b', '2')")
        other.commit()
    assert database.data_version() != second


def test_check_names_damage_and_dangling_references(database: Database) -> None:
    assert [check.status for check in database.check()] == ["ok", "ok"]
    connection = database.connection()
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("INSERT INTO chunk (article_id, position, start, heading, text) VALUES (7, 0, 0, '', '')")
    assert [(check.name, check.status) for check in database.check()] == [("database", "ok"), ("references", "failed")]


def test_check_says_so_when_pages_are_damaged(path: Path) -> None:
    database = Database.open(path)
    with database.transaction() as connection:
        connection.executemany("INSERT INTO meta VALUES (?, ?)", [(str(n), "x" * 200) for n in range(500)])
    database.close()
    data = path.read_bytes()
    path.write_bytes(data[:-4096] + b"\x5a" * 4096)
    database = Database.open(path)
    statuses = {check.name: check.status for check in database.check()}
    database.close()
    assert statuses["database"] == "failed"


def _open_and_write(path: Path, number: int, gate: object) -> None:
    gate.wait()  # type: ignore[attr-defined]
    database = Database.open(path)
    database.connection().execute("INSERT INTO meta VALUES (?, '')", (str(number),))
    database.close()


@pytest.mark.parametrize("older", [False, True], ids=["new folder", "older database"])
def test_processes_that_open_at_once_all_succeed(path: Path, older: bool) -> None:
    if older:
        old_database(path, "m002_relevance_level_and_dedup_reason")
    spawn = multiprocessing.get_context("spawn")
    gate = spawn.Barrier(3)
    processes = [spawn.Process(target=_open_and_write, args=(path, number, gate)) for number in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert rows(path, "SELECT name FROM meta ORDER BY name") == [("0",), ("1",), ("2",)]
    assert rows(path, "SELECT count(*) FROM _sqlite_migrations") == [(len(SCHEMA),)]
