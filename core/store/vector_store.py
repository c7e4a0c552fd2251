"""VectorStore: what models made of texts, kept by the text's hash, so that nothing is encoded twice."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from core.errors import DataFolderUnusable
from core.protocols import Vectors
from core.store.database import BUSY_TIMEOUT_S, use_wal
from core.store.many import marks

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS vector (fingerprint TEXT NOT NULL, text_hash BLOB NOT NULL, vector BLOB NOT NULL, "
    "PRIMARY KEY (fingerprint, text_hash)) WITHOUT ROWID"
)
# Of a damaged file, one that may not be read, or one with other tables: nothing in it can be used.
_USELESS = frozenset({sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_ERROR})
_AT_ONCE = 500
_LITTLE = np.dtype("<f4")
_Found = TypeVar("_Found")

log = logging.getLogger(__name__)


class VectorStore:
    """One SQLite file of (embedder's fingerprint, hash of the encoded text) → vector. Rows of an embedder stay when
    another serves. All methods may be called from any thread, and other processes may have the file open; each call
    has a connection of its own. A file that is of no use is put aside (`<name>.damaged`) and begun anew.

    All raise DataFolderUnusable (no rights, disk full, locked for over 10 s)."""

    def __init__(self, path: Path) -> None:
        """Opens nothing yet."""
        self.path = path
        self._lock = threading.Lock()

    def known(self, fingerprint: str, hashes: Collection[bytes]) -> set[bytes]:
        """Those of the hashes that have a vector."""

        def find(connection: sqlite3.Connection) -> set[bytes]:
            return {bytes(row[0]) for row in _rows(connection, "text_hash", fingerprint, hashes)}

        return self._done(find)

    def put(self, fingerprint: str, hashes: Sequence[bytes], vectors: Vectors) -> None:
        """Keep vectors, shape (n, dimension), in one commit; what is known already is replaced. They outlive the
        process from then on, however it ends. Raises ValueError where one of them is not finite."""
        if len(hashes) != len(vectors):
            raise ValueError(f"{len(hashes)} hashes of {len(vectors)} vectors")
        if not np.isfinite(vectors).all():
            raise ValueError("a vector of what is no number")
        values = [
            (fingerprint, key, vector.tobytes())
            for key, vector in zip(hashes, vectors.astype(_LITTLE, copy=False), strict=True)
        ]

        def write(connection: sqlite3.Connection) -> None:
            with _transaction(connection):
                connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", values)

        self._done(write)

    def rows(self, fingerprint: str, hashes: Sequence[bytes], dimension: int) -> tuple[npt.NDArray[np.bool_], Vectors]:
        """Which of the hashes have a vector of that dimension, and these vectors in the hashes' order: shape
        (found, dimension), float32."""

        def find(connection: sqlite3.Connection) -> dict[bytes, bytes]:
            found = _rows(connection, "text_hash, vector", fingerprint, hashes)
            return {bytes(row[0]): row[1] for row in found if len(row[1]) == dimension * _LITTLE.itemsize}

        kept = self._done(find)
        there: npt.NDArray[np.bool_] = np.fromiter((key in kept for key in hashes), dtype=np.bool_, count=len(hashes))
        together = b"".join(kept[key] for key in hashes if key in kept)
        return there, np.frombuffer(together, dtype=_LITTLE).astype(np.float32).reshape(-1, dimension)

    def count(self, fingerprint: str) -> int:
        """How many vectors of that embedder are kept."""

        def find(connection: sqlite3.Connection) -> int:
            query = "SELECT count(*) FROM vector WHERE fingerprint = ?"
            return int(connection.execute(query, (fingerprint,)).fetchone()[0])

        return self._done(find)

    # -------------------------------------------------------------- inside
    def _done(self, work: Callable[[sqlite3.Connection], _Found]) -> _Found:
        try:
            with closing(self._connect()) as connection:
                return work(connection)
        except sqlite3.Error as error:
            if not self._is_useless(error):
                raise DataFolderUnusable(path=str(self.path.parent), detail=f"{self.path.name}: {error}") from error
            self._begin_anew(error)
        try:
            with closing(self._connect()) as connection:
                return work(connection)
        except sqlite3.Error as error:
            raise DataFolderUnusable(path=str(self.path.parent), detail=f"{self.path.name}: {error}") from error

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        try:
            use_wal(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_useless(self, error: sqlite3.Error) -> bool:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE) & 0xFF
        return code in _USELESS and self.path.exists()

    def _begin_anew(self, error: sqlite3.Error) -> None:
        """Put the file aside, and what belongs to it: vectors can be made again. Of several threads one does it."""
        with self._lock:
            try:
                with closing(self._connect()) as connection:
                    connection.execute("SELECT fingerprint, text_hash, vector FROM vector LIMIT 1").fetchone()
                    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok":
                        return  # another thread was faster
            except sqlite3.Error:
                pass
            log.warning("%s cannot be used and is begun anew: %s", self.path, error)
            try:
                self.path.replace(self.path.with_name(self.path.name + ".damaged"))
                for suffix in ("-wal", "-shm"):
                    self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            except OSError as failed:
                raise DataFolderUnusable(path=str(self.path.parent), detail=f"{self.path.name}: {failed}") from failed


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _rows(
    connection: sqlite3.Connection, columns: str, fingerprint: str, hashes: Collection[bytes]
) -> Iterator[tuple[bytes, ...]]:
    ordered = list(dict.fromkeys(hashes))
    for first in range(0, len(ordered), _AT_ONCE):
        portion = ordered[first : first + _AT_ONCE]
        query = f"SELECT {columns} FROM vector WHERE fingerprint = ? AND text_hash IN ({marks(portion)})"
        yield from connection.execute(query, (fingerprint, *portion))
