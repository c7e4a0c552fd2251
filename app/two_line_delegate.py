"""A list row of two lines: what it is, and below, smaller, what belongs to it. Cut text ends in "…"."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.theme import blended

SECOND_LINE = Qt.ItemDataRole.UserRole + 7
AT_RIGHT = Qt.ItemDataRole.UserRole + 8
_SIDE, _TOP = 8, 6


class TwoLineDelegate(QStyledItemDelegate):
    """Reads DisplayRole, SECOND_LINE, and AT_RIGHT (at the end of the first line)."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Two lines; one where there is no second."""
        height = QFontMetrics(option.font).height() + _TOP * 2
        if index.data(SECOND_LINE):
            height += QFontMetrics(_small(option.font)).height() + 2
        return QSize(80, height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Ground, first line, second line."""
        painter.save()
        palette, box = option.palette, QRect(option.rect)
        accent = palette.color(QPalette.ColorRole.Highlight)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, blended(accent, palette.color(QPalette.ColorRole.Base), 0.13))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, palette.color(QPalette.ColorRole.AlternateBase))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(accent)
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        box = box.adjusted(_SIDE, _TOP, -_SIDE, -_TOP)
        painter.setFont(option.font)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        metrics = QFontMetrics(option.font)
        top = QRect(box.left(), box.top(), box.width(), metrics.height())
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        right = str(index.data(AT_RIGHT) or "")
        if right:
            painter.drawText(top, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, right)
        room = box.width() - metrics.horizontalAdvance(right) - (_SIDE if right else 0)
        painter.drawText(top, Qt.AlignmentFlag.AlignVCenter, _cut(metrics, text, room))
        second = index.data(SECOND_LINE)
        if second:
            small = _small(option.font)
            painter.setFont(small)
            painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
            metrics = QFontMetrics(small)
            below = QRect(box.left(), top.bottom() + 3, box.width(), metrics.height())
            painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, _cut(metrics, str(second), box.width()))
        painter.restore()


def _cut(metrics: QFontMetrics, text: str, width: int) -> str:
    return metrics.elidedText(" ".join(text.split("\n")), Qt.TextElideMode.ElideRight, width)


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() - 1)
    return small
