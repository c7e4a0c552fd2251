"""AgentLog: the calls of retrieval agents, how each instance stands, and its metrics over time (contract §8)."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from core.agents.window import Call
from core.clock import Clock, from_iso, iso
from core.figures import AgentFigures, AgentSeries, BreakerState, Period
from core.store.monitor_schema import HOUR_S, MINUTE_S, QUARTER_S

if TYPE_CHECKING:
    from core.store.database import Database

_CALL = "at, agent, duration_ms, ok, degraded, probe"
_AS_KEPT, _BY_QUARTERS = timedelta(hours=26), timedelta(days=8)
_FIRST = "SELECT min(at) FROM agent_metric WHERE width_s = ?"
_LAST = "SELECT max(at) FROM agent_metric WHERE width_s = ?"
_COLUMNS = """agent, at, width_s, success_rate, penalty, routing_score, p50_ms, p95_ms,
    ifnull(degraded * 1.0 / nullif(calls, 0), 0.0), calls"""
_KEPT = f"SELECT {_COLUMNS} FROM agent_metric WHERE width_s = ? AND at >= ? AND at < ?"
# Of what stands in no kept mean yet: at most what an hour or two have brought.
_MEANS = f"""
    SELECT agent, min(at), {{width}}, avg(success_rate), avg(penalty), avg(routing_score), avg(p50_ms), avg(p95_ms),
        ifnull(sum(degraded) * 1.0 / nullif(sum(calls), 0), 0.0), CAST(round(avg(calls)) AS INTEGER)
    FROM agent_metric WHERE width_s = {MINUTE_S} AND at >= ? AND at < ?
    GROUP BY CAST(strftime('%s', at) AS INTEGER) / {{width}}, agent
