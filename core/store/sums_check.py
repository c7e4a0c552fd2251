"""The check of the monitor's sums against the log that they are sums of, and their repair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.store.monitor_triggers import COUNTS_AT_ALL, recounting, sums

if TYPE_CHECKING:
    import sqlite3

    from core.store.database import Database


def mend_sums(database: Database) -> bool:
    """Whether the sums differed from the log, and are counted anew by now. Reads the whole log; where nothing differs
    nobody waits for it."""
    with database.snapshot() as connection:
        if not _differ(connection):
            return False
    with database.transaction() as connection:
        for statement in recounting():
            connection.execute(statement)
    return True


def _differ(connection: sqlite3.Connection) -> bool:
    counting, counted = f"SELECT id FROM tool_invocation WHERE {COUNTS_AT_ALL}", "SELECT id FROM counted_lookup"
    queries = [f"{counting} EXCEPT {counted} LIMIT 1", f"{counted} EXCEPT {counting} LIMIT 1"]
    for table, width, names, rows in sums():
        columns = ("width", "start", "scope", *names)
        taken_off = ", ".join((*columns[:3], *(f"-{name} AS {name}" for name in names)))
        both = (
            f"WITH found ({', '.join(columns)}) AS ({rows}) SELECT * FROM found "
            f"UNION ALL SELECT {taken_off} FROM {table} WHERE width = {width}"
        )
        differs = " OR ".join(f"sum({name})" for name in names)
        queries.append(f"SELECT 1 FROM ({both}) GROUP BY start, scope HAVING {differs} LIMIT 1")
    return any(connection.execute(query).fetchone() for query in queries)
