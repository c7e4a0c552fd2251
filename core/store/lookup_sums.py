"""Sums over the lookups of any period: from rows of days, hours and quarter-hours, and single rows at its edges.

All in one state of the database when the connection comes from `Database.snapshot()`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from core.figures import Bucket, Period, Selection
from core.store.monitor_schema import ANSWERS, COUNTS, DEDUP_REASONS, FIRSTS, SUM_WIDTHS

NOT_FOUND, DEGRADED = ANSWERS.index("not_found"), ANSWERS.index("degraded")
# The names of Bucket.levels; what was found without a level (before there were any) has none.
LEVELS: Mapping[str, tuple[int, ...]] = {
    **{name: (ANSWERS.index(name),) for name in ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE", "DEDUPED")},
    "none": (NOT_FOUND, ANSWERS.index("unlevelled")),
    "degraded": (DEGRADED,),
}
OUTCOMES: Mapping[str, tuple[int, ...]] = {
    "found": tuple(ANSWERS.index(name) for name in ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE", "unlevelled")),
    "not_found": (NOT_FOUND,),
    "deduped": (ANSWERS.index("DEDUPED"),),
    "degraded": (DEGRADED,),
}
# The same columns, over single rows and over sums.
_COUNTS = (
    (
        *(f"answer = {code}" for code in range(len(ANSWERS))),
        *(f"dedup = {code}" for code in range(1, len(DEDUP_REASONS) + 1)),
        "leg_missing",
        "repeated",
        *(f"(firsts >> {bit}) & 1" for bit in range(len(FIRSTS))),
        *(f"((firsts >> {bit}) & 1) * adopted" for bit in range(len(FIRSTS))),
    ),
    COUNTS,
)
_ANSWERS = tuple(columns[: len(ANSWERS)] for columns in _COUNTS)


def milliseconds(moment: datetime) -> int:
    """Since 1970, as counted_lookup.at."""
    return round(moment.timestamp() * 1000)


def pieces(start: int, end: int, widths: Sequence[int] = SUM_WIDTHS) -> Iterator[tuple[int, int, int]]:
    """[start, end) in milliseconds, cut into (width in seconds, from, to): the widest whole widths first; what is left
    over at the edges has width 0."""
    if start >= end:
        return
    if not widths:
        yield 0, start, end
        return
    *narrower, width = sorted(widths)
    first, last = -(-start // (width * 1000)) * width * 1000, end // (width * 1000) * width * 1000
    if first >= last:
        yield from pieces(start, end, narrower)
        return
    yield from pieces(start, first, narrower)
    yield width, first, last
    yield from pieces(last, end, narrower)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which rows a selection means: a condition on `scope`, and which of a session's first lookups are counted."""

    condition: str
    first: int

    @property
    def among(self) -> str:
        """The condition as a further one."""
        return f" AND {self.condition}" if self.condition else ""


def scope_of(connection: sqlite3.Connection, selection: Selection) -> Scope:
    """The rows of a selection. An instance's rows are of its type: the type beside it changes nothing but can
    contradict it, and then there are no rows."""
    wanted = {"agent_type": selection.type, "agent": selection.agent, "domain": selection.domain}
    named = {column: value for column, value in wanted.items() if value is not None}
    if not named:
        return Scope("", 0)
    where = " AND ".join(f"{column} = ?" for column in named)
    rows = connection.execute(f"SELECT id FROM lookup_scope WHERE {where}", tuple(named.values()))
    columns = tuple(column for column in named if column != "agent_type" or "agent" not in named)
    ids = [str(row[0]) for row in rows] or ["-1"]  # of no rows: SQLite plans nothing over an empty list
    return Scope(f"scope IN ({', '.join(ids)})", FIRSTS.index(columns))


@dataclass(frozen=True, slots=True)
class Sums:
    """What the lookups of a period and selection add up to, by the names in monitor_schema.COUNTS."""

    counts: Mapping[str, int]

    @property
    def lookups(self) -> int:
        """All of them."""
        return self.answered(*range(len(ANSWERS)))

    def answered(self, *codes: int) -> int:
        """Those whose answer is one of monitor_schema.ANSWERS' places."""
        return sum(self.counts[f"answer_{code}"] for code in codes)

    @property
    def dedup_reasons(self) -> dict[str, int]:
        """By reason, every reason named."""
        return {name: self.counts[name] for name in DEDUP_REASONS}


def sums(connection: sqlite3.Connection, period: Period, scope: Scope) -> Sums:
    """A few milliseconds for any period."""
    found = _summed(connection, period, scope, _COUNTS)
    return Sums(dict(zip(COUNTS, found, strict=True)))


def buckets(connection: sqlite3.Connection, edges: Sequence[datetime], scope: Scope) -> tuple[Bucket, ...]:
    """The levels between every two of n + 1 edges. Edges on quarter-hours of UTC cost the least."""
    found = []
    for start, end in pairwise(edges):
        answers = _summed(connection, Period(start, end), scope, _ANSWERS)
        levels = {name: sum(answers[code] for code in codes) for name, codes in LEVELS.items()}
        found.append(Bucket(start, round((end - start).total_seconds()), sum(levels.values()), levels))
    return tuple(found)


def active_sessions(connection: sqlite3.Connection, period: Period, scope: Scope, counted: Sums) -> tuple[int, int]:
    """Sessions with a lookup in the period, and how many of them are adopted: those whose first lookup it holds
    (`counted`: its sums), and those begun before that went on in it."""
    day, start, end = 86_400_000, milliseconds(period.start), milliseconds(period.end)
    lookups = f"EXISTS (SELECT 1 FROM counted_lookup AS l WHERE l.session = c.id{scope.among}"
    begun_before, adopted = connection.execute(
        f"""
        SELECT count(*), ifnull(sum(adopted), 0) FROM (
            SELECT id, adopted FROM counted_session INDEXED BY counted_session_by_beginning
            WHERE first_at >= :start - {day} AND first_at < :start AND last_at >= :start AND last_at - first_at <= {day}
            UNION ALL
            SELECT id, adopted FROM counted_session INDEXED BY counted_session_long
            WHERE last_at >= :start AND first_at < :start AND last_at - first_at > {day}) AS c
        WHERE {lookups} AND at >= :start AND at < :end)
            AND {lookups} AND at < :start AND (firsts >> {scope.first}) & 1)
        """,
        {"start": start, "end": end},
    ).fetchone()
    return (
        counted.counts[f"first_{scope.first}"] + begun_before,
        counted.counts[f"adopted_{scope.first}"] + adopted,
    )


def _summed(
    connection: sqlite3.Connection, period: Period, scope: Scope, columns: Sequence[Sequence[str]]
) -> tuple[int, ...]:
    single, summed = (", ".join(f"ifnull(sum({column}), 0)" for column in layer) for layer in columns)
    found = [(0,) * len(columns[0])]
    for width, first, last in pieces(milliseconds(period.start), milliseconds(period.end)):
        if width:
            query = f"SELECT {summed} FROM lookup_sum WHERE width = ? AND start >= ? AND start < ?{scope.among}"
            row = connection.execute(query, (width, first // 1000, last // 1000)).fetchone()
        else:
            query = (
                f"SELECT {single} FROM counted_lookup AS l INDEXED BY counted_lookup_by_time "
                f"CROSS JOIN counted_session AS c ON c.id = l.session WHERE at >= ? AND at < ?{scope.among}"
            )
            row = connection.execute(query, (first, last)).fetchone()
        found.append(tuple(row))
    return tuple(map(sum, zip(*found, strict=True)))
