"""A figure by itself: what it is, how much, and what it is of; it may lead to the lookups behind it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.figure_text import of_text, rate_text
from app.i18n import Language
from app.tool_tips import plain_tip
from core.figures import Rate


class FigureTile(QPushButton):
    """`caption` and `tip` are names of words. One that `leads` is a button; another cannot be pressed or focused."""

    def __init__(
        self,
        language: Language,
        name: str,
        caption: str,
        tip: str,
        *,
        leads: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("tile", True)
        self.setProperty("leads", leads)
        self._language, self._names, self._leads = language, (caption, tip), leads
        self._caption, self._value, self._note = (QLabel(self) for _ in range(3))
        self._caption.setProperty("role", "faint")
        self._note.setProperty("role", "faint")
        font = self._value.font()
        font.setPointSizeF(font.pointSizeF() * 1.6)
        font.setBold(True)
        self._value.setFont(font)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 12, 12)
        column.setSpacing(4)
        for label in (self._caption, self._value, self._note):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            column.addWidget(label)
        column.addStretch(1)
        self._caption.setWordWrap(True)
        self._note.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        if leads:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAutoDefault(leads)
        language.changed.connect(self._retranslate)
        self.show_text("–", "")

    def show_rate(self, rate: Rate) -> None:
        """A share with its n; below twenty, that there are too few."""
        self.show_text(rate_text(rate, self._language), of_text(rate, self._language))

    def show_text(self, value: str, note: str = "") -> None:
        """A figure, and a line below it."""
        self._value.setText(value)
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self._retranslate()

    @property
    def value(self) -> str:
        """What stands there."""
        return self._value.text()

    @property
    def note(self) -> str:
        """What stands below it."""
        return self._note.text()

    def _retranslate(self) -> None:
        caption, tip = (self._language(name) for name in self._names)
        self._caption.setText(caption)
        told = ", ".join(text for text in (self._value.text(), self._note.text()) if text)
        self.setAccessibleName(f"{caption}: {told}")
        self.setAccessibleDescription(tip)
        self.setToolTip(plain_tip(tip))
        self.updateGeometry()

    def nextCheckState(self) -> None:
        """One that leads nowhere is no button at all."""

    def hasHeightForWidth(self) -> bool:
        """Its words may need two lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """As its words need."""
        return self._column.heightForWidth(width)

    def sizeHint(self) -> QSize:
        """As its words need, not as an empty button would."""
        return self._column.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Never cut."""
        return self._column.minimumSize()
