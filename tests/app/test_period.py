"""Ranges and their buckets: local days and hours on both change-over days, whole quarter-hours, nothing twice."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from bisect import bisect_right
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.period import EARLIEST, LATEST, TimeRange, TimeSpan, custom_span, local_moment, span_of
from core.figures import Period

BERLIN, SHANGHAI = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Shanghai")
# Half and quarter hours, a change of half an hour, a midnight that is left out, an island that left out a whole day.
NAMES = (
    "Europe/Berlin",
    "Asia/Shanghai",
    "UTC",
    "America/New_York",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "America/Santiago",
    "Africa/Cairo",
    "Pacific/Apia",
)
RANGES = [chosen for chosen in TimeRange if chosen is not TimeRange.CUSTOM]
MOMENTS = st.datetimes(datetime(2010, 1, 1), datetime(2035, 1, 1), timezones=st.just(UTC))
ANY_MOMENTS = st.datetimes(timezones=st.just(UTC))
HOUR = timedelta(hours=1)


def widths(span: TimeSpan) -> list[timedelta]:
    return [end - start for start, end in zip(span.edges, span.edges[1:], strict=False)]


def check(span: TimeSpan) -> None:
    assert (span.edges[0], span.edges[-1]) == (span.period.start, span.period.end)
    assert all(edge.utcoffset() == timedelta() for edge in span.edges)
    assert all(width > timedelta() for width in widths(span))


@given(now=MOMENTS, name=st.sampled_from(NAMES), chosen=st.sampled_from(RANGES))
def test_the_last_bucket_is_the_one_that_runs(now: datetime, name: str, chosen: TimeRange) -> None:
    span = span_of(chosen, now, ZoneInfo(name))
    check(span)
    # A week ends with the day that runs.
    assert (span.edges[-9] if chosen is TimeRange.WEEK else span.edges[-2]) <= now <= span.edges[-1]
    if chosen is not TimeRange.HOUR:
        assert all(edge.minute % 15 == edge.second == edge.microsecond == 0 for edge in span.edges)


@given(start=MOMENTS, length=st.timedeltas(timedelta(), timedelta(days=3000)), name=st.sampled_from(NAMES))
def test_a_custom_range_is_what_was_chosen(start: datetime, length: timedelta, name: str) -> None:
    end = start + length
    span = custom_span(end, start, ZoneInfo(name))
    check(span)
    assert span == custom_span(start, end, ZoneInfo(name))
    assert span.period == Period(start, max(end, start + timedelta(minutes=1)))
    assert len(span.edges) <= 202
    assert all(edge.minute % 15 == edge.second == edge.microsecond == 0 for edge in span.edges[1:-1])


@given(first=ANY_MOMENTS, second=ANY_MOMENTS, name=st.sampled_from(NAMES))
def test_any_two_moments_make_a_range(first: datetime, second: datetime, name: str) -> None:
    span = custom_span(first, second, ZoneInfo(name))
    check(span)
    assert EARLIEST <= span.period.start < span.period.end <= LATEST + timedelta(minutes=1)


@given(now=MOMENTS, name=st.sampled_from(NAMES))
def test_a_month_is_thirty_local_days(now: datetime, name: str) -> None:
    zone = ZoneInfo(name)
    edges = [edge.astimezone(zone) for edge in span_of(TimeRange.MONTH, now, zone).edges]
    assert edges[-2].date() == now.astimezone(zone).date()
    left_out = 1 if name == "Pacific/Apia" and edges[0].date() <= date(2011, 12, 30) < edges[-1].date() else 0
    assert len(edges) == 31 - left_out
    for edge in edges:
        before = (edge.astimezone(UTC) - timedelta(seconds=1)).astimezone(zone)
        assert before.date() < edge.date(), "the first moment of a local day"


def test_an_hour_is_sixty_minutes_and_a_day_forty_eight_half_hours() -> None:
    now = datetime(2026, 11, 30, 10, 42, 13, tzinfo=UTC)
    assert widths(span_of(TimeRange.HOUR, now)) == [timedelta(minutes=1)] * 60
    assert widths(span_of(TimeRange.DAY, now)) == [timedelta(minutes=30)] * 48
    assert span_of(TimeRange.DAY, now, UTC).period.end == datetime(2026, 11, 30, 11, tzinfo=UTC)


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 7, 1), 24)])
def test_days_of_berlin_follow_local_midnight(day: date, hours: int) -> None:
    span = span_of(TimeRange.MONTH, local_moment(day, time(12), BERLIN) + timedelta(days=3), BERLIN)
    lengths = {edge.astimezone(BERLIN).date(): width for edge, width in zip(span.edges, widths(span), strict=False)}
    assert lengths[day] == hours * HOUR


@pytest.mark.parametrize("zone", [BERLIN, SHANGHAI, ZoneInfo("UTC")], ids=str)
@pytest.mark.parametrize("day", [date(2026, 3, 29), date(2026, 10, 25)])
@pytest.mark.parametrize("chosen", RANGES)
def test_every_event_falls_into_one_bucket(zone: ZoneInfo, day: date, chosen: TimeRange) -> None:
    """The sum over buckets is the number of events within the period; wrong clocks are outside of it."""
    now = local_moment(day, time(4, 5), zone)
    span = span_of(chosen, now, zone)
    events = [now - number * timedelta(minutes=7, seconds=3) for number in range(400)]
    wrong = [datetime(1970, 1, 1, tzinfo=UTC), datetime(2099, 12, 31, 23, 59, 59, tzinfo=UTC)]
    places = [bisect_right(span.edges, event) - 1 for event in [*events, *wrong]]
    inside = [place for place in places if 0 <= place < len(span.edges) - 1]
    assert len(inside) == sum(span.period.start <= event < span.period.end for event in events)
    assert len(inside) > 7


def test_the_repeated_hour_is_not_merged() -> None:
    first = datetime.fromisoformat("2026-10-25T02:30:00+02:00")
    second = datetime.fromisoformat("2026-10-25T02:30:00+01:00")
    day = custom_span(
        local_moment(first.date(), time(), BERLIN), local_moment(date(2026, 10, 26), time(), BERLIN), BERLIN
    )
    assert len(day.edges) - 1 == 50
    for span in (day, span_of(TimeRange.DAY, second + HOUR, BERLIN), span_of(TimeRange.HOUR, second, BERLIN)):
        assert bisect_right(span.edges, second) - bisect_right(span.edges, first) != 0


def test_a_clock_that_shows_a_time_twice_or_never() -> None:
    twice = (date(2026, 10, 25), time(2, 30))
    assert local_moment(*twice, BERLIN).isoformat() == "2026-10-25T00:30:00+00:00"
    assert local_moment(*twice, BERLIN, later=True).isoformat() == "2026-10-25T01:30:00+00:00"
    assert local_moment(date(2026, 3, 29), time(2, 30), BERLIN).isoformat() == "2026-03-29T01:30:00+00:00"


def test_a_custom_range_must_be_asked_for_with_its_ends() -> None:
    with pytest.raises(ValueError, match="ends"):
        span_of(TimeRange.CUSTOM, datetime(2026, 1, 1, tzinfo=UTC))


SCRIPT = """
import json, sys, time
from datetime import datetime
from app.period import TimeRange, custom_span, span_of
time.tzset()
now = [datetime.fromisoformat(text) for text in sys.argv[1:]]
spans = [span_of(chosen, moment) for chosen in TimeRange if chosen is not TimeRange.CUSTOM for moment in now]
spans += [custom_span(now[0], now[1])]
print(json.dumps([[edge.isoformat() for edge in span.edges] for span in spans]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no TZ")
@pytest.mark.parametrize("name", ["Europe/Berlin", "Asia/Shanghai", "UTC"])
def test_without_a_zone_the_system_has_the_say(name: str) -> None:
    texts = ["2026-03-29T09:17:00+00:00", "2026-10-25T09:17:00+00:00"]
    environment = os.environ | {"TZ": name}
    arguments = [sys.executable, "-c", SCRIPT, *texts]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, env=environment)
    zone, now = ZoneInfo(name), [datetime.fromisoformat(text) for text in texts]
    spans = [span_of(chosen, moment, zone) for chosen in RANGES for moment in now]
    spans.append(custom_span(now[0], now[1], zone))
    assert json.loads(done.stdout) == [[edge.isoformat() for edge in span.edges] for span in spans]
