"""core.store.invocation_ids: in order of time, never twice, and larger than what stands in the log."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.database import Database
from core.store.invocation_ids import InvocationIds
from tests.core.store.log_maker import START, LogMaker


@given(
    newest=st.integers(0, 2**62),
    seconds=st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20),
)
def test_ids_rise_whatever_the_clock_says(newest: int, seconds: list[float]) -> None:
    ids = InvocationIds(lambda: newest)
    made = [ids.next(START + timedelta(seconds=one)) for one in seconds]
    assert made == sorted(set(made))
    assert newest < made[0]
    assert made[-1] < 2**63


@pytest.mark.parametrize("year", [1970, 2020, 2026, 2099])
def test_any_year_has_ids(year: int) -> None:
    assert 0 < InvocationIds(lambda: 0).next(datetime(year, 6, 1, tzinfo=UTC)) < 2**63


def test_a_later_moment_has_a_larger_id_in_another_process_too() -> None:
    first, second = InvocationIds(lambda: 0), InvocationIds(lambda: 0)
    assert first.next(START) < second.next(START + timedelta(microseconds=1))


def test_threads_get_ids_of_their_own() -> None:
    ids, made = InvocationIds(lambda: 0), list[int]()

    def work() -> None:
        made.extend([ids.next(START) for _ in range(500)])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 4000


def test_rows_that_are_there_stay_below(database: Database, log: LogMaker) -> None:
    log.last = 2**55
    there = log.lookup()
    assert database.ids.next(START) > there
