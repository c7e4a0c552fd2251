"""DeskReports: this desk's hourly summaries in the folder that all desks share, and what all of them add up to.

A folder that is gone, slow or refuses is no error: everything about it happens on a thread of its own, figures say
how it stands, and what was missed is written when it is back.
"""

from __future__ import annotations

import logging
import platform
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, wait
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.agents.worker import Worker, WorkerUnusable
from core.clock import Clock, today
from core.desks import DeskFolder, DesksFigures
from core.figures import Period
from core.files import replace_file
from core.monitor.desk_figures import FolderReading, figures_of
from core.monitor.desk_report import (
    LEVELS,
    DeskDay,
    DeskHour,
    UnreadableReport,
    bounds,
    day_of,
    decode,
    desk_and_day,
    encode,
)
from core.settings import Settings
from core.store.articles import Articles
from core.store.database import Database
from core.store.dates import Dates
from core.store.desk_hours import DeskHours, HourRow

if TYPE_CHECKING:
    from core.monitor.masking import Masking

log = logging.getLogger(__name__)

_CATCH_UP_DAYS = 31
_AGAIN_AFTER = timedelta(minutes=5)
_PATIENCE_S = 2.0
_MOST_QUESTIONS = 50
_LEAST_SESSIONS = 3  # a question that fewer asked may be of one caller, and stays here


class DeskReports:
    """Over one open data folder. All methods may be called from any thread. `masking` is called when the first
    question has to be masked."""

    def __init__(self, database: Database, settings: Settings, clock: Clock, masking: Callable[[], Masking]) -> None:
        self._hours, self._articles, self._dates = DeskHours(database), Articles(database), Dates(database)
        self._clock = clock
        self._masking = masking
        folder = settings.word("report_folder").strip()
        self._folder = Path(folder) if folder else None
        self._queries = settings.word("report_queries")
        self._name = settings.word("desk_name").strip()
        self._reading = FolderReading()
        self._done: set[date] = set()
        self._next: tuple[datetime, datetime] | None = None  # when that was decided, and when it is
        self._lock = threading.Lock()
        self._running: Future[bool] | None = None
        self._worker = Worker("desk reports")
        self._closed = False

    def write_due(self) -> None:
        """Write what is due, if anything is: once an hour, and what could not be written before. Returns at once and
        raises nothing. Call it with every collection."""
        now = self._clock.now()
        # A clock that was set back makes it due as well: nothing is put off by a year.
        if self._folder is None or (self._next is not None and self._next[0] <= now < self._next[1]):
            return
        self._in_background(lambda folder: self._write(folder, now))

    def figures(self, period: Period) -> DesksFigures:
        """All desks in the hours that begin in the period; questions by whole days (UTC). Waits at most two seconds
        for the folder, then tells what was read last. Writes nothing: before its first report no desk is `here`."""
        if self._folder is None:
            return DesksFigures(period, DeskFolder.OFF, "")
        now = self._clock.now()
        reached = self._ask(lambda folder: self._reading.read(folder, period, now))
        told = figures_of(self._reading.reports(), period, now, self._hours.known_desk(platform.node()))
        return replace(
            told,
            folder=DeskFolder.REACHABLE if reached else DeskFolder.UNREACHABLE,
            path=str(self._folder),
            skipped=self._reading.skipped(),
        )

    def settle(self, seconds: float) -> bool:
        """Wait for what is being written or read; False: it is still at it."""
        running = self._running
        return running is None or bool(wait([running], seconds).done)

    def close(self) -> None:
        """Write what came since the last full hour, where this process wrote before, and begin nothing more. Waits at
        most a second."""
        if self._next is not None and not self._closed:
            now = self._clock.now()
            self._in_background(lambda folder: self._write(folder, now))
            self.settle(1.0)
        self._closed = True
        self._worker.close(0.1)

    # ------------------------------------------------------------- the thread
    def _in_background(self, work: Callable[[Path], None]) -> Future[bool] | None:
        """Do it on a thread that may hang with the folder; the future tells whether the folder was there. None: an
        earlier one is still at it, or it is too late."""
        with self._lock:
            if self._folder is None or (self._running is not None and not self._running.done()):
                return None
            try:
                self._running = self._worker.submit(partial(_reached, work, self._folder))
            except WorkerUnusable:
                return None
            return self._running

    def _ask(self, work: Callable[[Path], None]) -> bool:
        """Whether it was done in time, what was being done before it included."""
        deadline = time.monotonic() + _PATIENCE_S
        future = self._in_background(work)
        if future is None and self.settle(_PATIENCE_S):
            future = self._in_background(work)
        left = max(0.0, deadline - time.monotonic())
        return future is not None and bool(wait([future], left).done) and not future.cancelled() and future.result()

    # ---------------------------------------------------------------- writing
    def _write(self, folder: Path, now: datetime) -> None:
        """All days that the folder lacks, and the last two anew. Never makes the folder: below a mount point that
        nothing is mounted on it would be another one."""
        self._next = (now, now + _AGAIN_AFTER)
        last = day_of(now)
        desk = self._hours.desk(platform.node(), last, last - timedelta(days=_CATCH_UP_DAYS))
        there = {path.name for path in folder.iterdir()}
        day = min(last, max(desk.since, last - timedelta(days=_CATCH_UP_DAYS)))  # `since` may be of a wrong clock
        while day <= last:
            if day >= last - timedelta(days=1) or day not in self._done:
                report = self._report(desk.id, day, now)
                if day == last or (report.hours and not self._stands(folder, report, there)):
                    replace_file(folder / report.file_name, encode(report))
                self._done.add(day)
            day += timedelta(days=1)
        _clear(folder, desk.id, last, there)
        self._next = (now, now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1))

    @staticmethod
    def _stands(folder: Path, report: DeskDay, there: set[str]) -> bool:
        """Whether the folder says the same already."""
        if report.file_name not in there:
            return False
        try:
            old = decode(report.file_name, (folder / report.file_name).read_bytes())
        except UnreadableReport:
            return False
        return encode(replace(old, written_at=report.written_at)) == encode(report)

    def _report(self, desk: str, day: date, now: datetime) -> DeskDay:
        start, end = bounds(day)
        hours = tuple(map(_hour, self._hours.hours(start, end)))
        told, untold = self._questions(start, end) if hours else ((), 0)
        return DeskDay(
            desk=desk,
            name=self._name or f"desk-{desk[:4]}",
            day=day,
            written_at=now,
            articles=self._articles.counts()[0],
            newest_update=self._dates.newest_update(today(self._clock)),
            hours=hours,
            unanswered=told,
            untold=untold,
        )

    def _questions(self, start: datetime, end: datetime) -> tuple[tuple[tuple[str, int], ...], int]:
        """What is told of the questions without an answer, and how many are not."""
        told: dict[str, int] = {}
        untold = 0
        for query, count, sessions in self._hours.unanswered(start, end, start - timedelta(days=30)):
            text = self._told(query, sessions)
            if text is None or (text not in told and len(told) >= _MOST_QUESTIONS):
                untold += count
            else:
                told[text] = told.get(text, 0) + count
        return tuple(sorted(told.items(), key=lambda one: (-one[1], one[0]))), untold

    def _told(self, query: str, sessions: int) -> str | None:
        from core.monitor.masking import STAR

        if self._queries == "full":
            return query
        if self._queries == "none" or sessions < _LEAST_SESSIONS:
            return None
        text = self._masking().masked(query)
        return None if text == STAR else text


