"""The formulas of contract §8, by tables, with their edges and caps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agents.routing import penalty, routing_score


@pytest.mark.parametrize(
    ("success_rate", "avg_ms", "expected"),
    [
        (1.0, 0, 0.0),
        # the edge at 0.90
        (0.90, 0, 0.0),
        (180 / 200, 3000, 0.0),
        (27 / 30, 0, 0.0),
        (0.895, 0, 0.01),
        (0.85, 0, 0.10),
        (0.80, 0, 0.20),
        # its cap at 0.65
        (0.66, 0, 0.48),
        (0.65, 0, 0.50),
        (0.64, 0, 0.50),
        (0.0, 0, 0.50),
        # the edge at 3,000 ms
        (1.0, 3000, 0.0),
        (1.0, 3000.001, 0.0000001),
        (1.0, 3100, 0.01),
        (1.0, 4000, 0.10),
        (1.0, 4200, 0.12),
        # its cap at 7 s
        (1.0, 6900, 0.39),
        (1.0, 7000, 0.40),
        (1.0, 7001, 0.40),
        (1.0, 60_000, 0.40),
        # both, and the cap of the sum
        (0.875, 3500, 0.10),
        (0.80, 4200, 0.32),
        (0.65, 7000, 0.90),
        (0.0, 1e9, 0.90),
    ],
)
def test_penalty(success_rate: float, avg_ms: float, expected: float) -> None:
    assert penalty(success_rate, avg_ms, n=200) == expected


@pytest.mark.parametrize(("n", "expected"), [(0, 0.0), (19, 0.0), (20, 0.9), (200, 0.9)])
def test_nothing_is_concluded_from_fewer_than_twenty_calls(n: int, expected: float) -> None:
    assert penalty(0.0, 9000, n=n) == expected


def test_the_thresholds_are_settings() -> None:
    assert penalty(0.90, 1000, n=20, success_rate_threshold=0.95, latency_ms_threshold=500) == 0.15
    assert penalty(0.90, 1000, n=20) == 0.0


@pytest.mark.parametrize(
    ("success_rate", "avg_ms", "penalised", "expected"),
    [
        (1.0, 0, 0.0, 1.0),
        (1.0, 1000, 0.0, 0.85),
        (1.0, 1, 0.0, 0.7 + 0.3 / 1.001),  # Decision 6: by the score alone words beat a model of 400 ms
        (1.0, 400, 0.0, 0.7 + 0.3 / 1.4),
        (0.5, 3000, 0.0, 0.425),
        (1.0, 4200, 0.12, (0.7 + 0.3 / 5.2) * 0.88),
        (0.0, 1000, 0.9, 0.015),
        (1.0, 0, 1.0, 0.0),
    ],
)
def test_routing_score(success_rate: float, avg_ms: float, penalised: float, expected: float) -> None:
    assert routing_score(success_rate, avg_ms, penalised) == pytest.approx(expected, abs=1e-12)


RATES = st.floats(0, 1)
MILLISECONDS = st.floats(0, 1e7)


@given(RATES, RATES, MILLISECONDS, MILLISECONDS)
def test_doing_better_is_never_worth_less(one: float, other: float, some_ms: float, other_ms: float) -> None:
    low, high = sorted((one, other))
    fast, slow = sorted((some_ms, other_ms))
    worse, better = penalty(low, slow, n=20), penalty(high, fast, n=20)
    assert 0.0 <= better <= worse <= 0.9
    assert 0.0 < routing_score(high, fast, better) <= 1.0 or high == 0.0
    assert routing_score(low, slow, worse) <= routing_score(high, fast, better) + 1e-12
