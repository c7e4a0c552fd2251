"""Knowledge work in the background: opening the engine, importing, removing the starter base, counting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.tasks import Lane, TaskRunner
from core.engine import Engine
from core.job import Job
from core.report import ImportReport


class KnowledgeWork(QObject):
    """One long job at a time. `began(word)`, `progressed(Progress)`, `ended`; `reported(ImportReport)`;
    `failed_found(items)` after `find_failed()`;
    `known(status, domain names, starter?)` after opening and after every change."""

    began = Signal(str)
    progressed = Signal(object)
    ended = Signal()
    reported = Signal(object)
    failed_found = Signal(object)
    known = Signal(object, object, bool)
    starter_removed = Signal(int)
    open_failed = Signal(object)

    def __init__(self, tasks: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._engine: Engine | None = None
        self._job: Job | None = None
        self._finished = False

    @property
    def running(self) -> bool:
        """A job that writes knowledge is running."""
        return self._job is not None

    @property
    def finished(self) -> bool:
        """The window is gone; nothing is started any more."""
        return self._finished

    def open(self, open_engine: Callable[[], Engine], on_done: Callable[[Engine], None]) -> None:
        """Open the engine; the lookup lane is free for nothing else until it is there."""

        def done(engine: Engine) -> None:
            self._engine = engine
            on_done(engine)
            self.refresh()

        self._tasks.start(self, lambda _: open_engine(), on_done=done, on_error=self.open_failed.emit, lane=Lane.LOOKUP)

    def refresh(self) -> None:
        """Count again."""
        if self._engine is not None:
            engine = self._engine
            self._tasks.start(
                self,
                lambda _: (engine.status(), engine.domain_names(), engine.has_starter()),
                on_done=lambda known: self.known.emit(*known),
                lane=Lane.QUICK,
                replaces="status",
            )

    def find_failed(self) -> None:
        """Look up which files could not be imported."""
        if self._engine is not None:
            standing = self._engine.standing
            self._tasks.start(
                self,
                lambda _: standing.failed_files(),
                on_done=self.failed_found.emit,
                lane=Lane.QUICK,
                replaces="failed",
            )

    def start_import(self, paths: list[Path], domain: str | None = None) -> None:
        """Import; does nothing while another job runs."""
        engine = self._engine
        if engine is not None and self._job is None:
            self._start("job.importing", lambda job: engine.ingest(paths, domain=domain, job=job), self._imported)

    def forget_unfinished(self, paths: list[str]) -> None:
        """Say no more about imports that were cut off."""
        engine = self._engine
        if engine is not None and self._job is None:
            self._tasks.start(
                self,
                lambda _: engine.forget_unfinished(paths),
                on_done=lambda _: self.refresh(),
                lane=Lane.LONG,
            )

    def remove_starter(self) -> None:
        """Remove the starter base."""
        engine = self._engine
        if engine is not None and self._job is None:
            self._start("job.removing", lambda job: engine.remove_starter(job=job), self.starter_removed.emit)

    def cancel(self) -> None:
        """Ask the running job to stop."""
        if self._job is not None:
            self._job.cancel()

    def _start(self, word: str, work: Callable[[Job], object], on_done: Callable[[object], None]) -> None:
        self._job = self._tasks.start(
            self,
            work,
            on_done=on_done,
            on_progress=self.progressed.emit,
            on_end=self._end,
            lane=Lane.LONG,
        )
        self.began.emit(word)

    def _imported(self, report: object) -> None:
        assert isinstance(report, ImportReport)
        self.reported.emit(report)

    def _end(self) -> None:
        if self._job is not None:
            self._job = None
            self.ended.emit()
            self.refresh()

    def finish(self) -> None:
        """The window goes: end the lanes, then close the engine when nothing uses it any more. Idempotent."""
        if self._finished:
            return
        self._finished = True
        if self._tasks.close() and self._engine is not None:
            self._engine.close()
