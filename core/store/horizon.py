"""Horizon: the moment that ages are reckoned from when something is deleted for its age; a row of monitor_state.

Not the clock's own: one that is years ahead for an hour would take the whole log along.
"""

from __future__ import annotations

import json
import sqlite3
from datetime import datetime, timedelta

from core.clock import from_iso, iso

_PROOF = timedelta(days=1)


def horizon(connection: sqlite3.Connection, now: datetime) -> datetime | None:
    """In the caller's transaction; call it at every round of deleting. None: nothing can be deleted yet.

    A moment that the clock showed in an earlier round, once it shows one that is a day later and was never set back
    behind it meanwhile: so on a desk of every day it lies one to two days behind `now`, and a round whose `now` lies
    far past the rounds before it reckons as they did. Never after `now`.
    """
    sure, shown = _read(connection)
    if sure is not None:
        sure = min(sure, now)
    if shown is None or now < shown:
        shown = now
    elif now - shown >= _PROOF:
        sure, shown = shown, now
    values = {"sure": None if sure is None else iso(sure), "shown": iso(shown)}
    connection.execute(
        "INSERT OR REPLACE INTO monitor_state (name, value) VALUES ('horizon', ?)", (json.dumps(values),)
    )
    return sure


def _read(connection: sqlite3.Connection) -> tuple[datetime | None, datetime | None]:
    row = connection.execute("SELECT value FROM monitor_state WHERE name = 'horizon'").fetchone()
    try:
        values = json.loads(row[0])
        return None if values["sure"] is None else from_iso(values["sure"]), from_iso(values["shown"])
    except (ValueError, TypeError, KeyError, AttributeError):  # none yet, or nothing that we wrote
        return None, None
