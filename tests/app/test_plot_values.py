"""Values before they are drawn: gaps stay gaps, peaks stay peaks, nothing huge flattens the rest."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.plot_data import Series
from app.plot_values import Curve, curve, seconds, thinned, usual_top, value_range, with_dashes

START = 1_790_000_000.0
ODD = (None, float("nan"), float("inf"), float("-inf"))
VALUES = st.lists(st.one_of(st.floats(-1e6, 1e6), st.sampled_from(ODD)), max_size=60)


def series(values: list[float | None], *, step: float = 60.0, width: float = 60.0) -> Series:
    return Series("a", START + step * np.arange(len(values)), values, range(len(values)), width)


def cleaned(values: list[float | None], **steps: float) -> Curve:
    return curve(series(values, **steps), START, START + 1e6)


def pieces(drawn: Curve) -> int:
    """How many lines, or points on their own, there are."""
    return int((~drawn.joined).sum())


@given(values=VALUES)
def test_what_is_no_number_is_a_gap_and_nothing_else_is_lost(values: list[float | None]) -> None:
    made = cleaned(values)
    finite = [place for place, value in enumerate(values) if value is not None and np.isfinite(value)]
    assert made.y.tolist() == [values[place] for place in finite]
    assert made.counts is not None
    assert made.counts.tolist() == finite
    for number, place in enumerate(finite):
        assert bool(made.joined[number]) == (place + 1 in finite)


@pytest.mark.parametrize(("step", "joined"), [(60, True), (150, True), (150.5, False), (1000, False)])
def test_a_step_longer_than_two_and_a_half_widths_is_a_gap(step: float, joined: bool) -> None:
    assert cleaned([1.0, 2.0], step=step).joined.tolist() == [joined, False]


def test_points_are_put_in_order_and_those_outside_the_period_are_left_out() -> None:
    at = [datetime.fromtimestamp(START, UTC) + timedelta(seconds=offset) for offset in (120, 0, 60, -2e9, 3e9, 60)]
    made = curve(Series("a", at, [3.0, 1.0, 2.0, 9.0, 9.0, 2.5], [3, 1, 2, 9, 9, 2]), START, START + 200)
    assert made.x.tolist() == [START, START + 60, START + 60, START + 120]
    assert made.y.tolist() == [1.0, 2.0, 2.5, 3.0]
    assert made.joined.tolist() == [True, True, True, False]


def test_lengths_that_differ_are_a_bug() -> None:
    with pytest.raises(ValueError, match="2 moments"):
        curve(Series("a", np.array([START, START + 1]), [1.0]), START, START + 9)


def test_moments_are_seconds_whatever_their_offset() -> None:
    twice = ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]
    first, second = seconds([datetime.fromisoformat(text) for text in twice])
    assert second - first == 3600


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(0, 2000),
    columns=st.integers(10, 200),
    missing=st.sampled_from([0.0, 0.1, 0.9]),
    zoom=st.sampled_from([(0.0, 1.0), (0.3, 0.6), (0.5, 0.5001), (-1.0, 2.0)]),
)
def test_thinning_keeps_every_peak_and_every_gap_that_can_be_seen(
    seed: int, count: int, columns: int, missing: float, zoom: tuple[float, float]
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=count)
    values[rng.random(count) < missing] = np.nan
    whole = cleaned(values.tolist())
    length = max(60.0, 60.0 * count)
    left, right = START + zoom[0] * length, START + zoom[1] * length
    drawn = thinned(whole, left, right, columns)
    inside = (whole.x >= left) & (whole.x <= right)
    column = (right - left) / columns
    gaps = int(((np.diff(whole.x) > column) & ~whole.joined[:-1]).sum()) if len(whole.x) else 0
    assert len(drawn.x) <= 2 * (columns + gaps + 4)
    assert (np.diff(drawn.x) >= 0).all()
    assert not drawn.joined[-1:].any()
    if not inside.any():
        return
    assert set(drawn.y) <= set(whole.y)
    places = np.searchsorted(left + column * np.arange(columns + 1), whole.x[inside], "right")
    spots = np.searchsorted(left + column * np.arange(columns + 1), drawn.x, "right")
    spots[drawn.x < left] = -1
    for place in set(places.tolist()) - {columns + 1}:  # on the very edge: drawn with the point beyond it
        here, there = whole.y[inside][places == place], drawn.y[spots == place]
        assert (here.min(), here.max()) == (there.min(), there.max())
    # No line leads over a gap that is wider than a column.
    wide = np.flatnonzero(~whole.joined[:-1] & (np.diff(whole.x) > column)) if len(whole.x) > 1 else []
    for gap in wide:
        crossing = (drawn.x[:-1] <= whole.x[gap]) & (drawn.x[1:] >= whole.x[gap + 1])
        assert not (crossing & drawn.joined[:-1]).any()


def test_the_newest_point_is_never_thinned_away() -> None:
    whole = cleaned([float(n) for n in range(8641)])
    drawn = thinned(whole, whole.x[0], whole.x[-1], 400)
    assert (drawn.x[-1], drawn.y[-1]) == (whole.x[-1], 8640.0)
    assert len(drawn.x) < 900


@given(values=VALUES, half=st.floats(0.1, 10))
def test_a_point_on_its_own_becomes_a_dash_and_lines_stay(values: list[float | None], half: float) -> None:
    made = cleaned(values)
    drawn = with_dashes(made, half)
    assert pieces(drawn) == pieces(made)
    starts = np.flatnonzero(~np.concatenate(([False], drawn.joined[:-1]))) if len(drawn.x) else np.zeros(0, int)
    ends = np.flatnonzero(~drawn.joined)
    assert all(drawn.x[end] > drawn.x[start] for start, end in zip(starts, ends, strict=True)), "each can be seen"
    assert sorted(set(drawn.y)) == sorted(set(made.y))


@pytest.mark.parametrize(
    ("values", "least", "top", "above"),
    [
        ([5.0], 0.0, 5.0, 0),
        ([100.0, 120.0, 90.0, 1e9], 0.0, 180.0, 1),
        ([100.0, 1000.0], 0.0, 1000.0, 0),  # ten times is no outlier yet
        ([0.0, 0.0, 7.0], 0.0, 7.0, 0),  # all there is
        ([float(n) for n in range(1, 500)], 0.0, 499.0, 0),
        ([100.0] * 198 + [1e6] * 2, 0.0, 150.0, 2),
        ([100.0] * 50 + [1e6] * 50, 0.0, 1e6, 0),  # half of them are no few
        ([100.0] * 99 + [9000.0], 3000.0, 9000.0, 0),  # a slow spell, against the threshold
        ([100.0] * 99 + [60_000.0], 3000.0, 4500.0, 1),
    ],
)
def test_a_few_huge_values_do_not_flatten_the_rest(values: list[float], least: float, top: float, above: int) -> None:
    assert usual_top(np.array(values), least) == (top, above)


@pytest.mark.parametrize(
    ("low", "top", "thresholds", "bounds"),
    [
        (0.97, 1.0, (0.9,), (None, 1.0)),
        (0.2, 0.3, (0.9,), (None, 1.0)),
        (120.0, 130.0, (3000.0,), (0.0, None)),
        (0.0, 0.0, (), (0.0, None)),
        (5.0, 5.0, (), (None, None)),
        (-3.0, -3.0, (), (None, None)),
    ],
)
def test_the_range_holds_values_and_thresholds(
    low: float, top: float, thresholds: tuple[float, ...], bounds: tuple[float | None, float | None]
) -> None:
    shown = value_range(low, top, thresholds, bounds)
    assert shown[0] < shown[1]
    assert all(shown[0] <= value < shown[1] for value in (low, top, *thresholds))
    if bounds[0] is not None:
        assert shown[0] == bounds[0]
    assert shown[0] >= 0 or low < 0
