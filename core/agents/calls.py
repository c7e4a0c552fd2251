"""EngineCalls: the engine calls under way: made on workers, waited for, given up at their deadline, each counted once.

A lookup asks for a call, lets its leg run and waits as long as its answer may. A leg that is not there by then goes on,
and counts with its true duration when it ends (contract §3). Standing behind other calls of the instance is no part of
that duration, nor of the deadline; a leg whose turn did not come by the deadline counts as nothing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import wait as wait_until_done
from functools import partial
from typing import Any, TypeVar

from core.agents.pool import Assignment, Pool
from core.agents.worker import Worker, WorkerUnusable
from core.clock import Clock

log = logging.getLogger(__name__)

Wait = Callable[[Future[Any], float], bool]
"""Waits for a future at most that many seconds; whether it was done by then. Tests hand in their own."""
T = TypeVar("T")
_ASIDE = "aside"
OnEnd = Callable[[Future[Any], bool], None]
_CLOSING_S = 1.0  # that running calls get to end in, all together


def wait_for(future: Future[Any], seconds: float) -> bool:
    """The computer's time."""
    return bool(wait_until_done([future], timeout=max(0.0, seconds)).done)


class EngineCall:
    """One call of an instance. `started` and `deadline`: by the clock's monotonic hand, both moved on by as long as the
    leg stood behind other calls; `leg`: its vector leg; `is_queued`: which still stands there."""

    def __init__(self, assignment: Assignment, started: float, deadline: float) -> None:
        self.assignment = assignment
        self.started = started
        self.deadline = deadline
        self.leg: Future[Any] | None = None
        self.is_queued = False
        self.found: float | None = None  # when its search was; nothing after that is its own time
        self.is_late = False  # answered without its leg, which ends it
        self.leg_failed = False
        self.given_up = False
        self.answers = True  # a lookup; a probe in the background answers nobody
        self.on_end: OnEnd | None = None


