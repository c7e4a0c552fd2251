"""The SQLite file: opening, upgrading, one connection a thread, transactions, checks."""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from core.errors import DatabaseDamaged, DatabaseTooNew, DataFolderUnusable, ExpectedError
from core.report import Check
from core.store.invocation_ids import InvocationIds
from core.store.log_writer import LogWriter

# The names in core.store.migrations, in order. Kept here as well so that opening an up-to-date database needs no
# import of sqlite_utils, which takes longer than all the rest of opening; a test holds the two lists equal.
SCHEMA = (
    "m001_tool_invocation",
    "m002_relevance_level_and_dedup_reason",
    "m003_sessions",
    "m004_knowledge",
    "m005_direction_of_votes",
    "m006_reasons_as_codes",
    "m007_named_articles",
    "m008_votes",
    "m009_unreviewed_articles",
    "m010_dates_of_articles",
    "m011_votes_used_up",
    "m012_monitor",
)
BUSY_TIMEOUT_S = 10.0
_MIGRATION_SET = "deskside"
_DAMAGED = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT})
_OUTER = frozenset(
    {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_FULL}
    | {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY}
)


class Database:
    """One open database. All methods may be called from any thread; other processes may have it open as well.

    `log` takes rows that nobody waits for; a transaction begins once they are committed. Who reads them outside of one
    asks for `log.catch_up()` before. `ids`: of lookups.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._lock = threading.Lock()
        self._closers: list[weakref.finalize[..., _Holder]] = []
        self._closed = False
        self._watcher_lock = threading.Lock()
        self._watcher: sqlite3.Connection | None = None
        self.log = LogWriter(self)
        self.ids = InvocationIds(self._newest_lookup)

    @classmethod
    def open(cls, path: Path) -> Database:
        """Open or create; the folder must be there. An older database is upgraded, after a copy of it was written
        beside it (`<name>.before-<migration>`). A refused file is not changed.

        Raises DatabaseTooNew, DatabaseDamaged, DataFolderUnusable (no rights, disk full, locked for over 10 s).
        """
        database = cls(path)
        try:
            _prepare(path)
            database.data_version()
        except sqlite3.Error as error:
            database.close()
            raise _expected(path, error) from error
        except OSError as error:
            database.close()
            raise DataFolderUnusable(path=str(path.parent), detail=str(error)) from error
        return database

    def connection(self) -> sqlite3.Connection:
        """The calling thread's own connection (autocommit, sqlite3.Row). It is closed when the thread ends, or by
        close(). Raises sqlite3.ProgrammingError after close()."""
        holder: _Holder | None = getattr(self._local, "holder", None)
        if holder is None or self._closed:
            holder = self._local.holder = self._new_holder()
        return holder.connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """BEGIN IMMEDIATE … COMMIT, ROLLBACK on any exception. Inside another transaction of this thread it is part
        of that one: only the outermost commits, and an exception caught half-way undoes nothing."""
        connection = self.connection()
        nested = connection.in_transaction
        if nested:
            yield connection
            return
        self.log.flush()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    @contextmanager
    def snapshot(self) -> Iterator[sqlite3.Connection]:
        """For reading only: all that is read inside is one state of the database, whatever is committed meanwhile. Rows
        that the log had queued are in it, unless they cannot be written now."""
        self.log.catch_up()
        connection = self.connection()
        if connection.in_transaction:
            yield connection
            return
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            connection.execute("ROLLBACK")

    def data_version(self) -> int:
        """A number that differs after every commit, by any thread or process. Comparable between threads of this
        object, with nothing else. Takes microseconds."""
        with self._watcher_lock:
            if self._watcher is None:
                self._refuse_closed()
                self._watcher = _connect(self.path)
            return int(self._watcher.execute("PRAGMA data_version").fetchone()[0])

    def expected(self, error: sqlite3.Error) -> ExpectedError | None:
        """What a person can do something about behind an error of SQLite: damage, no rights, a full or broken disk,
        locked for over 10 s. None: a fault of the program."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        return _expected(self.path, error) if code in _DAMAGED | _OUTER else None

    def check(self) -> tuple[Check, ...]:
        """Whether SQLite finds the file sound, and whether every reference leads somewhere. Reads the whole file."""
        return tuple(
            self._check(name, pragma)
            for name, pragma in (("database", "quick_check"), ("references", "foreign_key_check"))
        )

    def copy_to(self, path: Path) -> None:
        """A sound copy of what is committed, write-ahead log included; a file of that name is replaced."""
        _copy(self.path, path)

    def close(self) -> None:
        """Write what the log has queued and close the connections of all threads. Idempotent. What another thread has
        not committed is rolled back."""
        self.log.close()
        with self._lock:
            self._closed = True
            closers, self._closers = self._closers, []
        for close in closers:
            close()
        with self._watcher_lock:
            if self._watcher is not None:
                self._watcher.close()
                self._watcher = None

    def _newest_lookup(self) -> int:
        return int(self.connection().execute("SELECT ifnull(max(id), 0) FROM tool_invocation").fetchone()[0])

    def _new_holder(self) -> _Holder:
        with self._lock:
            self._refuse_closed()
            connection = _connect(self.path)
            holder = _Holder(connection)
            self._closers = [closer for closer in self._closers if closer.alive]
            self._closers.append(weakref.finalize(holder, connection.close))
            return holder

    def _refuse_closed(self) -> None:
        if self._closed:
            raise sqlite3.ProgrammingError("the database is closed")

    def _check(self, name: str, pragma: str) -> Check:
        try:
            rows = [tuple(row) for row in self.connection().execute(f"PRAGMA {pragma}").fetchmany(20)]
        except sqlite3.DatabaseError as error:
            rows = [(str(error),)]
        if rows in ([], [("ok",)]):
            return Check(name, "ok", f"{pragma}: no faults")
        detail = "; ".join(" ".join(str(value) for value in row) for row in rows)
        return Check(name, "failed", detail)


