"""Saves a table of the monitor as CSV or XLSX, with the rows and in the order that are on the screen."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton, QWidget

from app.figure_table import FigureTable
from app.i18n import Language
from app.table_export import Table, write_tables

# ending: (what the menu says, what the dialog says)
_KINDS = {".csv": ("plot.export_table", "plot.table_files"), ".xlsx": ("figure.workbook", "figure.workbook_files")}


class ExportButton(QToolButton):
    """`title`: the name of a word; it names the file and the sheet. `told(text)`: what came of it."""

    told = Signal(str)

    def __init__(self, language: Language, table: FigureTable, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("flat", True)
        self.setProperty("opens", "menu")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._language, self._table, self._title = language, table, title
        menu = QMenu(self)
        self._actions = {ending: QAction(menu) for ending in _KINDS}
        for ending, action in self._actions.items():
            action.triggered.connect(lambda _=False, ending=ending: self._choose(ending))
            menu.addAction(action)
        self.setMenu(menu)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def table(self) -> Table:
        """As it is on the screen."""
        heads, rows = self._table.figures.table()
        return Table(self._language(self._title), heads, rows)

    def save(self, path: Path) -> None:
        """Write it, by the ending of its name; what hinders is said."""
        try:
            write_tables(path, [self.table()])
        except OSError as error:
            self.told.emit(self._language("plot.not_saved", detail=error.strerror or str(error)))
        else:
            self.told.emit(self._language("plot.saved", name=path.name))

    def _choose(self, ending: str) -> None:
        say = self._language
        title = say(self._title)
        suggested = f"{title} {datetime.now():%Y-%m-%d}{ending}"
        chosen, _ = QFileDialog.getSaveFileName(
            self, say("plot.export_name", title=title), suggested, say(_KINDS[ending][1])
        )
        if chosen:
            self.save(Path(chosen) if Path(chosen).suffix.lower() == ending else Path(chosen + ending))

    def _retranslate(self) -> None:
        say = self._language
        self.setText(say("plot.export"))
        self.setAccessibleName(say("plot.export_name", title=say(self._title)))
        for ending, action in self._actions.items():
            action.setText(say(_KINDS[ending][0]))
