"""Upkeep: once an hour what the monitor keeps gets coarser with age; what is too old goes (core.store.retention).

Ages are those at core.store.horizon, a day or two ago: a clock that is years ahead for some hours costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.store.horizon import horizon
from core.store.retention import drop_old, drop_old_lookups, thin_metrics

if TYPE_CHECKING:
    from core.clock import Clock
    from core.settings import Settings
    from core.store.database import Database

_EVERY_S = 3600.0
_SESSIONS = 400  # at once: whoever waits for the database waits milliseconds


class Upkeep:
    """Over one open data folder; called by one thread at a time."""

    def __init__(self, database: Database, settings: Settings, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._days = settings.whole("monitor.retention_days")
        self._days_of_lookups = settings.whole("log.retention_days")
        self._calls = settings.whole("window.calls")
        self._hours = settings.number("window.hours")
        self._done: float | None = None  # monotonic

    def keep_up(self) -> None:
        """Do what is due, in short transactions; call it about once a minute. What is much (old lookups, after the
        setting was changed) is spread over several calls."""
        moment = self._clock.monotonic()
        if self._done is not None and moment - self._done < _EVERY_S:
            return
        with self._database.transaction() as connection:
            then = horizon(connection, self._clock.now())
        dropped = 0
        if then is not None:
            thin_metrics(self._database, then)
            drop_old(self._database, then, days=self._days, calls=self._calls, hours=self._hours)
            dropped = drop_old_lookups(self._database, then, days=self._days_of_lookups, most=_SESSIONS)
        if dropped < _SESSIONS:
            self._done = moment
