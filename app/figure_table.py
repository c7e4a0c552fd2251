"""Tables of figures: sortable, refreshed in place; each cell may lead to what is behind it, by mouse or keyboard."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPalette,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from app.i18n import Language
from app.tool_tips import plain_tip

Index = QModelIndex | QPersistentModelIndex
_ROLE = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_MEASURED = 12  # texts of a column, the longest
_UNITS = {"ms": "figure.in_ms", "share": "figure.as_share"}
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


@dataclass(frozen=True, slots=True)
class Column:
    """`name`: the word of its head. `text`: what stands in a row's cell; `value`: what it is sorted and exported by
    (None: the text; a number stays one). `leads`: what choosing the cell asks for, "" where it asks for nothing;
    `leads_if`: of which rows (None: all). `warns`: whether the figure is one to worry about. `unit`: what an exported
    number is in ("ms", "share"), which its head says; on the screen the cells do."""

    name: str
    text: Callable[[Any], str]
    value: Callable[[Any], str | int | float | None] | None = None
    number: bool = False
    leads: str = ""
    leads_if: Callable[[Any], bool] | None = None
    warns: Callable[[Any], bool] | None = None
    tip: str = ""
    unit: str = ""

    def leads_of(self, row: Any) -> str:
        """What this row's cell asks for."""
        return self.leads if self.leads_if is None or self.leads_if(row) else ""


