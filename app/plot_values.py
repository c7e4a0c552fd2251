"""Values made fit to be drawn: cleaned, joined or parted, thinned to the pixels there are, and the range to show."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from app.plot_data import Series

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
_GAP = 2.5  # steps longer than this many widths are gaps
_FAR = 4.0  # a value this many times what is usual flattens the rest


@dataclass(frozen=True, slots=True)
class Curve:
    """Points in order of time (POSIX seconds), all finite. `joined[i]`: a line leads from point i to the next.
    `counts`: n behind each point, or None."""

    x: Floats
    y: Floats
    joined: Flags
    counts: NDArray[np.int64] | None = None

    def near(self, x: float) -> int:
        """The index of the point that is nearest in time; the curve must have one."""
        place = int(np.searchsorted(self.x, x))
        before, after = max(0, place - 1), min(place, len(self.x) - 1)
        return before if x - self.x[before] <= self.x[after] - x else after


def seconds(at: Sequence[datetime] | Floats) -> Floats:
    """Aware datetimes as POSIX seconds; an array of seconds as it is. About 0.6 µs each: long ones are better turned
    into arrays before the GUI thread gets them."""
    if isinstance(at, np.ndarray):
        return at.astype(np.float64, copy=False)
    return np.fromiter((moment.timestamp() for moment in at), np.float64, len(at))


def curve(series: Series, start: float, end: float) -> Curve:
    """The series within [start, end]: what is not finite is a gap, and so is a step that is too long. Raises
    ValueError where lengths differ."""
    x, y = seconds(series.at), np.asarray(series.values, np.float64)
    counts = None if series.counts is None else np.asarray(series.counts, np.int64)
    if len(x) != len(y) or (counts is not None and len(counts) != len(x)):
        raise ValueError(f"{series.name}: {len(x)} moments, {len(y)} values")
    if len(x) > 1 and not (x[1:] >= x[:-1]).all():
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
        counts = None if counts is None else counts[order]
    if len(x) and not (x[0] >= start and x[-1] <= end):
        inside = (x >= start) & (x <= end)
        x, y, counts = x[inside], y[inside], None if counts is None else counts[inside]
    finite = np.isfinite(y)
    joined = np.zeros(len(x), bool)
    joined[:-1] = (x[1:] - x[:-1] <= _GAP * series.width_s) & finite[1:]
    if not finite.all():
        x, y, joined = x[finite], y[finite], joined[finite]
        counts = None if counts is None else counts[finite]
    return Curve(x, y, joined, counts)


def thinned(whole: Curve, left: float, right: float, columns: int) -> Curve:
    """At most about two points a column of [left, right], one beyond each edge: the smallest and the largest value of
    every column stay, and so do gaps. (What pyqtgraph has for this leaves out the newest points, and widens gaps.)"""
    first = max(0, int(np.searchsorted(whole.x, left)) - 1)
    last = int(np.searchsorted(whole.x, right, "right")) + 1
    x, y, joined = whole.x[first:last], whole.y[first:last], whole.joined[first:last]
    if len(x) <= 2 * columns or not right > left:
        return Curve(x, y, joined)
    column = ((x - left) * (columns / (right - left))).astype(np.int64)
    starts = np.concatenate(([0], np.flatnonzero((column[1:] != column[:-1]) | ~joined[:-1]) + 1))
    ends = np.concatenate((starts[1:], [len(x)])) - 1
    ends_of_pair = np.stack((np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)), axis=1)
    # Up in one column, down in the next: half as much to draw as always up.
    ends_of_pair[1::2] = ends_of_pair[1::2, ::-1]
    within = np.ones(len(starts), bool)
    return Curve(
        np.stack((x[starts], x[ends]), axis=1).ravel(),
        ends_of_pair.ravel(),
        np.stack((within, joined[ends]), axis=1).ravel(),
    )


def lonely(drawn: Curve) -> NDArray[np.intp]:
    """Points that no line leads to or from: without a mark nobody would see them. (A thinned column that holds one
    point is a pair on the same spot.)"""
    linked = drawn.joined.copy()
    same = (drawn.x[1:] == drawn.x[:-1]) & (drawn.y[1:] == drawn.y[:-1])
    linked[:-1] &= ~same
    return np.flatnonzero(~linked & ~np.concatenate(([False], linked[:-1])))


def usual_top(values: Floats) -> tuple[float, int]:
    """Up to where an axis should go so that a few huge values do not flatten the rest, and how many are above. `values`
    finite, at least one. At most one in a hundred (and always one) may count as huge, if it is far above all others."""
    largest = float(values.max())
    few = max(1, len(values) // 100)
    if len(values) <= few:
        return largest, 0
    usual = float(np.partition(values, -few - 1)[-few - 1])
    if usual <= 0 or largest <= _FAR * usual:
        return largest, 0
    top = _FAR / 2 * usual
    return top, int((values > top).sum())


def value_range(
    low: float, top: float, thresholds: Iterable[float], bounds: tuple[float | None, float | None]
) -> tuple[float, float]:
    """What the axis shows: the values and the thresholds, between the bounds, with a little room above."""
    lowest, highest = min((low, *thresholds)), max((top, *thresholds))
    if bounds[0] is not None:
        lowest = bounds[0]
    if bounds[1] is not None:
        highest = bounds[1]
    if not highest > lowest:
        highest = lowest + (abs(lowest) or 1.0)
    room = (highest - lowest) * 0.06
    below = 0.0 if bounds[0] is not None else room
    floor = 0.0 if lowest >= 0 else -math.inf
    return max(lowest - below, floor), highest + room
