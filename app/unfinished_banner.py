"""unfinishedImport: says which import was cut off, and offers to go on with it or to say no more about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from app.i18n import Language
from core.report import UnfinishedImport


class UnfinishedBanner(QFrame):
    """Hidden while there is none. `go_on_wanted(paths, domain)`: those that were imported with the same domain as the
    first; `forget_wanted(paths)`: all of them, as they were told."""

    go_on_wanted = Signal(list, object)
    forget_wanted = Signal(list)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("unfinishedImport")
        self.setProperty("banner", True)
        self._language = language
        self._unfinished: Sequence[UnfinishedImport] = ()
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.go_on, self.forget = QPushButton(), QPushButton()
        self.go_on.setObjectName("continueImportButton")
        self.forget.setObjectName("forgetImportButton")
        self.forget.setProperty("link", True)
        self.go_on.clicked.connect(self._go_on)
        self.forget.clicked.connect(self._forget)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.addWidget(self.words, 1)
        row.addWidget(self.forget)
        row.addWidget(self.go_on)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def show_unfinished(self, unfinished: Sequence[UnfinishedImport]) -> None:
        """What was cut off; hidden when nothing was."""
        self._unfinished = unfinished
        self._retranslate()

    def set_busy(self, busy: bool) -> None:
        """One import at a time."""
        self.go_on.setEnabled(not busy)
        self.forget.setEnabled(not busy)

    def _go_on(self) -> None:
        domain = self._unfinished[0].domain
        paths = [Path(cut_off.path) for cut_off in self._unfinished if cut_off.domain == domain]
        self.go_on_wanted.emit(paths, domain)

    def _forget(self) -> None:
        self.forget_wanted.emit([cut_off.path for cut_off in self._unfinished])

    def _retranslate(self) -> None:
        say = self._language
        lines = [
            say("knowledge.unfinished", path=cut_off.path, articles=f"{cut_off.articles:,}")
            for cut_off in self._unfinished
        ]
        self.words.setText("\n".join(lines))
        self.setAccessibleName(self.words.text() or say("knowledge.report"))
        for button, name in ((self.go_on, "knowledge.go_on"), (self.forget, "knowledge.forget")):
            button.setText(say(name))
            button.setAccessibleName(say(name))
        self.setVisible(bool(self._unfinished))
