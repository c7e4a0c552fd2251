"""Job: how long work reports progress and learns that it should stop."""

from __future__ import annotations

import threading
from collections.abc import Callable

from core.errors import Cancelled
from core.report import Progress


class Job:
    """Handed to every callable that may take long. Safe to cancel from any thread.

    The work calls `checkpoint()` often and `report()` as it goes; the owner calls `cancel()`.
    """

    def __init__(self, on_progress: Callable[[Progress], None] | None = None) -> None:
        self._cancelled = threading.Event()
        self._on_progress = on_progress

    @property
    def cancelled(self) -> bool:
        """True once cancel() was called."""
        return self._cancelled.is_set()

    def cancel(self) -> None:
        """Ask the work to stop at its next checkpoint. Idempotent."""
        self._cancelled.set()

    def checkpoint(self) -> None:
        """Raise Cancelled when the job was cancelled."""
        if self._cancelled.is_set():
            raise Cancelled

    def report(self, done: int, total: int, label: str = "") -> None:
        """Tell the owner how far the work is; total 0 = not known yet."""
        if self._on_progress is not None:
            self._on_progress(Progress(done, total, label))