class FigureModel(QAbstractTableModel):
    """Rows of any kind in stated columns. UserRole of every cell: the row's key."""

    def __init__(self, language: Language, columns: Sequence[Column], key: Callable[[Any], str]) -> None:
        super().__init__()
        self.columns = tuple(columns)
        self.key = key
        self._language = language
        self._rows: list[Any] = []
        self._sorting: tuple[int, Qt.SortOrder] | None = None

    @property
    def rows(self) -> Sequence[Any]:
        """In the order that is shown."""
        return self._rows

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Other figures. The same rows in the same order keep their cells, so that nothing jumps."""
        ordered = self._ordered(rows)
        if [self.key(row) for row in ordered] == [self.key(row) for row in self._rows]:
            self._rows = ordered
            self.redraw()
            return
        self.beginResetModel()
        self._rows = ordered
        self.endResetModel()

    def redraw(self) -> None:
        """The same rows, in other words or figures."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self.columns) - 1))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """By a column's values; what has none comes last either way."""
        self._sorting = (column, order) if column >= 0 else None
        self.show_rows(self._rows)

    def _ordered(self, rows: Sequence[Any]) -> list[Any]:
        if self._sorting is None:
            return list(rows)
        column, order = self._sorting
        value = self.columns[column].value or self.columns[column].text
        known = [row for row in rows if _known(value(row))]
        unknown = [row for row in rows if not _known(value(row))]
        return sorted(known, key=value, reverse=order == Qt.SortOrder.DescendingOrder) + unknown  # type: ignore[arg-type]

    def table(self) -> tuple[list[str], list[list[str | int | float]]]:
        """Heads and rows as they are shown, for an export: numbers as numbers, their units in the heads; else the texts
        on the screen."""
        say = self._language
        names = [say(column.name) for column in self.columns]
        units = [_UNITS.get(column.unit) for column in self.columns]
        heads = [say(unit, name=name) if unit else name for name, unit in zip(names, units, strict=True)]
        return heads, [[_cell(column, row) for column in self.columns] for row in self._rows]

    # ---------------------------------------------------------------- Qt
    def rowCount(self, parent: Index | None = None) -> int:
        """As many as there are."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, _parent: Index | None = None) -> int:
        """As stated."""
        return len(self.columns)

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> Any:
        """Text, key, alignment, the colour of what leads somewhere, and the whole text as tool tip."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], self.columns[index.column()]
        makers: dict[int, Callable[[], Any]] = {
            _ROLE.DisplayRole: lambda: " ".join(column.text(row).split("\n")),
            _ROLE.UserRole: lambda: self.key(row),
            _ROLE.ToolTipRole: lambda: plain_tip(column.text(row)),
            _ROLE.AccessibleTextRole: lambda: f"{self._language(column.name)}: {column.text(row)}",
            _ROLE.AccessibleDescriptionRole: lambda: self._language("figure.leads") if column.leads_of(row) else "",
            _ROLE.TextAlignmentRole: lambda: _RIGHT if column.number else _LEFT,
            _ROLE.ForegroundRole: lambda: self._colour(row, column),
            _ROLE.FontRole: lambda: _bold() if column.warns is not None and column.warns(row) else None,
        }
        return makers[role]() if role in makers else None

    def _colour(self, row: Any, column: Column) -> QColor | None:
        """Numbers that lead somewhere stay as calm as others: they are many."""
        if column.warns is not None and column.warns(row):
            return QGuiApplication.palette().color(QPalette.ColorRole.BrightText)
        if column.leads_of(row) and not column.number:
            return QGuiApplication.palette().color(QPalette.ColorRole.Link)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole) -> Any:
        """The columns' names, and what they count."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        if role in {_ROLE.DisplayRole, _ROLE.AccessibleTextRole}:
            return self._language(column.name)
        if role == _ROLE.ToolTipRole and column.tip:
            return plain_tip(self._language(column.tip))
        if role == _ROLE.TextAlignmentRole:
            return _RIGHT if column.number else _LEFT
        return None


class FigureTable(QTableView):
    """`led(row, leads)`: a cell was chosen with a click, Enter or the space bar; of a cell that leads nowhere the
    row's first one that does. Alt+Up and Alt+Down sort by the current column. The column `wide` takes what the others
    leave, but no less than `least` heights of a line; a `spare` one is left out where there is no room for that."""

    led = Signal(object, str)

    def __init__(
        self,
        language: Language,
        columns: Sequence[Column],
        key: Callable[[Any], str],
        *,
        sortable: bool = True,
        wide: int = 0,
        least: int = 8,
        spare: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._language = language
        self.figures = FigureModel(language, columns, key)
        self.setModel(self.figures)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setMinimumSectionSize(self.fontMetrics().height() * 2)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)  # as wide as `_measure` finds that they must be
        header.setSectionResizeMode(wide, QHeaderView.ResizeMode.Stretch)
        self._kept: tuple[str, int] | None = None
        self._wide, self._least, self._spare, self._rows_seen = wide, least, spare, 0
        if sortable:
            header.setSortIndicatorClearable(True)
            header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            self.setSortingEnabled(True)
        self.figures.modelAboutToBeReset.connect(self._keep)
        self.figures.modelReset.connect(self._restore)
        self.figures.modelReset.connect(self._fit)
        self.figures.headerDataChanged.connect(self._fit)
        self.clicked.connect(self._clicked)
        self.doubleClicked.connect(self._lead)
        language.changed.connect(self.figures.redraw)
        language.changed.connect(self._retell)
        self._retell()

    def show_rows(self, rows: Sequence[Any]) -> None:
        """Other figures; the current cell stays the current one while its row is there."""
        self.figures.show_rows(rows)

    def show_all_rows(self, at_most: int) -> None:
        """Be as high as the rows need, up to that many: the page scrolls, not the table."""
        self._rows_seen = at_most
        self._fit()

    def choose(self, key: str, column: int = 0) -> bool:
        """Make that row's cell the current one; False when there is no such row."""
        for place, row in enumerate(self.figures.rows):
            if self.figures.key(row) == key:
                self.setCurrentIndex(self.figures.index(place, column))
                return True
        return False

    # ---------------------------------------------------------------- inside
    def resizeEvent(self, event: QResizeEvent) -> None:
        """The wide column takes what the others leave, but never less than can be read."""
        super().resizeEvent(event)
        self._share_width()

    def _retell(self) -> None:
        self.setAccessibleDescription(self._language("figure.table_keys"))

    def _share_width(self) -> None:
        header, least = self.horizontalHeader(), self.fontMetrics().height() * self._least
        others = sum(header.sectionSize(at) for at in range(header.count()) if at != self._wide)
        room = self.viewport().width() - others >= least
        mode = QHeaderView.ResizeMode.Stretch if room else QHeaderView.ResizeMode.Fixed
        if header.sectionResizeMode(self._wide) != mode:
            header.setSectionResizeMode(self._wide, mode)
        if self._spare and self.isColumnHidden(self._wide) == room:
            self.setColumnHidden(self._wide, not room)
        if not room:
            header.resizeSection(self._wide, least)

    def _measure(self) -> None:
        """Widths for the head and the longest texts: Qt's own measuring asks of each row, at each change."""
        header = self.horizontalHeader()
        for at, column in enumerate(self.figures.columns):
            if at != self._wide:
                bold = column.warns or (lambda _: False)
                texts = {(column.text(row), bold(row)): place for place, row in enumerate(self.figures.rows)}
                longest = nlargest(_MEASURED, texts, key=lambda told: len(told[0].encode()))
                cells = (self.figures.index(texts[told], at) for told in longest)
                widths = (self.sizeHintForIndex(cell).width() + 1 for cell in cells)  # 1: for the grid, drawn or not
                header.resizeSection(at, max(header.sectionSizeHint(at), *widths, 0))

    def _fit(self) -> None:
        if self.isVisible():
            self._measure()
        self._share_width()
        height = self.fontMetrics().height() + 12
        if self.verticalHeader().defaultSectionSize() != height:
            self.verticalHeader().setDefaultSectionSize(height)
        if self._rows_seen:
            seen = max(1, min(self._rows_seen, self.figures.rowCount()))
            bar = self.horizontalScrollBar().sizeHint().height() if self.horizontalScrollBar().maximum() else 0
            self.setFixedHeight(self.horizontalHeader().sizeHint().height() + seen * height + bar + 2)

    def _keep(self) -> None:
        index = self.currentIndex()
        self._kept = (str(index.data(_ROLE.UserRole)), index.column()) if index.isValid() else None

    def _restore(self) -> None:
        if self._kept is not None:
            self.choose(*self._kept)

    def _leads(self, index: Index) -> str:
        return self.figures.columns[index.column()].leads_of(self.figures.rows[index.row()])

    def _clicked(self, index: QModelIndex) -> None:
        if self._leads(index):
            self._lead(index)

    def _lead(self, index: QModelIndex) -> None:
        row = self.figures.rows[index.row()]
        first = next((leads for column in self.figures.columns if (leads := column.leads_of(row))), "")
        leads = self._leads(index) or first
        if leads:
            self.led.emit(row, leads)

    def event(self, event: QEvent) -> bool:
        """Ctrl+C copies a cell here, not the answer on another page."""
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter leads on; Alt with Up or Down sorts; Ctrl+C copies the cell."""
        index = self.currentIndex()
        upright = event.key() in {Qt.Key.Key_Up, Qt.Key.Key_Down}
        if event.key() in _ENTER and index.isValid():
            self._lead(index)
        elif upright and event.modifiers() & Qt.KeyboardModifier.AltModifier and self.isSortingEnabled():
            up = event.key() == Qt.Key.Key_Up
            order = Qt.SortOrder.AscendingOrder if up else Qt.SortOrder.DescendingOrder
            self.sortByColumn(max(0, index.column()), order)
        elif event.matches(QKeySequence.StandardKey.Copy) and index.isValid():
            QGuiApplication.clipboard().setText(str(index.data()))
        else:
            super().keyPressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """A hand over what leads somewhere."""
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        over = index.isValid() and bool(self._leads(index))
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)

    def focusInEvent(self, event: Any) -> None:
        """There is always a current cell to start from."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self.figures.rowCount():
            self.setCurrentIndex(self.figures.index(0, 0))

    def showEvent(self, event: QShowEvent) -> None:
        """Only now are widths measured: before, nobody sees them, and letters and style may be others."""
        super().showEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger letters take more room."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.isVisible():
            self._fit()


def _bold() -> QFont:
    font = QGuiApplication.font()
    font.setBold(True)
    return font


def _known(value: str | float | None) -> bool:
    return value is not None and not (isinstance(value, float) and math.isnan(value))


def _cell(column: Column, row: Any) -> str | int | float:
    value = column.value(row) if column.value is not None and column.number else None
    if isinstance(value, float) and _known(value):
        return round(value, 1 if column.unit == "ms" else 3)
    return value if isinstance(value, int) else column.text(row)
