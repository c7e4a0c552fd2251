"""searchInput: a line edit that knows when an input method composes, and keeps quiet while it does."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget

_OWN_KEYS = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Down}


class SearchInput(QLineEdit):
    """Signals: `entered` Enter, `right_wanted` Ctrl+Enter (this is the right article), `left_downwards` Down,
    `composing_changed`. While composing the first three never come and Escape clears nothing; the composed text is the
    input method's own."""

    entered = Signal()
    right_wanted = Signal()
    left_downwards = Signal()
    composing_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._preedit = ""
        self.setClearButtonEnabled(True)
        self.setMaxLength(2000)

    @property
    def composing(self) -> bool:
        """An input method holds text that is not committed."""
        return bool(self._preedit)

    @property
    def preedit(self) -> str:
        """The text that is being composed."""
        return self._preedit

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Keep count of the composed text; the rest is the line edit's."""
        before, self._preedit = bool(self._preedit), event.preeditString()
        if not before and self._preedit:
            self.composing_changed.emit(True)
        super().inputMethodEvent(event)
        if before and not self._preedit:
            self.composing_changed.emit(False)

    def event(self, event: QEvent) -> bool:
        """Ctrl+C with nothing selected is not ours: it copies the answer."""
        override = event.type() == QEvent.Type.ShortcutOverride
        copy = isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy)
        if override and copy and not self.hasSelectedText():
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter, Escape and Down are ours; while composing they belong to nobody."""
        if event.key() in _OWN_KEYS:
            if not self.composing:
                self._own_key(event)
            return
        super().keyPressEvent(event)

    def _own_key(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
        elif event.key() == Qt.Key.Key_Down:
            self.left_downwards.emit()
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.right_wanted.emit()
        else:
            self.entered.emit()

    def take_focus(self) -> None:
        """Ctrl+K: to the box, its text selected; a text being composed is left alone."""
        if self.composing:
            return
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()
