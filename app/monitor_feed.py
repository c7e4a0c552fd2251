"""Keeps the monitor going in the background: collects every ten seconds, and fetches the figures looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.lookup_flow import Timer
from app.period import TimeRange, TimeSpan, custom_span, span_of
from app.tasks import Lane, TaskRunner
from core.engine import Engine
from core.figures import (
    AgentFigures,
    Alert,
    EngineFigures,
    LoggedLookup,
    Moment,
    Period,
    Selection,
    ServiceFigures,
    Suggestion,
)
from core.job import Job

COLLECT_MS = 10_000
LIMIT = 500
SERVICE, ENGINES = "service", "engines"


@dataclass(frozen=True, slots=True)
class Question:
    """Which lookups are behind a number: the selection and the rest as `Monitor.lookups` takes them. `title`: makes
    the words for it; `failed`: those that were not answered, or without a leg; `slowest`: those that took longest come
    first; `period`: the stretch of time, None: the one looked at."""

    title: Callable[[], str]
    selection: Selection
    level: str | None = None
    outcome: str | None = None
    dedup_reason: str | None = None
    query_key: str | None = None
    repeated: bool = False
    adopted: bool = False
    leg_missing: bool = False
    failed: bool = False
    slowest: bool = False
    period: Period | None = None


@dataclass(frozen=True, slots=True)
class View:
    """What is looked at: which sub-page, which stretch of time (`ends` of a custom one), which lookups."""

    page: str
    chosen: TimeRange
    ends: tuple[datetime, datetime] | None
    selection: Selection

    def span(self, now: datetime) -> TimeSpan:
        """The period and its buckets, as of `now`."""
        return custom_span(*self.ends) if self.ends is not None else span_of(self.chosen, now)


@dataclass(frozen=True, slots=True)
class Figures:
    """All that one refresh brings. `service` or `engines`: that of the sub-page looked at."""

    view: View
    span: TimeSpan
    at: datetime
    agents: tuple[AgentFigures, ...]
    type_names: Mapping[str, str]
    service: ServiceFigures | None = None
    engines: EngineFigures | None = None
    alerts: tuple[Alert, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()


class MonitorFeed(QObject):
    """`arrived(Figures)`, `desks_arrived(DesksFigures)`; `failed` what was shown still stands. `look(view)` fetches
    now, and from then on after every collection; `look(None)`: nobody looks, only the collecting goes on. `timer` makes
    a single-shot timer."""

    arrived = Signal(object)
    desks_arrived = Signal(object)
    failed = Signal()

    def __init__(
        self, tasks: TaskRunner, timer: Callable[[str, Callable[[], Any]], Timer], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._engine: Engine | None = None
        self._view: View | None = None
        self._timer = timer("monitor", self._collect)

    def set_engine(self, engine: Engine) -> None:
        """The knowledge base is open: collecting begins, once the start is over."""
        self._engine = engine
        self._timer.start(COLLECT_MS)

    def look(self, view: View | None) -> None:
        """What is looked at from now on."""
        self._view = view
        self.refresh()

    def refresh(self) -> None:
        """Fetch the figures again; what is shown stays until they are there."""
        engine, view = self._engine, self._view
        if engine is None or view is None:
            return
        came = False

        def arrived(figures: Figures) -> None:
            nonlocal came
            came = True
            self.arrived.emit(figures)

        def ended() -> None:
            if not came and not job.cancelled:  # whatever kept them from coming, a bug as well
                self.failed.emit()

        job = self._tasks.start(
            self,
            lambda _: _fetch(engine, view),
            on_done=arrived,
            on_end=ended,
            lane=Lane.QUICK,
            replaces="monitor",
        )
        if view.page == SERVICE:
            # A folder on the network may keep one waiting: not where votes are written.
            self._tasks.start(
                self,
                lambda _: engine.monitor.desks(view.span(datetime.now(UTC)).period),
                on_done=self.desks_arrived.emit,
                lane=Lane.LONG,
                replaces="desks",
            )

    def _collect(self) -> None:
        engine = self._engine
        assert engine is not None
        # The next one begins ten seconds after this one has ended: none piles up behind a slow disk.
        self._tasks.start(
            self,
            lambda _: engine.monitor.collect(),
            on_done=lambda _: self.refresh(),
            on_end=lambda: self._timer.start(COLLECT_MS),
            lane=Lane.QUICK,
        )

    # ---------------------------------------------------------------- asked for once
    def acknowledge(self, alert_id: int) -> None:
        """Somebody has seen this alert."""
        if self._engine is not None:
            engine = self._engine
            self._tasks.start(
                self,
                lambda _: engine.monitor.acknowledge(alert_id),
                on_done=lambda _: self.refresh(),
                lane=Lane.QUICK,
            )

    def lookups(self, period: Period, question: Question, on_done: Callable[[tuple[LoggedLookup, ...]], None]) -> None:
        """The lookups behind a number, at most `LIMIT`."""

        def ask(engine: Engine) -> tuple[LoggedLookup, ...]:
            if question.failed:
                ask = partial(engine.monitor.lookups, period, question.selection, limit=LIMIT)
                found = {*ask(outcome="degraded"), *ask(leg_missing=True)}
                return tuple(sorted(found, key=lambda one: (one.at, one.id), reverse=True)[:LIMIT])
            return engine.monitor.lookups(
                period,
                question.selection,
                level=question.level,
                outcome=question.outcome,
                dedup_reason=question.dedup_reason,
                query_key=question.query_key,
                repeated=question.repeated,
                adopted=question.adopted,
                leg_missing=question.leg_missing,
                limit=LIMIT,
            )

        self._ask(ask, on_done)

    def timeline(self, session_id: str, on_done: Callable[[tuple[Moment, ...]], None]) -> None:
        """What happened in a session."""
        self._ask(lambda engine: engine.monitor.timeline(session_id), on_done)

    def _ask(self, ask: Callable[[Engine], Any], on_done: Callable[[Any], None]) -> None:
        if self._engine is not None:
            engine = self._engine

            def work(_: Job) -> Any:
                return ask(engine)

            self._tasks.start(self, work, on_done=on_done, lane=Lane.QUICK, replaces="behind")


def _fetch(engine: Engine, view: View) -> Figures:
    monitor, now = engine.monitor, datetime.now(UTC)
    span = view.span(now)
    figures = Figures(view, span, now, monitor.agents(), monitor.type_names())
    if view.page == SERVICE:
        return replace(figures, service=monitor.service(span.period, span.edges, view.selection))
    return replace(
        figures,
        engines=monitor.engines(span.period, span.edges, view.selection),
        alerts=monitor.alerts(now - timedelta(days=1)),
        suggestions=monitor.suggestions(),
    )
