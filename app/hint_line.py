"""completenessHint: one sentence about the answer, as wide as its words; endless words are cut, and told in the tip."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.tool_tips import plain_tip

LONGEST = 40  # letters of a word; Chinese breaks anywhere
_ENDLESS = re.compile(rf"[^\s⺀-鿿＀-￯]{{{LONGEST + 1},}}")


class HintLine(QLabel):
    """It breaks into lines where the row is narrower, and never widens the window."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("completenessHint")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        policy = self.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Maximum)
        self.setSizePolicy(policy)

    def say(self, text: str) -> None:
        """Show it; whoever points at a cut word reads all of it."""
        shown = _ENDLESS.sub(lambda word: f"{word[0][: LONGEST // 2]}…{word[0][-LONGEST // 2 :]}", text)
        self.setText(shown)
        self.setToolTip(plain_tip(text) if shown != text else "")

    def sizeHint(self) -> QSize:
        """The whole sentence in one line."""
        width = self.fontMetrics().horizontalAdvance(self.text()) + 2 * self.margin() + 2
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """As narrow as need be."""
        return QSize(0, super().minimumSizeHint().height())
