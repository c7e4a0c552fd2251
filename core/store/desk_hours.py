"""What this desk reports of its log, hour by hour (UTC), and who this desk is."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from core.store.monitor_schema import ANSWERS, HOUR_S

if TYPE_CHECKING:
    from core.store.database import Database

_MADE = "desk"
_HOURS = f"""
    SELECT start, {", ".join(f"sum(answer_{code}) AS {name}" for code, name in enumerate(ANSWERS))},
        sum(repeated) AS repeated, sum(first_0) AS sessions, sum(adopted_0) AS adopted
    FROM lookup_sum WHERE width = {HOUR_S} AND start >= ? AND start < ? GROUP BY start ORDER BY start
"""
# Near-equal questions are one.
_UNANSWERED = f"""
    SELECT query, count, sessions FROM (
        SELECT max(id) AS last, sum(at >= :begin) AS count, count(DISTINCT session) AS sessions FROM counted_lookup
        WHERE answer = {ANSWERS.index("not_found")} AND at >= :since AND at < :end GROUP BY key)
    JOIN tool_invocation ON id = last WHERE count > 0 ORDER BY count DESC, last
"""


@dataclass(frozen=True, slots=True)
class HourRow:
    """Counts of the hour that begins at `start`. `answers`: by what came of it (monitor_schema.ANSWERS), all lookups in
    one of them. A session stands in the hour of its first lookup."""

    start: datetime
    answers: Mapping[str, int]
    repeated: int
    sessions: int
    adopted: int


@dataclass(frozen=True, slots=True)
class Desk:
    """Who this desk is: eight hexadecimal digits, and the first day that it reports."""

    id: str
    since: date


class DeskHours:
    """Reads the log; writes only, once, who this desk is. Safe from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def hours(self, start: datetime, end: datetime) -> list[HourRow]:
        """The hours from `start` up to `end` (aware, full hours) that hold a lookup, in order."""
        rows = self._database.connection().execute(_HOURS, (int(start.timestamp()), int(end.timestamp())))
        hours = [
            HourRow(
                start=datetime.fromtimestamp(row["start"], UTC),
                answers={name: row[name] for name in ANSWERS},
                repeated=row["repeated"],
                sessions=row["sessions"],
                adopted=row["adopted"],
            )
            for row in rows
        ]
        return [hour for hour in hours if sum(hour.answers.values())]

    def unanswered(self, start: datetime, end: datetime, since: datetime) -> list[tuple[str, int, int]]:
        """Questions without an answer from `start` up to `end`, most frequent first: as asked last, how often, and in
        how many sessions since the earlier moment `since`."""
        names = {"since": since, "begin": start, "end": end}
        values = {name: round(moment.timestamp() * 1000) for name, moment in names.items()}
        return [tuple(row) for row in self._database.connection().execute(_UNANSWERED, values)]

    def desk(self, machine: str, today: date, since: date) -> Desk:
        """Who this desk is on that machine; made when it is first asked, reporting from `since` on. A data folder that
        was copied to another machine is another desk there, from today on: its past was told already."""
        place = _place(machine)
        made = self._made()
        if made is None or made["machine"] != place:
            with self._database.transaction() as connection:
                made = self._made()  # another process may have been first
                if made is None or made["machine"] != place:
                    first = since if made is None else today
                    seed = secrets.token_hex(8) if made is None else made["seed"]
                    made = {"seed": seed, "machine": place, "since": first.isoformat()}
                    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MADE, json.dumps(made)))
        return Desk(_name(made), date.fromisoformat(made["since"]))

    def known_desk(self, machine: str) -> str | None:
        """The id of this desk on that machine; None: `desk` was never asked for it. Writes nothing and waits for no
        lock."""
        made = self._made()
        return _name(made) if made is not None and made["machine"] == _place(machine) else None

    def _made(self) -> dict[str, str] | None:
        row = self._database.connection().execute("SELECT value FROM meta WHERE name = ?", (_MADE,)).fetchone()
        return None if row is None else json.loads(row["value"])


def _place(machine: str) -> str:
    return hashlib.sha256(machine.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _name(made: Mapping[str, str]) -> str:
    return hashlib.sha256(f"{made['seed']} {made['machine']}".encode()).hexdigest()[:8]
