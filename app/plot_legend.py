"""The legend of a chart: a swatch and a name, as plain text, for each series; pressing one hides or shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QIcon, QPainter, QPainterPath, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from app.flow_layout import FlowLayout
from app.i18n import Language
from app.tool_tips import plain_tip

_NARROWEST = 40
_LONGEST = 260  # pixels of a name at the usual size; the rest is in the tool tip


@dataclass(frozen=True, slots=True)
class Entry:
    """A series in the legend. With a `mark` (a path about one unit wide) it is a line, else a bar; `hollow`: a bar
    that is only framed."""

    name: str
    colour: QColor
    mark: QPainterPath | None = None
    style: Qt.PenStyle = Qt.PenStyle.SolidLine
    hollow: bool = False


class Legend(QWidget):
    """Names in the order of the chart. `toggled`: another selection is hidden now."""

    toggled = Signal()

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._entries: tuple[Entry, ...] = ()
        self._shown: tuple[tuple[Entry, ...], str, int] | None = None
        self._hidden: set[str] = set()
        self._buttons: list[QToolButton] = []
        self._flow = FlowLayout(self, 4)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._add_button(0)  # made with the chart: it holds the legend's place in the order of Tab
        self.hide()

    @property
    def hidden(self) -> frozenset[str]:
        """Names that are not drawn. They stay hidden when data comes again."""
        return frozenset(self._hidden)

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show these; buttons are kept and named anew, so that nothing flickers and the focus stays."""
        shown = (tuple(entries), self._language.code, self.fontMetrics().height())
        if shown == self._shown:
            return
        self._shown = shown
        self._entries = tuple(entries)
        while len(self._buttons) < len(entries):
            self._add_button(len(self._buttons))
        for number, button in enumerate(self._buttons):
            button.setVisible(number < len(entries))
        for button, entry in zip(self._buttons, entries, strict=False):
            self._dress(button, entry)
        self.setVisible(bool(entries))
        self.updateGeometry()

    def _add_button(self, number: int) -> None:
        button = QToolButton(self)
        button.setProperty("legend", True)
        button.setMinimumWidth(_NARROWEST)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.clicked.connect(lambda: self._toggle(number))
        if self._buttons:
            QWidget.setTabOrder(self._buttons[-1], button)
        self._buttons.append(button)
        self._flow.addWidget(button)

    def _dress(self, button: QToolButton, entry: Entry) -> None:
        metrics = button.fontMetrics()
        side = metrics.height()
        widest = max(_NARROWEST, min(_LONGEST * side // 18, self.width() - 3 * side))
        shown = metrics.elidedText(" ".join(entry.name.split()), Qt.TextElideMode.ElideMiddle, widest)
        button.setText(shown.replace("&", "&&"))  # a lone one would underline a letter
        is_hidden = entry.name in self._hidden
        button.setIconSize(QSize(side if entry.mark is None else side * 3 // 2, side))
        button.setIcon(swatch(entry, button.iconSize(), self.devicePixelRatioF(), faint=is_hidden))
        font = QFont()  # says nothing but this, so that all else still comes from the window
        font.setStrikeOut(is_hidden)
        button.setFont(font)
        told = self._language("plot.hidden" if is_hidden else "plot.shown", name=entry.name)
        button.setAccessibleName(told)
        button.setToolTip(plain_tip(told))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names are cut to the width there is."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            for button, entry in zip(self._buttons, self._entries, strict=False):
                self._dress(button, entry)

    def _toggle(self, number: int) -> None:
        name = self._entries[number].name
        self._hidden ^= {name}
        self._dress(self._buttons[number], self._entries[number])
        self.toggled.emit()


def swatch(entry: Entry, size: QSize, ratio: float, *, faint: bool = False) -> QIcon:
    """A short line with its mark, or a small bar."""
    pixels = QPixmap(size * ratio)
    pixels.setDevicePixelRatio(ratio)
    pixels.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixels)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if faint:
        painter.setOpacity(0.35)
    box = QRectF(0, 0, size.width(), size.height())
    if entry.mark is None:
        side = box.height() * 0.62
        square = QRectF(box.center().x() - side / 2, box.center().y() - side / 2, side, side)
        painter.setPen(QPen(entry.colour, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush if entry.hollow else entry.colour)
        painter.drawRect(square.adjusted(0.75, 0.75, -0.75, -0.75))
    else:
        middle = box.center().y()
        painter.setPen(QPen(entry.colour, 1.5, entry.style))
        painter.drawLine(QPointF(box.left() + 1, middle), QPointF(box.right() - 1, middle))
        painter.translate(box.center())
        painter.scale(box.height() * 0.5, box.height() * 0.5)
        painter.fillPath(entry.mark, entry.colour)
        pen = QPen(entry.colour, 1.5)
        pen.setCosmetic(True)
        painter.strokePath(entry.mark, pen)
    painter.end()
    return QIcon(pixels)
