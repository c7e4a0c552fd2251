"""AgentRecord: between the pool and cache of this process and what all processes know of them (contract §8).

What this pool's calls came to goes to the log as they end; what other processes saw (calls, penalties, recoveries)
comes in with `catch_up`.
"""

from __future__ import annotations

import threading
from datetime import datetime
from typing import TYPE_CHECKING

from core.figures import CacheFigures
from core.store.agent_log import AgentLog
from core.store.cache_counts import add_cache_counts

if TYPE_CHECKING:
    from core.agents.pool import Pool
    from core.agents.window import Call
    from core.clock import Clock
    from core.settings import Settings
    from core.store.database import Database


class AgentRecord:
    """Over one open data folder. `on_call` and `on_recovery` are the pool's; they wait for nothing. Thread-safe."""

    def __init__(self, database: Database, settings: Settings, clock: Clock) -> None:
        self.log = AgentLog(
            database, clock, calls=settings.whole("window.calls"), hours=settings.number("window.hours")
        )
        self._database = database
        self._clock = clock
        self._lock = threading.Lock()
        self._counted = CacheFigures(0, 0, 0)
        self._newest = 0
        self._windows: dict[str, datetime] = {}

    def on_call(self, call: Call) -> None:
        """A call of this process has ended."""
        self.log.append(call)

    def on_recovery(self, agent: str, since: datetime) -> None:
        """An instance recovered in this process: its calls before `since` count for nobody."""
        self.log.recovered(agent, since)

    def restore(self, pool: Pool) -> None:
        """The windows and penalties as they were when the last process ended. Before the pool's first call."""
        with self._lock:
            calls, windows, self._newest = self.log.restore([agent.id for agent in pool.figures()])
            self._windows = dict(windows)
            pool.restore(calls, windows)
            pool.set_penalties({agent: state.penalty for agent, state in self.log.states().items()})

    def catch_up(self, pool: Pool, *, penalties: bool) -> None:
        """What other processes saw since the last time; with `penalties`, also what they were worked out to be, which
        whoever works them out itself needs not. Microseconds when there is nothing new."""
        with self._lock:
            states = self.log.states()
            recovered = {
                agent: state.window_from
                for agent, state in states.items()
                if state.window_from is not None and state.window_from != self._windows.get(agent)
            }
            self._windows.update(recovered)
            calls, self._newest = self.log.calls_of_others(self._newest)
            pool.forget_before(recovered)
            pool.restore(calls, self._windows)
            if penalties:
                pool.set_penalties({agent: state.penalty for agent, state in states.items()})

    def count(self, cache: CacheFigures) -> None:
        """Keep what the cache of this process has counted since the last time; written in a moment. Figures that were
        read before those counted last add nothing: two threads may come in either order."""
        with self._lock:
            before = self._counted
            more = CacheFigures(
                cache.hits - before.hits,
                cache.misses - before.misses,
                cache.stale_prevented - before.stale_prevented,
            )
            if min(more.hits, more.misses, more.stale_prevented) < 0:
                return
            self._counted = cache
        add_cache_counts(self._database, self._clock.now(), more)
