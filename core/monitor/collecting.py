"""Collecting: statistics → alerts → penalties, every 10 s, by one process at a time (contract §8).

The seed's PerformanceMonitor.collect. Every process catches up with what others saw; the one with the lease works out
what follows from it.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from core.agents.routing import penalty, routing_score
from core.figures import AgentFigures, Alert, CacheFigures
from core.monitor import alerting
from core.monitor.alerting import Condition
from core.monitor.ring import PERSISTED_S, Ring
from core.monitor.upkeep import Upkeep
from core.store.alerts import Alerts
from core.store.collection_log import count_collection
from core.store.lease import Lease
from core.store.surges import surges

if TYPE_CHECKING:
    from core.agents.pool import Pool
    from core.clock import Clock
    from core.monitor.agent_record import AgentRecord
    from core.settings import Settings
    from core.store.agent_log import AgentState
    from core.store.database import Database

log = logging.getLogger(__name__)

PERSIST_EVERY = 6


class Collecting:
    """Over one open data folder. Thread-safe; two calls at once follow each other. `pool` and `cache` are called
    when the first collection needs them."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        clock: Clock,
        *,
        pool: Callable[[], Pool],
        cache: Callable[[], CacheFigures],
        record: AgentRecord,
    ) -> None:
        self._database = database
        self._clock = clock
        self._pool = pool
        self._cache = cache
        self._record = record
        self._success_rate_threshold = settings.number("monitor.success_rate_threshold")
        self._latency_ms_threshold = settings.number("monitor.latency_ms_threshold")
        self._alerts = Alerts(database)
        self._lease = Lease(database, clock)
        self._upkeep = Upkeep(database, settings, clock)
        self._lock = threading.Lock()
        self._closed = False
        self._holds = False
        self.ring = Ring()

    def collect(self) -> bool:
        """See Monitor.collect."""
        with self._lock:
            try:
                return not self._closed and self._collect()
            except Exception:
                log.exception("a collection failed")
                return False

    def close(self) -> None:
        """Collect no more, and let another process do so. Raises nothing."""
        with self._lock:
            self._closed = True
            if not self._holds:
                return
            try:
                with self._database.transaction() as connection:
                    self._lease.release(connection)
            except sqlite3.Error:
                log.warning("the lease could not be given back; it ends by itself", exc_info=True)

    # ---------------------------------------------------------------- inside
    def _collect(self) -> bool:
        now, pool = self._clock.now(), self._pool()
        self._record.count(self._cache())
        mine = self._lease.may_hold()
        self._record.catch_up(pool, penalties=not mine)
        if not mine:
            self.ring.add(now, _busy(pool.figures()))
            return False
        figures = [self._judged(agent) for agent in pool.figures()]
        # Routing follows also when nothing can be written (a full disk).
        pool.set_penalties({agent.id: agent.monitor_penalty for agent in figures})
        self.ring.add(now, _busy(figures))
        self._database.log.catch_up()
        standing = self._alerts.standing()
        conditions = self._conditions(figures, {alert.name for alert in standing}, now)
        with self._database.transaction() as connection:
            self._holds = self._lease.hold(connection)
            if not self._holds:
                return False
            lowest = min((agent.success_rate for agent in figures), default=1.0)
            persists = count_collection(connection, now, lowest) % PERSIST_EVERY == 0
            self._raise_and_settle(conditions, standing, now, follow=persists)
            self._tell(figures)
            if persists:
                self._record.log.add_metrics(now, _busy(figures), width_s=PERSISTED_S)
        if persists:
            self._upkeep.keep_up()
        return True

    def _judged(self, agent: AgentFigures) -> AgentFigures:
        """With the penalty that follows from its figures."""
        value = penalty(
            agent.success_rate,
            agent.avg_ms,
            n=agent.total,
            success_rate_threshold=self._success_rate_threshold,
            latency_ms_threshold=self._latency_ms_threshold,
        )
        score = routing_score(agent.success_rate, agent.avg_ms, value)
        return replace(agent, monitor_penalty=value, routing_score=score)

    def _conditions(self, figures: Sequence[AgentFigures], standing: set[str], now: datetime) -> list[Condition]:
        agents = alerting.agent_conditions(
            figures,
            success_rate_threshold=self._success_rate_threshold,
            latency_ms_threshold=self._latency_ms_threshold,
        )
        start = now - timedelta(minutes=alerting.OUTAGE_MINUTES)
        asked = surges(self._database, start, now, alerting.CALM_SESSIONS)
        return [*agents, *alerting.outage_conditions(asked, standing)]

    def _raise_and_settle(
        self, conditions: Sequence[Condition], standing: Sequence[Alert], now: datetime, *, follow: bool
    ) -> None:
        known = {alert.name: alert for alert in standing}
        held = {condition.name: condition for condition in conditions}
        for condition in held.values():
            if condition.name not in known:
                self._alerts.open(condition.name, condition.value, condition.threshold, now, detail=condition.detail)
        gone = [name for name in known if name not in held]
        if gone:
            self._alerts.resolve(gone, now)
        if follow and held:
            self._alerts.follow({name: _worst(condition, known.get(name)) for name, condition in held.items()})

    def _tell(self, figures: Sequence[AgentFigures]) -> None:
        """The other processes, of what is not as they know it."""
        known = self._record.log.states()
        news = [one for one in figures if one.id not in known or _differs(one, known[one.id])]
        if news:
            self._record.log.put_figures(news)


def _busy(figures: Sequence[AgentFigures]) -> list[AgentFigures]:
    """Those with a call in their window: of the others there is nothing to draw."""
    return [one for one in figures if one.total]


def _differs(agent: AgentFigures, known: AgentState) -> bool:
    return (agent.monitor_penalty, agent.breaker) != (known.penalty, known.breaker)


def _worst(condition: Condition, alert: Alert | None) -> float:
    """What an alert tells: of an agent, how it does now; of an outage, how many asked at its height."""
    if alert is None or not alerting.is_outage(condition.name):
        return condition.value
    return max(condition.value, alert.value)
