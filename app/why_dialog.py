"""whyDialog: why an article is among the results and why it has its level; sentences first, figures below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.badge import RelevanceBadge
from app.hint import NOT_FOUND
from app.i18n import Language, local_day_and_time
from app.why_text import as_text, figures, own_level, parts, reason, verdict_line
from core.explanation import Explanation
from core.model import Hit

_SELECTABLE = Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard


class WhyDialog(QDialog):
    """`hit` is the result as the list shows it. Follows the language while it is open; its text can be selected, and
    all of it copied at once."""

    def __init__(self, why: Explanation, hit: Hit, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("whyDialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._why, self._hit, self._language = why, hit, language
        self._inside = QScrollArea()
        self._inside.setObjectName("whyText")
        self._inside.setWidgetResizable(True)
        self._inside.setFrameShape(QFrame.Shape.NoFrame)
        self._inside.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.copy, self.shut = QPushButton(), QPushButton()
        self.copy.setObjectName("copyWhyButton")
        self.shut.setObjectName("closeWhyButton")
        self.shut.setDefault(True)
        buttons = QDialogButtonBox()
        buttons.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.shut, QDialogButtonBox.ButtonRole.RejectRole)
        self.copy.clicked.connect(lambda: QApplication.clipboard().setText(self.text()))
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(self._inside, 1)
        column.addWidget(buttons)
        language.changed.connect(self._retranslate)
        self._retranslate()
        self.resize(640, 560)

    def text(self) -> str:
        """All that it says."""
        return as_text(self._why, self._language, held=_held(self._hit, self._language))

    # ---------------------------------------------------------------- words
    def _retranslate(self) -> None:
        say, why = self._language, self._why
        self.setWindowTitle(say("why.title"))
        self.setAccessibleName(say("why.title"))
        self.setAccessibleDescription(verdict_line(why, say))
        self._inside.setAccessibleName(say("why.title"))
        for button, name in ((self.copy, "why.copy"), (self.shut, "why.close")):
            button.setText(say(name))
            button.setAccessibleName(say(name))
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(6)
        title = _label(why.title or say("search.untitled"), "title")
        font = title.font()
        font.setPointSizeF(font.pointSizeF() + 3)
        title.setFont(font)
        column.addWidget(title)
        column.addWidget(_label(f"{say('why.place', place=f'{why.place:,}')}  ·  {why.doc_key}", "faint"))
        column.addSpacing(4)
        column.addLayout(self._verdict())
        for part in parts(why, say, held=_held(self._hit, self._language)):
            column.addSpacing(8)
            column.addWidget(_label(part.heading, "section"))
            for line in part.lines:
                column.addWidget(_label(line))
        column.addSpacing(8)
        column.addWidget(_label(say("why.figures"), "section"))
        column.addLayout(self._figures())
        column.addStretch(1)
        self._inside.setWidget(page)

    def _verdict(self) -> QHBoxLayout:
        say, level = self._language, self._why.level
        badge = RelevanceBadge()
        badge.setObjectName("whyBadge")
        name = own_level(self._why, say)
        badge.show_level(level.value if level is not None else NOT_FOUND, name, name)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(badge, 0, Qt.AlignmentFlag.AlignTop)
        told = reason(self._why.because, say)
        row.addWidget(_label(told[:1].upper() + told[1:]), 1)
        return row

    def _figures(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(figures(self._why, self._language)):
            called = _label(name, "faint")
            called.setWordWrap(False)
            grid.addWidget(called, row, 0)
            grid.addWidget(_label(value), row, 1)
        return grid


def _label(text: str, role: str = "") -> QLabel:
    """Plain text that can be selected."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(_SELECTABLE)
    label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if role:
        label.setProperty("role", role)
    return label


def _held(hit: Hit, say: Language) -> str:
    """When and by which query the session read it; "" when it did not."""
    if not hit.held_at:
        return ""
    values = {"time": local_day_and_time(hit.held_at)}
    if not hit.held_query:
        return say("why.held_short", **values)
    return say("why.held", query=hit.held_query, **values)
