"""relevanceBadge: how good the answer is, told by colour, shape and word at once."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.theme import level_colours
from app.tool_tips import plain_tip


class RelevanceBadge(QLabel):
    """A pill with a shape and a word. Dynamic property `level`: a relevance level, NOT_FOUND, or "" (not shown)."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("relevanceBadge")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("level", "")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        font = self.font()
        font.setBold(True)
        self.setFont(font)
        self.hide()

    @property
    def level(self) -> str:
        """The level that is shown."""
        return str(self.property("level"))

    def show_level(self, level: str, text: str, accessible: str, meaning: str = "") -> None:
        """Show a level with its word, or nothing for "". `meaning`: what it means and what to do, for whoever asks."""
        self.setProperty("level", level)
        self.setText(text)
        self.setAccessibleName(accessible)
        self.setAccessibleDescription(meaning)
        self.setToolTip(plain_tip(meaning))
        self.setVisible(bool(level))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Room for shape, word and rounded ends."""
        metrics = self.fontMetrics()
        height = metrics.height() + 10
        return QSize(metrics.horizontalAdvance(self.text()) + height + 18, height)

    def minimumSizeHint(self) -> QSize:
        """Never cut."""
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw ground, shape and word."""
        letters, ground = level_colours(self.level, self.palette())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        side = box.height() * 0.52
        place = QRectF(box.left() + box.height() * 0.3, box.center().y() - side / 2, side, side)
        draw_shape(painter, self.level, place, letters, ground)
        painter.setPen(letters)
        words = QRectF(place.right() + 7, box.top(), box.right() - place.right() - 9, box.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())


def draw_shape(painter: QPainter, level: str, box: QRectF, colour: QColor, ground: QColor) -> None:
    """One shape a level: disc with tick, full diamond, ring, eye, crossed square."""
    pen = QPen(colour, max(1.5, box.width() / 8), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    inside = QPen(ground, max(1.5, box.width() / 7), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    centre, half = box.center(), box.width() / 2
    if level == "PRECISE":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(box)
        painter.setPen(inside)
        tick = [(-0.45, 0.02), (-0.1, 0.38), (0.48, -0.32)]
        painter.drawPolyline(QPolygonF([QPointF(centre.x() + x * half, centre.y() + y * half) for x, y in tick]))
    elif level == "HIGHLY_RELEVANT":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        corners = [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)]
        painter.drawPolygon(QPolygonF([QPointF(centre.x() + x * half, centre.y() + y * half) for x, y in corners]))
    elif level == "DEDUPED":
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        eye = QPainterPath(QPointF(box.left(), centre.y()))
        eye.quadTo(centre.x(), box.top() - half * 0.1, box.right(), centre.y())
        eye.quadTo(centre.x(), box.bottom() + half * 0.1, box.left(), centre.y())
        painter.drawPath(eye)
        painter.setBrush(colour)
        painter.drawEllipse(centre, half * 0.25, half * 0.25)
    elif level == "NOT_FOUND":
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        square = box.adjusted(1, 1, -1, -1)
        painter.drawRoundedRect(square, 2, 2)
        painter.drawLine(QPointF(square.left() + 3, centre.y()), QPointF(square.right() - 3, centre.y()))
    else:
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(box.adjusted(1, 1, -1, -1))
