"""What suggestions are drawn from, gathered from the log, the votes and the knowledge of the last days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from core.clock import today
from core.figures import EVERYTHING, AgentFigures, Alert, Concern, Period, Unanswered
from core.honesty import honesty
from core.model import Outcome
from core.monitor import alerting
from core.monitor.advice import Situation
from core.monitor.serving import serving
from core.store.articles import Articles
from core.store.concerns import concerns
from core.store.lookup_list import lookups
from core.store.lookup_sums import scope_of
from core.store.service_figures import unanswered
from core.store.surges import surges

if TYPE_CHECKING:
    from core.clock import Clock
    from core.settings import Settings
    from core.store.database import Database

_DAYS = 7
_DAYS_OF_VOTES = 30  # on badges: few people vote


def situation_now(
    database: Database, settings: Settings, clock: Clock, agents: Sequence[AgentFigures], alerts: Sequence[Alert]
) -> Situation:
    """As it is at this moment; reads only. `alerts`: those that stand."""
    now = clock.now()
    week = Period(now - timedelta(days=_DAYS), now + timedelta(milliseconds=1))
    with database.snapshot() as connection:
        listed, counts = concerns(connection, week, today(clock), None)
        asked = unanswered(connection, week, scope_of(connection, EVERYTHING))
        return Situation(
            agents=tuple(agents),
            serving=serving(agents),
            success_rate_threshold=settings.number("monitor.success_rate_threshold"),
            latency_ms_threshold=settings.number("monitor.latency_ms_threshold"),
            window_hours=settings.whole("window.hours"),
            outages=_outages(database, clock, alerts),
            unanswered=tuple(question for question in asked if _is_open(database, week, question)),
            honesty=honesty(database, Period(now - timedelta(days=_DAYS_OF_VOTES), week.end)),
            concerns=listed,
            expired=counts[Concern.EXPIRED],
            failed_files=Articles(database).failed_files(),
            days=_DAYS,
        )


def _outages(database: Database, clock: Clock, alerts: Sequence[Alert]) -> tuple[Alert, ...]:
    """Those that stand, with how many ask by now."""
    standing = [alert for alert in alerts if alerting.is_outage(alert.name)]
    if not standing:
        return ()
    start = clock.now() - timedelta(minutes=alerting.OUTAGE_MINUTES)
    asking = {f"{alerting.OUTAGE}:{one.key}": one.sessions for one in surges(database, start, clock.now(), 1)}
    return tuple(replace(alert, value=asking.get(alert.name, alert.value)) for alert in standing)


def _is_open(database: Database, period: Period, question: Unanswered) -> bool:
    """Whether the question was still without an answer when it was asked last: somebody may have written one since."""
    newest = lookups(database, period, query_key=question.key, limit=1)
    return not newest or newest[0].outcome == Outcome.NOT_FOUND
