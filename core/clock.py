"""Where the time comes from, and how it is written: UTC, ISO 8601, milliseconds, `Z`."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Handed to whatever needs the time, so that tests need not wait."""

    def now(self) -> datetime:
        """The time of day, aware, UTC. It may jump when the computer's clock is set."""

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back. For durations and deadlines."""


class SystemClock:
    """The computer's clocks."""

    def now(self) -> datetime:
        """The time of day, aware, UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds since some moment; never goes back."""
        return time.monotonic()


def today(clock: Clock) -> str:
    """The calendar day where the computer stands, ISO 8601: review dates and ages are counted by it."""
    return clock.now().astimezone().date().isoformat()


def iso(moment: datetime) -> str:
    """`2026-11-30T20:10:00.123Z`: sorts as text in order of time. `moment` must be aware."""
    if moment.tzinfo is None:
        raise ValueError("a moment without a time zone")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def from_iso(text: str) -> datetime:
    """What iso() wrote, as an aware UTC datetime. Raises ValueError."""
    return datetime.fromisoformat(text).astimezone(UTC)
