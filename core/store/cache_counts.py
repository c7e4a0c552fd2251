"""How often answers came from the cache, by quarter-hours (UTC), over all processes."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from typing import TYPE_CHECKING

from core.figures import CacheFigures, Period
from core.store.monitor_schema import QUARTER_S

if TYPE_CHECKING:
    from core.store.database import Database


def add_cache_counts(database: Database, at: datetime, more: CacheFigures) -> None:
    """What was counted since the last time; written by the log writer in a moment. Nothing to count writes nothing."""
    if not (more.hits or more.misses or more.stale_prevented):
        return
    values = (int(at.timestamp()) // QUARTER_S * QUARTER_S, more.hits, more.misses, more.stale_prevented)

    def write(connection: sqlite3.Connection) -> None:
        connection.execute(
            "INSERT INTO cache_count VALUES (?, ?, ?, ?) ON CONFLICT (start) DO UPDATE SET "
            "hits = hits + excluded.hits, misses = misses + excluded.misses, stale = stale + excluded.stale",
            values,
        )

    database.log.put(write)


def cache_counts(database: Database, period: Period) -> CacheFigures:
    """Counts of every quarter-hour that lies in the period, at least in part."""
    database.log.catch_up()
    row = database.connection().execute(
        "SELECT ifnull(sum(hits), 0), ifnull(sum(misses), 0), ifnull(sum(stale), 0) FROM cache_count "
        "WHERE start > ? AND start < ?",
        (period.start.timestamp() - QUARTER_S, period.end.timestamp()),
    )
    return CacheFigures(*row.fetchone())
