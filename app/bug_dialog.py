"""A fault of the program: one dialog with the details, the log's place, and a button to copy both."""

from __future__ import annotations

import traceback
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from app.i18n import Language


class BugDialog(QDialog):
    """Does not stop the program; the window stays usable."""

    def __init__(self, error: BaseException, log: Path, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bugDialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(language("bug.title"))
        self.setAccessibleName(language("bug.title"))
        self.details = "".join(traceback.format_exception(error))
        words, place, text = QLabel(language("bug.body")), QLabel(language("bug.log", path=log)), QPlainTextEdit()
        for label in (words, place):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        place.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        text.setReadOnly(True)
        text.setPlainText(self.details)
        text.setAccessibleName(language("bug.title"))
        buttons = QDialogButtonBox()
        self.copy = buttons.addButton(language("bug.copy"), QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.clicked.connect(lambda: QApplication.clipboard().setText(f"{self.details}\n{log}"))
        close = buttons.addButton(language("bug.close"), QDialogButtonBox.ButtonRole.RejectRole)
        close.clicked.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(12)
        for widget in (words, text, place, buttons):
            column.addWidget(widget)
        self.resize(640, 400)
