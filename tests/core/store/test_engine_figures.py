"""core.store.engine_figures, durations, cache_counts: how retrieval did, by hand-made logs."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from core.figures import EVERYTHING, CacheFigures, EngineFigures, Period, Selection
from core.report import Thresholds
from core.store import durations
from core.store.cache_counts import add_cache_counts, cache_counts
from core.store.database import Database
from core.store.engine_figures import engine_figures
from core.store.lookup_sums import scope_of
from core.store.monitor_schema import SIMILARITY_BINS
from tests.core.store.log_maker import START, LogMaker

HOUR = timedelta(hours=1)
PERIOD = Period(START, START + HOUR)


def figures(database: Database, period: Period = PERIOD, selection: Selection = EVERYTHING) -> EngineFigures:
    return engine_figures(
        database,
        period,
        (period.start, period.end),
        selection,
        agents=(),
        series=(),
        thresholds=lambda _: Thresholds(0.75, 0.5),
        index_written_at=None,
        failed_files=3,
    )


def test_without_a_lookup_nothing_is_said(database: Database) -> None:
    found = figures(database)
    assert (found.lookups, found.degraded, found.leg_missing, found.p50_ms, found.p95_ms) == (0, 0, 0, None, None)
    assert found.similarity == ()
    assert found.dedup_reasons == {"doc_retrieved": 0, "domain_retrieved": 0}
    assert found.cache == CacheFigures(0, 0, 0)


def test_what_was_degraded_is_told_apart_from_what_lacked_a_leg(database: Database, log: LogMaker) -> None:
    log.lookup(missing=("vector",))
    log.lookup(answer="degraded", missing=("vector",), similarity=None)
    log.lookup(answer="DEDUPED", reason="domain_retrieved")
    log.lookup(answer="DEDUPED")
    found = figures(database)
    assert (found.lookups, found.degraded, found.leg_missing) == (4, 1, 1)
    assert found.dedup_reasons == {"doc_retrieved": 1, "domain_retrieved": 1}
    assert sum(found.levels[0].levels.values()) == 4


def test_similarity_is_binned_by_embedder_and_only_where_it_compares(database: Database, log: LogMaker) -> None:
    for similarity in (0.0, 0.5, 0.549, 0.75, 1.0, None):
        log.lookup(similarity=similarity)
    log.lookup(similarity=0.5, missing=("vector",))
    log.lookup(details='{"embedder": "bge", "evidence": {"similarity": 0.31}}')
    log.lookup(details="{broken")
    bge, hashed = figures(database).similarity
    assert (bge.embedder, hashed.embedder) == ("bge", "hashed")
    assert len(hashed.counts) == SIMILARITY_BINS
    assert {place: count for place, count in enumerate(hashed.counts) if count} == {0: 1, 10: 2, 15: 1, 19: 1}
    assert {place: count for place, count in enumerate(bge.counts) if count} == {6: 1}
    assert hashed.thresholds == Thresholds(0.75, 0.5)


def test_a_selection_reaches_every_figure(database: Database, log: LogMaker) -> None:
    log.lookup(duration_ms=5, similarity=0.2)
    log.lookup(duration_ms=900, similarity=0.9, agent="office/h-1", domain="mail", answer="DEDUPED")
    found = figures(database, selection=Selection(domain="mail"))
    assert (found.lookups, found.p50_ms, found.p95_ms, found.levels[0].lookups) == (1, 900.0, 900.0, 1)
    assert [histogram.counts.index(1) for histogram in found.similarity] == [18]
    assert found.dedup_reasons["doc_retrieved"] == 1


@pytest.mark.parametrize("hours", [0, 5, 50])
def test_a_histogram_gives_about_the_percentiles_of_the_rows(
    database: Database, log: LogMaker, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    with database.transaction():
        for number in range(600):
            log.lookup(START + number * timedelta(hours=hours) / 600, duration_ms=chance.lognormvariate(5, 1.2))
    period = Period(START, START + timedelta(hours=hours + 1))
    connection = database.connection()
    scope = scope_of(connection, EVERYTHING)
    exact = durations.percentiles(connection, period, scope, 600, (50, 95))
    monkeypatch.setattr(durations, "EXACT_UP_TO", 10)
    rough = durations.percentiles(connection, period, scope, 600, (50, 95))
    for one, other in zip(exact, rough, strict=True):
        assert one is not None
        assert other is not None
        assert one / 1.26 <= other <= one * 1.26, f"seed {seed}"


def test_one_huge_value_does_not_move_the_middle(
    database: Database, log: LogMaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(9):
        log.lookup(duration_ms=100)
    log.lookup(duration_ms=1e12)
    assert (figures(database).p50_ms, figures(database).p95_ms) == (100.0, 1e12)
    monkeypatch.setattr(durations, "EXACT_UP_TO", 1)
    rough = figures(database)
    assert rough.p50_ms is not None
    assert 79 <= rough.p50_ms <= 126


def test_cache_counts_add_up_over_processes(database: Database) -> None:
    other = Database.open(database.path)
    for opened in (database, other):
        add_cache_counts(opened, START, CacheFigures(2, 3, 1))
    add_cache_counts(database, START + 2 * HOUR, CacheFigures(10, 0, 0))
    add_cache_counts(database, START, CacheFigures(0, 0, 0))
    other.close()
    assert cache_counts(database, PERIOD) == CacheFigures(4, 6, 2)
    assert cache_counts(database, Period(START, START + 3 * HOUR)) == CacheFigures(14, 6, 2)
    assert cache_counts(database, Period(START - HOUR, START)) == CacheFigures(0, 0, 0)
