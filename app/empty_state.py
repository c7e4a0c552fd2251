"""What stands where nothing is yet: a title and a line that says what to do."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from app.i18n import Language


class EmptyState(QWidget):
    """Two centred lines in words that follow the language."""

    def __init__(self, language: Language, title: str, body: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._names = (title, body)
        self._title, self._body = QLabel(), QLabel()
        font = self._title.font()
        font.setPointSizeF(font.pointSizeF() + 3)
        font.setBold(True)
        self._title.setFont(font)
        self._body.setProperty("role", "faint")
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 32, 32, 32)
        column.setSpacing(8)
        column.addStretch(2)
        for label in (self._title, self._body):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setWordWrap(True)
            column.addWidget(label)
        column.addStretch(3)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def say(self, title: str, body: str) -> None:
        """Other words."""
        self._names = (title, body)
        self._retranslate()

    def set_silent(self, silent: bool) -> None:
        """Show nothing at all."""
        for label in (self._title, self._body):
            label.setVisible(not silent)

    def _retranslate(self) -> None:
        self._title.setText(self._language(self._names[0]))
        self._body.setText(self._language(self._names[1]))
        self.setAccessibleName(self._title.text())
        self.setAccessibleDescription(self._body.text())