def _reached(work: Callable[[Path], None], folder: Path) -> bool:
    try:
        work(folder)
    except OSError as error:
        log.info("the report folder cannot be used: %s", error.strerror or type(error).__name__)
    except sqlite3.ProgrammingError:
        pass  # the data folder was closed meanwhile
    except Exception:
        log.exception("reports failed")
    else:
        return True
    return False


def _clear(folder: Path, desk: str, today: date, there: Iterable[str]) -> None:
    """Take away what a fast clock of this desk left behind: reports of days to come without a lookup. Those with
    lookups stay, for it may be today's clock that is wrong; nobody counts them before their day."""
    for name in there:
        named = desk_and_day(name)
        if named is not None and named[0] == desk and named[1] > today:
            try:
                told = decode(name, (folder / name).read_bytes())
            except (UnreadableReport, FileNotFoundError):
                continue
            if not told.hours:
                (folder / name).unlink(missing_ok=True)


def _hour(row: HourRow) -> DeskHour:
    lookups, degraded, not_found = sum(row.answers.values()), row.answers["degraded"], row.answers["not_found"]
    levels = {level: row.answers.get(level, 0) for level in LEVELS}
    return DeskHour(
        start=row.start,
        lookups=lookups,
        sessions=row.sessions,
        answered=lookups - degraded,
        not_found=not_found,
        degraded=degraded,
        adopted=row.adopted,
        repeated=row.repeated,
        levels=levels | {"none": lookups - sum(levels.values())},
    )
