"""Situations: what suggestions are drawn from, gathered from the log, the votes and the knowledge of the last days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from core.clock import today
from core.figures import EVERYTHING, AgentFigures, Alert, Period, Unanswered
from core.honesty import honesty
from core.model import Outcome
from core.monitor import alerting
from core.monitor.advice import Situation
from core.monitor.serving import serving
from core.store.articles import Articles
from core.store.concerns import flagged
from core.store.dates import Dates
from core.store.lookup_list import lookups
from core.store.lookup_sums import scope_of
from core.store.service_figures import unanswered
from core.store.surges import surges
from core.store.votes import Votes

if TYPE_CHECKING:
    from core.clock import Clock
    from core.report import LevelShare
    from core.settings import Settings
    from core.store.database import Database

_DAYS = 7
_DAYS_OF_VOTES = 30  # on badges: few people vote


class Situations:
    """Over one open data folder; reads only. Thread-safe."""

    def __init__(self, database: Database, settings: Settings, clock: Clock) -> None:
        self._database = database
        self._settings = settings
        self._clock = clock
        self._votes = Votes(database, clock)
        self._articles, self._dates = Articles(database), Dates(database)
        self._honesty: tuple[object, Mapping[str, LevelShare]] | None = None  # the dearest part, by what it rests on

    def now(self, agents: Sequence[AgentFigures], alerts: Sequence[Alert]) -> Situation:
        """As it is at this moment. `alerts`: those that stand."""
        database, settings, now = self._database, self._settings, self._clock.now()
        week = Period(now - timedelta(days=_DAYS), now + timedelta(milliseconds=1))
        with database.snapshot() as connection:
            asked = unanswered(connection, week, scope_of(connection, EVERYTHING))
            return Situation(
                agents=tuple(agents),
                serving=serving(agents),
                success_rate_threshold=settings.number("monitor.success_rate_threshold"),
                latency_ms_threshold=settings.number("monitor.latency_ms_threshold"),
                window_hours=settings.whole("window.hours"),
                outages=_outages(database, now, alerts),
                unanswered=tuple(question for question in asked if _is_open(database, week, question)),
                honesty=self._honest(week.end),
                flagged=flagged(connection, week),
                expired=self._dates.overdue(today(self._clock)),
                failed_files=self._articles.failed_files(),
                days=_DAYS,
            )

    def _honest(self, end: datetime) -> Mapping[str, LevelShare]:
        """How badges kept their word in the last days: worked out anew after a vote, and every day."""
        rests_on = (self._votes.version(), end.date())
        if self._honesty is None or self._honesty[0] != rests_on:
            period = Period(end - timedelta(days=_DAYS_OF_VOTES), end)
            self._honesty = rests_on, honesty(self._database, period)
        return self._honesty[1]


def _outages(database: Database, now: datetime, alerts: Sequence[Alert]) -> tuple[Alert, ...]:
    """Those that stand, with how many sessions asked in the last minutes."""
    standing = [alert for alert in alerts if alerting.is_outage(alert.name)]
    if not standing:
        return ()
    start = now - timedelta(minutes=alerting.OUTAGE_MINUTES)
    asking = {f"{alerting.OUTAGE}:{one.key}": one.sessions for one in surges(database, start, now, 1)}
    return tuple(replace(alert, value=asking.get(alert.name, 0)) for alert in standing)


def _is_open(database: Database, period: Period, question: Unanswered) -> bool:
    """Whether the question was still without an answer when it was asked last: somebody may have written one since."""
    newest = lookups(database, period, query_key=question.key, limit=1)
    return not newest or newest[0].outcome == Outcome.NOT_FOUND
