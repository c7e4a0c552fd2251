"""A window: 200 calls, 24 hours, and figures that are those of the calls in it (contract §8)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agents.window import Call, CallWindow, WindowFigures
from tests.manual_clock import START, ManualClock

DURATIONS = st.one_of(st.floats(0, 20_000), st.sampled_from([0.0, 0.001, 3000.0, 10_000.0]))


def call(clock: ManualClock, duration_ms: float = 10.0, *, ok: bool = True, degraded: bool = False) -> Call:
    return Call("network/keyword-1", clock.now(), duration_ms, ok, degraded)


def test_without_calls() -> None:
    assert CallWindow(200, 24, ManualClock()).figures() == WindowFigures(0, 1.0, 0, 0.0, 0.0, 0.0)


def test_the_two_hundred_and_first_call_pushes_the_first_out() -> None:
    clock = ManualClock()
    window = CallWindow(200, 24, clock)
    window.add(call(clock, 9000, ok=False))
    for _ in range(199):
        window.add(call(clock))
    assert window.averages()[:2] == (200, 199 / 200)
    window.add(call(clock))
    assert window.averages() == (200, 1.0, 10.0)


def test_a_call_counts_for_twenty_four_hours() -> None:
    clock = ManualClock()
    window = CallWindow(200, 24, clock)
    window.add(call(clock, ok=False))
    clock.advance(24 * 3600)
    assert len(window) == 1
    clock.advance(0.001)
    assert window.figures().success_rate == 1.0
    assert len(window) == 0


def test_a_clock_set_back_drops_nothing() -> None:
    clock = ManualClock()
    window = CallWindow(200, 24, clock)
    window.add(call(clock))
    clock.set_back(48 * 3600)
    window.add(call(clock))
    assert len(window) == 2


def test_percentiles_by_nearest_rank() -> None:
    clock = ManualClock()
    window = CallWindow(200, 24, clock)
    for duration in range(1, 21):
        window.add(call(clock, duration))
    figures = window.figures()
    assert (figures.p50_ms, figures.p95_ms, figures.avg_ms) == (10, 19, 10.5)


def test_an_average_that_sank_to_its_threshold_is_the_threshold() -> None:
    """Sums of floats that grow and shrink again would end a hair above 3,000."""
    clock = ManualClock()
    window = CallWindow(20, 24, clock)
    for duration in (1 / 3, 7000.7, 1e9 / 7, 2 / 3, 123.456789):
        for _ in range(7):
            window.add(call(clock, duration))
    for _ in range(20):
        window.add(call(clock, 3000))
    assert window.averages() == (20, 1.0, 3000.0)


@pytest.mark.parametrize("duration", [-1.0, float("nan"), float("inf")])
def test_impossible_calls_are_refused(duration: float) -> None:
    with pytest.raises(ValueError, match="ms"):
        Call("a", START, duration, ok=True)


def test_no_call_is_good_and_degraded() -> None:
    with pytest.raises(ValueError, match="degraded"):
        Call("a", START, 1, ok=True, degraded=True)


@given(
    st.lists(
        st.tuples(DURATIONS, st.sampled_from(["ok", "failed", "degraded"]), st.sampled_from([0, 1, 3600, 30_000]))
    ),
    st.integers(0, 12),
)
def test_the_figures_are_those_of_the_calls_that_are_left(calls: list[tuple[float, str, int]], kept: int) -> None:
    clock = ManualClock()
    window = CallWindow(10, 24, clock)
    history: list[Call] = []
    for duration, outcome, seconds in calls:
        clock.advance(seconds)
        history.append(call(clock, duration, ok=outcome == "ok", degraded=outcome == "degraded"))
        window.add(history[-1])
    window.keep_last(kept)
    left = [one for one in history[-10:] if one.at >= clock.now() - timedelta(hours=24)]
    left = left[len(left) - min(len(left), kept) :]
    figures = window.figures()
    good = sum(one.ok for one in left)
    failed = sum(not one.ok for one in left)
    assert good + failed == figures.total == len(left)
    assert figures.degraded == sum(one.degraded for one in left) <= failed
    assert figures.success_rate == (good / len(left) if left else 1.0)
    assert figures.avg_ms == pytest.approx(sum(one.duration_ms for one in left) / max(1, len(left)), abs=1e-3)
    assert figures.p50_ms <= figures.p95_ms <= max((one.duration_ms for one in left), default=0)


def test_what_ended_before_a_moment_is_forgotten_whatever_its_place() -> None:
    clock = ManualClock()
    window = CallWindow(200, 24, clock)
    for minutes, duration in ((0, 1.0), (30, 100.0), (10, 1.0), (20, 300.0)):
        window.add(Call("network/keyword-1", START + timedelta(minutes=minutes), duration, ok=duration > 1))
    window.forget_before(START + timedelta(minutes=20))
    assert window.averages() == (2, 1.0, 200.0)


def test_what_is_forgotten_by_its_time_counts_no_more() -> None:
    clock = ManualClock()
    window = CallWindow(200, 24, clock)
    window.add(call(clock, 9000, ok=False, degraded=True))
    clock.advance(1)
    moment = clock.now()
    window.add(call(clock, 10))
    window.forget_before(moment)
    assert window.figures() == WindowFigures(1, 1.0, 0, 10.0, 10.0, 10.0)
    window.forget_before(moment)
    assert len(window) == 1
