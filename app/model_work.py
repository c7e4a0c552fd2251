"""Models in the background: loading the chosen one, making the vectors that are missing, choosing, adding, removing.

Loading and making vectors give way to whatever else is started on the long lane, and go on after it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Signal

from app.i18n import Language
from app.model_text import HASHED, fault_sentence, phrase, troubled
from app.tasks import Lane, TaskRunner
from core.embedding_status import EmbeddingStatus, ModelStage, ModelStatus
from core.errors import DesksideError, KnowledgeLocked
from core.job import Job
from core.report import Progress

LOADING, EMBEDDING, ADDING = "job.loading_model", "job.embedding", "job.adding_model"


class Models(Protocol):
    """What the window asks of `engine.models`."""

    def status(self) -> EmbeddingStatus:
        """As it stands, without loading anything."""
        ...

    def load(self) -> object:
        """Load the chosen model."""
        ...

    def choose(self, name: str) -> object:
        """Another one from now on."""
        ...

    def add(self, path: Path, job: Job) -> ModelStatus:
        """Copy and check a model."""
        ...

    def remove(self, name: str) -> object:
        """Delete an added model."""
        ...

    def embed(self, job: Job) -> bool:
        """Make the vectors that are missing; whether all are there."""
        ...


class ModelWork(QObject):
    """`known`: the status was read again. `progressed(word, Progress)` and `ended` are for the job bar. `changed`:
    another embedder serves. `trouble`: a ModelStatus or an error that one should hear of, each once. `moved`: what
    `doing`, `paused` or `message` say is another thing."""

    known = Signal(object)
    progressed = Signal(str, object)
    ended = Signal()
    changed = Signal()
    trouble = Signal(object)
    moved = Signal()

    def __init__(self, tasks: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._models: Models | None = None
        self._wanted: set[str] = set()
        self._background: Job | None = None
        self._action: Job | None = None
        self._error: DesksideError | None = None
        self._told: set[tuple[object, ...]] = set()
        self._message: Callable[[Language], str] | None = None
        self.status: EmbeddingStatus | None = None
        self.doing: tuple[str, str] | None = None
        self.paused = False

    def set_models(self, models: Models) -> None:
        """The knowledge base is open: load the chosen model, then make the vectors that are missing."""
        self._models = models
        self._wanted = {LOADING, EMBEDDING}
        self.refresh()

    def message(self, say: Language) -> str:
        """What became of the last action; "" after none."""
        return self._message(say) if self._message is not None else ""

    # ---------------------------------------------------------------- in the background
    def refresh(self) -> None:
        """Read the status again."""
        if self._models is not None:
            models = self._models
            self._tasks.start(self, lambda _: models.status(), on_done=self._known, lane=Lane.QUICK, replaces="models")

    def again(self) -> None:
        """There is other knowledge: some texts may have no vector."""
        self._wanted.add(EMBEDDING)
        self.refresh()

    def go_on(self) -> None:
        """Make vectors again after a pause."""
        self.paused = False
        self.moved.emit()
        self.again()

    def retry(self) -> None:
        """Load what failed once more."""
        self._told.clear()
        if self.status is not None:
            self.choose(self.status.wanted)

    def cancel(self) -> None:
        """What the job bar shows: adding is stopped; making vectors pauses until `go_on` or the next start."""
        if self._action is not None:
            self._action.cancel()
        elif self._background is not None:
            self.paused = True
            self._background.cancel()
            self.moved.emit()

    def _known(self, status: EmbeddingStatus) -> None:
        before, self.status = self.status, status
        self.known.emit(status)
        if before is not None and before.serving != status.serving:
            self.changed.emit()
        self._tell(status)
        self._next()

    def _tell(self, status: EmbeddingStatus) -> None:
        """The model's own trouble says more than the error that it led to."""
        error, self._error = self._error, None
        model = troubled(status)
        told: ModelStatus | DesksideError | None = model if model is not None and model.fault is not None else error
        mark = (model.name, model.fault, model.detail) if model is not None else (type(error), str(error))
        if told is not None and mark not in self._told:
            self._told.add(mark)
            self.trouble.emit(told)

    def _next(self) -> None:
        """Loading comes before making vectors; one thing at a time."""
        if self._models is None or self.status is None or self._background is not None or self._action is not None:
            return
        if LOADING in self._wanted:
            self._begin(LOADING, self._load)
        elif EMBEDDING in self._wanted and not self.paused:
            self._begin(EMBEDDING, self._models.embed)

    def _load(self, job: Job) -> object:
        models, status = self._models, self.status
        assert models is not None
        model = status.model(status.chosen) if status is not None and status.chosen != HASHED else None
        if model is not None and model.stage is not ModelStage.READY:
            job.report(0, 0)
        return models.load()

    def _begin(self, what: str, work: Callable[[Job], object]) -> None:
        came: list[object] = []

        def end() -> None:
            self._background = None
            if came or not job.cancelled:  # what gave way is still wanted
                self._wanted.discard(what)
            if not (job.cancelled and not self.paused):
                self.ended.emit()
            self.refresh()

        job = self._tasks.start(
            self,
            work,
            on_done=lambda result: came.append(result) if result is not False else None,
            on_error=self._failed,
            on_progress=lambda progress: self._progressed(what, progress),
            on_end=end,
            lane=Lane.LONG,
            gives_way=True,
        )
        self._background = job

    def _failed(self, error: DesksideError) -> None:
        # Another process writes knowledge: what is missing is made when this one hears of it.
        if not isinstance(error, KnowledgeLocked):
            self._error = error

    def _progressed(self, what: str, progress: Progress) -> None:
        if what == EMBEDDING:
            self.refresh()
            if progress.done >= progress.total:
                return
        self.progressed.emit(what, progress)

    # ---------------------------------------------------------------- what a person asks for
    def choose(self, name: str) -> None:
        """Another embedder, or auto."""
        self._act("models.choosing", name, lambda models, _: models.choose(name), lambda _: None)

    def add(self, path: Path) -> None:
        """A model from a folder or an archive."""

        def added(model: ModelStatus) -> None:
            if model.fault is None:
                self._message = lambda say: phrase(say, "models.added", name=model.name)
            else:
                self._message = lambda say: fault_sentence(model, say)

        self._act("models.adding", path.name, lambda models, job: models.add(path, job), added)

    def remove(self, name: str) -> None:
        """An added model, with its files."""

        def removed(_: object) -> None:
            self._message = lambda say: phrase(say, "models.removed", name=name)

        self._act("models.removing", name, lambda models, _: models.remove(name), removed)

    def _act(self, word: str, name: str, work: Callable[[Models, Job], Any], on_done: Callable[[Any], None]) -> None:
        models = self._models
        if models is None or self._action is not None:
            return

        def failed(error: DesksideError) -> None:
            self._message = lambda say: say.sentence(error)

        def end() -> None:
            if job.cancelled and self._message is None:
                self._message = lambda say: say("models.add_stopped")
            self._action = self.doing = None
            self._wanted |= {LOADING, EMBEDDING}
            self.paused = False
            self.ended.emit()
            self.moved.emit()
            self.refresh()

        def act(job: Job) -> Any:
            job.report(0, 0)  # its turn has come
            return work(models, job)

        def progressed(progress: Progress) -> None:
            if self.doing is not None and self.doing[0] != word:
                self.doing = (word, name)
                self.moved.emit()
            if word == "models.adding":
                self.progressed.emit(ADDING, progress)

        self._message, self.doing = None, ("models.waiting", name)
        job = self._tasks.start(
            self,
            act,
            on_done=on_done,
            on_error=failed,
            on_progress=progressed,
            on_end=end,
            lane=Lane.LONG,
        )
        self._action = job
        self.moved.emit()
