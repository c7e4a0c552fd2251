"""Worker: the thread that makes the calls of one instance, one after another, replaced when a call hangs."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")

MOST_HUNG = 4  # threads of a worker that may be stuck at once; Python cannot end a thread from outside


class WorkerUnusable(RuntimeError):
    """The worker is closed, or too many of its calls hang."""


class CallBroke(RuntimeError):
    """A call raised what is no Exception (a library's panic, an exit): on a worker's thread that ends nothing else."""


class Worker:
    """One daemon thread, started with the first call. All methods may be called from any thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Condition(threading.Lock())
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._thread: threading.Thread | None = None
        self._running: Future[Any] | None = None
        self._hung = 0
        self._closed = False

    def submit(self, work: Callable[[], T], on_turn: Callable[[], object] = lambda: None) -> Future[T]:
        """Queues a call. Its future holds what it returned or raised (CallBroke for what is no Exception); `cancel()`
        takes it back until it runs. `on_turn` is told when no other call stands before it: at once, or on the worker's
        thread. Raises WorkerUnusable."""
        future: Future[T] = Future()
        with self._lock:
            if self._closed:
                raise WorkerUnusable("closed")
            if self._thread is None and self._hung >= MOST_HUNG:
                raise WorkerUnusable(f"{self._hung} calls hang")
            is_behind = bool(self._waiting) or not (self._running is None or self._running.done())
            self._waiting.append((future, partial(_in_turn, on_turn, work) if is_behind else work))
            self._start()
            self._lock.notify_all()
        if not is_behind:
            on_turn()
        return future

    def give_up(self, future: Future[Any]) -> None:
        """The call has passed its deadline. One that waits is taken back; one that runs goes on in a thread of its own
        (its future still gets its result), and a fresh thread takes up what waits: with too many that hang there is
        none, and what waits fails by WorkerUnusable."""
        if future.cancel():
            return
        with self._lock:
            if future is not self._running or future.done():
                return
            self._thread = self._running = None
            self._hung += 1
            if self._hung < MOST_HUNG:
                self._start()
                return
            waiting = list(self._waiting)
            self._waiting.clear()
        for queued, _ in waiting:
            if queued.set_running_or_notify_cancel():
                queued.set_exception(WorkerUnusable(f"{MOST_HUNG} calls hang"))

    def close(self, wait_s: float = 1.0) -> bool:
        """No more calls: those that wait are cancelled, the one that runs is waited for, but not longer than `wait_s`,
        and those that were given up not at all. True when no call is left. Idempotent."""
        with self._lock:
            self._closed = True
            waiting = list(self._waiting)
            self._waiting.clear()
            self._lock.notify_all()
        for queued, _ in waiting:
            queued.cancel()
        with self._lock:
            if self._thread is not threading.current_thread():
                self._lock.wait_for(lambda: self._thread is None, wait_s)
            return self._thread is None and self._hung == 0

    # ---------------------------------------------------------------- inside
    def _start(self) -> None:
        if self._thread is None and self._waiting and not self._closed:
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()

    def _work(self) -> None:
        this = threading.current_thread()
        while (call := self._next()) is not None:
            _make(*call)
            del call  # what it returned is its future's owner's, not kept here until the next one
            with self._lock:
                if self._thread is not this:
                    self._hung -= 1
                    self._lock.notify_all()
                    return
                self._running = None

    def _next(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        with self._lock:
            while not self._waiting:
                if self._closed:
                    self._thread = None
                    self._lock.notify_all()
                    return None
                self._lock.wait()
            call = self._waiting.popleft()
            self._running = call[0]
            return call


def _in_turn(on_turn: Callable[[], object], work: Callable[[], T]) -> T:
    on_turn()
    return work()


def _make(future: Future[Any], work: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except Exception as error:
        future.set_exception(error)
    except BaseException as error:
        broke = CallBroke(f"{type(error).__name__}: {error}")
        broke.__cause__ = error
        future.set_exception(broke)
    else:
        future.set_result(result)
