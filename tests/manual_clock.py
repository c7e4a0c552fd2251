"""A clock that stands still until the test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

START = datetime(2026, 11, 30, 20, 10, 0, 123_000, tzinfo=UTC)


class ManualClock:
    """`core.clock.Clock` with both hands in the test's hand."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._monotonic = 1000.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Time passes."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds

    def set_back(self, seconds: float) -> None:
        """Somebody sets the computer's clock; no time passes."""
        self._now -= timedelta(seconds=seconds)
