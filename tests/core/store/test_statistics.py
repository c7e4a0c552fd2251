"""core.store.statistics: what the log adds up to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.clock import iso
from core.figures import AgentFigures, Alert, AlertState, CacheFigures, Suggestion, SuggestionKind
from core.model import DedupReason, Outcome, RelevanceLevel, Trigger
from core.store.activity import Activity
from core.store.cache_counts import add_cache_counts
from core.store.database import Database
from core.store.statistics import statistics as statistics_of
from tests.manual_clock import ManualClock


class Silent:
    """A monitor that has nothing to tell."""

    def agents(self) -> tuple[AgentFigures, ...]:
        return ()

    def alerts(self, since: datetime | None = None) -> tuple[Alert, ...]:
        return ()

    def suggestions(self) -> tuple[Suggestion, ...]:
        return ()


def statistics(database: Database, clock: ManualClock, since_hours: float) -> dict[str, Any]:
    return statistics_of(database, clock, since_hours, Silent())


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "deskside.sqlite3")
    yield opened
    opened.close()


def test_without_lookups_everything_is_named_and_zero(database: Database, clock: ManualClock) -> None:
    assert statistics(database, clock, 24) == {
        "since": iso(clock.now() - timedelta(hours=24)),
        "lookups": 0,
        "outcomes": {"found": 0, "not_found": 0, "deduped": 0, "degraded": 0},
        "levels": {"PRECISE": 0, "HIGHLY_RELEVANT": 0, "REFERENCE": 0, "DEDUPED": 0},
        "dedup_reasons": {"doc_retrieved": 0, "domain_retrieved": 0},
        "duration_ms": {"p50": None, "p95": None},
        "agents": [],
        "alerts": [],
        "suggestions": [],
        "cache": {"hits": 0, "misses": 0},
    }


def test_rows_are_counted_by_outcome_level_and_reason(database: Database, clock: ManualClock) -> None:
    activity = Activity(database, clock)
    level = RelevanceLevel.PRECISE
    for _ in range(2):
        activity.record_lookup(
            "s", "q", outcome=Outcome.FOUND, details={}, duration_ms=1, relevance_level=level, evidence_level=level
        )
    activity.record_lookup("s", "q", outcome=Outcome.NOT_FOUND, details={}, duration_ms=1)
    activity.record_lookup("s", "q", outcome=Outcome.DEGRADED, details={}, duration_ms=1, degraded_reason="timeout")
    activity.record_lookup(
        "s",
        "q",
        outcome=Outcome.DEDUPED,
        details={},
        duration_ms=1,
        relevance_level=RelevanceLevel.DEDUPED,
        evidence_level=level,
        dedup_reason=DedupReason.DOC_RETRIEVED,
    )
    found = statistics(database, clock, 1)
    assert found["lookups"] == 5
    assert found["outcomes"] == {"found": 2, "not_found": 1, "deduped": 1, "degraded": 1}
    assert found["levels"] == {"PRECISE": 2, "HIGHLY_RELEVANT": 0, "REFERENCE": 0, "DEDUPED": 1}
    assert found["dedup_reasons"] == {"doc_retrieved": 1, "domain_retrieved": 0}


def test_superseded_and_older_rows_are_left_out(database: Database, clock: ManualClock) -> None:
    activity = Activity(database, clock)
    activity.record_lookup("s", "old", outcome=Outcome.NOT_FOUND, details={}, duration_ms=9)
    clock.advance(3601)
    settled = activity.record_lookup(
        "s", "vp", outcome=Outcome.NOT_FOUND, details={}, duration_ms=9, trigger=Trigger.SETTLE
    )
    activity.supersede(settled)
    activity.record_lookup("s", "vpn", outcome=Outcome.NOT_FOUND, details={}, duration_ms=1)
    assert statistics(database, clock, 1)["lookups"] == 1
    assert statistics(database, clock, 1)["duration_ms"] == {"p50": 1.0, "p95": 1.0}
    assert statistics(database, clock, 2)["lookups"] == 2


@pytest.mark.parametrize(
    ("count", "p50", "p95"), [(1, 1, 1), (2, 1, 2), (3, 2, 3), (19, 10, 19), (20, 10, 19), (21, 11, 20), (100, 50, 95)]
)
def test_percentiles_are_nearest_ranks(database: Database, clock: ManualClock, count: int, p50: int, p95: int) -> None:
    activity = Activity(database, clock)
    with database.transaction():
        for duration in range(count, 0, -1):
            activity.record_lookup("s", "q", outcome=Outcome.NOT_FOUND, details={}, duration_ms=duration)
    assert statistics(database, clock, 1)["duration_ms"] == {"p50": p50, "p95": p95}


def test_what_the_monitor_tells_is_in_it(database: Database, clock: ManualClock) -> None:
    since: list[datetime | None] = []

    class Telling(Silent):
        def agents(self) -> tuple[AgentFigures, ...]:
            return (AgentFigures("network/keyword-1", "network", "keyword", 40, 0.8, 8, 12.0, 30.0, 0.2, 0.7),)

        def alerts(self, since_when: datetime | None = None) -> tuple[Alert, ...]:
            since.append(since_when)
            name = "agent_success_rate:network/keyword-1"
            return (Alert(1, name, 0.8, 0.9, clock.now(), AlertState.ACKNOWLEDGED),)

        def suggestions(self) -> tuple[Suggestion, ...]:
            return (Suggestion(SuggestionKind.WRITE_ARTICLE, "写文章", "12 次无结果", 8, {"count": 12}),)

    add_cache_counts(database, clock.now(), CacheFigures(3, 4, 1))
    found = statistics_of(database, clock, 24, Telling())
    assert found["agents"] == [
        {
            "id": "network/keyword-1",
            "type": "network",
            "tier": "keyword",
            "total": 40,
            "success_rate": 0.8,
            "degraded": 8,
            "avg_ms": 12.0,
            "p95_ms": 30.0,
            "monitor_penalty": 0.2,
            "routing_score": 0.7,
        }
    ]
    assert found["alerts"] == [
        {
            "name": "agent_success_rate:network/keyword-1",
            "value": 0.8,
            "threshold": 0.9,
            "opened_at": iso(clock.now()),
            "state": "acknowledged",
        }
    ]
    assert found["suggestions"] == [{"title": "写文章", "detail": "12 次无结果", "priority": 8}]
    assert found["cache"] == {"hits": 3, "misses": 4}
    assert since == [clock.now() - timedelta(hours=24)]
    json.dumps(found)
