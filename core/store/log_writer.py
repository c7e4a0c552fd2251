"""LogWriter: rows of the log are written by a thread of their own, so that nobody waits for the disk."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.store.database import Database

log = logging.getLogger(__name__)

Write = Callable[[sqlite3.Connection], None]
_BATCH = 500
_MOST = 20_000  # writes that wait for a disk that takes none


class LogWriter:
    """A queue of small writes to one database, committed in order, in groups, as soon as the thread is free.

    A write is whole or not at all, whenever the process is killed. One that fails by a fault of the program is logged,
    counted (`lost`) and left out; where the disk, rights or a lock are the cause (Database.expected) it and all after
    it stay in the queue and are tried again at the next `put` or `flush`, which then says so. All methods may be called
    from any thread.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._changed = threading.Condition()
        self._queue: deque[Write] = deque()
        self._put = 0
        self._done = 0
        self._lost = 0
        self._attempts = 0  # batches begun
        self._failed_attempt = 0  # the last of them that has to be tried again
        self._error: sqlite3.Error | None = None
        self._wanted = False  # something was put, or asked for, since the last failure
        self._closing = False
        self._thread: threading.Thread | None = None

    @property
    def lost(self) -> int:
        """How many writes will never be in the database."""
        return self._lost

    def put(self, write: Write) -> None:
        """Have something written; returns at once. `write` gets a connection inside a transaction. After close(), and
        with a queue that is full because the disk takes nothing, it is lost: logged and counted."""
        with self._changed:
            if self._closing or len(self._queue) >= _MOST:
                self._lost += 1
                log.error("a row of the log is lost: %s", "closed" if self._closing else "the queue is full")
                return
            self._queue.append(write)
            self._put += 1
            self._wanted = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="log-writer", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def flush(self) -> None:
        """Whatever was put before is committed. Inside a transaction of the calling thread nothing is done: the
        transaction flushed when it began. Raises sqlite3.Error when an attempt begun after this call fails."""
        if self._put == self._done or threading.current_thread() is self._thread:
            return
        if self._database.connection().in_transaction:
            return
        with self._changed:
            target, attempts = self._put, self._attempts
            self._wanted = True
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: self._done >= target or self._failed_attempt > attempts or self._thread is None
            )
            if self._done < target and self._error is not None:
                raise self._error

    def catch_up(self) -> None:
        """flush() for who only reads: what cannot be written now is left out."""
        try:
            self.flush()
        except sqlite3.Error:
            log.warning("reading without rows of the log that cannot be written now")

    def close(self) -> None:
        """Write what is left and end the thread. What cannot be written is lost: logged and counted. Idempotent."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    # ---------------------------------------------------------------- inside
    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or (self._queue and self._wanted))
                self._wanted = False
                self._attempts += 1
                batch = [self._queue[place] for place in range(min(_BATCH, len(self._queue)))]
                if not batch:
                    self._thread = None
                    self._changed.notify_all()
                    return
            self._write(batch)

    def _write(self, batch: list[Write]) -> None:
        """As one transaction; where that fails, one by one up to the first that has to wait."""
        error = self._failure(batch)
        if error is None or len(batch) == 1 or self._waits(error):
            self._settle(len(batch), error)
            return
        for write in batch:
            error = self._failure([write])
            self._settle(1, error)
            if self._waits(error):
                return

    def _failure(self, batch: list[Write]) -> Exception | None:
        try:
            with self._database.transaction() as connection:
                for write in batch:
                    write(connection)
        except Exception as error:
            return error
        return None

    def _waits(self, error: Exception | None) -> bool:
        return isinstance(error, sqlite3.Error) and self._database.expected(error) is not None

    def _settle(self, count: int, error: Exception | None) -> None:
        """Take `count` writes off the queue, or say why they stay there."""
        with self._changed:
            if self._waits(error):
                assert isinstance(error, sqlite3.Error)
                self._failed_attempt = self._attempts
                self._error = error
                left = len(self._queue)
                log.error("the log cannot be written (%s rows wait)", left, exc_info=error)
                if self._closing:
                    self._lost += left
                    self._done += left
                    self._queue.clear()
            else:
                if error is not None:
                    self._lost += count
                    log.error("a row of the log is lost", exc_info=error)
                for _ in range(count):
                    self._queue.popleft()
                self._done += count
                self._wanted = self._wanted or bool(self._queue)
            self._changed.notify_all()