"""


@dataclass(frozen=True, slots=True)
class AgentState:
    """How an instance stands, as every process is to see it. `window_from`: calls before it count no more; None: all
    do."""

    agent: str
    penalty: float = 0.0
    window_from: datetime | None = None
    breaker: BreakerState = BreakerState.CLOSED
    breaker_since: datetime | None = None


class AgentLog:
    """All methods may be called from any thread. `calls` and `hours` bound the sliding window."""

    def __init__(self, database: Database, clock: Clock, *, calls: int, hours: float) -> None:
        self._database = database
        self._clock = clock
        self._calls = calls
        self._hours = hours
        self._process = secrets.randbits(62)  # of which calls of this object are told apart from those of others

    # ---------------------------------------------------------------- calls
    def append(self, call: Call) -> None:
        """Keep a finished call; the log writer's thread writes it in a moment."""
        values = (iso(call.at), call.agent, call.duration_ms, call.ok, call.degraded, call.probe, self._process)

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(f"INSERT INTO agent_call ({_CALL}, process) VALUES (?, ?, ?, ?, ?, ?, ?)", values)

        self._database.log.put(write)

    def restore(self, agents: Collection[str]) -> tuple[tuple[Call, ...], Mapping[str, datetime], int]:
        """What `Pool.restore` wants: the calls of these instances that still count, oldest first, and from when on
        they do; and the newest id, after which `calls_of_others` goes on."""
        self._database.log.catch_up()
        connection = self._database.connection()
        newest = self._newest(connection)
        since = iso(self._clock.now() - timedelta(hours=self._hours))
        found: list[tuple[int, Call]] = []
        for agent in agents:
            rows = connection.execute(
                f"SELECT id, {_CALL} FROM agent_call WHERE agent = ? AND id <= ? AND at >= ? ORDER BY id DESC LIMIT ?",
                (agent, newest, since, self._calls),
            )
            found += [(row["id"], _call(row)) for row in rows]
        windows = {name: state.window_from for name, state in self.states().items() if state.window_from is not None}
        return tuple(call for _, call in sorted(found, key=lambda one: one[0])), windows, newest

    def calls_of_others(self, after: int) -> tuple[tuple[Call, ...], int]:
        """Calls that other processes (other objects of this class) wrote after the id, oldest first, at most a window
        of each instance; and the newest id, to go on from. Microseconds when there is nothing new."""
        connection = self._database.connection()
        newest = self._newest(connection)
        if newest <= after:
            return (), after
        rows = connection.execute(
            f"SELECT {_CALL} FROM (SELECT id, {_CALL}, "
            "row_number() OVER (PARTITION BY agent ORDER BY id DESC) AS place "
            "FROM agent_call WHERE id > ? AND id <= ? AND process <> ?) WHERE place <= ? ORDER BY id",
            (after, newest, self._process, self._calls),
        )
        return tuple(_call(row) for row in rows), newest

    # ---------------------------------------------------------------- states
    def states(self) -> dict[str, AgentState]:
        """Instance → how it stands; those that nothing was ever written of are left out."""
        rows = self._database.connection().execute("SELECT * FROM agent_state")
        return {
            row["agent"]: AgentState(
                agent=row["agent"],
                penalty=row["penalty"],
                window_from=_moment(row["window_from"]),
                breaker=BreakerState(row["breaker"]),
                breaker_since=_moment(row["breaker_since"]),
            )
            for row in rows
        }

    def put_figures(self, figures: Iterable[AgentFigures]) -> None:
        """The penalties, and the breakers of the process that worked them out; `window_from` stays."""
        now = iso(self._clock.now())
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT INTO agent_state (agent, penalty, breaker, breaker_since, updated_at) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT (agent) DO UPDATE SET penalty = excluded.penalty, breaker = excluded.breaker, "
                "breaker_since = excluded.breaker_since, updated_at = excluded.updated_at",
                [(one.id, one.monitor_penalty, one.breaker, _written(one.breaker_since), now) for one in figures],
            )

    def recovered(self, agent: str, since: datetime) -> None:
        """Calls of the instance before `since` count no more, and its penalty is gone; written in a moment."""
        values = (agent, iso(since), iso(self._clock.now()))

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT INTO agent_state (agent, penalty, window_from, updated_at) VALUES (?, 0, ?, ?) "
                "ON CONFLICT (agent) DO UPDATE SET penalty = 0, updated_at = excluded.updated_at, "
                "window_from = max(ifnull(window_from, ''), excluded.window_from)",
                values,
            )

        self._database.log.put(write)

    # --------------------------------------------------------------- metrics
    def add_metrics(self, at: datetime, figures: Sequence[AgentFigures], *, width_s: int = MINUTE_S) -> None:
        """Keep what every instance's window came to at a moment; one row an instance and moment."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO agent_metric VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        *(iso(at), one.id, width_s, one.total, one.success_rate, one.degraded, one.avg_ms, one.p50_ms),
                        *(one.p95_ms, one.monitor_penalty, one.routing_score, one.breaker),
                    )
                    for one in figures
                ],
            )

    def series(self, period: Period, agents: Collection[str] | None = None) -> tuple[AgentSeries, ...]:
        """What was kept of each instance (None: of all) in the period, by id; instances without a row are left out.
        The finest that is kept up to 26 hours; of longer periods means of quarter-hours, of more than 8 days of hours.
        `width_s`: the widest stretch that a point is the mean of."""
        connection = self._database.connection()
        start, end, length = iso(period.start), iso(period.end), period.end - period.start
        parts: list[tuple[str, tuple[Any, ...]]]
        if length <= _AS_KEPT:
            (finest,) = connection.execute(_FIRST, (MINUTE_S,)).fetchone()
            coarse = end if finest is None else min(end, iso(from_iso(finest) - timedelta(seconds=QUARTER_S - 1)))
            parts = [(_KEPT, (QUARTER_S, start, coarse)), (_KEPT, (MINUTE_S, start, end))]
        else:
            width = QUARTER_S if length <= _BY_QUARTERS else HOUR_S
            (last,) = connection.execute(_LAST, (width,)).fetchone()
            fresh = start if last is None else max(start, iso(from_iso(last) + timedelta(seconds=width)))
            parts = [(_KEPT, (width, start, end)), (_MEANS.format(width=width), (fresh, end))]
        cursor = connection.cursor()
        cursor.row_factory = None
        found: dict[str, list[tuple[Any, ...]]] = {}
        for query, values in parts:
            for row in cursor.execute(query, values):
                if agents is None or row[0] in agents:
                    found.setdefault(row[0], []).append(row)
        return tuple(_series(agent, found[agent]) for agent in sorted(found))

    # ---------------------------------------------------------------- inside
    def _newest(self, connection: sqlite3.Connection) -> int:
        return int(connection.execute("SELECT ifnull(max(id), 0) FROM agent_call").fetchone()[0])


def type_of(agent: str) -> str:
    """The agent type in an instance's id (`<type>/<tier>-<n>`)."""
    return agent.partition("/")[0]


def _series(agent: str, rows: Sequence[tuple[Any, ...]]) -> AgentSeries:
    _, at, widths, success, penalty, score, p50, p95, degraded, calls = zip(*rows, strict=True)
    moments = tuple(map(datetime.fromisoformat, at))
    return AgentSeries(agent, type_of(agent), moments, success, penalty, score, p50, p95, degraded, calls, max(widths))


def _call(row: sqlite3.Row) -> Call:
    return Call(
        agent=row["agent"],
        at=from_iso(row["at"]),
        duration_ms=row["duration_ms"],
        ok=bool(row["ok"]),
        degraded=bool(row["degraded"]),
        probe=bool(row["probe"]),
    )


def _moment(text: str | None) -> datetime | None:
    return None if text is None else from_iso(text)


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else iso(moment)
