"""modelsDialog: the models, what became of each, which one answers; choose, add, remove, go on making vectors."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.i18n import Language
from app.model_row import ModelRow
from app.model_text import HASHED, phrase, reranker, serving_sentence, vectors
from app.model_work import ModelWork
from core.embedding_status import AUTO, EmbeddingStatus

ARCHIVES = "*.zip *.tar *.tar.gz *.tgz *.tar.bz2 *.tar.xz"
_WIDTH, _HEIGHT = 640, 620


class ModelsDialog(QDialog):
    """Stands beside the window and blocks nothing: the job bar of the window shows how far things are."""

    def __init__(self, language: Language, work: ModelWork, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelsDialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAcceptDrops(True)
        self._language, self._work = language, work
        self.rows: dict[str, ModelRow] = {}
        self._group = QButtonGroup(self)
        self.serving, self.vectors, self.reranker, self.message, self._drop_words = (QLabel() for _ in range(5))
        for label, name in (
            (self.serving, "modelsServing"),
            (self.vectors, "modelsVectors"),
            (self.reranker, "modelsReranker"),
            (self.message, "modelsMessage"),
            (self._drop_words, "modelsDropWords"),
        ):
            label.setObjectName(name)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self._drop_words.setProperty("role", "faint")
        self.use, self.add, self.go_on, self.close_button = (QPushButton() for _ in range(4))
        for button, name in (
            (self.use, "useModel"),
            (self.add, "addModel"),
            (self.go_on, "continueEmbedding"),
            (self.close_button, "closeModels"),
        ):
            button.setObjectName(name)
            button.setAutoDefault(False)
        self.use.setProperty("primary", True)
        self.use.setDefault(True)
        menu = QMenu(self.add)
        self.folder, self.archive = QAction(menu), QAction(menu)
        self.folder.triggered.connect(self._choose_folder)
        self.archive.triggered.connect(self._choose_archive)
        menu.addActions([self.folder, self.archive])
        self.add.setMenu(menu)
        self._build()
        self.use.clicked.connect(self._use)
        self.go_on.clicked.connect(work.go_on)
        self.close_button.clicked.connect(self.close)
        self._group.buttonClicked.connect(self._update_buttons)
        self._group.buttonToggled.connect(self._update_buttons)
        work.known.connect(self._show)
        work.moved.connect(self._retranslate)
        language.changed.connect(self._retranslate)
        self._retranslate()
        work.refresh()

    def _build(self) -> None:
        self._list_column = QVBoxLayout()
        self._list_column.setSpacing(8)
        made = QHBoxLayout()
        made.addWidget(self.vectors, 1)
        made.addWidget(self.go_on)
        self.drop = QFrame()
        self.drop.setProperty("drop", True)
        row = QHBoxLayout(self.drop)
        row.setContentsMargins(16, 12, 16, 12)
        row.setSpacing(12)
        row.addWidget(self.add)
        row.addWidget(self._drop_words, 1)
        inside = QWidget()
        whole = QVBoxLayout(inside)
        whole.setContentsMargins(20, 16, 20, 8)
        whole.setSpacing(12)
        whole.addWidget(self.serving)
        whole.addLayout(made)
        whole.addLayout(self._list_column)
        whole.addWidget(self.reranker)
        whole.addWidget(self.drop)
        whole.addStretch(1)
        self.area = QScrollArea()
        self.area.setObjectName("modelsList")
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setWidget(inside)
        below = QVBoxLayout()
        below.setContentsMargins(20, 8, 20, 16)
        below.setSpacing(12)
        below.addWidget(self.message)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.use)
        buttons.addWidget(self.close_button)
        below.addLayout(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.area, 1)
        column.addLayout(below)
        scale = max(1.0, self.fontMetrics().height() / 18)
        room = self.screen().availableSize()
        self.resize(min(int(_WIDTH * scale), room.width()), min(int(_HEIGHT * scale), room.height()))

    # ---------------------------------------------------------------- showing
    @property
    def selected(self) -> str | None:
        """The name that is marked in the list."""
        return next((name for name, row in self.rows.items() if row.radio.isChecked()), None)

    def _show(self, status: EmbeddingStatus) -> None:
        names = [AUTO, HASHED, *(model.name for model in status.models if model.name != HASHED)]
        if names != list(self.rows):
            self._make_rows(names, status)
        self._retranslate()

    def _make_rows(self, names: list[str], status: EmbeddingStatus) -> None:
        marked = self.selected
        focused = next((name for name, row in self.rows.items() if row.radio.hasFocus()), None)
        for row in self.rows.values():
            self._group.removeButton(row.radio)
            self._list_column.removeWidget(row)
            row.setParent(None)
            row.deleteLater()
        self.rows = {}
        for place, name in enumerate(names):
            row = ModelRow(name, self._language)
            row.removal_wanted.connect(self._ask_removal)
            row.retry_wanted.connect(self._work.retry)
            self._list_column.insertWidget(place, row)
            model = status.model(name)
            if model is None or not model.is_reranker:
                self._group.addButton(row.radio)
            self.rows[name] = row
        mark = marked if marked in self.rows else status.wanted
        if mark in self.rows:
            self.rows[mark].radio.setChecked(True)
        if focused is None or focused in self.rows:
            self.rows[focused or (mark if mark in self.rows else AUTO)].radio.setFocus()

    def _update_buttons(self, *_: object) -> None:
        status, busy = self._work.status, self._work.doing is not None
        wanted = status.wanted if status is not None else None
        self.use.setEnabled(not busy and self.selected is not None and self.selected != wanted)
        self.add.setEnabled(not busy)

    # ---------------------------------------------------------------- asking
    def _use(self) -> None:
        if self.selected is not None:
            self._work.choose(self.selected)

    def _choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self._language("models.add_folder"))
        if chosen:
            self._work.add(Path(chosen))

    def _choose_archive(self) -> None:
        kinds = f"{self._language('models.archives')} ({ARCHIVES})"
        chosen, _ = QFileDialog.getOpenFileName(self, self._language("models.add_archive"), "", kinds)
        if chosen:
            self._work.add(Path(chosen))

    def _ask_removal(self, name: str) -> None:
        say = self._language
        box = QMessageBox(self)
        box.setObjectName("removeModelQuestion")
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(phrase(say, "models.remove_this", name=name))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(phrase(say, "models.remove_question", name=name))
        remove = box.addButton(say("models.remove"), QMessageBox.ButtonRole.DestructiveRole)
        keep = box.addButton(say("models.keep"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.setEscapeButton(keep)
        remove.clicked.connect(lambda: self._work.remove(name))
        box.finished.connect(box.deleteLater)
        box.open()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """One folder or archive of this computer."""
        if self.add.isEnabled() and _dropped(event) is not None:
            event.acceptProposedAction()
            self._over(over=True)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        """Gone again."""
        self._over(over=False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Add what was dropped."""
        self._over(over=False)
        path = _dropped(event)
        if path is not None:
            event.acceptProposedAction()
            self._work.add(path)

    def _over(self, *, over: bool) -> None:
        self.drop.setProperty("over", over)
        self.drop.style().unpolish(self.drop)
        self.drop.style().polish(self.drop)

    # ---------------------------------------------------------------- words
    def _retranslate(self) -> None:
        say, work = self._language, self._work
        status, doing = work.status, work.doing
        self.setWindowTitle(say("models.title"))
        self.setAccessibleName(say("models.title"))
        self.area.setAccessibleName(say("models.title"))
        self.folder.setText(say("models.add_folder"))
        self.archive.setText(say("models.add_archive"))
        for button, name in (
            (self.use, "models.use"),
            (self.add, "models.add"),
            (self.go_on, "models.go_on"),
            (self.close_button, "models.close"),
        ):
            button.setText(say(name))
            button.setAccessibleName(say(name))
        self._drop_words.setText(say("models.drop"))
        if status is not None:
            self.serving.setText(serving_sentence(status, say))
            self.vectors.setText(vectors(status, say, paused=work.paused))
            self.reranker.setText(reranker(status, say))
        self.vectors.setVisible(bool(self.vectors.text()))
        self.go_on.setVisible(work.paused and bool(self.vectors.text()))
        said = phrase(say, doing[0], name=doing[1]) if doing is not None else work.message(say)
        self.message.setText(said)
        self.message.setVisible(bool(said))
        for label in (self.serving, self.vectors, self.reranker, self.message, self._drop_words):
            label.setAccessibleName(label.text())
        for name, row in self.rows.items():
            if status is not None:
                row.show_model(status.model(name), in_use=status.serving == name, busy=doing is not None)
        self._update_buttons()


def _dropped(event: QDropEvent) -> Path | None:
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    return paths[0] if len(paths) == 1 else None
