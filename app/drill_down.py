"""What is behind a number: its lookups in a list, and from there one session's time line. Esc goes back a step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from app.export_button import ExportButton
from app.figure_card import FigureCard
from app.figure_table import Column, FigureTable
from app.figure_text import NONE, count_text, duration_text, exact_moment_text
from app.i18n import Language
from app.monitor_feed import LIMIT
from core.figures import Layer, LoggedLookup, Moment

_OUTCOMES = {
    "not_found": "monitor.without",
    "degraded": "monitor.degraded",
    "deduped": "level.DEDUPED",
}
_LEVELS = {
    "PRECISE": "level.PRECISE",
    "HIGHLY_RELEVANT": "level.HIGHLY_RELEVANT",
    "REFERENCE": "level.REFERENCE",
    "DEDUPED": "level.DEDUPED",
}
_NOTES = {
    "doc_retrieved": "monitor.doc_retrieved",
    "domain_retrieved": "monitor.domain_retrieved",
    "timeout": "monitor.because_timeout",
    "circuit_open": "monitor.because_circuit_open",
    "error": "monitor.because_error",
}
_TRIGGERS = {
    "enter": "monitor.by_enter",
    "open": "monitor.by_open",
    "copy": "monitor.by_copy",
    "vote": "monitor.by_vote",
    "settle": "monitor.by_settle",
    "cli": "monitor.by_cli",
    "mcp": "monitor.by_mcp",
}
_KINDS = {
    "opened": "monitor.kind_opened",
    "copied": "monitor.kind_copied",
    "voted": "monitor.kind_voted",
    "closed": "monitor.kind_closed",
    "noted": "monitor.kind_noted",
}
_VOTES = {2: "vote.right", 1: "vote.useful", -1: "vote.not_useful", 0: "vote.undo"}


class DrillDown(QWidget):
    """`session_wanted(session_id)`, `article_wanted(doc_key)`; `closed`: back to the figures."""

    session_wanted = Signal(str)
    article_wanted = Signal(str)
    closed = Signal()

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("drillDown")
        self._language = language
        self._title: Callable[[], str] = str
        self._where: Callable[[], str] = str
        self._lookups: Sequence[LoggedLookup] = ()
        self._session = ""
        self._domains: Mapping[str, str] = {}
        self.back = QPushButton()
        self.back.setObjectName("drillBack")
        self.back.setProperty("flat", True)
        self.back.setAutoDefault(False)
        self.back.clicked.connect(self.step_back)
        self._head, self._below = QLabel(), QLabel()
        self._head.setProperty("role", "title")
        self._below.setProperty("role", "faint")
        for label in (self._head, self._below):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.lookups = FigureTable(language, self._lookup_columns(), lambda row: str(row.id), wide=1)
        self.lookups.setObjectName("lookupTable")
        self.lookups.led.connect(lambda row, _: self.session_wanted.emit(row.session_id))
        self.moments = FigureTable(language, self._moment_columns(), _moment_key, sortable=False, wide=2)
        self.moments.setObjectName("timelineTable")
        self.moments.led.connect(self._moment_led)
        self._stack = QStackedWidget()
        self._cards = (
            self._card(self.lookups, "monitor.lookup_list", "monitor.lookup_list_counts", "monitor.lookup_list_none"),
            self._card(
                self.moments, "monitor.session_line", "monitor.session_line_counts", "monitor.session_line_none"
            ),
        )
        for card in self._cards:
            self._stack.addWidget(card)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.back, 0, Qt.AlignmentFlag.AlignTop)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self._head)
        texts.addWidget(self._below)
        row.addLayout(texts, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self._stack, 1)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def _card(self, table: FigureTable, title: str, tip: str, empty: str) -> FigureCard:
        export = ExportButton(self._language, table, title)
        return FigureCard(
            self._language, table, title=title, tip=tip, empty=empty, layer=Layer.REQUEST, export=export, fills=True
        )

    def set_domain_names(self, names: Mapping[str, str]) -> None:
        """Display names of domains."""
        self._domains = names
        self.lookups.figures.redraw()

    # ---------------------------------------------------------------- showing
    def show_lookups(
        self, title: Callable[[], str], where: Callable[[], str], lookups: Sequence[LoggedLookup], *, slowest: bool
    ) -> None:
        """The lookups behind a number. `title`, `where`: make the words for the number, and for time and selection."""
        self._title, self._where, self._lookups = title, where, lookups
        if slowest:
            self.lookups.sortByColumn(len(self.lookups.figures.columns) - 1, Qt.SortOrder.DescendingOrder)
        else:
            self.lookups.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.lookups.show_rows(lookups)
        self._cards[0].show_body(shown=bool(lookups))
        self._show(0)

    def show_session(self, session_id: str, moments: Sequence[Moment]) -> None:
        """One session, oldest first."""
        self._session = session_id
        self.moments.show_rows(moments)
        self._cards[1].show_body(shown=bool(moments))
        self._show(1)

    def step_back(self) -> None:
        """From the session to the list, from the list to the figures."""
        if self._stack.currentIndex() == 1:
            self._show(0)
        else:
            self.closed.emit()
            self.lookups.show_rows(())  # hundreds of rows that nobody sees would be kept up

    def _show(self, place: int) -> None:
        self._stack.setCurrentIndex(place)
        self._retranslate()
        table = (self.lookups, self.moments)[place]
        (table if table.figures.rowCount() else self.back).setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc, or Alt+Left, as everywhere."""
        left = event.key() == Qt.Key.Key_Left and event.modifiers() & Qt.KeyboardModifier.AltModifier
        if event.key() == Qt.Key.Key_Escape or left:
            self.step_back()
        else:
            super().keyPressEvent(event)

    def _retranslate(self) -> None:
        say = self._language
        session = self._stack.currentIndex() == 1
        self.back.setText(say("monitor.back_to_list" if session else "monitor.back"))
        self.back.setAccessibleName(self.back.text())
        if session:
            self._head.setText(say("monitor.session_of", session=self._session))
            self._below.setText(say("monitor.session_about"))
        else:
            self._head.setText(self._title())
            name = "monitor.listed_newest" if len(self._lookups) >= LIMIT else "monitor.listed"
            listed = say(name, count=count_text(len(self._lookups)))
            self._below.setText(" · ".join(part for part in (self._where(), listed) if part))

    # ---------------------------------------------------------------- columns
    def _moment_led(self, row: Moment, _: str) -> None:
        self.article_wanted.emit(row.doc_key)

    def _said(self, words: dict[str, str], key: str | None) -> str:
        return NONE if not key else self._language(words[key]) if key in words else key

    def _result(self, row: LoggedLookup) -> str:
        return self._said(_LEVELS, row.level) if row.level else self._said(_OUTCOMES, row.outcome)

    def _note(self, row: LoggedLookup) -> str:
        return self._said(_NOTES, row.dedup_reason or row.degraded_reason)

    def _lookup_columns(self) -> list[Column]:
        return [
            Column("monitor.at", lambda row: exact_moment_text(row.at), lambda row: row.at),
            Column("monitor.query", lambda row: row.query, leads="session"),
            Column("monitor.session", lambda row: row.session_id, leads="session"),
            Column("monitor.result", self._result),
            Column("monitor.note", self._note),
            Column("monitor.domain", lambda row: self._domains.get(row.domain, row.domain) or NONE),
            Column("monitor.agent", lambda row: row.agent or NONE),
            Column("monitor.how", lambda row: self._said(_TRIGGERS, row.trigger)),
            Column(
                *("monitor.took", lambda row: duration_text(row.duration_ms), lambda row: row.duration_ms),
                number=True,
                unit="ms",
            ),
        ]

    def _moment_columns(self) -> list[Column]:
        def what(row: Moment) -> str:
            if row.lookup is not None:
                return self._language("monitor.kind_lookup")
            if row.kind == "voted" and row.value in _VOTES:
                return self._language("monitor.kind_vote", vote=self._language(_VOTES[row.value]))
            return self._said(_KINDS, row.kind)

        def of_lookup(told: Callable[[LoggedLookup], str]) -> Callable[[Moment], str]:
            return lambda row: told(row.lookup) if row.lookup is not None else ""

        return [
            Column("monitor.at", lambda row: exact_moment_text(row.at)),
            Column("monitor.what", what),
            Column(
                "monitor.about",
                lambda row: row.lookup.query if row.lookup is not None else row.title or row.doc_key,
                leads="article",
                leads_if=lambda row: bool(row.doc_key),
            ),
            Column("monitor.result", of_lookup(self._result)),
            Column("monitor.note", of_lookup(self._note)),
            Column("monitor.agent", of_lookup(lambda row: row.agent or NONE)),
            Column("monitor.took", of_lookup(lambda row: duration_text(row.duration_ms)), number=True),
        ]


def _moment_key(row: Moment) -> str:
    return str(row.lookup.id) if row.lookup is not None else row.doc_key
