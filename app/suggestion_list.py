"""suggestionList: what could be done, most urgent first; each leads to its instance, question or article."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.alert_list import FittingList
from app.figure_card import FigureCard
from app.i18n import Language
from core.figures import Suggestion, SuggestionKind

_DOING = {
    SuggestionKind.SLOW_AGENT: "monitor.do_agent",
    SuggestionKind.FAILING_AGENT: "monitor.do_agent",
    SuggestionKind.WRITE_ARTICLE: "monitor.write_article",
    SuggestionKind.BADGE_LIES: "monitor.do_badges",
    SuggestionKind.REVIEW_ARTICLE: "monitor.do_article",
    SuggestionKind.EXPIRED_ARTICLES: "monitor.do_expired",
    SuggestionKind.FAILED_FILES: "monitor.do_files",
    SuggestionKind.OUTAGE: "monitor.show_lookups",
}


class SuggestionCard(FigureCard):
    """`chosen(Suggestion)`: what it leads to is wanted. The sentences are the engine's, in its language."""

    chosen = Signal(object)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        self._suggestions: Sequence[Suggestion] = ()
        self.list = FittingList(self._key)
        self.list.setObjectName("suggestionList")
        self.act = QPushButton()
        super().__init__(
            language,
            self.list,
            title="monitor.suggestions",
            tip="monitor.suggestions_counts",
            empty="monitor.suggestions_none",
            layer=None,
            parent=parent,
        )
        self.act.setObjectName("followSuggestion")
        self.act.setAutoDefault(False)
        self.foot.addWidget(self.act)
        self.foot.addStretch(1)
        self.act.clicked.connect(self._choose)
        self.list.itemDoubleClicked.connect(lambda _: self._choose())
        self.list.currentRowChanged.connect(self._current_changed)
        language.changed.connect(self._redraw)
        self._redraw()

    def show_suggestions(self, suggestions: Sequence[Suggestion]) -> None:
        """In the order they come."""
        self._suggestions = suggestions
        self._redraw()

    @property
    def current(self) -> Suggestion | None:
        """The one that the button acts on."""
        row = self.list.currentRow()
        return self._suggestions[row] if 0 <= row < len(self._suggestions) else None

    def _redraw(self) -> None:
        say = self._language
        self.list.fill(
            [
                (
                    f"{told.kind}:{told.agent or told.query or told.doc_key}",
                    told.title,
                    "",  # nothing beside the title: it ends in its number and what to do
                    f"{self._urgency(told)} · {told.detail}",
                )
                for told in self._suggestions
            ]
        )
        self.show_body(shown=bool(self._suggestions))
        self.list.setAccessibleDescription(say("monitor.suggestion_keys"))
        self.act.setVisible(bool(self._suggestions))
        self._current_changed()

    def _urgency(self, told: Suggestion) -> str:
        return self._language("monitor.priority", priority=told.priority)

    def _current_changed(self) -> None:
        told = self.current
        if told is not None:
            self.act.setText(self._language(_DOING[told.kind]))
            self.act.setAccessibleName(f"{self.act.text()}: {told.title}")

    def _key(self, key: Qt.Key) -> bool:
        if key not in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}:
            return False
        self._choose()
        return True

    def _choose(self) -> None:
        if self.current is not None:
            self.chosen.emit(self.current)
