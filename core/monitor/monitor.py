"""Monitor: what a supervisor sees of the service and its agents, and the collection that drives it (contract §8).

`engine.monitor`. All methods may be called from any thread; none but `collect` and `acknowledge` writes,
save for the counts of the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.clock import Clock, today
from core.desks import DeskFolder, DesksFigures
from core.figures import (
    EVERYTHING,
    AgentFigures,
    Alert,
    CacheFigures,
    Collected,
    EngineFigures,
    LoggedLookup,
    Moment,
    Period,
    Selection,
    ServiceFigures,
    Suggestion,
)
from core.honesty import honesty
from core.monitor.advice import suggestions
from core.monitor.collecting import Collecting
from core.monitor.desk_reports import DeskReports
from core.monitor.ring import refined
from core.monitor.situation import Situations
from core.report import Thresholds
from core.settings import Settings
from core.store.agent_log import type_of
from core.store.alerts import Alerts
from core.store.articles import Articles
from core.store.collection_log import collected
from core.store.database import Database
from core.store.engine_figures import engine_figures
from core.store.lookup_list import lookups, timeline
from core.store.service_figures import service_figures

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
        language: Callable[[], str],
        serving: Callable[[], Serving],
        record: AgentRecord,
        thresholds: Callable[[str], Thresholds],
        index_folder: Path,
        desk_reports: DeskReports | None = None,
    ) -> None:
        """`language`: that of the moment, of names and suggestions; `serving` is called when the agents are first asked
        about; `thresholds`: those that hold now, by embedder."""
        self._database = database
        self._desk_reports = desk_reports
        self._clock = clock
        self._language = language
        self._serving = serving
        self._record = record
        self._thresholds = thresholds
        self._index_folder = index_folder
        self._articles = Articles(database)
        self._alerts = Alerts(database)
        self._situations = Situations(database, settings, clock)
        self._collecting = Collecting(
            database,
            settings,
            clock,
            pool=lambda: self._serving().calls.pool,
            cache=self._cache,
            record=record,
        )

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
        return service_figures(
            self._database,
            period,
            edges,
            selection,
            today=today(self._clock),
            honesty=honesty(self._database, period, selection),
            domains=self._domains(selection),
        )

    def engines(self, period: Period, edges: Sequence[datetime], selection: Selection = EVERYTHING) -> EngineFigures:
        """Tool and agent layers: how retrieval does. `edges` as in `service`."""
        from core.index.generation import written_at

        self._record.count(self._cache())
        agents = tuple(agent for agent in self.agents() if _is_of(agent.id, agent.type, selection))
        kept = refined(self._record.log.series(period), self._collecting.ring.series(period.start, period.end))
        return engine_figures(
            self._database,
            period,
            edges,
            selection,
            agents=agents,
            series=[series for series in kept if _is_of(series.agent, series.type, selection)],
            thresholds=self._thresholds,
            index_written_at=written_at(self._index_folder),
            failed_files=self._articles.failed_files(),
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
        repeated: bool = False,
        adopted: bool = False,
        leg_missing: bool = False,
        limit: int = 500,
    ) -> tuple[LoggedLookup, ...]:
        """The lookups behind a number, newest first, at most `limit`; superseded ones are left out. `level` "none":
        those without one; `repeated`, `leg_missing`: only those that are; `adopted`: only those of sessions that
        are."""
        return lookups(
            self._database,
            period,
            selection,
            level=level,
            outcome=outcome,
            dedup_reason=dedup_reason,
            query_key=query_key,
            repeated=repeated,
            adopted=adopted,
            leg_missing=leg_missing,
            limit=limit,
        )

    def desks(self, period: Period) -> DesksFigures:
        """All desks that report to the shared folder, this one among them once it reported; waits for it at most two
        seconds."""
        if self._desk_reports is None:
            return DesksFigures(period, DeskFolder.OFF, "")
        return self._desk_reports.figures(period)

    def summary(self, since_hours: float) -> dict[str, Any]:
        """What the page shows of the last hours, this moment included, as JSON (core.monitor.summary)."""
        from core.monitor.summary import summary

        now = self._clock.now()
        period = Period(now - timedelta(hours=since_hours), now + timedelta(milliseconds=1))
        edges = (period.start, period.end)
        return summary(self.service(period, edges), self.engines(period, edges), self.desks(period))

    def timeline(self, session_id: str) -> tuple[Moment, ...]:
        """What happened in a session, oldest first; empty for an unknown one."""
        return timeline(self._database, session_id)

    def type_names(self) -> Mapping[str, str]:
        """Display name of each agent type in the engine's language, in the order of the setting."""
        return self._serving().types.names(self._language())

    # -------------------------------------------------- alerts and suggestions
    def alerts(self, since: datetime | None = None) -> tuple[Alert, ...]:
        """Alerts that are open or acknowledged, and those resolved at or after `since` (None: none of these), newest
        first."""
        return self._alerts.listed(since)

    def acknowledge(self, alert_id: int) -> None:
        """Somebody has seen it: it stays acknowledged until it is resolved. Ignored when it is not open."""
        self._alerts.acknowledge(alert_id, self._clock.now())

    def suggestions(self) -> tuple[Suggestion, ...]:
        """What could be done now, most urgent first; empty without a reason for any. The questions, votes and articles
        are those of the last days, the agents those of their sliding windows."""
        situation = self._situations.now(self.agents(), self._alerts.standing())
        return suggestions(situation, self._language())

    # ----------------------------------------------------------------- inside
    def _cache(self) -> CacheFigures:
        return self._serving().cache.figures()

    def _domains(self, selection: Selection) -> list[str] | None:
        """Whose articles a selection is about; None: all."""
        if selection.domain is not None:
            return [selection.domain]
        type_ = type_of(selection.agent) if selection.agent is not None else selection.type
        if type_ is None:
            return None
        types = self._serving().types
        return [domain for domain, _ in self._articles.domains() if types.of({domain: 1.0}) == type_]


def _is_of(agent: str, type_: str, selection: Selection) -> bool:
    """Whether an instance is among those selected; a domain selects none of them."""
    return selection.agent in (None, agent) and selection.type in (None, type_)
