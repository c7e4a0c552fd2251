"""Engine figures: how retrieval did in a period, from the log (contract §8; tool and agent layers)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from core.figures import AgentFigures, AgentSeries, EngineFigures, Period, Selection
from core.report import Thresholds
from core.store.cache_counts import cache_counts
from core.store.durations import percentiles, similarities
from core.store.lookup_sums import DEGRADED, buckets, scope_of, sums

if TYPE_CHECKING:
    from core.store.database import Database


def engine_figures(
    database: Database,
    period: Period,
    edges: Sequence[datetime],
    selection: Selection,
    *,
    agents: Sequence[AgentFigures],
    series: Sequence[AgentSeries],
    thresholds: Callable[[str], Thresholds],
    index_written_at: datetime | None,
    failed_files: int,
) -> EngineFigures:
    """All of one state of the log, superseded lookups left out; what is no matter of the log is handed in and shown as
    it is. `edges`: n + 1 moments of the time line; `thresholds`: those that hold now, by embedder. Cache counts know no
    selection: they are of all lookups."""
    with database.snapshot() as connection:
        scope = scope_of(connection, selection)
        counted = sums(connection, period, scope)
        p50, p95 = percentiles(connection, period, scope, counted.lookups, (50, 95))
        return EngineFigures(
            period=period,
            lookups=counted.lookups,
            degraded=counted.answered(DEGRADED),
            leg_missing=counted.counts["leg_missing"],
            p50_ms=p50,
            p95_ms=p95,
            agents=tuple(agents),
            series=tuple(series),
            levels=buckets(connection, edges, scope),
            dedup_reasons=counted.dedup_reasons,
            similarity=similarities(connection, period, scope, thresholds),
            cache=cache_counts(database, period),
            index_written_at=index_written_at,
            failed_files=failed_files,
        )
