"""Tables of figures: sorting, keys, leading on by mouse and keyboard, and staying put when figures come anew."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.figure_table import Column, FigureModel, FigureTable, Index
from app.i18n import Language
from app.theme import Theme

ALT = Qt.KeyboardModifier.AltModifier
ROLE = Qt.ItemDataRole


@dataclass(frozen=True)
class Row:
    key: str
    n: float | None


COLUMNS = [
    Column("monitor.agent", lambda row: f"<b>{row.key}</b>", leads="all"),
    Column("monitor.calls", lambda row: f"{row.n}", lambda row: row.n, number=True, leads="calls"),
    Column("monitor.type", lambda row: "x"),
]
ROWS = [Row("a", 3), Row("b", 11), Row("c", None), Row("d", 2)]


@pytest.fixture
def table(qtbot: QtBot) -> FigureTable:
    made = FigureTable(Language(), COLUMNS, lambda row: row.key)
    qtbot.addWidget(made)
    made.show_rows(ROWS)
    made.show()
    return made


def keys(model: FigureModel) -> list[str]:
    return [model.index(row, 0).data(ROLE.UserRole) for row in range(model.rowCount())]


def test_numbers_sort_as_numbers_and_what_has_none_comes_last(table: FigureTable) -> None:
    table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert keys(table.figures) == ["d", "a", "b", "c"]
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert keys(table.figures) == ["b", "a", "d", "c"]


@given(st.lists(st.one_of(st.none(), st.integers(), st.floats(allow_nan=True)), max_size=30), st.booleans())
def test_sorting_loses_nothing_and_orders_what_can_be_ordered(values: list[float | None], down: bool) -> None:
    model = FigureModel(Language(), COLUMNS, lambda row: row.key)
    model.show_rows([Row(str(place), value) for place, value in enumerate(values)])
    model.sort(1, Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder)
    shown = [row.n for row in model.rows]
    known = [n for n in shown if n is not None and not math.isnan(n)]
    assert sorted(keys(model)) == sorted(map(str, range(len(values))))
    assert known == sorted(known, reverse=down)
    assert shown[: len(known)] == known


def test_new_figures_keep_the_order_and_the_current_cell(table: FigureTable) -> None:
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    table.choose("a", 1)
    table.show_rows([Row("e", 99), *ROWS])
    assert keys(table.figures) == ["e", "b", "a", "d", "c"]
    assert (table.currentIndex().data(ROLE.UserRole), table.currentIndex().column()) == ("a", 1)
    table.show_rows([Row("a", 100), Row("b", 1)])
    assert table.currentIndex().data(ROLE.UserRole) == "a"


def test_enter_leads_where_the_cell_leads_else_where_the_row_does(table: FigureTable) -> None:
    heard: list[tuple[str, str]] = []
    table.led.connect(lambda row, leads: heard.append((row.key, leads)))
    for column, key in ((0, Qt.Key.Key_Return), (1, Qt.Key.Key_Space), (2, Qt.Key.Key_Enter)):
        table.choose("b", column)
        QTest.keyClick(table, key)
    assert heard == [("b", "all"), ("b", "calls"), ("b", "all")]


def test_a_click_leads_on_only_from_cells_that_lead(table: FigureTable) -> None:
    heard: list[str] = []
    table.led.connect(lambda _, leads: heard.append(leads))
    for column in (1, 2):
        place = table.visualRect(table.figures.index(0, column)).center()
        QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert heard == ["calls"]


def test_a_cell_may_lead_on_from_some_rows_only(qtbot: QtBot) -> None:
    columns = [Column("monitor.agent", lambda row: row.key, leads="all", leads_if=lambda row: row.n == 3)]
    made = FigureTable(Language(), columns, lambda row: row.key)
    qtbot.addWidget(made)
    made.show_rows(ROWS)
    heard: list[str] = []
    made.led.connect(lambda row, _: heard.append(row.key))
    for key in ("a", "b"):
        made.choose(key)
        QTest.keyClick(made, Qt.Key.Key_Return)
    assert heard == ["a"]
    colours = [made.figures.index(place, 0).data(ROLE.ForegroundRole) for place in (0, 1)]
    assert [colour is not None for colour in colours] == [True, False]


def test_it_is_sorted_with_the_keyboard_too(table: FigureTable) -> None:
    table.choose("a", 1)
    QTest.keyClick(table, Qt.Key.Key_Down, ALT)
    assert keys(table.figures) == ["b", "a", "d", "c"]
    QTest.keyClick(table, Qt.Key.Key_Up, ALT)
    assert keys(table.figures) == ["d", "a", "b", "c"]
    assert table.currentIndex().data(ROLE.UserRole) == "a"


def test_texts_are_never_markup_and_cells_name_their_column(table: FigureTable) -> None:
    index = table.figures.index(0, 0)
    assert "&lt;b&gt;a&lt;/b&gt;" in index.data(ROLE.ToolTipRole)
    assert index.data(ROLE.AccessibleTextRole) == "实例: <b>a</b>"


def test_an_export_is_what_is_on_the_screen_with_numbers_as_numbers(table: FigureTable) -> None:
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    heads, rows = table.figures.table()
    assert heads == ["实例", "调用", "类型"]
    assert rows[0] == ["<b>b</b>", 11, "x"]
    assert rows[-1] == ["<b>c</b>", "None", "x"]


def test_the_copy_key_copies_the_cell(table: FigureTable) -> None:
    table.choose("b", 1)
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "11"


def test_the_wide_column_can_be_read_in_any_width(table: FigureTable) -> None:
    least = table.fontMetrics().height() * 8
    for width in (900, 200, 900):
        table.resize(width, 200)
        QApplication.processEvents()
        others = sum(table.columnWidth(column) for column in (1, 2))
        assert table.columnWidth(0) == max(least, table.viewport().width() - others)


def test_a_long_table_asks_of_a_few_cells_when_shown_sorted_reworded_or_recoloured(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Index] = []
    ask = FigureModel.data

    def data(model: FigureModel, index: Index, role: int = ROLE.DisplayRole) -> Any:
        asked.append(index)
        return ask(model, index, role)

    monkeypatch.setattr(FigureModel, "data", data)
    language, theme = Language(), Theme(qapp, "light")
    made = FigureTable(language, COLUMNS, lambda row: row.key)
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    steps: list[Callable[[], object]] = [
        lambda: made.show_rows([Row(f"k{place}", place) for place in range(2000)]),
        lambda: made.sortByColumn(1, Qt.SortOrder.DescendingOrder),
        lambda: language.set_code("en"),
        lambda: theme.set_mode("dark"),
        lambda: theme.set_mode("system"),
    ]
    for step in steps:
        asked.clear()
        step()
        qapp.processEvents()
        assert len({index.row() for index in asked}) < 60


def test_a_column_is_as_wide_as_its_longest_text_wherever_that_stands(qtbot: QtBot) -> None:
    made = FigureTable(Language(), COLUMNS, lambda row: row.key)
    qtbot.addWidget(made)
    made.show()
    made.show_rows([*(Row(str(place), place) for place in range(300)), Row("a", 10**12), *ROWS])
    cell = made.figures.index(300, 1)
    assert made.columnWidth(1) >= made.sizeHintForIndex(cell).width()
    warned = FigureTable(
        Language(),
        [COLUMNS[0], Column("monitor.calls", lambda _: "0" * 40, warns=lambda row: row.n == 3)],
        lambda row: row.key,
    )
    qtbot.addWidget(warned)
    warned.show()
    warned.show_rows(ROWS)
    bold = warned.sizeHintForIndex(warned.figures.index(0, 1)).width()
    assert warned.columnWidth(1) >= bold > warned.sizeHintForIndex(warned.figures.index(1, 1)).width()
    made.show_rows(ROWS)
    assert made.columnWidth(1) < made.fontMetrics().horizontalAdvance(str(10**12))


def test_a_spare_column_is_left_out_where_it_would_be_cut_and_comes_back(qtbot: QtBot) -> None:
    made = FigureTable(Language(), COLUMNS, lambda row: row.key, wide=0, least=6, spare=True)
    qtbot.addWidget(made)
    made.show()
    made.show_rows(ROWS)
    others = sum(made.columnWidth(at) for at in range(1, len(COLUMNS)))
    least = 6 * made.fontMetrics().height()
    for width, hidden in ((others + least - 20, True), (others + least + 40, False), (others, True)):
        made.resize(width, 300)
        QApplication.processEvents()
        assert made.isColumnHidden(0) is hidden
        assert (made.columnViewportPosition(1) == 0) is hidden, "no gap"
    assert [len(row) for row in made.figures.table()[1]] == [len(COLUMNS)] * len(ROWS), "exported all the same"
