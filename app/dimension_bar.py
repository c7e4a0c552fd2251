"""dimensionBar: up to four buttons under the hint line that add what the question leaves open, and search again."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from app.flow_layout import FlowRow
from app.hint import open_dimensions
from app.i18n import Language
from app.tool_tips import plain_tip
from core.model import Answer, Dimension

KEYS = ("Alt+1", "Alt+2", "Alt+3", "Alt+4")


class DimensionBar(QWidget):
    """Hidden where nothing is open. `chosen(value, facet)`: the person named it. A facet with several values opens a
    menu of them; with one it is chosen at once."""

    chosen = Signal(str, str)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dimensionBar")
        self._language = language
        self._dimensions: tuple[Dimension, ...] = ()
        self._leads = False
        self.buttons: list[QPushButton] = []
        self._lead = QLabel()
        self.row = FlowRow()
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 0, 4, 0)
        column.setSpacing(4)
        column.addWidget(self._lead)
        column.addWidget(self.row)
        self._shortcuts = [QShortcut(QKeySequence(keys), self) for keys in KEYS]
        for place, shortcut in enumerate(self._shortcuts):
            shortcut.activated.connect(lambda place=place: self._press(place))
        language.changed.connect(self._retranslate)
        self.offer(None)

    def offer(self, answer: Answer | None, *, leads: bool = False) -> None:
        """Show what an answer leaves open; `leads`: the line above does not say what the buttons are for."""
        open_ones = open_dimensions(answer) if answer is not None else ()
        if open_ones != self._dimensions or leads != self._leads:
            self._dimensions, self._leads = open_ones, leads
            self._make()
        self.setVisible(bool(self._dimensions))

    def _make(self) -> None:
        self.buttons = [self._button(dimension) for dimension in self._dimensions[: len(KEYS)]]
        self.row.fill(self.buttons)
        for place, shortcut in enumerate(self._shortcuts):
            shortcut.setEnabled(place < len(self.buttons))
        self._retranslate()

    def _button(self, dimension: Dimension) -> QPushButton:
        button = QPushButton(self.row)
        several = len(dimension.values) > 1
        button.setProperty("facet", "several" if several else "one")
        button.setObjectName(f"facet-{dimension.facet}")
        if several:
            menu = QMenu(button)
            for value in dimension.values:
                action = menu.addAction(value.replace("&", "&&"))
                action.triggered.connect(lambda _=False, value=value: self.chosen.emit(value, dimension.facet.value))
            button.setMenu(menu)
        else:
            button.clicked.connect(lambda: self.chosen.emit(dimension.values[0], dimension.facet.value))
        return button

    def _press(self, place: int) -> None:
        """Alt and a number: the button of that place."""
        button = self.buttons[place]
        button.setFocus()
        if button.menu() is not None:
            button.showMenu()
        else:
            button.click()

    # ---------------------------------------------------------------- words
    def _retranslate(self) -> None:
        say = self._language
        self.setAccessibleName(say("facet.bar"))
        self._lead.setText(say("facet.lead"))
        self._lead.setVisible(self._leads)
        for place, (button, dimension) in enumerate(zip(self.buttons, self._dimensions, strict=False)):
            facet = say(f"facet.{dimension.facet}")
            one = say("facet.one", facet=facet, value=dimension.values[0])
            button.setText((facet if len(dimension.values) > 1 else one).replace("&", "&&"))
            keys = QKeySequence(KEYS[place]).toString(QKeySequence.SequenceFormat.NativeText)
            button.setToolTip(plain_tip(say("facet.tip", values=dimension.values, keys=keys)))
            button.setAccessibleName(say("facet.name", facet=facet, values=dimension.values))
