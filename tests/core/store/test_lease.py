"""One process collects at a time; a lease that nobody renews is not waited for, whatever the clocks say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from core.store.database import Database
from core.store.lease import LEASE_S, Lease
from core.store.lock import Holder
from tests.manual_clock import ManualClock


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database.open(tmp_path / "deskside.db")


def hold(database: Database, lease: Lease) -> bool:
    with database.transaction() as connection:
        return lease.hold(connection)


def two(database: Database) -> tuple[Lease, Lease, ManualClock]:
    clock = ManualClock()
    return Lease(database, clock), Lease(database, clock), clock


def test_one_holds_it_while_it_renews(database: Database) -> None:
    first, second, clock = two(database)
    for _ in range(20):
        assert hold(database, first)
        assert not second.may_hold()
        assert not hold(database, second)
        clock.advance(10)


def test_one_that_is_not_renewed_is_taken_over_and_not_given_back(database: Database) -> None:
    first, second, clock = two(database)
    assert hold(database, first)
    assert not second.may_hold()
    clock.advance(LEASE_S - 1)
    assert not second.may_hold()
    clock.advance(1)
    assert hold(database, second)
    assert not first.may_hold()
    assert not hold(database, first)


def test_what_was_given_back_is_free_at_once_and_only_by_its_holder(database: Database) -> None:
    first, second, _ = two(database)
    assert hold(database, first)
    with database.transaction() as connection:
        second.release(connection)
    assert not second.may_hold()
    with database.transaction() as connection:
        first.release(connection)
    assert hold(database, second)


@pytest.mark.parametrize("back_s", [60, 3600, 86_400 * 365])
def test_after_the_clock_was_set_back_a_lease_of_the_future_is_waited_for_no_longer_than_any(
    database: Database, back_s: float
) -> None:
    first, second, clock = two(database)
    assert hold(database, first)
    clock.set_back(back_s)
    assert not second.may_hold()
    clock.advance(LEASE_S)
    assert hold(database, second)


def test_whoever_renews_keeps_it_also_after_the_clock_was_set_back(database: Database) -> None:
    first, second, clock = two(database)
    assert hold(database, first)
    clock.set_back(3600)
    for _ in range(10):
        assert hold(database, first)
        assert not second.may_hold()
        clock.advance(10)


def test_the_lease_of_a_process_that_has_ended_is_free_at_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = ManualClock()
    script = "import os; from core.store.lock import process_start; print(os.getpid(), process_start(os.getpid()))"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    gone = Lease(database, clock)
    held = gone._me
    monkeypatch.setattr(gone, "_me", Holder(int(told[0]), held.host, held.since, "".join(told[1:])))
    assert hold(database, gone)
    assert hold(database, Lease(database, clock))


def test_a_holder_on_another_computer_is_waited_for(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, clock = two(database)
    monkeypatch.setattr(first, "_me", Holder(1, "another-host", "", ""))
    assert hold(database, first)
    assert not second.may_hold()
    clock.advance(LEASE_S)
    assert second.may_hold()


@pytest.mark.parametrize("written", ["", "nonsense", "[]", "{}", '{"token": "x"}', "7"])
def test_a_row_that_says_nothing_holds_nobody_up(database: Database, written: str) -> None:
    with database.transaction() as connection:
        connection.execute("INSERT INTO monitor_state (name, value) VALUES ('collecting', ?)", (written,))
    assert hold(database, Lease(database, ManualClock()))
