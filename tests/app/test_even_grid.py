"""The even grid: equal columns, rows filled alike, nothing narrower than it may be."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from app.even_grid import EvenGrid, EvenRow


def widths(width: int, count: int, *, least: int = 100, most: int = 7) -> list[list[int]]:
    """The widths of the boxes, row by row, in a grid of that width."""
    window = QWidget()
    holder = EvenRow(window, least=least, most=most, spacing=8)
    boxes = [QWidget(holder) for _ in range(count)]
    for box in boxes:
        box.setMinimumHeight(10)
    holder.fill(boxes)
    holder.resize(width, 400)
    window.show()
    QApplication.processEvents()
    rows: dict[int, list[int]] = {}
    for box in boxes:
        rows.setdefault(box.y(), []).append(box.width())
    found = [rows[y] for y in sorted(rows)]
    window.deleteLater()
    return found


@pytest.mark.parametrize(
    ("width", "shape"),
    [(1000, [7]), (748, [7]), (747, [4, 3]), (424, [4, 3]), (423, [3, 3, 1]), (210, [2, 2, 2, 1]), (90, [1] * 7)],
)
def test_rows_are_filled_alike(qapp: QApplication, width: int, shape: list[int]) -> None:
    assert [len(row) for row in widths(width, 7)] == shape


def test_columns_are_equal_and_fill_the_width(qapp: QApplication) -> None:
    (row,) = widths(1001, 7)
    assert max(row) - min(row) <= 1
    assert sum(row) + 6 * 8 == 1001


def test_what_is_hidden_takes_no_place(qapp: QApplication) -> None:
    window = QWidget()
    holder = EvenRow(window, least=100, most=3, spacing=10)
    boxes = [QWidget(holder) for _ in range(3)]
    holder.fill(boxes)
    boxes[1].hide()
    holder.resize(410, 100)
    window.show()
    QApplication.processEvents()
    assert (boxes[0].width(), boxes[2].x()) == (200, 210)
    window.deleteLater()


def test_a_wide_item_takes_columns_away(qapp: QApplication) -> None:
    holder = QWidget()
    grid = EvenGrid(holder, least=100, most=4, spacing=0)
    for wide in (50, 300):
        box = QWidget()
        box.setMinimumSize(wide, 20)
        grid.addWidget(box)
    assert grid.heightForWidth(600) == 20
    assert grid.heightForWidth(599) == 40
    holder.deleteLater()
