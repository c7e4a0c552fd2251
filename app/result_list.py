"""resultList: the list of results, and its keys."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListView, QWidget


class ResultList(QListView):
    """Enter and Space open, Up on the first row goes back to the box. `right_wanted(index)`: Ctrl+Enter, the right
    article."""

    right_wanted = Signal(QModelIndex)

    def __init__(self, back_to: QWidget) -> None:
        super().__init__()
        self._back_to = back_to
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListView.ResizeMode.Adjust)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys of the list; single letters do nothing here that they would not do in a text field."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Right}:
            wanted = self.activated
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                wanted = self.right_wanted
            if self.currentIndex().isValid():
                wanted.emit(self.currentIndex())
        elif (event.key() == Qt.Key.Key_Up and self.currentIndex().row() <= 0) or event.key() == Qt.Key.Key_Escape:
            self._back_to.setFocus()
        else:
            super().keyPressEvent(event)
