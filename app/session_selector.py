"""sessionSelector: the current session; opens a panel to search among the earlier ones or to start a named one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QVBoxLayout,
    QWidget,
)

from app.i18n import Language, local_day_and_time
from app.tool_tips import plain_tip
from app.two_line_delegate import SECOND_LINE, TwoLineDelegate
from core.model import SessionSummary

_ID = Qt.ItemDataRole.UserRole
_NAMED = Qt.ItemDataRole.UserRole + 1
SEARCH_MS = 150


class SessionSelector(QComboBox):
    """`chosen(id, named)`: another session is wanted; `start_named(id)`: a new one; `search(text)`: find some."""

    chosen = Signal(str, bool)
    start_named = Signal(str)
    search = Signal(str)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sessionSelector")
        self._language = language
        self._sessions: Sequence[SessionSummary] = ()
        self._current: str | None = None
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.activated.connect(self._activated)
        self._panel = _Panel(language, self)
        self._panel.picked.connect(self._picked)
        self._panel.asked.connect(self.search)
        language.changed.connect(self._retranslate)
        self._retranslate()

    @property
    def panel(self) -> _Panel:
        """The list with the search line above it."""
        return self._panel

    def show_sessions(self, sessions: Sequence[SessionSummary], current: str | None) -> None:
        """Newest first; `current` None = the next lookup starts one."""
        self._sessions, self._current = sessions, current
        self._fill()

    def set_domain_names(self, names: Mapping[str, str]) -> None:
        """Display names of domains."""
        self._panel.domain_names = names

    def show_found(self, text: str, sessions: Sequence[SessionSummary]) -> None:
        """What the search found."""
        self._panel.show_found(text, sessions)

    def showPopup(self) -> None:
        """Our own panel, with a search line."""
        self._panel.open_below(self, self._sessions)

    def hidePopup(self) -> None:
        """Close it."""
        self._panel.hide()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """A long name ends in an ellipsis, not in half a letter."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        option.currentText = option.fontMetrics.elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, field.width() - 4
        )
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _fill(self) -> None:
        self.blockSignals(True)
        self.clear()
        if self._current is None:
            self.addItem(self._language("session.fresh"), None)
        for session in self._sessions:
            self.addItem(session_name(session, self._language), session.id)
        if self._current is not None:
            at = self.findData(self._current)
            if at < 0:
                self.insertItem(0, self._current, self._current)
                at = 0
            self.setCurrentIndex(at)
        self.blockSignals(False)
        self.setToolTip(plain_tip(self.currentText()))

    def _activated(self, index: int) -> None:
        session = self.itemData(index)
        if session is not None and session != self._current:
            self.chosen.emit(session, True)

    def _picked(self, session_id: str, exists: bool) -> None:
        if not exists:
            self.start_named.emit(session_id)
        elif session_id != self._current:
            self.chosen.emit(session_id, True)

    def _retranslate(self) -> None:
        self.setAccessibleName(self._language("session.selector"))
        self._fill()


def session_name(session: SessionSummary, language: Language) -> str:
    """The title, else when it began; a name that was given (not made by the program) comes first."""
    if session.title:
        return session.title
    return language("session.untitled", time=local_day_and_time(session.created_at))


class _Panel(QFrame):
    """Search line above a list; Down and Up walk the list from the line, Enter takes, Escape closes."""

    picked = Signal(str, bool)
    asked = Signal(str)

    def __init__(self, language: Language, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("popup", True)
        self._language = language
        self._all: Sequence[SessionSummary] = ()
        self.domain_names: Mapping[str, str] = {}
        self.line = QLineEdit()
        self.line.setObjectName("sessionSearch")
        self.line.setClearButtonEnabled(True)
        self.line.installEventFilter(self)
        self.list = QListWidget()
        self.list.setObjectName("sessionList")
        self.list.setItemDelegate(TwoLineDelegate(self.list))
        self.list.setMouseTracking(True)
        self.list.itemClicked.connect(self._take)
        self._none = QLabel()
        self._none.setProperty("role", "faint")
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(8)
        for widget in (self.line, self._none, self.list):
            column.addWidget(widget)
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(SEARCH_MS)
        self._wait.timeout.connect(self._ask)
        self.line.textChanged.connect(lambda _: self._wait.start())
        language.changed.connect(self._retranslate)
        self._retranslate()

    def open_below(self, anchor: QWidget, sessions: Sequence[SessionSummary]) -> None:
        """Show it, the newest sessions in it."""
        self._all = sessions
        self.line.blockSignals(True)
        self.line.clear()
        self.line.blockSignals(False)
        self.show_found("", sessions)
        self.resize(max(340, anchor.width()), 380)
        self.move(anchor.mapToGlobal(QPoint(0, anchor.height() + 4)))
        self.show()
        self.line.setFocus()

    def _ask(self) -> None:
        text = self.line.text().strip()
        if text:
            self.asked.emit(text)
        else:
            self.show_found("", self._all)

    def show_found(self, text: str, sessions: Sequence[SessionSummary]) -> None:
        """Sessions that match; a text that is no session's id may become one."""
        if text != self.line.text().strip():
            return
        self.list.clear()
        for session in sessions:
            entry = QListWidgetItem(session_name(session, self._language))
            entry.setData(_ID, session.id)
            entry.setData(_NAMED, True)
            domains = tuple(self.domain_names.get(key, key) for key in session.domains)
            name = "session.item" if domains else "session.item_bare"
            count = self._language(name, count=session.lookups, **({"domains": domains} if domains else {}))
            entry.setData(SECOND_LINE, count)
            self.list.addItem(entry)
        self._none.setVisible(not sessions)
        if text and all(session.id != text for session in sessions):
            entry = QListWidgetItem(self._language("session.start_named", name=text))
            entry.setData(_ID, text)
            entry.setData(_NAMED, False)
            self.list.addItem(entry)
        self.list.setCurrentRow(0)

    def _take(self, entry: QListWidgetItem) -> None:
        self.hide()
        self.picked.emit(entry.data(_ID), bool(entry.data(_NAMED)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keys in the search line that belong to the list."""
        if watched is self.line and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in {Qt.Key.Key_Down, Qt.Key.Key_Up}:
                step = 1 if event.key() == Qt.Key.Key_Down else -1
                row = self.list.currentRow() + step
                self.list.setCurrentRow(max(0, min(self.list.count() - 1, row)))
                return True
            if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and self.list.currentItem() is not None:
                self._take(self.list.currentItem())
                return True
        return super().eventFilter(watched, event)

    def _retranslate(self) -> None:
        self.line.setPlaceholderText(self._language("session.search"))
        self.line.setAccessibleName(self._language("session.search"))
        self.list.setAccessibleName(self._language("session.selector"))
        self._none.setText(self._language("session.none_found"))
