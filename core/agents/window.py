"""CallWindow: the calls of one instance that still count, and what they come to (contract §8)."""

from __future__ import annotations

import math
import threading
from collections import deque
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.clock import Clock


@dataclass(frozen=True, slots=True)
class Call:
    """One finished call of an instance. `at`: when it ended, aware UTC; `duration_ms`: its true duration, whether or
    not anybody still waited; `degraded`: it failed and its answer was told as degraded or lacked a leg; `probe`: made
    to see how the instance does. Raises ValueError for a degraded success or an impossible duration."""

    agent: str
    at: datetime
    duration_ms: float
    ok: bool
    degraded: bool = False
    probe: bool = False

    def __post_init__(self) -> None:
        if self.ok and self.degraded:
            raise ValueError("a degraded call is a failure")
        if not (math.isfinite(self.duration_ms) and self.duration_ms >= 0):
            raise ValueError(f"a call of {self.duration_ms} ms")


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """What the calls of a window come to. Without calls: success_rate 1.0, the others 0. Percentiles by nearest
    rank."""

    total: int
    success_rate: float
    degraded: int
    avg_ms: float
    p50_ms: float
    p95_ms: float


class CallWindow:
    """The last `calls` calls, none older than `hours`. Safe under threads.

    A call leaves by its time of day once those before it have left: after the computer's clock was set back, older
    ones stay for that much longer.
    """

    def __init__(self, calls: int, hours: float, clock: Clock) -> None:
        self._most = calls
        self._age = timedelta(hours=hours)
        self._clock = clock
        self._lock = threading.Lock()
        self._calls: deque[Call] = deque()
        self._good = 0
        self._degraded = 0
        self._sum_us = 0  # whole microseconds: sums that shrink again must not drift off a threshold

    def add(self, call: Call) -> None:
        """Takes in a call; the oldest ones beyond the bounds leave."""
        with self._lock:
            self._calls.append(call)
            self._count(call, 1)
            self._prune()

    def keep_last(self, count: int) -> None:
        """Forgets all but the last `count` calls."""
        with self._lock:
            while len(self._calls) > count:
                self._count(self._calls.popleft(), -1)

    def forget_before(self, moment: datetime) -> None:
        """Forgets the calls that ended before it."""
        with self._lock:
            kept = [call for call in self._calls if call.at >= moment]
            for call in self._calls:
                if call.at < moment:
                    self._count(call, -1)
            self._calls = deque(kept)

    def __len__(self) -> int:
        with self._lock:
            self._prune()
            return len(self._calls)

    def averages(self) -> tuple[int, float, float]:
        """(total, success_rate, avg_ms): what routing needs, at a cost that does not depend on the window's size."""
        with self._lock:
            self._prune()
            return self._averages()

    def figures(self) -> WindowFigures:
        """All of them; sorts the window."""
        with self._lock:
            self._prune()
            total, success_rate, avg_ms = self._averages()
            degraded = self._degraded
            durations = sorted(call.duration_ms for call in self._calls)
        return WindowFigures(
            total, success_rate, degraded, avg_ms, _nearest_rank(durations, 50), _nearest_rank(durations, 95)
        )

    # ---------------------------------------------------------------- inside
    def _averages(self) -> tuple[int, float, float]:
        total = len(self._calls)
        return (total, self._good / total, self._sum_us / total / 1000) if total else (0, 1.0, 0.0)

    def _prune(self) -> None:
        horizon = self._clock.now() - self._age
        while self._calls and (len(self._calls) > self._most or self._calls[0].at < horizon):
            self._count(self._calls.popleft(), -1)

    def _count(self, call: Call, times: int) -> None:
        self._good += times * call.ok
        self._degraded += times * call.degraded
        self._sum_us += times * round(call.duration_ms * 1000)


def _nearest_rank(ordered: list[float], percent: int) -> float:
    return ordered[-(-percent * len(ordered) // 100) - 1] if ordered else 0.0