class _Holder:
    """Lives in a thread's local storage; when the thread ends it dies, and its finalizer closes the connection."""

    __slots__ = ("__weakref__", "connection")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection


def _connect(path: Path) -> sqlite3.Connection:
    """A connection in the state that everyone may rely on. It may be closed from any thread."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def use_wal(connection: sqlite3.Connection) -> None:
    """Write-ahead logging. SQLite does not wait while another process switches the same file: ask again."""
    give_up = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


def _prepare(path: Path) -> None:
    """Create or upgrade the schema where needed. Nothing is written before the file is known to be ours."""
    with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)) as connection:
        applied = _applied(path, connection)
        if applied == SCHEMA:
            return
        use_wal(connection)
        # foreign_keys stays off here, so that a migration may rebuild a table that others refer to
        connection.execute("BEGIN IMMEDIATE")
        try:
            _upgrade(path, connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _applied(path: Path, connection: sqlite3.Connection) -> tuple[str, ...]:
    """The names of the migrations that ran, in the order of SCHEMA. Raises when the database is not one of ours."""
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return ()
    found: set[str] = set()
    if "_sqlite_migrations" in tables:
        query = "SELECT name FROM _sqlite_migrations WHERE migration_set = ? ORDER BY rowid"
        found = {str(row[0]) for row in connection.execute(query, (_MIGRATION_SET,))}
    if not found:
        raise DatabaseDamaged(path=str(path), detail="the file is a SQLite database, but not one of this program")
    if unknown := sorted(found.difference(SCHEMA)):
        raise DatabaseTooNew(path=str(path), found=unknown[-1], known=SCHEMA[-1])
    return tuple(name for name in SCHEMA if name in found)


def _upgrade(path: Path, connection: sqlite3.Connection) -> None:
    """Run what is pending inside the transaction that is open on `connection`: all of it or nothing. Another process
    may have done it while this one waited for the lock, so what is pending is worked out again."""
    applied = _applied(path, connection)
    pending = [name for name in SCHEMA if name not in applied]
    if not pending:
        return
    if applied:
        _copy(path, path.with_name(f"{path.name}.before-{pending[0]}"))
    import sqlite_utils

    from core.store.migrations import migrations

    migrations.apply(sqlite_utils.Database(connection, recursive_triggers=False, execute_plugins=False))
    if broken := connection.execute("PRAGMA foreign_key_check").fetchone():
        raise DatabaseDamaged(path=str(path), detail=f"a row of {broken[0]} refers to a missing row of {broken[2]}")


def _copy(path: Path, target: Path) -> None:
    """A sound copy of the committed state, write-ahead log included; an older copy of that name is replaced."""
    beside = target.with_name(target.name + ".new")
    beside.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)) as source, closing(sqlite3.connect(beside)) as copy:
        source.backup(copy)
    beside.replace(target)


def _expected(path: Path, error: sqlite3.Error) -> ExpectedError:
    """What SQLite said, as an error that the user can do something about."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    if code in _DAMAGED:
        return DatabaseDamaged(path=str(path), detail=str(error))
    return DataFolderUnusable(path=str(path.parent), detail=f"{path.name}: {error}")
