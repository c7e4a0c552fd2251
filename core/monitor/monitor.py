"""Monitor: what a supervisor sees of the service and its agents, and the collection that drives it (contract §8).

`engine.monitor`. All methods may be called from any thread; none but `collect` and `acknowledge` writes.
"""

# ruff: noqa: ARG002
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING

from core.clock import Clock
from core.figures import (
    EVERYTHING,
    AgentFigures,
    Alert,
    Bucket,
    CacheFigures,
    Collected,
    DeskFolder,
    DesksFigures,
    EngineFigures,
    LoggedLookup,
    Moment,
    Period,
    Rate,
    Selection,
    ServiceFigures,
    Suggestion,
)
from core.monitor.collecting import Collecting
from core.monitor.desk_reports import DeskReports
from core.settings import Settings
from core.store.alerts import Alerts
from core.store.collection_log import collected
from core.store.database import Database

if TYPE_CHECKING:
    from core.monitor.agent_record import AgentRecord
    from core.retrieval import Serving


class Monitor:
    """Over one open data folder; see `Engine.monitor`."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        clock: Clock,
        *,
        language: str,
        serving: Callable[[], Serving],
        record: AgentRecord,
        desk_reports: DeskReports | None = None,
    ) -> None:
        """`serving` is called when the agents are first asked about."""
        self._database = database
        self._desk_reports = desk_reports
        self._settings = settings
        self._clock = clock
        self._language = language
        self._serving = serving
        self._alerts = Alerts(database)
        self._collecting = Collecting(database, settings, clock, pool=lambda: self._serving().calls.pool, record=record)

    # ------------------------------------------------------------- collecting
    def collect(self) -> bool:
        """One collection (contract §8); call it every 10 s. True when this process collected, False when another one
        does, or it failed (which is logged: the next one goes on). Takes short transactions only. Raises nothing."""
        collected = self._collecting.collect()
        if collected and self._desk_reports is not None:
            self._desk_reports.write_due()
        return collected

    def collected(self) -> Collected:
        """How many collections there were, by any process, and what the newest one found. Microseconds."""
        return collected(self._database.connection())

    def close(self) -> None:
        """Let another process collect, at once. Raises nothing."""
        self._collecting.close()
        if self._desk_reports is not None:
            self._desk_reports.close()

    # ---------------------------------------------------------------- figures
    def agents(self) -> tuple[AgentFigures, ...]:
        """Every instance over its sliding window, by type, best tier first. Microseconds."""
        return self._serving().calls.pool.figures()

    def service(self, period: Period, edges: Sequence[datetime], selection: Selection = EVERYTHING) -> ServiceFigures:
        """Request layer: how well people were served. `edges`: n + 1 aware UTC moments in order, the buckets of the
        time line; those of a local day are the front end's to work out."""
        none = Rate(0, 0)
        return ServiceFigures(
            period, 0, 0, none, none, none, none, None, 0, (), (), {}, {}, tuple(_empty_buckets(edges))
        )

    def engines(self, period: Period, edges: Sequence[datetime], selection: Selection = EVERYTHING) -> EngineFigures:
        """Tool and agent layers: how retrieval does. `edges` as in `service`."""
        return EngineFigures(
            period, 0, 0, 0, None, None, (), (), tuple(_empty_buckets(edges)), {}, (), CacheFigures(0, 0, 0), None, 0
        )

    def lookups(
        self,
        period: Period,
        selection: Selection = EVERYTHING,
        *,
        level: str | None = None,
        outcome: str | None = None,
        dedup_reason: str | None = None,
        query_key: str | None = None,
        limit: int = 500,
    ) -> tuple[LoggedLookup, ...]:
        """The lookups behind a number, newest first, at most `limit`; superseded ones are left out. `level` "none":
        those without one."""
        return ()

    def desks(self, period: Period) -> DesksFigures:
        """All desks that report to the shared folder, this one among them; waits for it at most two seconds."""
        if self._desk_reports is None:
            return DesksFigures(period, DeskFolder.OFF, "")
        return self._desk_reports.figures(period)

    def timeline(self, session_id: str) -> tuple[Moment, ...]:
        """What happened in a session, oldest first; empty for an unknown one."""
        return ()

    def type_names(self) -> Mapping[str, str]:
        """Display name of each agent type in the engine's language, in the order of the setting."""
        return self._serving().types.names(self._language)

    # -------------------------------------------------- alerts and suggestions
    def alerts(self, since: datetime | None = None) -> tuple[Alert, ...]:
        """Alerts that are open or acknowledged, and those resolved at or after `since` (None: none of these), newest
        first."""
        return self._alerts.listed(since)

    def acknowledge(self, alert_id: int) -> None:
        """Somebody has seen it: it stays acknowledged until it is resolved. Ignored when it is not open."""
        self._alerts.acknowledge(alert_id, self._clock.now())

    def suggestions(self) -> tuple[Suggestion, ...]:
        """What could be done now, most urgent first; empty without a reason for any."""
        return ()


def _empty_buckets(edges: Sequence[datetime]) -> list[Bucket]:
    return [Bucket(start, round((end - start).total_seconds()), 0, {}) for start, end in pairwise(edges)]
