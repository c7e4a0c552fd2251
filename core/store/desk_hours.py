"""What this desk reports of its log, hour by hour (UTC), and who this desk is. Superseded lookups are in no figure."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from core.clock import iso

if TYPE_CHECKING:
    from core.store.database import Database

_MADE = "desk"
_ASKED = """
    SELECT id, session_id, created_at, success, outcome, relevance_level, ifnull(query_key, '') AS query_key, query
    FROM tool_invocation LEFT JOIN lookup_fact ON invocation_id = id
    WHERE created_at >= :start AND created_at < :end AND superseded = 0 AND tool_name = 'lookup_knowledge'
"""
_COUNTED = f"""
    WITH asked AS ({_ASKED})
    SELECT substr(created_at, 1, 13) AS hour, count(*) AS lookups, sum(success) AS answered,
        sum(outcome = 'not_found') AS not_found, sum(outcome = 'degraded') AS degraded,
        sum(query_key <> '' AND EXISTS (
            SELECT 1 FROM tool_invocation AS earlier JOIN lookup_fact ON invocation_id = earlier.id
            WHERE earlier.session_id = asked.session_id AND earlier.id < asked.id AND earlier.superseded = 0
                AND lookup_fact.query_key = asked.query_key)) AS repeated,
        sum(relevance_level IS 'PRECISE') AS precise, sum(relevance_level IS 'HIGHLY_RELEVANT') AS highly,
        sum(relevance_level IS 'REFERENCE') AS reference, sum(relevance_level IS 'DEDUPED') AS deduped
    FROM asked GROUP BY hour ORDER BY hour
"""
_BEGUN = f"""
    WITH asked AS ({_ASKED}), begun AS (
        SELECT session_id, (SELECT min(created_at) FROM tool_invocation AS first
            WHERE first.session_id = one.session_id AND superseded = 0 AND tool_name = 'lookup_knowledge') AS at
        FROM (SELECT DISTINCT session_id FROM asked) AS one)
    SELECT substr(at, 1, 13) AS hour, count(*) AS sessions, sum(EXISTS (
        SELECT 1 FROM session_event WHERE session_event.session_id = begun.session_id
            AND (kind = 'copied' OR (kind = 'voted' AND value >= 1) OR (kind = 'closed' AND doc_key IS NOT NULL))
        )) AS adopted
    FROM begun WHERE at >= :start GROUP BY hour
"""
# Near-equal questions are one; a text without a key is near-equal to none but itself.
_UNANSWERED = f"""
    WITH asked AS ({_ASKED}), lost AS (
        SELECT CASE query_key WHEN '' THEN query ELSE query_key END AS asked_for, query, session_id, created_at, id
        FROM asked WHERE outcome = 'not_found')
    SELECT (SELECT query FROM lost AS last WHERE last.asked_for = lost.asked_for ORDER BY id DESC LIMIT 1) AS query,
        sum(created_at >= :from) AS count, count(DISTINCT session_id) AS sessions
    FROM lost GROUP BY asked_for HAVING count > 0 ORDER BY count DESC, query
"""


@dataclass(frozen=True, slots=True)
class HourRow:
    """Counts of the hour that begins at `start` (ISO 8601, UTC). `levels`: PRECISE, HIGHLY_RELEVANT, REFERENCE and
    DEDUPED. A session stands in the hour of its first lookup."""

    start: str
    lookups: int
    answered: int
    not_found: int
    degraded: int
    repeated: int
    sessions: int
    adopted: int
    levels: dict[str, int]


@dataclass(frozen=True, slots=True)
class Desk:
    """Who this desk is: eight hexadecimal digits, and the first day that it reports."""

    id: str
    since: date


class DeskHours:
    """Reads the log; writes only, once, who this desk is. Safe from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def hours(self, start: datetime, end: datetime) -> Iterator[HourRow]:
        """The hours from `start` up to `end` (aware) that hold a lookup, in order."""
        stretch = {"start": iso(start), "end": iso(end)}
        connection = self._database.connection()
        begun = {row["hour"]: row for row in connection.execute(_BEGUN, stretch)}
        for row in connection.execute(_COUNTED, stretch).fetchall():
            sessions = begun.get(row["hour"])
            yield HourRow(
                start=f"{row['hour']}:00:00.000Z",
                lookups=row["lookups"],
                answered=row["answered"],
                not_found=row["not_found"],
                degraded=row["degraded"],
                repeated=row["repeated"],
                sessions=sessions["sessions"] if sessions else 0,
                adopted=sessions["adopted"] if sessions else 0,
                levels={
                    "PRECISE": row["precise"],
                    "HIGHLY_RELEVANT": row["highly"],
                    "REFERENCE": row["reference"],
                    "DEDUPED": row["deduped"],
                },
            )

    def unanswered(self, start: datetime, end: datetime, since: datetime) -> list[tuple[str, int, int]]:
        """Questions without an answer from `start` up to `end`, most frequent first: as asked last, how often, and in
        how many sessions since the earlier moment `since`."""
        values = {"start": iso(since), "from": iso(start), "end": iso(end)}
        return [tuple(row) for row in self._database.connection().execute(_UNANSWERED, values)]

    def desk(self, machine: str, today: date, since: date) -> Desk:
        """Who this desk is on that machine; made when it is first asked, reporting from `since` on. A data folder that
        was copied to another machine is another desk there, from today on: its past was told already."""
        place = hashlib.sha256(machine.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        with self._database.transaction() as connection:
            row = connection.execute("SELECT value FROM meta WHERE name = ?", (_MADE,)).fetchone()
            made = json.loads(row["value"]) if row else {"seed": secrets.token_hex(8)}
            if made.get("machine") != place:
                made |= {"machine": place, "since": (today if row else since).isoformat()}
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MADE, json.dumps(made)))
        name = hashlib.sha256(f"{made['seed']} {place}".encode()).hexdigest()[:8]
        return Desk(name, date.fromisoformat(made["since"]))
