"""Service, the sub-page a supervisor opens every morning: how well people were served, and what to write or mend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.desks_card import DesksCard
from app.even_grid import EvenRow, lines
from app.export_button import ExportButton
from app.figure_card import FigureCard
from app.figure_table import Column, FigureTable
from app.figure_text import NONE, count_text, share_text, short_moment_text
from app.figure_tile import FigureTile
from app.i18n import Language
from app.monitor_feed import Figures, Question
from app.plot_data import BarLayer, ChartWords
from app.plots import StackedBars
from app.reading_order import follow_layouts
from core.figures import ENOUGH, ArticleConcern, Concern, Layer, Selection, ServiceFigures, Unanswered
from core.report import LevelShare

_CONCERNS = {
    Concern.FLAGGED: "monitor.flagged",
    Concern.EXPIRED: "monitor.expired",
    Concern.NEVER_SHOWN: "monitor.never_shown",
}
_HONEST = ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE")
_HITS = ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE", "DEDUPED")
TILE, CARD = 6.5, 26.0  # least widths, in heights of a line


class ServiceView(QWidget):
    """`behind(Question)`: the lookups behind a number are wanted; `note_wanted(query)`; `article_wanted(doc_key)`."""

    behind = Signal(object)
    note_wanted = Signal(str)
    article_wanted = Signal(str)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("servicePage")
        self._language = language
        self._figures: Figures | None = None
        tiles = EvenRow(self, least=lines(self, TILE), most=7, spacing=8)
        upper, lower = (EvenRow(self, least=lines(self, CARD), most=2) for _ in range(2))
        self._make_tiles(tiles)
        words = ChartWords("monitor.timeline", "monitor.timeline_counts", Layer.REQUEST, "monitor.no_lookups")
        self.timeline = StackedBars(language, "lookupsPlot", words)
        self._make_tables(upper, lower)
        self.desks = DesksCard(language, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(16)
        tiles.fill(self._tiles)
        upper.fill((self.unanswered_card, self.timeline))
        lower.fill((self.concerns_card, self.honesty_card))
        for part in (tiles, upper, lower, self.desks):
            column.addWidget(part)
        column.addStretch(1)
        follow_layouts(self)
        language.changed.connect(self._redraw)

    def _make_tiles(self, row: QWidget) -> None:
        def tile(name: str, caption: str, tip: str, *, leads: bool = False) -> FigureTile:
            return FigureTile(self._language, name, caption, tip, leads=leads, parent=row)

        self.lookups = tile("lookupsTile", "monitor.lookups", "monitor.lookups_counts", leads=True)
        self.sessions = tile("sessionsTile", "monitor.sessions", "monitor.sessions_counts", leads=True)
        self.answered = tile("answeredTile", "monitor.answered", "monitor.answered_counts", leads=True)
        self.without = tile("withoutResultTile", "monitor.without_result", "monitor.without_result_counts", leads=True)
        self.adopted = tile("adoptedTile", "monitor.adopted", "monitor.adopted_counts", leads=True)
        self.each = tile("lookupsPerSessionTile", "monitor.per_session", "monitor.per_session_counts", leads=True)
        self.repeated = tile("repeatedTile", "monitor.repeated", "monitor.repeated_counts", leads=True)
        self._tiles = (
            *(self.lookups, self.sessions, self.answered, self.without),
            *(self.adopted, self.each, self.repeated),
        )
        for counted in (self.lookups, self.sessions, self.each):
            counted.clicked.connect(lambda: self._ask("monitor.all_lookups"))
        self.answered.clicked.connect(lambda: self._ask("monitor.degraded_lookups", outcome="degraded"))
        self.without.clicked.connect(lambda: self._ask("monitor.lookups_without", outcome="not_found"))
        self.adopted.clicked.connect(lambda: self._ask("monitor.lookups_adopted", adopted=True))
        self.repeated.clicked.connect(lambda: self._ask("monitor.lookups_repeated", repeated=True))

    def _make_tables(self, upper: QWidget, lower: QWidget) -> None:
        say = self._language
        self.unanswered = FigureTable(say, _unanswered_columns(say), lambda row: row.key, parent=upper)
        self.unanswered.setObjectName("unansweredTable")
        self.unanswered.led.connect(self._unanswered_led)
        self.concerns = FigureTable(
            say, _concern_columns(say), lambda row: f"{row.concern}:{row.doc_key}", parent=lower
        )
        self.concerns.setObjectName("concernTable")
        self.concerns.led.connect(lambda row, _: self.article_wanted.emit(row.doc_key))
        self.honesty = FigureTable(say, _honesty_columns(say), lambda row: row[0], sortable=False, parent=lower)
        self.honesty.setObjectName("honestyTable")
        self.honesty.led.connect(self._level_led)
        for table in (self.unanswered, self.concerns, self.honesty):
            table.show_all_rows(10)
        self.unanswered_card = self._card(
            self.unanswered,
            title="monitor.unanswered",
            tip="monitor.unanswered_counts",
            empty="monitor.unanswered_none",
            layer=Layer.REQUEST,
        )
        self.concerns_card = self._card(
            self.concerns,
            title="monitor.concerns",
            tip="monitor.concerns_counts",
            empty="monitor.concerns_none",
            layer=None,
        )
        self.honesty_card = self._card(
            self.honesty,
            title="monitor.honesty",
            tip="monitor.honesty_counts",
            empty="monitor.honesty_none",
            layer=Layer.REQUEST,
        )

    def _card(self, table: FigureTable, *, title: str, tip: str, empty: str, layer: Layer | None) -> FigureCard:
        say, row = self._language, table.parentWidget()
        export = ExportButton(say, table, title, row)
        return FigureCard(say, table, title=title, tip=tip, empty=empty, layer=layer, export=export, parent=row)

    # ---------------------------------------------------------------- showing
    def show_figures(self, figures: Figures) -> None:
        """New figures in the places of the old."""
        self._figures = figures
        self._redraw()

    def _redraw(self) -> None:
        if self._figures is None or self._figures.service is None:
            return
        told = self._figures.service
        self._show_tiles(told)
        self._show_timeline(told, self._figures.span.edges)
        self.unanswered.show_rows(told.unanswered)
        self.unanswered_card.show_body(shown=bool(told.unanswered))
        self.concerns.show_rows(told.concerns)
        self.concerns_card.show_body(shown=bool(told.concerns))
        counts = [(word, told.concern_counts.get(concern, 0)) for concern, word in _CONCERNS.items()]
        self.concerns_card.say(
            " · ".join(f"{self._language(word)} {count_text(count)}" for word, count in counts if count)
        )
        rows = [(level, told.honesty[level]) for level in _HONEST if level in told.honesty]
        self.honesty.show_rows(rows)
        self.honesty_card.show_body(shown=any(share.count for _, share in rows))

    def _show_tiles(self, told: ServiceFigures) -> None:
        self.lookups.show_text(count_text(told.lookups))
        self.sessions.show_text(count_text(told.sessions))
        for tile, rate in (
            (self.answered, told.answered),
            (self.without, told.without_result),
            (self.adopted, told.adopted),
            (self.repeated, told.repeated),
        ):
            tile.show_rate(rate)
        each = told.lookups_per_session
        self.each.show_text(
            NONE if each is None else f"{each:.2f}",
            self._language("monitor.of_sessions", count=count_text(told.sessions)),
        )

    def _show_timeline(self, told: ServiceFigures, edges: Sequence[datetime]) -> None:
        say, buckets = self._language, told.timeline
        counts: Mapping[str, list[int]] = {
            "monitor.with_result": [sum(bucket.levels.get(level, 0) for level in _HITS) for bucket in buckets],
            "monitor.without": [bucket.levels.get("none", 0) for bucket in buckets],
            "monitor.degraded": [bucket.levels.get("degraded", 0) for bucket in buckets],
        }
        colours = ("HIGHLY_RELEVANT", "NOT_FOUND", "DEGRADED")
        layers = [
            BarLayer(say(name), tuple(values), colour)
            for (name, values), colour in zip(counts.items(), colours, strict=True)
        ]
        self.timeline.set_bars(edges, layers, n=told.lookups, degraded=told.degraded)

    # ---------------------------------------------------------------- asking
    def _selection(self) -> Selection:
        return self._figures.view.selection if self._figures is not None else Selection()

    def _ask(self, title: str, outcome: str | None = None, *, adopted: bool = False, repeated: bool = False) -> None:
        def words() -> str:
            return self._language(title)

        self.behind.emit(Question(words, self._selection(), outcome=outcome, adopted=adopted, repeated=repeated))

    def _unanswered_led(self, row: Unanswered, leads: str) -> None:
        if leads == "note":
            self.note_wanted.emit(row.query)
            return
        say = self._language
        self.behind.emit(
            Question(
                lambda: say("monitor.lookups_of", query=row.query),
                self._selection(),
                outcome="not_found",
                query_key=row.key,
            )
        )

    def _level_led(self, row: tuple[str, LevelShare], _: str) -> None:
        say, level = self._language, row[0]
        self.behind.emit(
            Question(
                lambda: say("monitor.lookups_of_level", level=say(f"level.{level}")), self._selection(), level=level
            )
        )


def _unanswered_columns(say: Language) -> list[Column]:
    return [
        Column("monitor.question", lambda row: row.query, leads="lookups"),
        Column("monitor.times", lambda row: count_text(row.count), lambda row: row.count, number=True, leads="lookups"),
        Column("monitor.sessions", lambda row: count_text(row.sessions), lambda row: row.sessions, number=True),
        Column("monitor.last", lambda row: short_moment_text(row.last_at), lambda row: row.last_at),
        Column("monitor.act", lambda _: say("monitor.write_article"), leads="note"),
    ]


def _concern_columns(say: Language) -> list[Column]:
    def votes(row: ArticleConcern) -> str:
        return count_text(row.count) if row.concern is Concern.FLAGGED else NONE

    return [
        Column("monitor.article", lambda row: row.title or row.doc_key, leads="article"),
        Column("monitor.why", lambda row: say(_CONCERNS[row.concern])),
        Column("monitor.votes_against", votes, lambda row: row.count, number=True),
    ]


def _honesty_columns(say: Language) -> list[Column]:
    def share(row: tuple[str, LevelShare]) -> float | None:
        return row[1].share if row[1].count >= ENOUGH else None

    def right(row: tuple[str, LevelShare]) -> str:
        return say("figure.too_few") if 0 < row[1].count < ENOUGH else share_text(share(row))

    def interval(row: tuple[str, LevelShare]) -> str:
        low, high = row[1].wilson_low, row[1].wilson_high
        if low is None or high is None:
            return NONE
        return say("monitor.interval_of", low=share_text(low), high=share_text(high))

    return [
        Column("monitor.level", lambda row: say(f"level.{row[0]}"), leads="lookups"),
        Column("monitor.right", right, share, number=True, unit="share"),
        Column("monitor.voted", lambda row: count_text(row[1].count), lambda row: row[1].count, number=True),
        Column("monitor.interval", interval, number=True),
    ]
