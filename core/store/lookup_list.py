"""The lookups behind a number, and what happened in a session, line by line."""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from core.clock import from_iso
from core.figures import EVERYTHING, LoggedLookup, Moment, Period, Selection
from core.store.lookup_sums import LEVELS, OUTCOMES, Scope, milliseconds, scope_of
from core.store.many import rows_in
from core.store.monitor_schema import ANSWERS, DEDUP_REASONS

if TYPE_CHECKING:
    from core.store.database import Database

_LOGGED = """
    SELECT t.id, t.session_id, query, t.created_at, actor, "trigger", ifnull(agent, '') AS agent,
        ifnull(f.domain, '') AS domain, outcome, relevance_level, dedup_reason, degraded_reason, duration_ms
    FROM tool_invocation AS t LEFT JOIN lookup_fact AS f ON f.invocation_id = t.id
"""


def lookups(
    database: Database,
    period: Period,
    selection: Selection = EVERYTHING,
    *,
    level: str | None = None,
    outcome: str | None = None,
    dedup_reason: str | None = None,
    query_key: str | None = None,
    repeated: bool = False,
    adopted: bool = False,
    leg_missing: bool = False,
    limit: int = 500,
) -> tuple[LoggedLookup, ...]:
    """Newest first, at most `limit`; superseded ones are left out. `level`: a name of Bucket.levels; `query_key`: as in
    Unanswered. A name that no lookup can have finds none. `repeated`, `leg_missing`: only those that are; `adopted`:
    only those of sessions that are."""
    answers = set(range(len(ANSWERS)))
    if level is not None:
        answers &= set(LEVELS.get(level, ()))
    if outcome is not None:
        answers &= set(OUTCOMES.get(outcome, ()))
    if not answers:
        return ()
    further = " AND repeated" * repeated + " AND leg_missing" * leg_missing
    further += " AND session IN (SELECT id FROM counted_session WHERE adopted)" * adopted
    reason = 0
    if dedup_reason is not None:
        reason = DEDUP_REASONS.index(dedup_reason) + 1 if dedup_reason in DEDUP_REASONS else -1
        further += f" AND dedup = {reason}"
    between = (milliseconds(period.start), milliseconds(period.end))
    with database.snapshot() as connection:
        scope = scope_of(connection, selection)
        if query_key is not None:
            ids = _of_key(connection, query_key, between, sorted(answers), scope.among + further)
        elif reason or leg_missing:
            rare = "reason" if reason else "missing"
            ids = _of_time(connection, between, rare, f" AND answer IN ({_listed(answers)}){scope.among}{further}")
        elif not scope.condition and len(answers) == len(ANSWERS):
            ids = _of_time(connection, between, "time", further)
        else:
            ids = _of_answers(connection, between, sorted(answers), scope, further)
        rows = {row["id"]: row for row in rows_in(connection, f"{_LOGGED} WHERE t.id IN (?)", list(islice(ids, limit)))}
    found = (_logged(row) for row in rows.values())
    return tuple(sorted(found, key=lambda one: (one.at, one.id), reverse=True))


def timeline(database: Database, session_id: str) -> tuple[Moment, ...]:
    """Lookups (superseded ones left out) and events of a session, oldest first; at one moment, the lookup first. Titles
    are those of now, empty where the article is gone."""
    with database.snapshot() as connection:
        asked = connection.execute(
            f"{_LOGGED} WHERE t.session_id = ? AND superseded = 0 AND tool_name = 'lookup_knowledge'", (session_id,)
        )
        moments = [Moment(one.at, "lookup", one) for one in map(_logged, asked)]
        done = connection.execute(
            "SELECT at, kind, ifnull(e.doc_key, '') AS doc_key, ifnull(title, '') AS title, value "
            "FROM session_event AS e LEFT JOIN article ON article.doc_key = e.doc_key "
            "WHERE session_id = ? ORDER BY e.id",
            (session_id,),
        )
        moments += [
            Moment(from_iso(row["at"]), row["kind"], None, row["doc_key"], row["title"], row["value"]) for row in done
        ]
    return tuple(sorted(moments, key=lambda moment: moment.at))


def _of_key(
    connection: sqlite3.Connection, key: str, between: tuple[int, int], answers: Sequence[int], further: str
) -> Iterator[int]:
    row = connection.execute("SELECT id FROM asked_key WHERE key = ?", (key,)).fetchone()
    streams = [
        connection.execute(
            "SELECT at, id FROM counted_lookup INDEXED BY counted_lookup_by_key "
            f"WHERE key = ? AND answer = ? AND at >= ? AND at < ?{further} ORDER BY at DESC",
            (row[0], answer, *between),
        )
        for answer in (answers if row is not None else ())
    ]
    return _merged(streams)


def _of_time(connection: sqlite3.Connection, between: tuple[int, int], index: str, further: str) -> Iterator[int]:
    rows = connection.execute(
        f"SELECT id FROM counted_lookup INDEXED BY counted_lookup_by_{index} "
        f"WHERE at >= ? AND at < ?{' AND dedup > 0' * (index == 'reason')}{further} ORDER BY at DESC",
        between,
    )
    return (row[0] for row in rows)


def _of_answers(
    connection: sqlite3.Connection, between: tuple[int, int], answers: Sequence[int], scope: Scope, further: str
) -> Iterator[int]:
    where = f"WHERE {scope.condition.replace('scope', 'id', 1)}" if scope.condition else ""
    scopes = [row[0] for row in connection.execute(f"SELECT id FROM lookup_scope {where}")]
    streams = [
        connection.execute(
            "SELECT at, id FROM counted_lookup INDEXED BY counted_lookup_by_answer "
            f"WHERE scope = ? AND answer = ? AND at >= ? AND at < ?{further} ORDER BY at DESC",
            (one, answer, *between),
        )
        for one in scopes
        for answer in answers
    ]
    return _merged(streams)


def _merged(streams: Sequence[sqlite3.Cursor]) -> Iterator[int]:
    """Each stands in order of time, newest first: together too, as many as are asked for."""
    return (row[1] for row in heapq.merge(*streams, key=lambda row: row[0], reverse=True))


def _listed(numbers: set[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _logged(row: sqlite3.Row) -> LoggedLookup:
    return LoggedLookup(
        id=row["id"],
        session_id=row["session_id"],
        query=row["query"],
        at=from_iso(row["created_at"]),
        actor=row["actor"],
        trigger=row["trigger"],
        agent=row["agent"],
        domain=row["domain"],
        outcome=row["outcome"],
        level=row["relevance_level"],
        dedup_reason=row["dedup_reason"],
        degraded_reason=row["degraded_reason"],
        duration_ms=row["duration_ms"],
    )
