"""Stretches of time as the monitor offers them, and their buckets: local days and hours, right across clock changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum

from core.figures import Period

_MINUTE, _QUARTER, _HALF_HOUR = timedelta(minutes=1), timedelta(minutes=15), timedelta(minutes=30)
_DAY = timedelta(days=1)
EARLIEST, LATEST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
"""Between these a custom range may lie: whatever is reckoned from them exists in every zone."""


class TimeRange(StrEnum):
    """What the picker offers."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A period and the edges of its n buckets: n + 1 aware UTC datetimes, rising, the first its start, the last its
    end. Except in the range of an hour, all edges between these two are whole quarter-hours of UTC."""

    period: Period
    edges: tuple[datetime, ...]


def span_of(chosen: TimeRange, now: datetime, zone: tzinfo | None = None) -> TimeSpan:
    """The last hour in minutes, 24 hours in half-hours, 7 local days in stretches of three hours by the clock on the
    wall, or 30 local days; the one that `now` (aware) falls into is the last. `zone` None: the system's.

    Raises ValueError for CUSTOM: its ends are not known here (`custom_span`).
    """
    if chosen is TimeRange.HOUR:
        end = _ceiling(now, _MINUTE)
        return _spanning(_steps(end - timedelta(hours=1), end, _MINUTE))
    if chosen is TimeRange.DAY:
        end = _ceiling(now, _HALF_HOUR, zone)
        return _spanning(_steps(end - _DAY, end, _HALF_HOUR))
    today = now.astimezone(zone).date()
    if chosen is TimeRange.WEEK:
        return _spanning(_by_clock(today - 6 * _DAY, today, 3, zone))
    if chosen is TimeRange.MONTH:
        return _spanning(_by_clock(today - 29 * _DAY, today, 24, zone))
    raise ValueError("a custom range needs its ends")


def custom_span(start: datetime, end: datetime, zone: tzinfo | None = None) -> TimeSpan:
    """From one to the other of two moments (aware, in either order), at least a minute, no further than `EARLIEST` and
    `LATEST`. Buckets of whole quarter-hours up to 6 hours, half-hours up to two days, three hours up to two weeks, days
    up to half a year, else calendar months; the first and the last are cut where the period ends."""
    start, end = (min(max(moment, EARLIEST), LATEST).astimezone(UTC) for moment in sorted((start, end)))
    end = max(end, start + _MINUTE)
    inner = (edge for edge in _buckets(start, end, zone) if start < edge < end)
    return TimeSpan(Period(start, end), (start, *sorted(set(inner)), end))


def _buckets(start: datetime, end: datetime, zone: tzinfo | None) -> Iterator[datetime]:
    """Edges of all buckets that hold a part of it."""
    length = end - start
    if length <= timedelta(hours=50):  # two days, one of which may have 25 hours
        step = _QUARTER if length <= timedelta(hours=6) else _HALF_HOUR
        first = _floor(start, step, zone)
        return _steps(first, _ceiling(end, step, zone), step)
    first_day, last_day = start.astimezone(zone).date(), (end - timedelta(microseconds=1)).astimezone(zone).date()
    if length <= timedelta(days=184):
        return _by_clock(first_day, last_day, 3 if length <= timedelta(days=15) else 24, zone)
    return _months(first_day, last_day, zone)


def local_moment(day: date, clock: time, zone: tzinfo | None = None, *, later: bool = False) -> datetime:
    """When the clock on the wall shows this, in UTC. Of a repeated hour the first, or the `later` one; inside an hour
    that is left out, as if the clock had not been put forward (so a midnight left out is the moment of the change)."""
    wall = datetime.combine(day, clock, zone).replace(fold=int(later))
    return wall.astimezone(UTC)  # without a zone Python takes it for the system's local time


def _steps(start: datetime, end: datetime, step: timedelta) -> Iterator[datetime]:
    for number in range((end - start) // step + 1):
        yield start + number * step


def _by_clock(first: date, last: date, hours: int, zone: tzinfo | None) -> Iterator[datetime]:
    for number in range((last - first).days + 1):
        for hour in range(0, 24, hours):
            yield local_moment(first + number * _DAY, time(hour), zone)
    yield local_moment(last + _DAY, time(), zone)


def _months(first: date, last: date, zone: tzinfo | None) -> Iterator[datetime]:
    month = first.replace(day=1)
    while month <= last:
        yield local_moment(month, time(), zone)
        month = (month + 32 * _DAY).replace(day=1)
    yield local_moment(month, time(), zone)


def _spanning(edges: Iterator[datetime]) -> TimeSpan:
    rising = tuple(sorted(set(edges)))  # two hours of the wall clock may be one moment where an hour is left out
    return TimeSpan(Period(rising[0], rising[-1]), rising)


def _floor(moment: datetime, step: timedelta, zone: tzinfo | None = None) -> datetime:
    """Down to a whole step of local time, or of UTC for a step that divides every offset there is."""
    offset = moment.astimezone(zone).utcoffset() or timedelta()
    local = moment.astimezone(UTC).replace(tzinfo=None) + offset
    return moment.astimezone(UTC) - (local - datetime.min) % step


def _ceiling(moment: datetime, step: timedelta, zone: tzinfo | None = None) -> datetime:
    floor = _floor(moment, step, zone)
    return floor if floor == moment else floor + step
