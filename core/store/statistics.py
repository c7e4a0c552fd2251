"""What the lookup log adds up to over a stretch of time (contract §9, `stats`). Reads only."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from core.clock import Clock, iso
from core.figures import EVERYTHING, AgentFigures, Alert, Period, Suggestion
from core.model import RelevanceLevel
from core.store.cache_counts import cache_counts
from core.store.database import Database
from core.store.durations import percentiles
from core.store.lookup_sums import LEVELS, OUTCOMES, scope_of, sums

_AGENT = "id type tier total success_rate degraded avg_ms p95_ms monitor_penalty routing_score".split()  # noqa: SIM905


def statistics(
    database: Database,
    clock: Clock,
    since_hours: float,
    *,
    agents: Sequence[AgentFigures] = (),
    alerts: Sequence[Alert] = (),
    suggestions: Sequence[Suggestion] = (),
) -> dict[str, Any]:
    """The contract's JSON of `stats` for the last `since_hours`, this moment included; superseded rows are left out.
    `agents`, `alerts` and `suggestions`: what the monitor tells now, shown as it is.

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
        "agents": [{name: getattr(agent, name) for name in _AGENT} for agent in agents],
        "alerts": [_alert(alert) for alert in alerts],
        "suggestions": [{"title": one.title, "detail": one.detail, "priority": one.priority} for one in suggestions],
        "cache": {"hits": cache.hits, "misses": cache.misses},
    }


def _alert(alert: Alert) -> dict[str, Any]:
    return {
        "name": alert.name,
        "value": alert.value,
        "threshold": alert.threshold,
        "opened_at": iso(alert.opened_at),
        "state": str(alert.state),
    }
