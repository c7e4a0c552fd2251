"""The button in the corner that holds what a supervisor needs now and then."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from app.i18n import Language


class ToolsButton(QToolButton):
    """`reliability_wanted`, `models_wanted`. Its entries are for an open knowledge base: `set_ready()`."""

    reliability_wanted = Signal()
    models_wanted = Signal()

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("toolsButton")
        self.setProperty("flat", True)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._language = language
        menu = QMenu(self)
        self.reliability, self.models = QAction(menu), QAction(menu)
        for action, name, wanted in (
            (self.reliability, "reliabilityAction", self.reliability_wanted),
            (self.models, "modelsAction", self.models_wanted),
        ):
            action.setObjectName(name)
            action.setEnabled(False)
            action.triggered.connect(wanted)
            menu.addAction(action)
        self.setMenu(menu)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def set_ready(self) -> None:
        """The knowledge base is open."""
        self.reliability.setEnabled(True)
        self.models.setEnabled(True)

    def _retranslate(self) -> None:
        self.setText(self._language("menu.tools"))
        self.setAccessibleName(self._language("menu.tools"))
        self.reliability.setText(self._language("menu.reliability"))
        self.models.setText(self._language("menu.models"))


def corner(*buttons: QToolButton) -> QWidget:
    """Buttons side by side, for a corner that takes one widget."""
    widget = QWidget()
    row = QHBoxLayout(widget)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(0)
    for button in buttons:
        row.addWidget(button)
    return widget
