"""Retention: what the monitor keeps gets coarser with age, and in the end goes.

Settings `monitor.retention_days` and `log.retention_days`. `now` is what ages are reckoned from (core.store.horizon).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from core.clock import from_iso, iso
from core.store.counting import uncount
from core.store.monitor_schema import HOUR_S, MINUTE_S, QUARTER_S

if TYPE_CHECKING:
    from core.store.database import Database

FINE = timedelta(hours=48)
_SESSIONS = 200  # in one transaction
# A stretch counts as the worst state that stood in it.
_MEANS = """
    INSERT OR REPLACE INTO agent_metric
    SELECT strftime('%Y-%m-%dT%H:%M:%S.000Z', CAST(strftime('%s', at) AS INTEGER) / :width * :width, 'unixepoch')
        AS stretch, agent, :width, CAST(round(avg(calls)) AS INTEGER), avg(success_rate),
        CAST(round(avg(degraded)) AS INTEGER), avg(avg_ms), avg(p50_ms), avg(p95_ms), avg(penalty), avg(routing_score),
        CASE max((breaker = 'half_open') + 2 * (breaker = 'open'))
            WHEN 2 THEN 'open' WHEN 1 THEN 'half_open' ELSE 'closed' END
    FROM agent_metric WHERE width_s = :of AND at >= :start AND at < :end GROUP BY stretch, agent
"""


def thin_metrics(database: Database, now: datetime) -> None:
    """Means of the quarter-hours and hours that have ended since the last time; of more than 48 hours ago only these
    are kept."""
    with database.transaction() as connection:
        for of, width in ((MINUTE_S, QUARTER_S), (QUARTER_S, HOUR_S)):
            (last,) = connection.execute("SELECT max(at) FROM agent_metric WHERE width_s = ?", (width,)).fetchone()
            start = "" if last is None else iso(from_iso(last) + timedelta(seconds=width))
            connection.execute(_MEANS, {"of": of, "width": width, "start": start, "end": _whole(now, width)})
        before = _whole(now - FINE, QUARTER_S)
        connection.execute("DELETE FROM agent_metric WHERE width_s = ? AND at < ?", (MINUTE_S, before))


def _whole(moment: datetime, width_s: int) -> str:
    """The beginning of the stretch that holds the moment."""
    return iso(datetime.fromtimestamp(moment.timestamp() // width_s * width_s, moment.tzinfo))


def drop_old(database: Database, now: datetime, *, days: int, calls: int, hours: float) -> None:
    """Drop metrics, cache counts and resolved alerts of more than `days` ago, and calls that stand in no sliding window
    (`calls` and `hours`)."""
    old = iso(now - timedelta(days=days))
    with database.transaction() as connection:
        connection.execute("DELETE FROM agent_metric WHERE at < ?", (old,))
        connection.execute("DELETE FROM alert WHERE state = 'resolved' AND resolved_at < ?", (old,))
        connection.execute("DELETE FROM cache_count WHERE start < ?", ((now - timedelta(days=days)).timestamp(),))
        connection.execute("DELETE FROM agent_call WHERE at < ?", (iso(now - timedelta(hours=hours)),))
        for (agent,) in connection.execute("SELECT DISTINCT agent FROM agent_call").fetchall():
            connection.execute(
                "DELETE FROM agent_call WHERE agent = ? AND id <= "
                "(SELECT id FROM agent_call WHERE agent = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
                (agent, agent, calls),
            )


def drop_old_lookups(database: Database, now: datetime, *, days: int, most: int | None = None) -> int:
    """Drop sessions whose last lookup was more than `days` ago: their rows, events, marks and votes; 0 days: none.
    Returns how many sessions. Sessions leave as a whole, so that what stays is counted as before. `most`: about so
    many at once, the rest another time."""
    if days <= 0:
        return 0
    border, dropped = now - timedelta(days=days), 0
    while True:
        with database.transaction() as connection:
            rows = connection.execute(
                "SELECT id FROM session WHERE last_used_at < ? UNION SELECT session_id FROM counted_session "
                "WHERE last_at < ? AND session_id NOT IN (SELECT id FROM session) LIMIT ?",
                (iso(border), border.timestamp() * 1000, _SESSIONS),
            ).fetchall()
            sessions = [row[0] for row in rows]
            uncount(connection, sessions)
            for session in sessions:
                connection.execute(
                    "DELETE FROM vote WHERE invocation_id IN (SELECT id FROM tool_invocation WHERE session_id = ?)",
                    (session,),
                )
                for table in ("tool_invocation", "session_event"):
                    connection.execute(f"DELETE FROM {table} WHERE session_id = ?", (session,))
                connection.execute("DELETE FROM session WHERE id = ?", (session,))
        dropped += len(sessions)
        if len(sessions) < _SESSIONS or (most is not None and dropped >= most):
            return dropped
