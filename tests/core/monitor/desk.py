"""One process that has a data folder open, as far as the monitor sees it: database, pool, record, collecting."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.agents.pool import Pool
from core.agents.tier import tiers
from core.agents.window import Call
from core.figures import AgentFigures, CacheFigures
from core.monitor.agent_record import AgentRecord
from core.monitor.collecting import Collecting
from core.settings import Settings
from core.store.database import Database
from tests.manual_clock import ManualClock

AGENT = "network/hybrid-hashed-1"
LOADED = (AGENT, "network/hybrid-hashed-2")


class Desk:
    """One process: a database, a pool, and the record between them."""

    def __init__(self, path: Path, clock: ManualClock, settings: Settings | None = None) -> None:
        settings = settings or Settings()
        self.database = Database.open(path)
        self.record = AgentRecord(self.database, settings, clock)
        self.clock = clock
        self.pool = Pool(
            ("network",),
            tiers(with_model=False),
            settings,
            clock,
            on_call=self.record.on_call,
            on_recovery=self.record.on_recovery,
        )
        self.record.restore(self.pool)
        self.cache = CacheFigures(0, 0, 0)
        self.collecting = Collecting(
            self.database, settings, clock, pool=lambda: self.pool, cache=lambda: self.cache, record=self.record
        )

    def close(self) -> None:
        """The process ends in peace."""
        self.collecting.close()
        self.database.close()

    def call(self, duration_ms: float, *, ok: bool = True) -> None:
        """A lookup; it goes to the best instance, to the probes that are due, and to the log."""
        assignment = self.pool.route("network")
        assert assignment is not None
        self.clock.advance(1)
        self.pool.finish(assignment, ok=ok, duration_ms=duration_ms)
        for probe in self.pool.probes_due("network", assignment.agent):
            self.pool.finish(probe, ok=ok, duration_ms=duration_ms)
        self.database.log.flush()

    def load(self, duration_ms: float, *, count: int = 30, ok: Callable[[int], bool] = lambda number: True) -> None:
        """Calls of both hashed instances that have ended already, in the windows and in the log."""
        for number in range(count):
            self.clock.advance(1)
            for agent in LOADED:
                call = Call(agent, self.clock.now(), duration_ms, ok(number))
                self.pool.restore([call])
                self.record.on_call(call)
        self.database.log.flush()

    def catch_up(self, *, penalties: bool = True) -> None:
        self.record.catch_up(self.pool, penalties=penalties)

    def agent(self, name: str = AGENT) -> AgentFigures:
        (found,) = (one for one in self.pool.figures() if one.id == name)
        return found
