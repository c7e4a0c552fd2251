"""How many collections the monitor has made, and the lowest success rate of all agents at the newest (contract §8)."""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime

from core.clock import from_iso, iso
from core.figures import Collected

_NONE = Collected(0, 1.0, None)


def collected(connection: sqlite3.Connection) -> Collected:
    """As the last collection left it, whichever process made it."""
    row = connection.execute("SELECT value FROM monitor_state WHERE name = 'collected'").fetchone()
    try:
        values = json.loads(row[0])
        return Collected(values["count"] + 0, values["min_success_rate"] + 0.0, from_iso(values["at"]))
    except (ValueError, TypeError, KeyError):  # none yet, or nothing that we wrote
        return _NONE


def count_collection(connection: sqlite3.Connection, at: datetime, min_success_rate: float) -> int:
    """One more, in the caller's transaction; how many that makes."""
    count = collected(connection).count + 1
    values = {"count": count, "min_success_rate": min_success_rate, "at": iso(at)}
    connection.execute(
        "INSERT OR REPLACE INTO monitor_state (name, value) VALUES ('collected', ?)", (json.dumps(values),)
    )
    return count
