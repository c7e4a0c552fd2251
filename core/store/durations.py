"""How long lookups took and how similar their evidence was, over any period: percentiles and histograms."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from core.figures import Period, SimilarityHistogram
from core.report import Thresholds
from core.store.lookup_sums import Scope, milliseconds, pieces
from core.store.monitor_schema import (
    ANSWERS,
    BINS,
    DURATION_BINS,
    DURATION_EDGES_MS,
    HISTOGRAM_WIDTHS,
    SIMILARITY_BINS,
)

# Up to so many lookups their durations are looked at one by one.
EXACT_UP_TO = 10_000
_ALL_ANSWERS = ", ".join(str(code) for code in range(len(ANSWERS)))
_SUMS = ", ".join(f"ifnull(sum({name}), 0)" for name in BINS)


def percentiles(
    connection: sqlite3.Connection, period: Period, scope: Scope, lookups: int, percents: Sequence[int]
) -> tuple[float | None, ...]:
    """Durations in milliseconds; None each without a lookup. Of up to EXACT_UP_TO `lookups` by nearest rank; of more
    from a histogram of ten bins a decade, off by a few per cent (at most 26)."""
    if not lookups:
        return (None,) * len(percents)
    if lookups <= EXACT_UP_TO:
        ordered = _durations(connection, period, scope)
        return tuple(ordered[-(-percent * len(ordered) // 100) - 1] if ordered else None for percent in percents)
    counts = [0] * DURATION_BINS
    for durations, _ in _histograms(connection, period, scope).values():
        counts = [one + more for one, more in zip(counts, durations, strict=True)]
    return tuple(_percentile(counts, percent) for percent in percents)


def similarities(
    connection: sqlite3.Connection, period: Period, scope: Scope, thresholds: Callable[[str], Thresholds]
) -> tuple[SimilarityHistogram, ...]:
    """One histogram an embedder, by name; `thresholds`: those that hold now for an embedder. Not in it: degraded
    lookups, those without a leg (similarity is formed from something else then), and those that found nothing at
    all."""
    found = sorted(_histograms(connection, period, scope).items())
    return tuple(
        SimilarityHistogram(embedder, tuple(counts), thresholds(embedder))
        for embedder, (_, counts) in found
        if embedder and any(counts)
    )


def _durations(connection: sqlite3.Connection, period: Period, scope: Scope) -> list[float]:
    index, among = "by_time", ""
    if scope.condition:  # few rows of many: not by time alone
        index, among = "by_answer", f" AND answer IN ({_ALL_ANSWERS}){scope.among}"
    cursor = connection.cursor()
    cursor.row_factory = None
    rows = cursor.execute(
        f"SELECT duration_ms FROM counted_lookup INDEXED BY counted_lookup_{index} WHERE at >= ? AND at < ?{among}",
        (milliseconds(period.start), milliseconds(period.end)),
    )
    return sorted(row[0] for row in rows)


def _histograms(connection: sqlite3.Connection, period: Period, scope: Scope) -> dict[str, tuple[list[int], list[int]]]:
    """Embedder → counts by bin of duration, and of similarity."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    for width, first, last in pieces(milliseconds(period.start), milliseconds(period.end), HISTOGRAM_WIDTHS):
        if not width:
            _add_single(connection, (first, last), scope, found)
            continue
        rows = connection.execute(
            f"SELECT embedder, {_SUMS} FROM lookup_histogram AS h CROSS JOIN lookup_scope AS s ON s.id = h.scope "
            f"WHERE width = ? AND start >= ? AND start < ?{scope.among} GROUP BY embedder",
            (width, first // 1000, last // 1000),
        )
        for embedder, *counts in rows:
            durations, similar = _of(found, embedder)
            for number, count in enumerate(counts[:DURATION_BINS]):
                durations[number] += count
            for number, count in enumerate(counts[DURATION_BINS:]):
                similar[number] += count
    return found


def _add_single(
    connection: sqlite3.Connection,
    between: tuple[int, int],
    scope: Scope,
    found: dict[str, tuple[list[int], list[int]]],
) -> None:
    rows = connection.execute(
        "SELECT embedder, duration_bin, similarity_bin, count(*) "
        "FROM counted_lookup AS l INDEXED BY counted_lookup_by_time CROSS JOIN lookup_scope AS s ON s.id = l.scope "
        f"WHERE at >= ? AND at < ?{scope.among} GROUP BY 1, 2, 3",
        between,
    )
    for embedder, duration, similarity, count in rows:
        durations, similar = _of(found, embedder)
        durations[duration] += count
        if similarity is not None:
            similar[similarity] += count


def _of(found: dict[str, tuple[list[int], list[int]]], embedder: str) -> tuple[list[int], list[int]]:
    return found.setdefault(embedder, ([0] * DURATION_BINS, [0] * SIMILARITY_BINS))


def _percentile(counts: Sequence[int], percent: int) -> float:
    """Inside its bin a percentile is taken to lie as far up, by ratio, as its rank does."""
    rank = -(-percent * sum(counts) // 100)
    for number, count in enumerate(counts):
        if rank <= count:
            if number == 0:
                return DURATION_EDGES_MS[0] * rank / count
            low = DURATION_EDGES_MS[number - 1]
            return round(low * 10 ** (rank / count / 10), 3)
        rank -= count
    return DURATION_EDGES_MS[-1]
