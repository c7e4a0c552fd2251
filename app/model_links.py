"""Where models meet the window: its foot line, job bar, hint line, notices, menu and the dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.i18n import Language
from app.model_text import fault_sentence, pending
from app.model_work import EMBEDDING, ModelWork
from core.embedding_status import EmbeddingStatus, ModelStatus
from core.errors import DesksideError
from core.report import Progress

if TYPE_CHECKING:
    from app.main_window import MainWindow
    from app.models_dialog import ModelsDialog
    from app.tasks import TaskRunner
    from core.engine import Engine


class ModelLinks(QObject):
    """Lives as long as the window. Imports and the like have the job bar before models have it."""

    def __init__(self, window: MainWindow, tasks: TaskRunner, language: Language) -> None:
        super().__init__(window)
        self._window, self._language = window, language
        self.work = ModelWork(tasks, self)
        self.dialog: ModelsDialog | None = None
        self._shown = ""  # the word of the job of ours that the bar shows
        self.work.known.connect(self._known)
        self.work.progressed.connect(self._progressed)
        self.work.ended.connect(self._ended)
        self.work.changed.connect(window.control.again)
        self.work.trouble.connect(self._tell)
        window.jobs.cancel_wanted.connect(self._cancel)
        window.work.began.connect(self._lose_bar)
        window.work.ended.connect(self.work.again)
        window.notes.changed.connect(self.work.again)
        window.notes_watch.changed.connect(self.work.again)
        window.tools.models_wanted.connect(self.show)
        window.foot.models_wanted.connect(self.show)

    @property
    def pending(self) -> tuple[int, int] | None:
        """How far the vectors are that answers wait for; None where they wait for none."""
        return pending(self.work.status)

    def set_engine(self, engine: Engine) -> None:
        """The knowledge base is open."""
        models = getattr(engine, "models", None)
        if models is not None:
            self.work.set_models(models)

    def show(self) -> None:
        """The dialog; a second one is the first."""
        from app.models_dialog import ModelsDialog

        if self.dialog is None:
            self.dialog = ModelsDialog(self._language, self.work, self._window)
            self.dialog.destroyed.connect(self._closed)
        self.dialog.show()
        self.dialog.raise_()
        self.dialog.activateWindow()

    def _closed(self) -> None:
        self.dialog = None

    def _known(self, status: EmbeddingStatus) -> None:
        self._window.foot.show_models(status)
        self._window.tell_surroundings()

    def _tell(self, trouble: ModelStatus | DesksideError) -> None:
        say, notice = self._language, self._window.notice
        if isinstance(trouble, ModelStatus):
            notice.say(
                lambda: fault_sentence(trouble, say), action=lambda: say("menu.models"), act=self.show, stays=True
            )
        else:
            self._window.show_error(trouble)

    # ---------------------------------------------------------------- the job bar
    def _progressed(self, word: str, progress: Progress) -> None:
        if self._window.work.running:
            return
        if self._shown != word:
            self._shown = word
            self._window.jobs.begin(word, before=progress.done if word == EMBEDDING else 0)
        self._window.jobs.show_progress(progress)

    def _ended(self) -> None:
        if self._shown and not self._window.work.running:
            self._window.jobs.end()
        self._shown = ""

    def _lose_bar(self) -> None:
        self._shown = ""

    def _cancel(self) -> None:
        if self._shown:
            self.work.cancel()
