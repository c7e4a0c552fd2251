"""VirtualClock: time that passes only when it is told to."""

from __future__ import annotations

from datetime import datetime, timedelta


class VirtualClock:
    """`core.clock.Clock`, at `start` (aware UTC) until it is moved, by one thread."""

    def __init__(self, start: datetime) -> None:
        self._start = start
        self._passed = 0.0

    def now(self) -> datetime:
        """The time of day, aware, UTC."""
        return self._start + timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        """Seconds since the start."""
        return self._passed

    def move_to(self, seconds: float) -> None:
        """So many seconds since the start; never back."""
        self._passed = max(self._passed, seconds)
