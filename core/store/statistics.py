"""What the lookup log adds up to over a stretch of time (contract §9, `stats`). Reads only."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from core.clock import Clock, iso
from core.model import DedupReason, Outcome, RelevanceLevel
from core.store.database import Database

# A gated text writes no row.
_LOGGED = tuple(outcome for outcome in Outcome if outcome is not Outcome.GATED)
_COUNTED = "FROM tool_invocation WHERE created_at >= ? AND superseded = 0 AND tool_name = 'lookup_knowledge'"


def statistics(database: Database, clock: Clock, since_hours: float) -> dict[str, Any]:
    """The contract's JSON of `stats` for the last `since_hours`; superseded rows are left out.

    `since` is the beginning as UTC ISO 8601; every outcome, level and reason is named, also with 0. `duration_ms`
    holds milliseconds by nearest rank, None without a lookup.
    """
    since = iso(clock.now() - timedelta(hours=since_hours))
    connection = database.connection()

    def counts(column: str, names: tuple[str, ...]) -> dict[str, int]:
        rows = connection.execute(f"SELECT {column}, count(*) {_COUNTED} GROUP BY {column}", (since,))
        found = {row[0]: int(row[1]) for row in rows}
        return {name: found.get(name, 0) for name in names}

    (lookups,) = connection.execute(f"SELECT count(*) {_COUNTED}", (since,)).fetchone()

    def percentile(percent: int) -> float | None:
        if not lookups:
            return None
        offset = -(-percent * int(lookups) // 100) - 1
        select = f"SELECT duration_ms {_COUNTED} ORDER BY duration_ms LIMIT 1 OFFSET ?"
        return float(connection.execute(select, (since, offset)).fetchone()[0])

    return {
        "since": since,
        "lookups": int(lookups),
        "outcomes": counts("outcome", tuple(str(outcome) for outcome in _LOGGED)),
        "levels": counts("relevance_level", tuple(str(level) for level in RelevanceLevel)),
        "dedup_reasons": counts("dedup_reason", tuple(str(reason) for reason in DedupReason)),
        "duration_ms": {"p50": percentile(50), "p95": percentile(95)},
        "agents": [],
        "alerts": [],
        "suggestions": [],
        "cache": {"hits": 0, "misses": 0},
    }
