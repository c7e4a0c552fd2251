"""Breaker: whether an instance may be called: CLOSED → OPEN → HALF_OPEN with exactly one probe → CLOSED (contract §3).

Our own, because none of the kept ones fits: pybreaker holds its lock for the whole call, circuitbreaker and purgatory
let every caller through when the wait is over, and all three read the computer's clock.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime

from core.clock import Clock
from core.figures import BreakerState


@dataclass(frozen=True, slots=True)
class Permit:
    """Leave for one call, given back by `success`, `failure` or `abandon`. `era`: the stretch between two changes of
    state that it was given in; what comes back from an earlier one changes nothing any more."""

    era: int
    probe: bool = False


class Breaker:
    """The breaker of one instance. Safe under threads; its lock is never held during a call.

    `failures` in a row open it; after `wait_s` seconds (by the clock's monotonic hand) one probe may go. Its success
    closes the breaker, its failure opens it for another `wait_s`. Results of calls begun before the last change of
    state are ignored, so a late one neither closes it nor opens it again.
    """

    def __init__(self, failures: int, wait_s: float, clock: Clock) -> None:
        self._most = failures
        self._wait_s = wait_s
        self._clock = clock
        self._lock = threading.Lock()
        self._state = BreakerState.CLOSED
        self._since = clock.now()
        self._era = 0
        self._in_a_row = 0
        self._opened = 0.0

    @property
    def state(self) -> BreakerState:
        """OPEN also when the wait is over and nobody has probed yet."""
        return self._state

    @property
    def since(self) -> datetime:
        """When it came into this state."""
        return self._since

    @property
    def may_probe(self) -> bool:
        """OPEN, and the wait is over: the next `try_probe` is granted, to one caller."""
        with self._lock:
            return self._may_probe()

    def try_call(self, *, probe: bool = False) -> Permit | None:
        """Leave for a call while CLOSED, None otherwise. `probe`: it is made to see how the instance does."""
        with self._lock:
            return Permit(self._era, probe) if self._state is BreakerState.CLOSED else None

    def try_probe(self) -> Permit | None:
        """Leave for the one probe once the wait is over (the breaker is HALF_OPEN then), None otherwise."""
        with self._lock:
            if not self._may_probe():
                return None
            self._change(BreakerState.HALF_OPEN)
            return Permit(self._era, probe=True)

    def success(self, permit: Permit) -> None:
        """The call went well."""
        with self._lock:
            if permit.era != self._era:
                return
            self._in_a_row = 0
            if self._state is BreakerState.HALF_OPEN:
                self._change(BreakerState.CLOSED)

    def failure(self, permit: Permit) -> None:
        """The call failed, timed out or came back degraded."""
        with self._lock:
            if permit.era != self._era:
                return
            self._in_a_row += 1
            if self._state is BreakerState.HALF_OPEN or self._in_a_row >= self._most:
                self._opened = self._clock.monotonic()
                self._change(BreakerState.OPEN)

    def abandon(self, permit: Permit) -> None:
        """The call was never made, or was cancelled: it says nothing. Another probe may go in its place at once."""
        with self._lock:
            if permit.era == self._era and self._state is BreakerState.HALF_OPEN:
                self._change(BreakerState.OPEN)

    def _may_probe(self) -> bool:
        return self._state is BreakerState.OPEN and self._clock.monotonic() - self._opened >= self._wait_s

    def _change(self, state: BreakerState) -> None:
        self._state = state
        self._since = self._clock.now()
        self._era += 1
        self._in_a_row = 0
