"""VectorStore: every vector that a model ever made in this data folder, by the hash of the text it is of."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from contextlib import closing
from pathlib import Path

from core.store.many import portions

_TIMEOUT_S = 10.0


class VectorStore:
    """A SQLite file of its own, which may be deleted: what is missing is made anew. Vectors are bytes, as their maker
    left them. All methods may be called from any thread and process. They raise sqlite3.Error."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with closing(self._connection()) as connection, connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS vector (fingerprint TEXT NOT NULL, text_hash TEXT NOT NULL, "
                "vector BLOB NOT NULL, PRIMARY KEY (fingerprint, text_hash)) WITHOUT ROWID"
            )

    def found(self, fingerprint: str, hashes: Collection[str]) -> dict[str, bytes]:
        """Those of these texts that have a vector of that embedder."""
        found: dict[str, bytes] = {}
        with closing(self._connection()) as connection:
            for part in portions(list(hashes)):
                wanted = ",".join("?" * len(part))
                found.update(
                    connection.execute(
                        f"SELECT text_hash, vector FROM vector WHERE fingerprint = ? AND text_hash IN ({wanted})",
                        (fingerprint, *part),
                    )
                )
        return found

    def keep(self, fingerprint: str, vectors: Mapping[str, bytes]) -> None:
        """Write them in one transaction; what is there stays. Hand over 200 at most."""
        with closing(self._connection()) as connection, connection:
            connection.executemany(
                "INSERT OR IGNORE INTO vector (fingerprint, text_hash, vector) VALUES (?, ?, ?)",
                [(fingerprint, text_hash, vector) for text_hash, vector in vectors.items()],
            )

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_TIMEOUT_S)
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection
