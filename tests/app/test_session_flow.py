"""Contract §1: an unnamed session starts with the first lookup, ends after 10 idle minutes, and can be put back."""

from __future__ import annotations

from app.session_flow import SessionFlow, Started
from tests.manual_clock import ManualClock


def flow() -> tuple[SessionFlow, ManualClock]:
    clock = ManualClock()
    return SessionFlow(clock=clock.monotonic, idle_minutes=10), clock


def test_the_first_lookup_starts_a_session() -> None:
    sessions, _ = flow()
    assert sessions.for_lookup() is None
    assert sessions.used("S-1") == Started("S-1", None, by_itself=False)
    assert sessions.for_lookup() == "S-1"
    assert sessions.used("S-1") is None


def test_ten_idle_minutes_end_an_unnamed_session() -> None:
    sessions, clock = flow()
    sessions.used("S-1")
    clock.advance(599)
    assert sessions.for_lookup() == "S-1"
    clock.advance(1)
    assert sessions.for_lookup() is None
    assert sessions.used("S-2") == Started("S-2", "S-1", by_itself=True)


def test_acts_keep_a_session_alive() -> None:
    sessions, clock = flow()
    sessions.used("S-1")
    clock.advance(500)
    sessions.touched()
    clock.advance(500)
    assert sessions.for_lookup() == "S-1"


def test_a_named_session_does_not_end_by_idling() -> None:
    sessions, clock = flow()
    sessions.switch("T-1042", named=True)
    clock.advance(10_000)
    assert sessions.for_lookup() == "T-1042"


def test_ctrl_n_starts_another_one_that_was_asked_for() -> None:
    sessions, _ = flow()
    sessions.used("S-1")
    sessions.new()
    assert sessions.current is None
    assert sessions.used("S-2") == Started("S-2", "S-1", by_itself=False)


def test_putting_back_makes_the_earlier_session_current() -> None:
    sessions, clock = flow()
    sessions.used("S-1")
    clock.advance(600)
    sessions.for_lookup()
    sessions.used("S-2")
    assert sessions.put_back() == ("S-2", "S-1")
    assert sessions.current == "S-1"
    assert sessions.for_lookup() == "S-1"
    assert sessions.put_back() is None
