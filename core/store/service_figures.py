"""Service figures: how well people were served in a period, from the log (contract §8; request layer)."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from heapq import nlargest
from typing import TYPE_CHECKING

from core.figures import Period, Rate, Selection, ServiceFigures, Unanswered
from core.report import LevelShare
from core.store.concerns import concerns
from core.store.lookup_sums import DEGRADED, NOT_FOUND, Scope, active_sessions, buckets, milliseconds, scope_of, sums

if TYPE_CHECKING:
    from core.store.database import Database

_MOST_UNANSWERED = 10


def service_figures(
    database: Database,
    period: Period,
    edges: Sequence[datetime],
    selection: Selection,
    *,
    today: str,
    honesty: Mapping[str, LevelShare],
    domains: Collection[str] | None = None,
) -> ServiceFigures:
    """All of one state of the log, superseded lookups left out. `edges`: n + 1 moments of the time line; `today`: ISO
    8601, for review dates; `honesty`: from core.honesty; `domains`: whose articles `concerns` is about (None: the
    selection's domain, or all).

    A session counts where it has a lookup of the period and selection; it is adopted when an article was copied, voted
    useful or named at closing in it, at any time.
    """
    if domains is None and selection.domain is not None:
        domains = (selection.domain,)
    with database.snapshot() as connection:
        scope = scope_of(connection, selection)
        counted = sums(connection, period, scope)
        lookups, degraded = counted.lookups, counted.answered(DEGRADED)
        sessions, adopted = active_sessions(connection, period, scope, counted)
        listed, concern_counts = concerns(connection, period, today, domains)
        return ServiceFigures(
            period=period,
            lookups=lookups,
            sessions=sessions,
            answered=Rate(lookups - degraded, lookups),
            without_result=Rate(counted.answered(NOT_FOUND), lookups),
            adopted=Rate(adopted, sessions),
            repeated=Rate(counted.counts["repeated"], lookups),
            lookups_per_session=lookups / sessions if sessions else None,
            degraded=degraded,
            unanswered=unanswered(connection, period, scope),
            concerns=listed,
            concern_counts=concern_counts,
            honesty=honesty,
            timeline=buckets(connection, edges, scope),
        )


def unanswered(connection: sqlite3.Connection, period: Period, scope: Scope) -> tuple[Unanswered, ...]:
    """The most frequent questions that nothing was found for, near-equal ones as one; equally frequent ones: those that
    were first asked last come first."""
    cursor = connection.cursor()
    cursor.row_factory = None
    asked = f"answer = {NOT_FOUND} AND at >= ? AND at < ?{scope.among or ' AND scope IN (SELECT id FROM lookup_scope)'}"
    between = (milliseconds(period.start), milliseconds(period.end))
    keys = _joined(cursor, "key", f"FROM counted_lookup INDEXED BY counted_lookup_by_answer WHERE {asked}", between)
    most = nlargest(_MOST_UNANSWERED, ((count, int(key)) for key, count in Counter(keys).items()))
    return tuple(_unanswered(cursor, key, count, asked, between) for count, key in most)


def _joined(cursor: sqlite3.Cursor, column: str, where: str, values: Sequence[int]) -> list[str]:
    """A column of whole numbers in one piece: counting them here takes half the time of a GROUP BY."""
    joined = cursor.execute(f"SELECT group_concat({column}) {where}", values).fetchone()[0]
    return joined.split(",") if joined else []


def _unanswered(cursor: sqlite3.Cursor, key: int, count: int, asked: str, between: tuple[int, int]) -> Unanswered:
    where = f"FROM counted_lookup INDEXED BY counted_lookup_by_key WHERE key = ? AND {asked}"
    sessions = len(set(_joined(cursor, "session", where, (key, *between))))
    last, last_at = cursor.execute(f"SELECT id, at {where} ORDER BY at DESC LIMIT 1", (key, *between)).fetchone()
    query, name = cursor.execute(
        "SELECT (SELECT query FROM tool_invocation WHERE id = ?), (SELECT key FROM asked_key WHERE id = ?)", (last, key)
    ).fetchone()
    return Unanswered(query, name, count, sessions, datetime.fromtimestamp(last_at / 1000, UTC))
