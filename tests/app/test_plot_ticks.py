"""Ticks: what the clock on the wall shows, each hour of a change-over day once or twice as it came, round values."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.period import local_moment
from app.plot_data import Unit
from app.plot_ticks import moment_text, share_text, span_text, stamp, time_ticks, value_text, value_ticks

BERLIN = ZoneInfo("Europe/Berlin")
ZONES = [ZoneInfo(name) for name in ("Europe/Berlin", "Asia/Shanghai", "UTC", "Asia/Kathmandu", "Australia/Lord_Howe")]
FORMS = ("%H:%M:%S", "%H:%M", "%m-%d", "%Y-%m", "%Y")


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@given(
    left=st.floats(1.2e9, 2.0e9),
    length=st.floats(5, 1e9),
    most=st.integers(1, 40),
    zone=st.sampled_from(ZONES),
)
def test_each_tick_says_what_the_clock_shows_there(left: float, length: float, most: int, zone: ZoneInfo) -> None:
    ticks = time_ticks(left, left + length, most, zone)
    places = [place for place, _ in ticks]
    assert places == sorted(set(places))
    assert len(ticks) <= most + 3  # a repeated hour adds some
    for place, text in ticks:
        assert left <= place <= left + length
        local = datetime.fromtimestamp(place, UTC).astimezone(zone)
        assert text.partition(" ")[0] in {local.strftime(form) for form in FORMS}


def test_a_left_out_hour_has_no_tick_and_a_repeated_one_has_two() -> None:
    spring = [text for _, text in time_ticks(at("2026-03-29T00:00+01:00"), at("2026-03-30T00:00+02:00"), 25, BERLIN)]
    assert spring[:4] == ["03-29", "01:00", "03:00", "04:00"]
    assert len(spring) == 24
    ticks = time_ticks(at("2026-10-25T00:00+02:00"), at("2026-10-26T00:00+01:00"), 25, BERLIN)
    assert [text for _, text in ticks][:5] == ["10-25", "01:00", "02:00 +02:00", "02:00 +01:00", "03:00"]
    assert {b - a for (a, _), (b, _) in pairwise(ticks)} == {3600.0}


def test_days_stand_at_local_midnight() -> None:
    ticks = time_ticks(at("2026-10-20T00:00+02:00"), at("2026-10-30T00:00+01:00"), 12, BERLIN)
    assert [text for _, text in ticks] == [f"10-{day}" for day in range(20, 31)]
    assert all(datetime.fromtimestamp(place, BERLIN).time() == time() for place, _ in ticks)


def test_long_stretches_have_months_and_years() -> None:
    texts = [text for _, text in time_ticks(at("2026-01-10T00:00+00:00"), at("2026-12-20T00:00+00:00"), 12, ZONES[2])]
    assert texts == [f"2026-{month:02}" for month in range(2, 13)]
    years = [text for _, text in time_ticks(0.0, at("2099-12-31T23:59:59+00:00"), 20, ZONES[2])]
    assert years[0] == "1970"
    assert len(years) == 13


@pytest.mark.parametrize("most", [0, 1, 5])
def test_a_range_without_length_has_no_ticks(most: int) -> None:
    assert list(time_ticks(5.0, 5.0, most)) == []
    assert list(value_ticks(5.0, 5.0, most, Unit.MS)) == []


def test_a_moment_tells_its_offset_only_where_it_must() -> None:
    assert moment_text(at("2026-10-25T02:30:00+02:00"), BERLIN) == "10-25 02:30 +02:00"
    assert moment_text(at("2026-10-25T02:30:00+01:00"), BERLIN, exact=True) == "10-25 02:30:00 +01:00"
    assert moment_text(at("2026-10-25T03:00:00+01:00"), BERLIN) == "10-25 03:00"
    assert moment_text(at("2026-03-29T03:30:00+02:00"), BERLIN) == "03-29 03:30"
    assert stamp(at("2026-10-25T02:30:00+01:00"), BERLIN) == "2026-10-25 02:30:00+01:00"


@pytest.mark.parametrize(
    ("start", "end", "told"),
    [
        ("2026-10-25T10:00+01:00", "2026-10-25T10:30+01:00", ("10-25 10:00", "10:30")),
        ("2026-10-25T02:30+02:00", "2026-10-25T02:00+01:00", ("10-25 02:30 +02:00", "02:00 +01:00")),
        ("2026-10-25T00:00+02:00", "2026-10-26T00:00+01:00", ("10-25", "")),
        ("2026-10-25T21:00+01:00", "2026-10-26T00:00+01:00", ("10-25 21:00", "24:00")),
        ("2026-10-01T00:00+02:00", "2026-11-01T00:00+01:00", ("2026-10", "")),
        ("2026-12-01T00:00+01:00", "2027-01-01T00:00+01:00", ("2026-12", "")),
        ("2026-10-03T00:00+02:00", "2026-11-01T00:00+01:00", ("10-03 00:00", "11-01 00:00")),
    ],
)
def test_a_bucket_says_from_when_to_when(start: str, end: str, told: tuple[str, str]) -> None:
    assert span_text(at(start), at(end), BERLIN) == told


@given(low=st.floats(-1e7, 1e7), length=st.floats(1e-3, 1e7), most=st.integers(1, 20), unit=st.sampled_from(Unit))
def test_value_ticks_are_round_and_differ(low: float, length: float, most: int, unit: Unit) -> None:
    ticks = value_ticks(low, low + length, most, unit)
    texts = [text for _, text in ticks]
    assert len(set(texts)) == len(texts) <= most + 1
    assert all(low - 1e-6 * length <= value <= low + length * (1 + 1e-6) for value, _ in ticks)
    assert all("e" not in text for text in texts)
    if unit is Unit.COUNT:
        assert all(value == round(value) for value, _ in ticks)


def test_values_are_written_as_people_write_them() -> None:
    assert [value_text(value, Unit.SHARE) for value in (1.0, 0.9, 0.914, 0.12)] == ["1.00", "0.90", "0.914", "0.12"]
    assert [value_text(value, Unit.MS) for value in (3000.4, 4.25)] == ["3,000 ms", "4.2 ms"]
    assert value_text(1234.0, Unit.COUNT) == "1,234"
    assert (share_text(1, 3), share_text(0, 0)) == ("33.3%", "")


def test_a_local_moment_comes_back_from_its_text() -> None:
    moment = local_moment(datetime(2026, 7, 1, tzinfo=UTC).date(), time(9), BERLIN)
    assert datetime.fromisoformat(stamp(moment.timestamp(), BERLIN)) == moment
    assert moment.utcoffset() == timedelta()
