"""The button in the corner: language and colours, switched live and kept in the settings."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.i18n import Language
from app.theme import Theme
from app.words import LANGUAGES
from core.settings import Settings

THEMES = ("system", "light", "dark")


class ViewButton(QToolButton):
    """Writes the choice to the settings file at once."""

    def __init__(self, language: Language, theme: Theme, settings: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("viewButton")
        self.setProperty("flat", True)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._language, self._theme, self._settings = language, theme, settings
        menu = QMenu(self)
        self._languages = self._group(menu, LANGUAGES, language.code, self._set_language)
        menu.addSeparator()
        self._themes = self._group(menu, THEMES, theme.mode, self._set_theme)
        self.setMenu(menu)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def _group(self, menu: QMenu, values: tuple[str, ...], chosen: str, act: object) -> dict[str, QAction]:
        group = QActionGroup(self)
        actions = {}
        for value in values:
            action = QAction(group)
            action.setCheckable(True)
            action.setChecked(value == chosen)
            action.setData(value)
            menu.addAction(action)
            actions[value] = action
        group.triggered.connect(act)
        return actions

    def _set_language(self, action: QAction) -> None:
        self._language.set_code(action.data())
        self._keep("language", action.data())

    def _set_theme(self, action: QAction) -> None:
        self._theme.set_mode(action.data())
        self._keep("theme", action.data())

    def _keep(self, name: str, value: str) -> None:
        Settings.load(self._settings).changed(**{name: value}).save(self._settings)

    def sizeHint(self) -> QSize:
        """Not glued to the corner."""
        return super().sizeHint() + QSize(8, 0)

    def _retranslate(self) -> None:
        say = self._language
        self.setText(say("menu.view"))
        self.setAccessibleName(say("menu.view"))
        for code, action in self._languages.items():
            action.setText(say(f"language.{code}"))
        for mode, action in self._themes.items():
            action.setText(say(f"theme.{mode}"))
