"""The lookup log, events and sessions: tables tool_invocation, session_event, session (contract §7)."""

from __future__ import annotations

import json
import secrets
import sqlite3
import unicodedata
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from core.clock import Clock, iso
from core.errors import UnknownSession
from core.model import (
    Actor,
    DedupReason,
    EventKind,
    Outcome,
    RelevanceLevel,
    RetrievedDoc,
    SessionMemory,
    SessionSummary,
    Trigger,
)
from core.session import RetrievedDocTracker
from core.store.counting import recount, uncount
from core.store.database import Database
from core.store.votes import VOTES


class Activity:
    """What was asked and done. All methods may be called from any thread; each write is one transaction."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._tracker = RetrievedDocTracker(database, clock)

    # ------------------------------------------------------------- lookups

    def record_lookup(
        self,
        session_id: str,
        query: str,
        *,
        outcome: Outcome,
        details: Mapping[str, Any],
        duration_ms: float,
        actor: Actor = Actor.PERSON,
        trigger: Trigger = Trigger.ENTER,
        agent: str | None = None,
        degraded_reason: str | None = None,
        relevance_level: RelevanceLevel | None = None,
        evidence_level: RelevanceLevel | None = None,
        dedup_reason: DedupReason | None = None,
        agent_type: str | None = None,
        domain: str | None = None,
        query_key: str | None = None,
        queued: bool = False,
    ) -> int:
        """Write the lookup's one row and return its id. `success` follows from the outcome; `details` becomes the
        JSON of `retrieval_details`. An unknown session is created, a closed one open again. `queued`: the log writer's
        thread writes it in a moment (core.store.log_writer), the id is good at once; inside a transaction, and without
        `queued`, it is written now. Raises ValueError for a gated text, which has no row, and for a degraded one
        without a reason.

        `agent_type`, `domain` (the primary's, or the best recalled article's) and `query_key` (core.query_key) are what
        figures are filtered and grouped by; they stand in `lookup_fact`."""
        if outcome is Outcome.GATED or (outcome is Outcome.DEGRADED) != (degraded_reason is not None):
            raise ValueError(f"no row for outcome {outcome} with reason {degraded_reason}")
        moment = self._clock.now()
        number, now = self._database.ids.next(moment), iso(moment)
        values = {
            "id": number,
            "session_id": session_id,
            "tool_name": "lookup_knowledge",
            "query": query,
            "actor": actor,
            "trigger": trigger,
            "agent": agent,
            "created_at": now,
            "duration_ms": round(duration_ms, 3),
            "outcome": outcome,
            "success": int(outcome is not Outcome.DEGRADED),
            "degraded_reason": degraded_reason,
            "relevance_level": relevance_level,
            "evidence_level": evidence_level,
            "dedup_reason": dedup_reason,
            "retrieval_details": json.dumps(details, ensure_ascii=False, allow_nan=False),
        }
        names = ", ".join(f'"{name}"' for name in values)
        marks = ", ".join(f":{name}" for name in values)

        def write(connection: sqlite3.Connection) -> None:
            self._touch(connection, session_id, now)
            connection.execute("INSERT INTO lookup_fact VALUES (?, ?, ?, ?)", (number, agent_type, domain, query_key))
            connection.execute(f"INSERT INTO tool_invocation ({names}) VALUES ({marks})", values)

        if queued and not self._database.connection().in_transaction:
            self._database.log.put(write)
        else:
            with self._database.transaction() as connection:
                write(connection)
        return number

    def supersede(self, invocation_id: int) -> None:
        """Leave a settle row out of all figures. Rows of any other trigger were meant, and stay."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE tool_invocation SET superseded = 1 WHERE id = ? AND \"trigger\" = 'settle'", (invocation_id,)
            )

    def query_of(self, invocation_id: int | None) -> str:
        """The text of a lookup; empty when there is none of that id."""
        self._database.log.flush()
        query = "SELECT query FROM tool_invocation WHERE id = ?"
        row = self._database.connection().execute(query, (invocation_id,)).fetchone()
        return "" if row is None else str(row["query"])

    def record_event(
        self,
        session_id: str,
        kind: EventKind,
        *,
        doc_key: str | None = None,
        invocation_id: int | None = None,
        value: int | None = None,
    ) -> None:
        """Write one `session_event` row. `value` of a vote: 2 the right article, 1 useful, -1 not useful, 0 taken
        back; None for all others. Raises ValueError for another vote."""
        if kind is EventKind.VOTED and value is not None and value not in VOTES:
            raise ValueError(f"no vote: {value!r}")
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO session_event (session_id, at, kind, doc_key, invocation_id, value) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                (session_id, iso(self._clock.now()), kind, doc_key, invocation_id, value),
            )

    # ------------------------------------------------------------ sessions

    def create_session(self, session_id: str | None = None, *, title: str = "") -> str:
        """Start a session and return its id, made like `S-20261130-201000-ab12` (UTC) unless given. A session that
        is there already stays as it is."""
        moment = self._clock.now()
        insert = "INSERT OR IGNORE INTO session (id, title, created_at, last_used_at) VALUES (?, ?, ?, ?)"
        with self._database.transaction() as connection:
            while True:
                chosen = session_id or f"S-{moment:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
                added = connection.execute(insert, (chosen, title, iso(moment), iso(moment))).rowcount
                if added or session_id:
                    return chosen

    def touch_session(self, session_id: str) -> None:
        """The session is being used now: it is created when unknown, and open again when it was closed."""
        with self._database.transaction() as connection:
            self._touch(connection, session_id, iso(self._clock.now()))

    def close_session(self, session_id: str) -> None:
        """The ticket is done: a `closed` event, once. What the session holds stays. Raises UnknownSession."""
        now = iso(self._clock.now())
        with self._database.transaction() as connection:
            self._require(connection, session_id)
            closing = "UPDATE session SET closed_at = ? WHERE id = ? AND closed_at IS NULL"
            if connection.execute(closing, (now, session_id)).rowcount:
                self.record_event(session_id, EventKind.CLOSED)

    def sessions(self, *, search: str = "", limit: int = 200) -> tuple[SessionSummary, ...]:
        """Sessions, newest first. `search` is literal text that stands in the id, the title or a query, whatever its
        case and width. Superseded lookups are not counted."""
        self._database.log.catch_up()
        connection = self._database.connection()
        where, values = "", []
        if wanted := _plain(search.strip()):
            connection.create_function("plain", 1, _plain, deterministic=True)
            where = (
                "WHERE instr(plain(id), ?) OR instr(plain(title), ?) OR EXISTS "
                "(SELECT 1 FROM tool_invocation WHERE session_id = session.id AND instr(plain(query), ?))"
            )
            values = [wanted] * 3
        rows = connection.execute(
            f"""
            SELECT id, title, created_at, closed_at, (SELECT count(*) FROM tool_invocation
                WHERE session_id = session.id AND superseded = 0) AS lookups
            FROM session {where} ORDER BY created_at DESC, rowid DESC LIMIT ?
            """,
            (*values, limit),
        ).fetchall()
        return tuple(
            SessionSummary(
                id=row["id"],
                title=row["title"],
                created_at=row["created_at"],
                lookups=row["lookups"],
                domains=self._tracker.get_retrieved_domains(row["id"]),
                closed_at=row["closed_at"],
            )
            for row in rows
        )

    def memory(self, session_id: str) -> SessionMemory:
        """What the session holds, with titles as they are now (the doc key where the article is gone). Raises
        UnknownSession."""
        self._database.log.catch_up()
        connection = self._database.connection()
        title = self._require(connection, session_id)
        rows = connection.execute(
            """
            SELECT retrieved.domain, retrieved.doc_key, ifnull(article.title, retrieved.doc_key) AS title, first_at,
                query, ifnull(article.content_hash = retrieved.content_hash, 0) AS current
            FROM retrieved LEFT JOIN article ON article.doc_key = retrieved.doc_key
            WHERE session_id = ?
            ORDER BY min(retrieved.id) OVER (PARTITION BY retrieved.domain), retrieved.id
            """,
            (session_id,),
        )
        domains = tuple(
            (
                domain,
                tuple(
                    RetrievedDoc(
                        doc_key=row["doc_key"],
                        title=row["title"],
                        domain=domain,
                        first_at=row["first_at"],
                        query=row["query"],
                        current=bool(row["current"]),
                    )
                    for row in group
                ),
            )
            for domain, group in groupby(rows, key=lambda row: str(row["domain"]))
        )
        return SessionMemory(id=session_id, title=title, domains=domains)

    def clear_session(self, session_id: str) -> int:
        """Forget what the session retrieved; returns how many articles. Its log stays. Raises UnknownSession."""
        with self._database.transaction() as connection:
            self._require(connection, session_id)
            return self._tracker.clear_session(session_id)

    def merge_session(self, session_id: str, into: str) -> None:
        """Move all lookups, marks and events of a session into another and delete it; into itself: nothing. Raises
        UnknownSession."""
        with self._database.transaction() as connection:
            for name in (session_id, into):
                self._require(connection, name)
            if session_id == into:
                return
            uncount(connection, (session_id, into))
            for table in ("tool_invocation", "session_event"):
                connection.execute(f"UPDATE {table} SET session_id = ? WHERE session_id = ?", (into, session_id))
            recount(connection, into)
            self._tracker.merge(session_id, into)
            connection.execute(
                "UPDATE session SET last_used_at = max(last_used_at, (SELECT last_used_at FROM session WHERE id = ?)) "
                "WHERE id = ?",
                (session_id, into),
            )
            connection.execute("DELETE FROM session WHERE id = ?", (session_id,))

    def _touch(self, connection: sqlite3.Connection, session_id: str, now: str) -> None:
        connection.execute(
            "INSERT INTO session (id, created_at, last_used_at) VALUES (?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET last_used_at = excluded.last_used_at, closed_at = NULL",
            (session_id, now, now),
        )

    def _require(self, connection: sqlite3.Connection, session_id: str) -> str:
        """The session's title, or UnknownSession."""
        row = connection.execute("SELECT title FROM session WHERE id = ?", (session_id,)).fetchone()
        if row is None:
            raise UnknownSession(session_id=session_id)
        return str(row["title"])


def _plain(text: str) -> str:
    """Text without differences of case and width."""
    return unicodedata.normalize("NFKC", text).casefold()
