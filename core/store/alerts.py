"""Alerts: what was raised, seen and settled (contract §8, table alert). One name stands once, whoever raises it."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from core.clock import from_iso, iso
from core.figures import Alert, AlertState

if TYPE_CHECKING:
    from core.store.database import Database

_STANDING = "state IN ('open', 'acknowledged')"


class Alerts:
    """All methods may be called from any thread; each write is one transaction, or part of the caller's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def standing(self) -> tuple[Alert, ...]:
        """Those that are open or acknowledged, newest first."""
        return self._read(f"WHERE {_STANDING}")

    def listed(self, since: datetime | None) -> tuple[Alert, ...]:
        """Those that stand, and those resolved at or after `since` (None: none of these), newest first."""
        if since is None:
            return self.standing()
        return self._read(f"WHERE {_STANDING} OR resolved_at >= ?", iso(since))

    def open(self, name: str, value: float, threshold: float, at: datetime, *, detail: str = "") -> bool:
        """Raise an alert. False: one of that name stands already, and nothing is changed."""
        with self._database.transaction() as connection:
            added = connection.execute(
                "INSERT INTO alert (name, value, threshold, opened_at, detail) SELECT ?, ?, ?, ?, ? "
                f"WHERE NOT EXISTS (SELECT 1 FROM alert WHERE name = ? AND {_STANDING})",
                (name, value, threshold, iso(at), detail, name),
            )
        return added.rowcount > 0

    def follow(self, values: Mapping[str, float]) -> None:
        """Name → what its value is by now; the threshold and the moment it was raised stay. Names of which none stands
        are ignored."""
        with self._database.transaction() as connection:
            connection.executemany(
                f"UPDATE alert SET value = ? WHERE name = ? AND {_STANDING} AND value <> ?",
                [(value, name, value) for name, value in values.items()],
            )

    def acknowledge(self, alert_id: int, at: datetime) -> bool:
        """Somebody has seen it. False: it is not open."""
        with self._database.transaction() as connection:
            done = connection.execute(
                "UPDATE alert SET state = 'acknowledged', acknowledged_at = ? WHERE id = ? AND state = 'open'",
                (iso(at), alert_id),
            )
        return done.rowcount > 0

    def resolve(self, names: Collection[str], at: datetime) -> None:
        """The reason is gone. Names of which none stands are ignored."""
        with self._database.transaction() as connection:
            connection.executemany(
                f"UPDATE alert SET state = 'resolved', resolved_at = ? WHERE name = ? AND {_STANDING}",
                [(iso(at), name) for name in names],
            )

    def _read(self, where: str, *values: str) -> tuple[Alert, ...]:
        rows = self._database.connection().execute(
            f"SELECT * FROM alert {where} ORDER BY opened_at DESC, id DESC", values
        )
        return tuple(_alert(row) for row in rows)


def _alert(row: sqlite3.Row) -> Alert:
    seen, resolved = row["acknowledged_at"], row["resolved_at"]
    return Alert(
        id=row["id"],
        name=row["name"],
        value=row["value"],
        threshold=row["threshold"],
        opened_at=from_iso(row["opened_at"]),
        state=AlertState(row["state"]),
        acknowledged_at=None if seen is None else from_iso(seen),
        resolved_at=None if resolved is None else from_iso(resolved),
        detail=row["detail"],
    )
