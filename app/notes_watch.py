"""The notes folder in the background: which one it is, and what colleagues wrote into it, read quietly now and then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from app.notes_folder import NotesFolder
from app.tasks import Lane, TaskRunner
from core.engine import Engine
from core.job import Job

AT_MOST_EVERY_S = 60.0


class NotesWatch(QObject):
    """Looks when the window opens and whenever it becomes active, at most once a minute; `clock` gives seconds.

    `changed`: there is other knowledge now. A folder that is away, and a knowledge base that another one writes, are
    passed over in silence until next time.
    """

    changed = Signal()

    def __init__(self, tasks: TaskRunner, window: QWidget, row: NotesFolder, clock: Callable[[], float]) -> None:
        super().__init__(window)
        self._tasks, self._row, self._clock = tasks, row, clock
        self._engine: Engine | None = None
        self._looked: float | None = None
        self._looking = False
        row.chosen.connect(self._choose)
        window.installEventFilter(self)

    def set_engine(self, engine: Engine) -> None:
        """The knowledge base is open."""
        self._engine = engine
        self._show(engine)
        self.look()

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        """The window became active."""
        if event.type() == QEvent.Type.WindowActivate:
            self.look()
        return False

    def look(self, *, now: bool = False) -> None:
        """Import what changed in the folder, unless that was asked less than a minute ago."""
        engine, moment = self._engine, self._clock()
        recently = self._looked is not None and moment - self._looked < AT_MOST_EVERY_S
        if engine is None or self._looking or (recently and not now):
            return
        self._looked, self._looking = moment, True
        self._tasks.start(
            self,
            lambda job: engine.notes.refresh(job=job),
            on_done=lambda changed: self.changed.emit() if changed else None,
            on_error=lambda _: None,
            on_end=self._done,
            lane=Lane.LONG,
        )

    def _done(self) -> None:
        self._looking = False

    def _choose(self, folder: Path | None) -> None:
        engine = self._engine
        if engine is None:
            return

        def work(_: Job) -> None:
            engine.notes.choose(folder if folder is not None else engine.folder.notes)

        def done(_: object) -> None:
            self._show(engine)
            self.look(now=True)

        self._tasks.start(self, work, on_done=done, lane=Lane.QUICK)

    def _show(self, engine: Engine) -> None:
        self._row.show_folder(engine.notes.folder, own=engine.notes.is_own)
