"""How a command that takes long tells how far it is, and how it is cancelled."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from app.cli_output import Printer, say
from core.job import Job
from core.report import Progress


@contextmanager
def cancelled_by_signals(language: str) -> Iterator[Job]:
    """A job that reports on standard error; Ctrl+C or SIGTERM cancels it, a second one breaks off."""
    job = Job(ProgressLine(language))

    def cancel(_number: int, _frame: object) -> None:
        if job.cancelled:
            raise KeyboardInterrupt
        job.cancel()

    before = {number: signal.signal(number, cancel) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield job
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if sys.stderr.isatty():
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


class ProgressLine:
    """On a terminal one line that is written over; elsewhere a line now and then."""

    def __init__(self, language: str) -> None:
        self._words = Printer(language)
        self._terminal = sys.stderr.isatty()
        self._every_s = 0.1 if self._terminal else 5.0
        self._next = time.monotonic() + self._every_s

    def __call__(self, progress: Progress) -> None:
        """Show it, unless something was shown a moment ago."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + self._every_s
        total = str(progress.total or "?")
        text = self._words.word("progress", done=progress.done, total=total, label=progress.label)
        if self._terminal:
            sys.stderr.write(f"\r\033[K{text[:100]}")
            sys.stderr.flush()
        else:
            say(text)
