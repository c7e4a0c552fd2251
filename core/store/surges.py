"""Surges: which questions people ask in several sessions at once; what a suspected outage is told by (contract §8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.store.database import Database


@dataclass(frozen=True, slots=True)
class Surge:
    """A question (`key`: core.query_key) and in how many sessions it was asked; `query`: as it was asked last."""

    key: str
    query: str
    sessions: int


def surges(database: Database, start: datetime, end: datetime, least: int) -> list[Surge]:
    """Questions of at least `least` sessions from `start` to `end`, both included; near-equal ones are one. Not
    counted: superseded lookups, executors (one that repeats itself says nothing of callers), questions that say
    nothing. Microseconds a lookup in that time."""
    rows = database.connection().execute(
        "SELECT f.query_key, count(DISTINCT c.session) AS sessions, max(c.id) AS last FROM counted_lookup AS c "
        "JOIN lookup_fact AS f ON f.invocation_id = c.id JOIN tool_invocation AS t ON t.id = c.id "
        "WHERE c.at BETWEEN ? AND ? AND t.actor = 'person' AND f.query_key <> '' "
        "GROUP BY f.query_key HAVING sessions >= ? ORDER BY sessions DESC, f.query_key",
        (round(start.timestamp() * 1000), round(end.timestamp() * 1000), least),
    )
    found = rows.fetchall()
    return [Surge(key, _query(database, last), sessions) for key, sessions, last in found]


def _query(database: Database, invocation_id: int) -> str:
    row = database.connection().execute("SELECT query FROM tool_invocation WHERE id = ?", (invocation_id,)).fetchone()
    return "" if row is None else str(row[0])
