"""Where the window stood: a small file of its own in the data folder, apart from what the user chose."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QRect, QSettings
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSplitter, QWidget

FIRST_SIZE = (1280, 800)


class WindowState:
    """Reads and writes `window.ini` in the data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._file = QSettings(str(data_dir / "window.ini"), QSettings.Format.IniFormat)

    def restore(self, window: QWidget, splitters: dict[str, QSplitter]) -> None:
        """Put the window where it was, never off the screen; in the middle at first."""
        geometry = self._file.value("geometry")
        if not (isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)):
            screen = QGuiApplication.primaryScreen().availableGeometry()
            size = (min(FIRST_SIZE[0], screen.width()), min(FIRST_SIZE[1], screen.height()))
            place = QRect(0, 0, *size)
            place.moveCenter(screen.center())
            window.setGeometry(place)
        for name, splitter in splitters.items():
            state = self._file.value(f"splitter/{name}")
            if isinstance(state, QByteArray):
                splitter.restoreState(state)

    def save(self, window: QWidget, splitters: dict[str, QSplitter]) -> None:
        """Remember it."""
        self._file.setValue("geometry", window.saveGeometry())
        for name, splitter in splitters.items():
            self._file.setValue(f"splitter/{name}", splitter.saveState())
        self._file.sync()
