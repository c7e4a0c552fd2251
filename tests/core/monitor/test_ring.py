"""The newest hour at ten seconds, and how it goes on from what was persisted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from core.figures import AgentSeries
from core.monitor.ring import Ring, refined
from tests.core.monitor.agent_figures import agent
from tests.manual_clock import START

STEP = timedelta(seconds=10)


def filled(points: int) -> Ring:
    ring = Ring()
    for n in range(points):
        ring.add(START + n * STEP, [agent("network/semantic-1", total=n, avg_ms=n), agent("general/keyword-1")])
    return ring


def test_an_hour_is_kept_and_no_more() -> None:
    ring = filled(1000)
    first, second = ring.series(START, START + timedelta(days=1))
    assert (first.agent, second.agent) == ("network/semantic-1", "general/keyword-1")
    assert len(first.at) == len(first.p95_ms) == len(first.calls) == 361
    assert first.at[-1] - first.at[0] == timedelta(hours=1)
    assert first.calls[-1] == 999
    assert first.width_s == 10


def test_only_what_lies_in_the_period_is_told() -> None:
    ring = filled(10)
    (first, _) = ring.series(START + 2 * STEP, START + 5 * STEP)
    assert first.calls == (2, 3, 4)
    assert ring.series(START + timedelta(hours=2), START + timedelta(hours=3)) == ()


def test_after_the_clock_was_set_back_time_still_runs_forward() -> None:
    ring = filled(10)
    ring.add(START + 4 * STEP, [agent(total=99)])
    (first, _) = ring.series(START, START + timedelta(days=1))
    assert first.calls == (0, 1, 2, 3, 99)
    assert list(first.at) == sorted(first.at)


def test_an_agent_that_came_later_begins_later() -> None:
    ring = filled(2)
    ring.add(START + 2 * STEP, [agent("workplace/semantic-1")])
    lengths = {series.agent: len(series.at) for series in ring.series(START, START + timedelta(days=1))}
    assert lengths == {"network/semantic-1": 2, "general/keyword-1": 2, "workplace/semantic-1": 1}


def persisted(name: str, minutes: int) -> AgentSeries:
    at = tuple(START - timedelta(minutes=n) for n in range(minutes, -2, -1))
    ones = tuple(1.0 for _ in at)
    return AgentSeries(name, "network", at, ones, ones, ones, ones, ones, ones, tuple(7 for _ in at))


def test_the_newest_points_take_the_place_of_persisted_ones() -> None:
    (first, second) = refined([persisted("network/semantic-1", 5)], filled(3).series(START, START + timedelta(days=1)))
    assert first.calls == (7, 7, 7, 7, 7, 0, 1, 2)
    assert list(first.at) == sorted(set(first.at))
    assert first.width_s == 60
    assert second.agent == "general/keyword-1"


def test_means_of_long_stretches_stay_as_they_are() -> None:
    kept = replace(persisted("network/semantic-1", 5), width_s=900)
    (first, _) = refined([kept], filled(3).series(START, START + timedelta(days=1)))
    assert first == kept


def test_without_either_the_other_is_told_as_it_is() -> None:
    kept = persisted("network/semantic-1", 5)
    newest = filled(3).series(START, START + timedelta(days=1))
    assert refined([kept], ()) == (kept,)
    assert refined((), newest) == newest
