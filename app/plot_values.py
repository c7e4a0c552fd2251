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
_KEPT = 64
_turned: dict[int, tuple[tuple[datetime, ...], Floats]] = {}
_FAR, _ROOM = 10.0, 1.5  # a value so many times what is usual flattens the rest; what is shown then, in the same


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
    """Aware datetimes as POSIX seconds; an array of seconds as it is. About 0.6 µs each: very long ones are better
    turned into arrays before the GUI thread gets them. A tuple that several series share is turned once."""
    if isinstance(at, np.ndarray):
        return at.astype(np.float64, copy=False)
    if isinstance(at, tuple) and id(at) in _turned and _turned[id(at)][0] is at:
        return _turned[id(at)][1]
    turned = np.fromiter((moment.timestamp() for moment in at), np.float64, len(at))
    if isinstance(at, tuple):
        if len(_turned) >= _KEPT:
            _turned.clear()
        _turned[id(at)] = (at, turned)  # held, so that nothing else can have its id
    return turned


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
    every column stay, and so do gaps as wide as a column. (What pyqtgraph has for this leaves out the newest points,
    and widens gaps.)"""
    first = max(0, int(np.searchsorted(whole.x, left)) - 1)
    last = int(np.searchsorted(whole.x, right, "right")) + 1
    x, y, joined = whole.x[first:last], whole.y[first:last], whole.joined[first:last].copy()
    joined[-1:] = False
    if len(x) <= 2 * columns or not right > left:
        return Curve(x, y, joined)
    column = (right - left) / columns
    joined[:-1] |= x[1:] - x[:-1] <= column  # a gap that is narrower than a column cannot be seen
    edges = np.searchsorted(x, left + column * np.arange(columns + 1))
    cuts = np.sort(np.concatenate(([0], edges, np.flatnonzero(~joined[:-1]) + 1, [len(x)])))
    cuts = cuts[np.flatnonzero(np.diff(cuts, prepend=-1))]
    starts, ends = cuts[:-1], cuts[1:] - 1
    low, high = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
    thin_x, thin_y, thin_joined = np.empty(2 * len(starts)), np.empty(2 * len(starts)), np.ones(2 * len(starts), bool)
    thin_x[::2], thin_x[1::2] = x[starts], x[ends]
    # Up in one column, down in the next: half as much to draw as always up.
    thin_y[::4], thin_y[1::4], thin_y[2::4], thin_y[3::4] = low[::2], high[::2], high[1::2], low[1::2]
    thin_joined[1::2] = joined[ends]
    return Curve(thin_x, thin_y, thin_joined)


def with_dashes(drawn: Curve, half: float) -> Curve:
    """The same, but a point that no line leads to or from is a dash of twice `half`: else nobody would see it."""
    if not len(drawn.x):
        return drawn
    first = np.flatnonzero(~np.concatenate(([False], drawn.joined[:-1])))
    last = np.flatnonzero(~drawn.joined)
    # Thinning makes a pair on one spot of a column that holds one point.
    alone = (last - first <= 1) & (drawn.x[first] == drawn.x[last]) & (drawn.y[first] == drawn.y[last])
    if not alone.any():
        return drawn
    times = np.ones(len(drawn.x), np.int64)
    times[first[alone & (first == last)]] = 2
    x, y, joined = np.repeat(drawn.x, times), np.repeat(drawn.y, times), np.repeat(drawn.joined, times)
    begins = (np.cumsum(times) - times)[first[alone]]
    x[begins] -= half
    x[begins + 1] += half
    joined[begins] = True
    return Curve(x, y, joined)


def usual_top(values: Floats, least: float = 0.0) -> tuple[float, int]:
    """Up to where an axis should go so that a few huge values do not flatten the rest, and how many are above. `values`
    finite, at least one. At most one in twenty (and always one) may count as huge, if it is far above all others and
    above `least`, which is shown anyway (say, a threshold: what is a few times as much is no oddity)."""
    largest = float(values.max())
    few = max(1, len(values) // 20)
    if len(values) <= few:
        return largest, 0
    usual = max(float(np.partition(values, -few - 1)[-few - 1]), least)
    if usual <= 0 or largest <= _FAR * usual:
        return largest, 0
    top = _ROOM * usual
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
