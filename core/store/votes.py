"""Votes: what people made of the articles of an answer, and the thresholds that were taken from it (vote, tuning)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.clock import Clock, iso
from core.store.database import Database

VOTES = frozenset({-1, 0, 1, 2})  # not useful, taken back, useful, the right article
_NEWEST = 500  # votes on one question that are looked at
_VERSION, _KEYS = "votes_version", "vote_keys"


@dataclass(frozen=True, slots=True)
class VoteRow:
    """One session's say on an article: `value` 2 right, 1 useful, -1 not useful, 0 none; `copied`: text of it was."""

    session_id: str
    doc_key: str
    value: int
    copied: bool


@dataclass(frozen=True, slots=True)
class VotedLookup:
    """A lookup that has votes: its evidence level, logged details, and doc_key → value (never 0)."""

    invocation_id: int
    evidence_level: str | None
    details: Mapping[str, Any]
    votes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TuningRow:
    """Thresholds (highly relevant, reference) that were applied on so many votes, and those that held before.
    `up_to`: votes on lookups up to this one were used up by this step or one before it."""

    id: int
    at: str
    votes: int
    thresholds: tuple[float, float]
    previous: tuple[float, float]
    up_to: int


class Votes:
    """Reads and writes votes and tunings. All methods may be called from any thread; each write is one transaction."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def version(self) -> int:
        """Another number after every vote, copy, tuning and undo, by any process (contract §3, the cache's key)."""
        return int(self._meta(_VERSION) or 0)

    # -------------------------------------------------------------- articles
    def record(
        self, invocation_id: int, doc_key: str, *, key: str, scale: str, value: int | None = None, copied: bool = False
    ) -> None:
        """A vote replaces the one that the same lookup's article had; 0 takes it back. `value` None: only copied."""
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO vote (invocation_id, doc_key, query_key, value, copied, scale) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (invocation_id, doc_key) DO UPDATE SET value = ifnull(?, value), "
                "copied = max(copied, excluded.copied), query_key = excluded.query_key, scale = excluded.scale",
                (invocation_id, doc_key, key, value or 0, int(copied), scale, value),
            )
            self._changed()

    def on_query(self, key: str) -> list[VoteRow]:
        """What was said under a key, oldest first, of the newest lookups. One step in an index, however many votes."""
        rows = self._database.connection().execute(
            "SELECT session_id, doc_key, value, copied FROM vote JOIN tool_invocation ON id = invocation_id "
            "WHERE query_key = ? AND actor = 'person' ORDER BY invocation_id DESC LIMIT ?",
            (key, _NEWEST),
        )
        return [VoteRow(row[0], row[1], row[2], bool(row[3])) for row in rows][::-1]

    def keep_keys(self, fingerprint: str, key_of: Callable[[str], str]) -> None:
        """Work all keys out anew when `fingerprint` (of the words that keys are made of) is another one."""
        if self._meta(_KEYS) == fingerprint:
            return
        with self._database.transaction() as connection:
            asked = connection.execute(
                "SELECT DISTINCT invocation_id, query FROM vote JOIN tool_invocation ON id = invocation_id"
            ).fetchall()
            connection.executemany(
                "UPDATE vote SET query_key = ? WHERE invocation_id = ?", [(key_of(query), row) for row, query in asked]
            )
            self._put(_KEYS, fingerprint)
            self._changed()

    # --------------------------------------------------------------- lookups
    def lookups(self, scale: str, limit: int) -> Iterator[VotedLookup]:
        """The newest lookups by people that bear a vote under that scale, newest first."""
        rows = self._database.connection().execute(
            "SELECT id, evidence_level, retrieval_details, json_group_object(doc_key, value) FROM vote "
            "JOIN tool_invocation ON id = invocation_id WHERE value IN (-1, 1, 2) AND scale = ? AND superseded = 0 "
            "AND actor = 'person' AND retrieval_details IS NOT NULL GROUP BY id ORDER BY id DESC LIMIT ?",
            (scale, limit),
        )
        for number, level, details, votes in rows:
            yield VotedLookup(number, level, json.loads(details), json.loads(votes))

    # ------------------------------------------------------------ thresholds
    def tuning(self, scale: str) -> TuningRow | None:
        """What holds for that scale; None: nothing was applied, or all of it undone."""
        row = (
            self._database.connection()
            .execute(
                "SELECT id, at, votes, highly_relevant_threshold, reference_threshold, previous_highly_relevant, "
                "previous_reference, up_to_invocation FROM tuning WHERE scale = ? AND undone_at IS NULL "
                "ORDER BY id DESC LIMIT 1",
                (scale,),
            )
            .fetchone()
        )
        return None if row is None else TuningRow(row[0], row[1], row[2], (row[3], row[4]), (row[5], row[6]), row[7])

    def tune(
        self, profile: str, scale: str, votes: int, thresholds: tuple[float, float], previous: tuple[float, float]
    ) -> None:
        """These thresholds hold from now on. A step that rests on `votes` uses up those on all lookups so far."""
        with self._database.transaction() as connection:
            last = self.tuning(scale)
            up_to = 0 if last is None else last.up_to
            if votes:
                (up_to,) = connection.execute("SELECT ifnull(max(id), 0) FROM tool_invocation").fetchone()
            connection.execute(
                "INSERT INTO tuning (at, profile, scale, votes, highly_relevant_threshold, reference_threshold, "
                "previous_highly_relevant, previous_reference, up_to_invocation) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (iso(self._clock.now()), profile, scale, votes, *thresholds, *previous, up_to),
            )
            self._changed()

    def undo(self, scale: str) -> TuningRow | None:
        """Take back what holds; returns it, or None when there is nothing to take back."""
        with self._database.transaction() as connection:
            last = self.tuning(scale)
            if last is not None:
                connection.execute("UPDATE tuning SET undone_at = ? WHERE id = ?", (iso(self._clock.now()), last.id))
                self._changed()
        return last

    def undone(self, scale: str) -> frozenset[tuple[float, float]]:
        """Thresholds that were applied to what holds now, and taken back."""
        rows = self._database.connection().execute(
            "SELECT highly_relevant_threshold, reference_threshold FROM tuning WHERE scale = ? AND id > "
            "ifnull((SELECT max(id) FROM tuning WHERE scale = ? AND undone_at IS NULL), 0)",
            (scale, scale),
        )
        return frozenset((row[0], row[1]) for row in rows)

    # ---------------------------------------------------------------- inside
    def _changed(self) -> None:
        self._put(_VERSION, str(self.version() + 1))

    def _meta(self, name: str) -> str | None:
        row = self._database.connection().execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row["value"])

    def _put(self, name: str, value: str) -> None:
        with self._database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (name, value))
