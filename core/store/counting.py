"""Counting sessions anew: for whoever moves or deletes rows of the log by the session (core.store.monitor_triggers)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable


def uncount(connection: sqlite3.Connection, session_ids: Iterable[str]) -> None:
    """Take all rows of these sessions out of the figures, inside a transaction. Their rows may then be moved or deleted
    at the price of the rows alone; what stays has to be counted again."""
    for session_id in session_ids:
        connection.execute(
            "DELETE FROM counted_lookup WHERE session = (SELECT id FROM counted_session WHERE session_id = ?)",
            (session_id,),
        )
        connection.execute("DELETE FROM counted_session WHERE session_id = ?", (session_id,))


def recount(connection: sqlite3.Connection, session_id: str) -> None:
    """Count all rows of a session as they are now, inside a transaction."""
    connection.execute("INSERT INTO session_recount VALUES (?)", (session_id,))
