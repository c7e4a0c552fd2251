"""A layout of equal columns: as many as the width has room for, in rows that are filled alike. For tiles and cards."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QSizePolicy, QWidget


class EvenGrid(QLayout):
    """Height follows from width. No column is narrower than `least` pixels or than any item may be, unless there is
    only one; there are at most `most` of them. A row is as high as its highest item."""

    def __init__(self, parent: QWidget | None = None, *, least: int, most: int, spacing: int = 16) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._least, self._most, self._gap = least, most, spacing
        self._heights: dict[int, int] = {}  # by width, while nothing changes: layouts ask often
        self._smallest: QSize | None = None
        self.setContentsMargins(QMargins(0, 0, 0, 0))

    def addItem(self, item: QLayoutItem) -> None:
        """Take an item."""
        self._items.append(item)

    def count(self) -> int:
        """How many items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """The item, or None."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """The item, no longer ours, or None."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """As wide as there is room."""
        return Qt.Orientation.Horizontal

    def hasHeightForWidth(self) -> bool:
        """Yes."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all rows at that width."""
        if width not in self._heights:
            self._heights[width] = self._arrange(QRect(0, 0, width, 0), move=False)
        return self._heights[width]

    def invalidate(self) -> None:
        """Something in it has changed."""
        self._heights.clear()
        self._smallest = None
        super().invalidate()

    def setGeometry(self, rect: QRect) -> None:
        """Put the items in their places."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """One row of all that may stand in one."""
        columns = self._columns(1 << 20)
        width = columns * max(self._least, self.minimumSize().width()) + (columns - 1) * self._gap
        return QSize(width, self.heightForWidth(width))

    def minimumSize(self) -> QSize:
        """The widest item."""
        if self._smallest is None:
            self._smallest = QSize()
            for item in self._seen():
                self._smallest = self._smallest.expandedTo(item.minimumSize())
        return self._smallest

    def _seen(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _columns(self, width: int) -> int:
        count = len(self._seen())
        least = max(self._least, self.minimumSize().width())
        room = max(1, min(self._most, (width + self._gap) // (least + self._gap), max(1, count)))
        rows = -(-count // room) or 1
        return max(1, -(-count // rows))

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        items, columns = self._seen(), self._columns(rect.width())
        y = rect.y()
        for first in range(0, len(items), columns):
            row = items[first : first + columns]
            edges = [round((rect.width() + self._gap) * column / columns) for column in range(columns + 1)]
            widths = [edges[column + 1] - edges[column] - self._gap for column in range(columns)]
            height = max(_height(item, width) for item, width in zip(row, widths, strict=False))
            if move:
                for item, left, width in zip(row, edges, widths, strict=False):
                    item.setGeometry(QRect(QPoint(rect.x() + left, y), QSize(width, height)))
            y += height + self._gap
        return max(0, y - self._gap - rect.y())


def lines(widget: QWidget, count: float) -> int:
    """So many heights of a line in pixels: widths that grow with the letters."""
    return round(widget.fontMetrics().height() * count)


def _height(item: QLayoutItem, width: int) -> int:
    wanted = item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()
    return max(wanted, item.minimumSize().height())


class EvenRow(QWidget):
    """Widgets in an even grid. Make them with this as their parent: to move a tree of widgets into another costs as
    much as making it."""

    def __init__(self, parent: QWidget, *, least: int, most: int, spacing: int = 16) -> None:
        super().__init__(parent)
        self._grid = EvenGrid(self, least=least, most=most, spacing=spacing)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def fill(self, widgets: Iterable[QWidget]) -> None:
        """Take these, in this order."""
        for widget in widgets:
            self._grid.addWidget(widget)
