"""What the lookup log adds up to over a stretch of time (contract §9, `stats`). Reads only."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Protocol

from core.clock import Clock, iso
from core.figures import EVERYTHING, AgentFigures, Alert, Period, Suggestion
from core.model import RelevanceLevel
from core.store.cache_counts import cache_counts
from core.store.database import Database
from core.store.durations import percentiles
from core.store.lookup_sums import LEVELS, OUTCOMES, scope_of, sums

_AGENT = "id type tier total success_rate degraded avg_ms p95_ms monitor_penalty routing_score".split()  # noqa: SIM905


class Told(Protocol):
    """What is no matter of the log alone: core.monitor.Monitor."""

    def agents(self) -> tuple[AgentFigures, ...]:
        """Every instance over its sliding window."""

    def alerts(self, since: datetime | None = None) -> tuple[Alert, ...]:
        """Those that stand, and those resolved since."""

    def suggestions(self) -> tuple[Suggestion, ...]:
        """What could be done now, most urgent first."""


def statistics(database: Database, clock: Clock, since_hours: float, told: Told) -> dict[str, Any]:
    """The contract's JSON of `stats` for the last `since_hours`, this moment included; superseded rows are left out.
    `agents` and `suggestions` are those of now, `alerts` those that stand and those resolved in that time.

    `since` is the beginning as UTC ISO 8601; every outcome, level and reason is named, also with 0. `duration_ms`
    holds milliseconds, None without a lookup: by nearest rank up to 10,000 lookups, of more from a histogram and off
    by a few per cent (core.store.durations). `cache` counts whole quarter-hours.
    """
    now = clock.now()
    period = Period(now - timedelta(hours=since_hours), now + timedelta(milliseconds=1))
    with database.snapshot() as connection:
        scope = scope_of(connection, EVERYTHING)
        counted = sums(connection, period, scope)
        p50, p95 = percentiles(connection, period, scope, counted.lookups, (50, 95))
    cache = cache_counts(database, period)
    return {
        "since": iso(period.start),
        "lookups": counted.lookups,
        "outcomes": {outcome: counted.answered(*codes) for outcome, codes in OUTCOMES.items()},
        "levels": {str(level): counted.answered(*LEVELS[level]) for level in RelevanceLevel},
        "dedup_reasons": counted.dedup_reasons,
        "duration_ms": {"p50": p50, "p95": p95},
        "agents": [{name: getattr(agent, name) for name in _AGENT} for agent in told.agents()],
        "alerts": [_alert(alert) for alert in told.alerts(period.start)],
        "suggestions": [
            {"title": one.title, "detail": one.detail, "priority": one.priority} for one in told.suggestions()
        ],
        "cache": {"hits": cache.hits, "misses": cache.misses},
    }


def _alert(alert: Alert) -> dict[str, Any]:
    return {
        "name": alert.shown_name,
        "value": alert.value,
        "threshold": alert.threshold,
        "opened_at": iso(alert.opened_at),
        "state": str(alert.state),
    }
