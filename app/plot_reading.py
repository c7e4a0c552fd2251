"""The read-out of a chart: a small box beside the crosshair, over the plot only, whatever is read out."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QMargins, QPoint, QRect, Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.i18n import Language
from app.plot_canvas import Canvas

_MARGIN, _ASIDE = 6, 12  # pixels: inside the box, from the crosshair
_MOST = 8  # lines below the heading
_AROUND = QMargins(4, 4, 4, 4)


@dataclass(frozen=True, slots=True)
class Reading:
    """What stands at one place: `x` where the crosshair goes, `stop` where the keyboard goes on from (mostly the same),
    a heading, and a line for each series, those that matter most first: not all may fit."""

    x: float
    stop: float
    heading: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join((self.heading, *self.lines))


class ReadOut(QLabel):
    """Hidden until something is read out. It covers neither title nor legend, and stays inside what is seen of the
    plot: lines that do not fit are counted."""

    def __init__(self, language: Language, canvas: Canvas, chart: QWidget) -> None:
        super().__init__(chart)
        self._language, self._canvas, self._chart = language, canvas, chart
        self.setObjectName("chartReading")
        self.setProperty("popup", True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setMargin(_MARGIN)
        self.hide()

    def show_reading(self, reading: Reading) -> None:
        """Show it beside its crosshair."""
        room = self._room()
        most = min(_MOST, max(2, (room.height() - 2 * _MARGIN - 2) // self.fontMetrics().lineSpacing() - 1))
        lines = reading.lines
        if len(lines) > most:
            lines = (*lines[: most - 1], self._language("plot.more", count=len(lines) - most + 1))
        widest = room.width() - 2 * _MARGIN - 2
        cut = Qt.TextElideMode.ElideMiddle
        self.setText("\n".join(self.fontMetrics().elidedText(line, cut, widest) for line in (reading.heading, *lines)))
        self.adjustSize()
        self._place(reading.x, room)
        self.show()
        self.raise_()

    def _room(self) -> QRect:
        """What is seen of the plot, in the chart's pixels."""
        plot: QWidget = self._canvas.widget
        seen, around = plot.rect(), plot.parentWidget()
        while around is not None:  # a page that scrolls shows a part of it
            seen &= around.rect().translated(-plot.mapTo(around, QPoint()))
            around = None if around.isWindow() else around.parentWidget()
        return seen.translated(plot.mapTo(self._chart, QPoint())).marginsRemoved(_AROUND)

    def _place(self, x: float, room: QRect) -> None:
        """On the side of the crosshair where there is more room."""
        left, right, _, _ = self._canvas.ranges()
        plane = self._canvas.plane_rect()
        share = (x - left) / (right - left) if right > left else 0.0
        line = self._canvas.widget.mapTo(self._chart, QPoint(int(plane.left() + share * plane.width()), 0)).x()
        across = line + _ASIDE if share < 0.5 else line - _ASIDE - self.width()
        self.move(max(room.left(), min(across, room.right() + 1 - self.width())), room.top())
