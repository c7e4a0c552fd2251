"""Background work: the only file that knows threads. Results come home to the GUI thread."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import shiboken6
from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, Qt, Signal

from core.errors import Cancelled, DesksideError, ExpectedError
from core.job import Job
from core.report import Progress

Work = Callable[[Job], Any]


class Lane(StrEnum):
    """One thread each, so that nothing clicked waits behind an import or a slow query."""

    LOOKUP = "lookup"
    QUICK = "quick"
    LONG = "long"


class _Task:
    """One piece of work on its way through a lane and home."""

    def __init__(
        self,
        owner: QObject,
        work: Work,
        *,
        on_done: Callable[[Any], None] | None,
        on_error: Callable[[DesksideError], None] | None,
        on_progress: Callable[[Progress], None] | None,
        on_end: Callable[[], None] | None,
    ) -> None:
        self.owner = owner
        self.work = work
        self.on_done = on_done
        self.on_error = on_error
        self.on_progress = on_progress
        self.on_end = on_end
        self.replaces: str | None = None
        self.gives_way_on: Lane | None = None
        self.job = Job()
        self.result: Any = None
        self.error: BaseException | None = None
        self.progress: Progress | None = None
        self.finished = False


class _Home(QObject):
    """Lives on the GUI thread as long as the runner; the queued signal is the only way home."""

    arrived = Signal(object)


class TaskRunner(QObject):
    """Runs callables that take a Job. Create it on the GUI thread; `close()` before the program ends.

    Guarantees: callbacks run on the GUI thread, never after their owner is gone, and never for work that was
    cancelled or replaced. `on_error` gets expected errors; without it they go to `expected`. Everything else that
    a work raises goes to `bug`. `Cancelled` is silence.
    """

    expected = Signal(object)
    bug = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._home = _Home()
        self._home.arrived.connect(self._arrive, Qt.ConnectionType.QueuedConnection)
        self._queues: dict[Lane, queue.SimpleQueue[_Task | None]] = {}
        self._threads: dict[Lane, threading.Thread] = {}
        self._tasks: set[_Task] = set()
        self._latest: dict[str, _Task] = {}
        self._closed = False

    def start(
        self,
        owner: QObject,
        work: Work,
        *,
        on_done: Callable[[Any], None] | None = None,
        on_error: Callable[[DesksideError], None] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
        on_end: Callable[[], None] | None = None,
        lane: Lane = Lane.QUICK,
        replaces: str | None = None,
        gives_way: bool = False,
    ) -> Job:
        """Run `work(job)` on a lane. A later start with the same `replaces` cancels this one: latest wins.
        `gives_way`: whatever is started on its lane later cancels it; the owner starts it again at its end.

        `on_end` comes last, whatever became of it, cancelled and failed work included.
        """
        task = _Task(owner, work, on_done=on_done, on_error=on_error, on_progress=on_progress, on_end=on_end)
        if self._closed:
            task.job.cancel()
            return task.job
        if replaces is not None:
            self.cancel(replaces)
            task.replaces = replaces
            self._latest[replaces] = task
        for other in self._tasks:
            if other.gives_way_on is lane:
                other.job.cancel()
        task.gives_way_on = lane if gives_way else None
        if on_progress is not None:
            task.job = Job(lambda progress: self._report(task, progress))
        self._tasks.add(task)
        self._queue(lane).put(task)
        return task.job

    def cancel(self, replaces: str) -> None:
        """Cancel what was last started under that name, if it still runs."""
        earlier = self._latest.pop(replaces, None)
        if earlier is not None:
            earlier.job.cancel()

    @property
    def idle(self) -> bool:
        """True when every result is home."""
        return not self._tasks

    def drain(self, limit_s: float = 60.0) -> None:
        """Process events until idle; for tests and for closing. Raises TimeoutError after `limit_s`."""
        end = time.monotonic() + limit_s
        while not self.idle:
            QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            if time.monotonic() > end:
                raise TimeoutError("background work did not end")
            if not self.idle:
                threading.Event().wait(0.001)

    def close(self, limit_s: float = 4.0) -> bool:
        """Cancel everything and end the threads; False when one did not end within the limit. Idempotent."""
        self._closed = True
        for task in self._tasks:
            task.job.cancel()
        for lane_queue in self._queues.values():
            lane_queue.put(None)
        end = time.monotonic() + limit_s
        for thread in self._threads.values():
            thread.join(max(0.0, end - time.monotonic()))
        self._tasks.clear()
        self._latest.clear()
        return not any(thread.is_alive() for thread in self._threads.values())

    # ---------------------------------------------------------------- lanes
    def _queue(self, lane: Lane) -> queue.SimpleQueue[_Task | None]:
        if lane not in self._queues:
            lane_queue: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
            # Daemons, so that a work that never looks at its job cannot keep a closed program alive.
            thread = threading.Thread(target=self._serve, args=(lane_queue,), name=f"deskside-{lane}", daemon=True)
            self._queues[lane], self._threads[lane] = lane_queue, thread
            thread.start()
        return self._queues[lane]

    def _serve(self, lane_queue: queue.SimpleQueue[_Task | None]) -> None:
        while (task := lane_queue.get()) is not None:
            try:
                task.job.checkpoint()
                task.result = task.work(task.job)
            except BaseException as error:
                task.error = error
            task.finished = True
            self._send(task)

    def _report(self, task: _Task, progress: Progress) -> None:
        # One report under way at a time: the newest value is read when it arrives, so 10,000 files flood nothing.
        waiting, task.progress = task.progress is not None, progress
        if not waiting:
            self._send(task)

    def _send(self, task: _Task) -> None:
        # The program may be gone already when a work ends that did not stop in time.
        with contextlib.suppress(RuntimeError):
            self._home.arrived.emit(task)

    # ----------------------------------------------------------------- home
    def _arrive(self, task: _Task) -> None:
        if task not in self._tasks:
            return
        wanted = not task.job.cancelled and shiboken6.isValid(task.owner)
        progress, task.progress = task.progress, None
        if progress is not None and wanted and task.on_progress is not None:
            task.on_progress(progress)
        if not task.finished:
            return
        self._tasks.discard(task)
        if task.replaces is not None and self._latest.get(task.replaces) is task:
            del self._latest[task.replaces]
        try:
            self._deliver(task, wanted)
        finally:
            if task.on_end is not None and shiboken6.isValid(task.owner):
                task.on_end()

    def _deliver(self, task: _Task, wanted: bool) -> None:
        if isinstance(task.error, Cancelled):
            return
        if task.error is not None:
            self._fail(task, wanted)
        elif shiboken6.isValid(task.owner) and task.on_done is not None and (wanted or task.replaces is None):
            # Cancelled work that came to an end all the same (an import's report) is still news,
            # unless something newer took its place.
            task.on_done(task.result)

    def _fail(self, task: _Task, wanted: bool) -> None:
        if isinstance(task.error, ExpectedError):
            if wanted and task.on_error is not None:
                task.on_error(task.error)
            elif wanted:
                self.expected.emit(task.error)
        else:
            self.bug.emit(task.error)
