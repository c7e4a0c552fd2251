"""nearCodes: the codes that the base holds beside one that it does not, each with the characters that differ marked."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.flow_layout import FlowRow
from app.i18n import Language
from app.theme import level_colours, monospace_families
from app.tool_tips import plain_tip
from core.model import Answer, NearCode, Span

_TITLE_WIDTH = 18  # characters as wide as an M


class NearCodeButton(QPushButton):
    """A held code, its differing characters bold, underlined and coloured, and the title of its article."""

    def __init__(self, near: NearCode, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.near = near
        self.setProperty("near", True)
        self._code, self._title = QLabel(), QLabel()
        font = QFont(self.font())
        font.setFamilies(monospace_families())
        self._code.setFont(font)
        self._code.setTextFormat(Qt.TextFormat.RichText)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._inside = row = QHBoxLayout(self)
        row.setContentsMargins(10, 4, 10, 4)
        row.setSpacing(8)
        row.addWidget(self._code)
        row.addWidget(self._title, 1)
        for label in (self._code, self._title):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._draw()

    def _draw(self) -> None:
        letters, _ = level_colours("REFERENCE", self.palette())
        marked = f'<span style="color:{letters.name()};font-weight:700;text-decoration:underline">'
        self._code.setText(
            "".join(
                f"{marked}{escape(piece)}</span>" if differs else escape(piece)
                for piece, differs in pieces(self.near.code, self.near.differing)
            )
        )
        metrics = self._title.fontMetrics()
        room = metrics.horizontalAdvance("M") * _TITLE_WIDTH
        self._title.setText(metrics.elidedText(self.near.title, Qt.TextElideMode.ElideRight, room))

    def changeEvent(self, event: QEvent) -> None:
        """Other colours, another font: drawn again."""
        super().changeEvent(event)
        if event.type() in {QEvent.Type.PaletteChange, QEvent.Type.FontChange} and hasattr(self, "_inside"):
            self._draw()

    def sizeHint(self) -> QSize:
        """What code and title need."""
        return self._inside.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """The code is never cut."""
        return QSize(self._code.sizeHint().width() + 20, self.sizeHint().height())


class NearCodes(QWidget):
    """Hidden where no code is near. `wanted(doc_key)`: open that code's article."""

    wanted = Signal(str)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("nearCodes")
        self._language = language
        self._near: tuple[NearCode, ...] = ()
        self.buttons: list[NearCodeButton] = []
        self.row = FlowRow()
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 0, 4, 0)
        column.addWidget(self.row)
        language.changed.connect(self._retranslate)
        self.offer(None)

    def offer(self, answer: Answer | None) -> None:
        """Show the codes near those of an answer that are not held; none without an answer."""
        near = answer.neighbours if answer is not None else ()
        if near != self._near:
            self._near = near
            self.buttons = [NearCodeButton(one, self.row) for one in near]
            for button in self.buttons:
                button.clicked.connect(lambda _=False, key=button.near.doc_key: self.wanted.emit(key))
            self.row.fill(self.buttons)
            self._retranslate()
        self.setVisible(bool(near))

    def _retranslate(self) -> None:
        say = self._language
        self.setAccessibleName(say("near.block"))
        for button in self.buttons:
            near = button.near
            values = {"code": near.code, "asked": near.asked, "title": near.title}
            differing = tuple(near.code[span.start : span.end] for span in near.differing)
            button.setAccessibleName(say("near.name", differing=differing, **values))
            button.setToolTip(plain_tip(say("near.tip", **values)))


def pieces(code: str, differing: tuple[Span, ...]) -> list[tuple[str, bool]]:
    """A code cut where it begins and ends to differ: (piece, whether it differs)."""
    found: list[tuple[str, bool]] = []
    at = 0
    for span in differing:
        found += [(code[at : span.start], False), (code[span.start : span.end], True)]
        at = span.end
    return [piece for piece in (*found, (code[at:], False)) if piece[0]]
