"""Engines, the sub-page on retrieval itself: its state, alerts, suggestions, every instance, and charts over time."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.agent_table import AgentCard, Limits
from app.alert_list import AlertCard, is_outage, is_slow, subject_of
from app.even_grid import EvenRow, lines
from app.figure_text import age_text, count_text, duration_text
from app.figure_tile import FigureTile
from app.i18n import Language
from app.monitor_charts import MonitorCharts
from app.monitor_feed import Figures, Question
from app.reading_order import follow_layouts
from app.suggestion_list import SuggestionCard
from core.figures import Alert, EngineFigures, Period, Rate, Selection, Suggestion, SuggestionKind

TILE, CARD = 6.5, 22.0  # least widths, in heights of a line
_BEFORE = timedelta(minutes=15)


class EnginesView(QWidget):
    """`behind(Question)`: the lookups behind a number are wanted; `acknowledge_wanted(alert id)`; `note_wanted(query)`;
    `article_wanted(doc_key)`; `files_wanted`, `badges_wanted`, `expired_wanted`: what a suggestion leads to."""

    behind = Signal(object)
    acknowledge_wanted = Signal(int)
    note_wanted = Signal(str)
    article_wanted = Signal(str)
    files_wanted = Signal()
    badges_wanted = Signal()
    expired_wanted = Signal()

    def __init__(self, language: Language, limits: Limits, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("enginesPage")
        self._language = language
        self._figures: Figures | None = None
        tiles = EvenRow(self, least=lines(self, TILE), most=7, spacing=8)
        lists, charts = (EvenRow(self, least=lines(self, CARD), most=2) for _ in range(2))
        self._make_tiles(tiles)
        self.alerts, self.suggestions = AlertCard(language, lists), SuggestionCard(language, lists)
        self.agents = AgentCard(language, limits, self)
        self.charts = MonitorCharts(language, limits)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(16)
        tiles.fill(self._tiles)
        lists.fill((self.alerts, self.suggestions))
        charts.fill(self.charts.all)
        for part in (tiles, lists, self.agents, charts):
            column.addWidget(part)
        column.addStretch(1)
        follow_layouts(self)
        self.alerts.acknowledge_wanted.connect(self.acknowledge_wanted)
        self.alerts.behind.connect(self._behind_alert)
        self.agents.behind.connect(self.behind)
        self.suggestions.chosen.connect(self._follow)
        self.failed_files.clicked.connect(self.files_wanted)
        language.changed.connect(self._redraw)

    def _make_tiles(self, row: QWidget) -> None:
        def tile(name: str, caption: str, tip: str, *, leads: bool = False) -> FigureTile:
            return FigureTile(self._language, name, caption, tip, leads=leads, parent=row)

        self.latency = tile("latencyTile", "monitor.latency", "monitor.latency_counts", leads=True)
        self.degraded = tile("degradedTile", "monitor.degraded_share", "monitor.degraded_share_counts", leads=True)
        self.leg_missing = tile("legMissingTile", "monitor.leg_missing", "monitor.leg_missing_counts", leads=True)
        self.cache = tile("cacheTile", "monitor.cache", "monitor.cache_counts")
        self.stale = tile("staleTile", "monitor.stale", "monitor.stale_counts")
        self.index = tile("indexTile", "monitor.index_age", "monitor.index_age_counts")
        self.failed_files = tile("failedFilesTile", "monitor.failed_files", "monitor.failed_files_counts", leads=True)
        self._tiles = (
            *(self.latency, self.degraded, self.leg_missing, self.cache),
            *(self.stale, self.index, self.failed_files),
        )
        say = self._language
        self.leg_missing.clicked.connect(
            lambda: self.behind.emit(
                Question(lambda: say("monitor.lookups_leg_missing"), self._selection(), leg_missing=True)
            )
        )
        self.latency.clicked.connect(
            lambda: self.behind.emit(Question(lambda: say("monitor.slowest_lookups"), self._selection(), slowest=True))
        )
        self.degraded.clicked.connect(
            lambda: self.behind.emit(
                Question(lambda: say("monitor.degraded_lookups"), self._selection(), outcome="degraded")
            )
        )

    # ---------------------------------------------------------------- showing
    def show_figures(self, figures: Figures) -> None:
        """New figures in the places of the old."""
        self._figures = figures
        self._redraw()

    def _redraw(self) -> None:
        figures = self._figures
        if figures is None or figures.engines is None:
            return
        self._show_tiles(figures, figures.engines)
        self.alerts.show_alerts(figures.alerts)
        self.suggestions.show_suggestions(figures.suggestions)
        self.agents.show_agents(figures.agents, figures.type_names, figures.view.selection)
        self.charts.show_figures(figures.engines, figures.span)

    def _show_tiles(self, figures: Figures, told: EngineFigures) -> None:
        say = self._language
        self.latency.show_text(
            duration_text(told.p95_ms),
            say("monitor.median_of", median=duration_text(told.p50_ms), n=count_text(told.lookups)),
        )
        self.degraded.show_rate(Rate(told.degraded, told.lookups))
        self.leg_missing.show_rate(Rate(told.leg_missing, told.lookups))
        self.cache.show_rate(Rate(told.cache.hits, told.cache.hits + told.cache.misses))
        self.stale.show_text(count_text(told.cache.stale_prevented))
        self.index.show_text(age_text(told.index_written_at, figures.at, say))
        self.failed_files.show_text(count_text(told.failed_files))

    # ---------------------------------------------------------------- asking
    def _selection(self) -> Selection:
        return self._figures.view.selection if self._figures is not None else Selection()

    def _behind_alert(self, alert: Alert) -> None:
        title, (_, subject), figures = self.alerts.title_of, subject_of(alert), self._figures
        if figures is None:
            return
        # What it was raised for happened before it opened.
        period = Period(alert.opened_at - _BEFORE, max(alert.resolved_at or figures.at, alert.opened_at))
        asked = Question(lambda: title(alert), Selection(), period=period)
        if is_outage(alert):
            self.behind.emit(replace(asked, query_key=subject))
        else:
            slow = is_slow(alert)
            self.behind.emit(replace(asked, selection=Selection(agent=subject), slowest=slow, failed=not slow))

    def _follow(self, told: Suggestion) -> None:
        kind = told.kind
        if kind is SuggestionKind.OUTAGE:
            alerts = self._figures.alerts if self._figures is not None else ()
            for alert in alerts:
                if is_outage(alert) and alert.detail == told.query:
                    self._behind_alert(alert)
                    return
        elif kind is SuggestionKind.WRITE_ARTICLE:
            self.note_wanted.emit(told.query)
        elif told.doc_key:
            self.article_wanted.emit(told.doc_key)
        elif told.agent:
            self.agents.choose(told.agent)
        elif kind is SuggestionKind.BADGE_LIES:
            self.badges_wanted.emit()
        elif kind is SuggestionKind.EXPIRED_ARTICLES:
            self.expired_wanted.emit()
        elif kind is SuggestionKind.FAILED_FILES:
            self.files_wanted.emit()
