"""notesFolder: says where field notes are kept, and offers to keep them elsewhere."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.i18n import Language


class NotesFolder(QFrame):
    """`chosen(folder)`; None: back to the folder that the program made. Hidden until a folder is shown."""

    chosen = Signal(object)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notesFolder")
        self.setProperty("banner", True)
        self._language = language
        self._path: Path | None = None
        self._own = True
        self.words, self._what = QLabel(), QLabel()
        for label in (self.words, self._what):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._what.setProperty("role", "faint")
        self.choose, self.back = QPushButton(), QPushButton()
        self.choose.setObjectName("notesFolderButton")
        self.back.setObjectName("ownNotesFolderButton")
        self.back.setProperty("link", True)
        self.choose.clicked.connect(self._choose)
        self.back.clicked.connect(lambda: self.chosen.emit(None))
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self.words)
        texts.addWidget(self._what)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.addLayout(texts, 1)
        row.addWidget(self.back)
        row.addWidget(self.choose)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def show_folder(self, path: Path, *, own: bool) -> None:
        """Where notes are kept; `own`: the program's own folder."""
        self._path, self._own = path, own
        self._retranslate()

    def _choose(self) -> None:
        start = str(self._path) if self._path is not None and not self._own else ""
        chosen = QFileDialog.getExistingDirectory(self, self._language("note.choose_folder"), start)
        if chosen:
            self.chosen.emit(Path(chosen))

    def _retranslate(self) -> None:
        say = self._language
        # A path has no blanks to break at: it may go on after each separator.
        shown = str(self._path or "").replace("/", "/\u200b").replace("\\", "\\\u200b")
        self.words.setText(say("note.folder", path=shown))
        self._what.setText(say("note.folder_what"))
        self.setAccessibleName(say("note.folder", path=str(self._path or "")))
        for button, name in ((self.choose, "note.choose_folder"), (self.back, "note.own_folder")):
            button.setText(say(name))
            button.setAccessibleName(say(name))
        self.back.setVisible(not self._own)
        self.setVisible(self._path is not None)
