"""Sources and their files in the database: where articles came from, and what a file was like when it was read."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.reasons import Reason, as_json, from_json

if TYPE_CHECKING:
    from core.store.database import Database


@dataclass(frozen=True, slots=True)
class Source:
    """A folder that was imported (kind folder, starter), or the folder of files given singly (kind library)."""

    id: int
    name: str
    path: str
    kind: str


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file as it was at its last import. `path` is inside the source, as it is spelt there."""

    id: int
    source_id: int
    path: str
    size: int
    mtime_ns: int
    sha256: str
    outcome: str
    reason: Reason | None
    seen_at: str


class Sources:
    """All sources of one data folder."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Source]:
        """Every source, oldest first."""
        rows = self._database.connection().execute("SELECT id, name, path, kind FROM source ORDER BY id")
        return [Source(**dict(row)) for row in rows]

    def by_path(self, path: str) -> Source | None:
        """The source of exactly this path."""
        return next((source for source in self.all() if source.path == path), None)

    def ensure(self, path: str, name: str, kind: str) -> Source:
        """The source of this path, made when it is new. Names are unique: a second `kb` is called `kb~2`. A library
        source becomes a folder source when its folder is imported."""
        with self._database.transaction() as connection:
            found = self.by_path(path)
            if found is None:
                taken = {source.name for source in self.all()}
                unique, number = name, 1
                while unique in taken:
                    number += 1
                    unique = f"{name}~{number}"
                connection.execute("INSERT INTO source (name, path, kind) VALUES (?, ?, ?)", (unique, path, kind))
            elif found.kind == "library" and kind != "library":
                connection.execute("UPDATE source SET kind = ? WHERE id = ?", (kind, found.id))
        source = self.by_path(path)
        assert source is not None
        return source

    def remove(self, connection: sqlite3.Connection, source_id: int) -> None:
        """Forget a source and its files inside a transaction. Its articles must be gone."""
        connection.execute("DELETE FROM source WHERE id = ?", (source_id,))
        connection.execute("DELETE FROM meta WHERE name = ?", (f"source:{source_id}",))

    def files(self, source_id: int) -> dict[str, FileRow]:
        """path → what is known of each file of a source."""
        rows = self._database.connection().execute(
            "SELECT id, source_id, path, size, mtime_ns, sha256, outcome, reason, seen_at FROM file "
            "WHERE source_id = ? ORDER BY id",
            (source_id,),
        )
        return {row["path"]: _file_row(row) for row in rows}

    def failed(self) -> list[tuple[str, Reason | None]]:
        """(whole path, why) of every file that its last import could not read, source by source."""
        rows = self._database.connection().execute(
            "SELECT source.path || '/' || file.path AS whole, reason FROM file "
            "JOIN source ON source.id = file.source_id WHERE outcome = 'failed' ORDER BY source.id, file.id"
        )
        return [(row["whole"], next(iter(from_json(row["reason"])), None)) for row in rows]

    def articles_by_file(self, source_id: int) -> dict[int, dict[str, str]]:
        """file id → doc_key → content hash of its articles."""
        rows = self._database.connection().execute(
            "SELECT file_id, doc_key, content_hash FROM article WHERE source_id = ? ORDER BY id", (source_id,)
        )
        found: dict[int, dict[str, str]] = {}
        for row in rows:
            found.setdefault(row["file_id"], {})[row["doc_key"]] = row["content_hash"]
        return found

    def count_articles(self, path: str) -> int:
        """How many articles there are of the folder, or of the single file, of this path."""
        row = self._database.connection().execute(
            "SELECT count(*) FROM article JOIN file ON file.id = article.file_id "
            "JOIN source ON source.id = article.source_id WHERE source.path = :path "
            "OR rtrim(source.path, '/') || '/' || file.path = :path",
            {"path": path},
        )
        return int(row.fetchone()[0])

    def write_file(
        self,
        connection: sqlite3.Connection,
        source_id: int,
        path: str,
        *,
        size: int,
        mtime_ns: int,
        sha256: str,
        outcome: str,
        reason: Reason | None,
        seen_at: str,
    ) -> int:
        """Insert or update a file inside a transaction; returns its id."""
        row = connection.execute(
            "INSERT INTO file (source_id, path, size, mtime_ns, sha256, outcome, reason, seen_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (source_id, path) DO UPDATE SET size = excluded.size, "
            "mtime_ns = excluded.mtime_ns, sha256 = excluded.sha256, outcome = excluded.outcome, "
            "reason = excluded.reason, seen_at = excluded.seen_at RETURNING id",
            (source_id, path, size, mtime_ns, sha256, outcome, None if reason is None else as_json([reason]), seen_at),
        ).fetchone()
        return int(row[0])

    def remove_files(self, connection: sqlite3.Connection, file_ids: Collection[int]) -> None:
        """Forget files inside a transaction. Their articles must be gone."""
        connection.executemany("DELETE FROM file WHERE id = ?", [(file_id,) for file_id in file_ids])

    def note(self, name: str) -> str | None:
        """A remembered value (table meta)."""
        row = self._database.connection().execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def set_note(self, name: str, value: str) -> None:
        """Remember a value (table meta)."""
        with self._database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))


def _file_row(row: sqlite3.Row) -> FileRow:
    reasons = from_json(row["reason"])
    return FileRow(**{**dict(row), "reason": reasons[0] if reasons else None})
