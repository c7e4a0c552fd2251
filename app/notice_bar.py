"""A line above the page that says what just happened, perhaps with one thing to do about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from app.i18n import Language

STAYS_MS = 12_000


class NoticeBar(QFrame):
    """Hidden while there is nothing to say. Plain text only; told in words that follow the language."""

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noticeBar")
        self.setProperty("banner", True)
        self._language = language
        self._text: Callable[[], str] = str
        self._action_text: Callable[[], str] = str
        self._act: Callable[[], None] | None = None
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setWordWrap(True)
        self.button = QPushButton()
        self.button.setObjectName("noticeAction")
        self.button.setProperty("link", True)
        self.button.clicked.connect(self._acted)
        self.button.hide()
        self._close = QToolButton()
        self._close.setText("✕")
        self._close.setProperty("square", True)
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 4, 4)
        row.setSpacing(8)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        row.addWidget(self._close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(STAYS_MS)
        self._timer.timeout.connect(self.hide)
        language.changed.connect(self._retranslate)
        self._retranslate()
        self.hide()

    def say(
        self,
        text: Callable[[], str],
        *,
        action: Callable[[], str] | None = None,
        act: Callable[[], None] | None = None,
        stays: bool = False,
    ) -> None:
        """Show a text (given as what makes it, so that it can be said again in another language)."""
        self._text, self._act = text, act
        self._action_text = action or str
        self.button.setVisible(action is not None)
        self._retranslate()
        self.show()
        if stays:
            self._timer.stop()
        else:
            self._timer.start()

    def _acted(self) -> None:
        self.hide()
        if self._act is not None:
            self._act()

    def _retranslate(self) -> None:
        self.label.setText(self._text())
        self.button.setText(self._action_text())
        self.button.setAccessibleName(self._action_text())
        self.setAccessibleName(self._text())
        self._close.setAccessibleName(self._language("notice.dismiss"))
        self._close.setToolTip(self._language("notice.dismiss"))
