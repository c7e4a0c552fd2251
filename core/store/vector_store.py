"""VectorStore: every vector that a model ever made in this data folder, by the hash of the text it is of."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from core.store.many import marks, portions

_TIMEOUT_S = 10.0
_NO_DATABASE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS vector (fingerprint TEXT NOT NULL, text_hash TEXT NOT NULL, vector BLOB NOT NULL, "
    "PRIMARY KEY (fingerprint, text_hash))",
    # What a long article's text comes down to for a model takes a millisecond to find; source: the article's content.
    "CREATE TABLE IF NOT EXISTS reading (reading TEXT NOT NULL, source TEXT NOT NULL, text_hash TEXT NOT NULL, "
    "PRIMARY KEY (reading, source)) WITHOUT ROWID",
)
Result = TypeVar("Result")

log = logging.getLogger(__name__)


class VectorStore:
    """A SQLite file of its own, which may be deleted: what is missing is made anew, and so is a file that is damaged.
    Vectors are bytes, as their maker left them. All it holds hangs on the content alone, so any number of threads,
    processes and data folders may share it. All methods raise sqlite3.Error."""

    def __init__(self, path: Path, *, timeout_s: float = _TIMEOUT_S) -> None:
        """`timeout_s`: how long another program may keep the file locked."""
        self.path = path
        self._timeout_s = timeout_s

    def found(self, fingerprint: str, hashes: Collection[str]) -> dict[str, bytes]:
        """Those of these texts that have a vector of that embedder."""
        return self._pairs(
            "SELECT text_hash, vector FROM vector WHERE fingerprint = ? AND text_hash", fingerprint, hashes
        )

    def keep(self, fingerprint: str, vectors: Mapping[str, bytes]) -> None:
        """Write them in one transaction. Hand over 200 at most."""
        self._write(
            "INSERT OR REPLACE INTO vector (fingerprint, text_hash, vector) VALUES (?, ?, ?)", fingerprint, vectors
        )

    def texts_of(self, reading: str, sources: Collection[str]) -> dict[str, str]:
        """Of those of these contents that were read so before: the hash of the text that a model gets."""
        return self._pairs("SELECT source, text_hash FROM reading WHERE reading = ? AND source", reading, sources)

    def keep_texts(self, reading: str, hashes: Mapping[str, str]) -> None:
        """Remember them: content → hash of the text."""
        self._write("INSERT OR REPLACE INTO reading (reading, source, text_hash) VALUES (?, ?, ?)", reading, hashes)

    def each(self, fingerprint: str) -> Iterator[tuple[str, bytes]]:
        """Everything of one embedder, as one consistent view. Read to the end or close() it."""
        with closing(self._connection()) as connection:
            yield from connection.execute("SELECT text_hash, vector FROM vector WHERE fingerprint = ?", (fingerprint,))

    def drop(self, fingerprint: str, hashes: Collection[str]) -> None:
        """Forget these vectors."""

        def work(connection: sqlite3.Connection) -> None:
            with connection:
                for part in portions(hashes):
                    connection.execute(
                        f"DELETE FROM vector WHERE fingerprint = ? AND text_hash IN ({marks(part)})",
                        (fingerprint, *part),
                    )

        self._with(work)

    def fault(self) -> str:
        """What SQLite finds wrong with the file; empty: nothing. Reads all of it; mends nothing."""
        try:
            with closing(self._connection()) as connection:
                told = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            return str(error)
        return "" if told == "ok" else str(told)

    def begin_anew(self) -> None:
        """Put an empty file in the place of a damaged one. Raises OSError."""
        for name in (self.path, self.path.with_name(self.path.name + "-journal")):
            name.unlink(missing_ok=True)
        with closing(self._connection()):
            pass

    # ------------------------------------------------------------------ inside
    def _pairs(self, query: str, first: str, values: Collection[str]) -> dict[str, Any]:
        def work(connection: sqlite3.Connection) -> dict[str, Any]:
            found: dict[str, Any] = {}
            for part in portions(values):
                found.update(connection.execute(f"{query} IN ({marks(part)})", (first, *part)))
            return found

        return self._with(work) if values else {}

    def _write(self, statement: str, first: str, pairs: Mapping[str, object]) -> None:
        def work(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany(statement, [(first, name, value) for name, value in pairs.items()])

        if pairs:
            self._with(work)

    def _with(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do it; once more with an empty file where this one is damaged: a cache that cannot be read is none."""
        try:
            with closing(self._connection()) as connection:
                return work(connection)
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            log.warning("%s is damaged and is begun anew: %s", self.path, error)
        try:
            self.begin_anew()
        except OSError as error:
            raise sqlite3.OperationalError(str(error)) from error
        with closing(self._connection()) as connection:
            return work(connection)

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=self._timeout_s)
        try:
            connection.execute("PRAGMA synchronous = NORMAL")
            for statement in _SCHEMA:  # somebody may have deleted the file just now
                connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _NO_DATABASE
