"""suggestionLine: the query as it was perhaps meant, one click away. It is never searched by itself."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.i18n import Language
from app.tool_tips import plain_tip

KEYS = "Alt+Return"


class SuggestionLine(QFrame):
    """Hidden without a suggestion. `wanted(query)`: the person meant that."""

    wanted = Signal(str)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("suggestionLine")
        self._language = language
        self._query = ""
        self.words = QLabel()
        self.link = QPushButton()
        self.link.setObjectName("suggestionButton")
        self.link.setProperty("link", True)
        self.link.setCursor(Qt.CursorShape.PointingHandCursor)
        self.link.clicked.connect(self._take)
        self.shortcut = QShortcut(QKeySequence(KEYS), self, self._take)
        self.shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(4)
        row.addWidget(self.words)
        row.addWidget(self.link)
        row.addStretch(1)
        language.changed.connect(self._retranslate)
        self.offer(None)

    @property
    def query(self) -> str:
        """What is suggested, "" without a suggestion."""
        return self._query

    def offer(self, query: str | None) -> None:
        """Show a suggestion, or none."""
        self._query = query or ""
        self.setVisible(bool(self._query))
        self.shortcut.setEnabled(bool(self._query))
        self._retranslate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A long suggestion ends in "…" before the edge."""
        super().resizeEvent(event)
        self._show_query()

    def _take(self) -> None:
        if self._query:
            self.wanted.emit(self._query)

    # ---------------------------------------------------------------- words
    def _show_query(self) -> None:
        taken = self.words.sizeHint().width() + 48
        room = max(80, self.width() - taken)
        line = " ".join(self._query.split())
        shown = self.link.fontMetrics().elidedText(line, Qt.TextElideMode.ElideRight, room)
        self.link.setText(shown.replace("&", "&&"))  # letters, no key of the button

    def _retranslate(self) -> None:
        say = self._language
        keys = QKeySequence(KEYS).toString(QKeySequence.SequenceFormat.NativeText)
        self.words.setText(say("suggest.line"))
        self.setAccessibleName(f"{say('suggest.line')} {self._query}".strip())
        self.link.setAccessibleName(say("suggest.name", query=self._query))
        self.link.setToolTip(plain_tip(f"{self._query}\n{say('suggest.tip', keys=keys)}") if self._query else "")
        self._show_query()
