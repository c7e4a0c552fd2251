"""Two processes (here: two openings of one folder) see the same agents."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from core.agents.pool import GOOD_PROBES
from core.figures import CacheFigures, Period
from core.store.cache_counts import cache_counts
from tests.core.monitor.desk import AGENT, Desk
from tests.manual_clock import ManualClock


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[tuple[Desk, Desk]]:
    clock = ManualClock()
    both = Desk(tmp_path / "deskside.db", clock), Desk(tmp_path / "deskside.db", clock)
    yield both
    for desk in both:
        desk.close()


def test_calls_of_another_process_count_once_and_own_ones_not_again(desks: tuple[Desk, Desk]) -> None:
    first, second = desks
    for _ in range(3):
        first.call(100)
    second.call(500)
    for _ in range(2):
        first.catch_up()
        second.catch_up()
    assert sum(one.total for one in first.pool.figures()) == 4
    assert sum(one.total for one in second.pool.figures()) == 4


def test_a_penalty_that_one_worked_out_holds_for_the_other(desks: tuple[Desk, Desk]) -> None:
    first, second = desks
    first.pool.set_penalties({AGENT: 0.3})
    first.record.log.put_figures(first.pool.figures())
    second.catch_up(penalties=False)
    assert second.agent().monitor_penalty == 0
    second.catch_up()
    assert second.agent().monitor_penalty == 0.3


def test_an_instance_that_recovered_in_one_has_recovered_in_the_other(desks: tuple[Desk, Desk]) -> None:
    first, second = desks
    for _ in range(60):
        first.call(9000)
    second.catch_up()
    slow = [one.id for one in first.pool.figures() if one.tier == "hybrid-hashed" and one.avg_ms > 3000]
    for desk in desks:
        desk.pool.set_penalties(dict.fromkeys(slow, 0.4))
    first.record.log.put_figures(first.pool.figures())
    for _ in range(20 * (GOOD_PROBES + 1)):
        first.call(50)
    assert [first.agent(one).monitor_penalty for one in slow] == [0.0] * len(slow)
    second.catch_up()
    for one in slow:
        assert second.agent(one).avg_ms == 50
        assert second.agent(one).monitor_penalty == 0
        assert second.agent(one).total == first.agent(one).total


def test_the_next_start_finds_the_windows_and_the_penalties(desks: tuple[Desk, Desk], tmp_path: Path) -> None:
    first, _ = desks
    for duration in (100, 200, 600):
        first.call(duration)
    first.pool.set_penalties({AGENT: 0.2})
    first.record.log.put_figures(first.pool.figures())
    later = Desk(tmp_path / "deskside.db", first.clock)
    assert [(one.total, one.avg_ms, one.monitor_penalty) for one in later.pool.figures()] == [
        (one.total, one.avg_ms, one.monitor_penalty) for one in first.pool.figures()
    ]
    later.catch_up()
    assert sum(one.total for one in later.pool.figures()) == 3
    later.close()


def test_what_the_caches_of_all_processes_counted_adds_up(desks: tuple[Desk, Desk]) -> None:
    first, second = desks
    day = Period(first.clock.now() - timedelta(hours=1), first.clock.now() + timedelta(hours=1))
    first.record.count(CacheFigures(3, 10, 1))
    first.record.count(CacheFigures(3, 10, 1))
    second.record.count(CacheFigures(2, 2, 0))
    first.record.count(CacheFigures(4, 12, 1))
    first.record.count(CacheFigures(3, 11, 1))  # read earlier, by another thread
    first.record.count(CacheFigures(4, 12, 1))
    for desk in desks:
        desk.database.log.flush()
    assert cache_counts(first.database, day) == CacheFigures(6, 14, 1)
