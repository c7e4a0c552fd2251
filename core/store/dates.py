"""How old the knowledge is: its newest date, and how many articles are past their review date."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.store.database import Database


class Dates:
    """Dates of all articles. Safe from any thread. `today` is an ISO 8601 day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest_update(self, today: str) -> str | None:
        """The latest `updated` date that is not to come; a slip such as 2205 makes no knowledge new, and neither does
        a draft or a field note."""
        query = "SELECT max(updated) FROM article WHERE updated <= ? AND state NOT IN ('draft', 'unreviewed')"
        newest = self._database.connection().execute(query, (today,)).fetchone()[0]
        return None if newest is None else str(newest)

    def overdue(self, today: str) -> int:
        """How many articles nobody has reviewed by the day that they name; replaced ones and drafts aside."""
        query = "SELECT count(*) FROM article WHERE state = 'expired' OR (state = 'current' AND review_by < ?)"
        return int(self._database.connection().execute(query, (today,)).fetchone()[0])
