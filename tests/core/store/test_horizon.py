"""core.store.horizon: what may be deleted is reckoned from a moment that later ones have borne out."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from core.store.database import Database
from core.store.horizon import horizon
from tests.core.store.log_maker import START

DAY = timedelta(days=1)


def told(database: Database, *moments: datetime) -> datetime | None:
    found = None
    for now in moments:
        with database.transaction() as connection:
            found = horizon(connection, now)
    return found


def test_a_moment_counts_once_one_a_day_later_was_shown(database: Database) -> None:
    hours = [START + timedelta(hours=n) for n in range(24)]
    assert told(database, *hours) is None
    assert told(database, START + DAY) == START
    assert told(database, START + DAY * 9) == START + DAY, "after a holiday too"


def test_what_a_clock_showed_before_it_was_set_back_counts_for_nothing(database: Database) -> None:
    told(database, START, START + DAY, START + DAY * 800)
    assert told(database, START + DAY * 1.5) == START + DAY
    assert told(database, START + DAY * 2.5) == START + DAY * 1.5


def test_what_is_not_ours_is_written_anew(database: Database) -> None:
    for text in ("", "[1]", '{"sure": 1, "shown": "x"}', "null"):
        database.connection().execute("INSERT OR REPLACE INTO monitor_state VALUES ('horizon', ?)", (text,))
        assert told(database, START) is None
        assert told(database, START + DAY) == START


@given(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=20))
def test_it_never_lies_after_now_and_is_always_a_moment_that_was_shown(hours: list[int]) -> None:
    shown = []
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE monitor_state (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        for hour in hours:
            shown.append(START + timedelta(hours=hour))
            found = horizon(connection, shown[-1])
            assert found is None or (found <= shown[-1] and found in shown)
