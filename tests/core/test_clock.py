"""core.clock: how moments are written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import SystemClock, from_iso, iso


def test_the_written_form() -> None:
    assert iso(datetime(2026, 11, 30, 20, 10, 0, 123_456, tzinfo=UTC)) == "2026-11-30T20:10:00.123Z"
    assert iso(datetime(2026, 12, 1, 4, 10, tzinfo=timezone(timedelta(hours=8)))) == "2026-11-30T20:10:00.000Z"


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        iso(datetime(2026, 1, 1))


@given(st.lists(st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)), max_size=5))
def test_text_order_is_time_order_and_reading_gives_it_back(moments: list[datetime]) -> None:
    whole = [moment.replace(microsecond=moment.microsecond // 1000 * 1000) for moment in moments]
    assert [from_iso(text) for text in sorted(map(iso, whole))] == sorted(whole)


def test_the_computers_clock_is_aware_and_its_monotonic_hand_never_goes_back() -> None:
    clock = SystemClock()
    assert clock.now().utcoffset() == timedelta(0)
    assert clock.monotonic() <= clock.monotonic()
