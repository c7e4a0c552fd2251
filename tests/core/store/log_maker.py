"""Rows of the log for tests, written as the program writes them, at any moment."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from core.clock import iso
from core.model import EventKind
from core.store.database import Database

START = datetime(2026, 11, 30, 20, 0, tzinfo=UTC)
_LEVELS = {"PRECISE": "found", "HIGHLY_RELEVANT": "found", "REFERENCE": "found", "DEDUPED": "deduped"}


class LogMaker:
    """Ids rise by one. `answer`: a level, not_found or degraded."""

    def __init__(self, database: Database) -> None:
        self.connection = database.connection()
        self.last = 0

    def lookup(
        self,
        at: datetime = START,
        *,
        session: str = "s",
        answer: str = "REFERENCE",
        agent: str | None = "network/hybrid-hashed-1",
        domain: str | None = "vpn",
        key: str | None = "k",
        query: str = "连不上",
        duration_ms: float = 10.0,
        similarity: float | None = 0.6,
        missing: tuple[str, ...] = (),
        judged: tuple[str, ...] = (),
        reason: str | None = None,
        superseded: bool = False,
        details: str | None = None,
    ) -> int:
        """Write one; returns its id."""
        self.last += 1
        outcome = _LEVELS.get(answer, answer)
        told = {
            "embedder": "hashed",
            "missing_legs": list(missing),
            "evidence": {} if similarity is None else {"similarity": similarity},
            "judged": [{"doc_key": key} for key in judged],
        }
        self.connection.execute(
            "INSERT INTO lookup_fact VALUES (?, ?, ?, ?)",
            (self.last, agent.partition("/")[0] if agent else None, domain, key),
        )
        self.connection.execute(
            "INSERT INTO tool_invocation (id, session_id, query, superseded, agent, created_at, duration_ms, outcome, "
            'success, degraded_reason, relevance_level, evidence_level, dedup_reason, retrieval_details, "trigger") '
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'settle')",
            (
                *(self.last, session, query, superseded, agent, iso(at), duration_ms, outcome, outcome != "degraded"),
                "timeout" if outcome == "degraded" else None,
                answer if answer in _LEVELS else None,
                {"DEDUPED": "REFERENCE"}.get(answer, answer) if answer in _LEVELS else None,
                reason or ("doc_retrieved" if answer == "DEDUPED" else None),
                json.dumps(told) if details is None else details,
            ),
        )
        return self.last

    def event(
        self,
        kind: EventKind,
        at: datetime = START,
        *,
        session: str = "s",
        doc_key: str | None = "a.md",
        lookup: int | None = None,
        value: int | None = None,
    ) -> None:
        """Write one, and what a vote leaves beside it."""
        self.connection.execute(
            "INSERT INTO session_event (session_id, at, kind, doc_key, invocation_id, value) VALUES (?, ?, ?, ?, ?, ?)",
            (session, iso(at), kind, doc_key, lookup, value),
        )
        if kind is EventKind.VOTED and lookup is not None and doc_key is not None:
            self.connection.execute(
                "INSERT OR REPLACE INTO vote (invocation_id, doc_key, value) VALUES (?, ?, ?)", (lookup, doc_key, value)
            )

    def article(
        self, doc_key: str, *, domain: str = "vpn", state: str = "current", review_by: str | None = None
    ) -> None:
        """One without chunks."""
        self.connection.execute("INSERT OR IGNORE INTO source VALUES (1, 's', '/s', 'folder')")
        self.connection.execute(
            "INSERT OR IGNORE INTO file (id, source_id, path, size, mtime_ns, sha256, outcome, seen_at) "
            "VALUES (1, 1, 'f', 1, 1, '', 'added', '')"
        )
        self.connection.execute(
            "INSERT INTO article (doc_key, source_id, file_id, title, domain, body, folded, state, review_by, "
            "content_hash, text_hash) VALUES (?, 1, 1, ?, ?, '', '', ?, ?, '', '')",
            (doc_key, f"《{doc_key}》", domain, state, review_by),
        )