class EngineCalls:
    """All calls of one process. Thread-safe; ending a call twice counts it once."""

    def __init__(self, pool: Pool, clock: Clock, *, deadline_s: float, wait: Wait = wait_for) -> None:
        self.pool = pool
        self.clock = clock
        self._deadline_s = deadline_s
        self._wait = wait
        self._lock = threading.Lock()
        self._workers: dict[str, Worker] = {}
        self._running: dict[int, EngineCall] = {}
        self._closed = False

    # ----------------------------------------------------------------- a call
    def begin(self, type_: str, started: float) -> EngineCall | None:
        """A call by whoever serves that type now; None: circuit_open."""
        self.give_up_overdue()
        assignment = self.pool.route(type_)
        return None if assignment is None else self._begun(assignment, started)

    def run(self, call: EngineCall, leg: Callable[[], Any]) -> None:
        """Start the call's leg on its instance's own thread, behind those that it has. Raises WorkerUnusable."""
        worker, given = self._worker(call.assignment.agent), self.clock.monotonic()

        def begins() -> None:
            waited = self.clock.monotonic() - given
            call.started += waited
            call.deadline += waited
            call.is_queued = False

        call.is_queued = True
        call.leg = worker.submit(leg, begins)

    def is_ready(self, call: EngineCall, by: float) -> bool:
        """Wait until that moment (monotonic), or the call's own deadline; whether its leg has ended, well or not."""
        assert call.leg is not None
        now = self.clock.monotonic()
        ready = self._wait(call.leg, min(by, call.deadline) - now)
        if not ready and self.clock.monotonic() >= call.deadline:
            self._give_up(call)
        return ready

    def found(self, call: EngineCall) -> None:
        """The search is there, with its leg: so far the call lasted. What is made of it is the request's time."""
        call.found = self.clock.monotonic()

    def end(self, call: EngineCall, *, ok: bool) -> None:
        """The call is over: the answer is made (`ok`), or something in its lookup failed. One whose leg is still coming
        is ended by that, unless it failed."""
        if ok and call.is_late:
            return
        self._end(call, ok=ok and not call.leg_failed)

    def leave(self, call: EngineCall, on_end: OnEnd) -> None:
        """Answer without the leg. `on_end(leg, in_time)` is told, on the thread that ends it, when it has ended;
        `in_time`: well, and within the deadline."""
        assert call.leg is not None
        with self._lock:
            call.is_late = True
            call.on_end = on_end
        if call.given_up:
            self._tell(call, in_time=False)
        else:
            call.leg.add_done_callback(lambda leg: self._arrived(call, leg))

    def release(self, call: EngineCall) -> None:
        """Nobody wants it any more: it counts as nothing."""
        self._forget(call)
        self.pool.release(call.assignment)

    def probe(self, type_: str, served: str | None, leg: Callable[[str], Any]) -> None:
        """Make the background probes that are due, now that the answer is out. `leg(tier)`: what an instance of that
        tier does; on its worker."""
        for assignment in self.pool.probes_due(type_, served):
            call = self._begun(assignment, self.clock.monotonic())
            call.answers = False
            try:
                self.run(call, partial(leg, assignment.tier))
            except RuntimeError:
                self._end(call, ok=False)
            else:
                self.leave(call, lambda *_: None)

    def aside(self, work: Callable[[], T], seconds: float) -> T | None:
        """What somebody wants to know beside any lookup, on a thread of its own; None when it is not there in time.
        Counts as nothing. Raises what `work` raises, WorkerUnusable."""
        worker = self._worker(_ASIDE)
        future = worker.submit(work)
        if self._wait(future, seconds):
            return future.result()
        worker.give_up(future)
        return None

    # -------------------------------------------------------------- deadlines
    def give_up_overdue(self) -> None:
        """End the calls whose deadline has passed; a hung one blocks its instance no longer. Microseconds."""
        now = self.clock.monotonic()
        with self._lock:
            overdue = [
                call
                for call in self._running.values()
                if call.leg is not None and call.found is None and now >= call.deadline
            ]
        for call in overdue:
            self._give_up(call)

    def close(self) -> bool:
        """End all workers, for good; a call that hangs is left to itself. True when no thread is left. Idempotent."""
        with self._lock:
            self._closed = True
            workers, until = list(self._workers.values()), self.clock.monotonic() + _CLOSING_S
        ended = [worker.close(min(_CLOSING_S, max(0.0, until - self.clock.monotonic()))) for worker in workers]
        return all(ended)

    # ---------------------------------------------------------------- inside
    def _begun(self, assignment: Assignment, started: float) -> EngineCall:
        call = EngineCall(assignment, started, started + self._deadline_s)
        with self._lock:
            self._running[assignment.number] = call
        return call

    def _worker(self, agent: str) -> Worker:
        with self._lock:
            if self._closed:
                raise WorkerUnusable("closed")
            return self._workers.setdefault(agent, Worker(f"deskside-{agent}"))

    def _arrived(self, call: EngineCall, leg: Future[Any]) -> None:
        if leg.cancelled() or call.is_queued:  # it never ran
            self.release(call)
            self._tell(call, in_time=False)
            return
        in_time = leg.exception() is None and self.clock.monotonic() < call.deadline
        self._end(call, ok=in_time and not call.leg_failed)
        self._tell(call, in_time=in_time)

    def _tell(self, call: EngineCall, *, in_time: bool) -> None:
        with self._lock:
            on_end, call.on_end = call.on_end, None
        try:
            if on_end is not None and call.leg is not None:
                on_end(call.leg, in_time)
        except Exception:
            log.exception("a late leg could not be used")

    def _give_up(self, call: EngineCall) -> None:
        assert call.leg is not None
        if call.is_queued:
            if call.leg.cancel():
                call.given_up = True
                self.release(call)
                self._tell(call, in_time=False)
            return  # else its turn has come this very moment, and with it a later deadline
        call.given_up = True
        self._end(call, ok=False, seconds=self._deadline_s)
        worker = self._workers.get(call.assignment.agent)
        if worker is not None:
            worker.give_up(call.leg)
        self._tell(call, in_time=False)

    def _end(self, call: EngineCall, *, ok: bool, seconds: float | None = None) -> None:
        self._forget(call)
        ended = self.clock.monotonic() if call.found is None else call.found
        seconds = ended - call.started if seconds is None else seconds
        ok = ok and seconds < self._deadline_s
        self.pool.finish(call.assignment, ok=ok, duration_ms=seconds * 1000, degraded=call.answers and not ok)

    def _forget(self, call: EngineCall) -> None:
        with self._lock:
            self._running.pop(call.assignment.number, None)
