"""Ticks and texts of axes: round values, and local time that is right across clock changes. No Qt."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from app.period import local_moment
from app.plot_data import Unit

Tick = tuple[float, str]
_MINUTES = (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720)
_SECONDS = (1, 2, 5, 10, 15, 30)
_DAYS = (1, 2, 7, 14)
_MONTHS = (1, 3, 6, 12, 24, 60, 120, 240)
_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=64)  # charts of one period share them, and each asks several times while it is laid out
def time_ticks(left: float, right: float, most: int, zone: tzinfo | None = None) -> Sequence[Tick]:
    """At most about `most` moments (POSIX seconds) of [left, right] with what the clock on the wall shows; midnights
    are days. An hour that comes twice has two ticks, each with its offset; one that is left out has none."""
    length = right - left
    if not length > 0 or most < 1:
        return []
    for step in _SECONDS:
        if length / step <= most:
            return _even(left, right, step, "%H:%M:%S", zone)
    for step in _MINUTES:
        if length / (60 * step) <= most:
            return [tick for tick in _by_clock(left, right, step, zone) if left <= tick[0] <= right]
    first, last = _day(left, zone), _day(right, zone)
    for step in _DAYS:
        if length / (86_400 * step) <= most:
            return _dated(
                (day for day in _days(first, last) if day.toordinal() % step == 0), left, right, "%m-%d", zone
            )
    step = next((step for step in _MONTHS if length / (86_400 * 30 * step) <= most), _MONTHS[-1])
    months = (
        date(n // 12, n % 12 + 1, 1) for n in range(12 * first.year + first.month - 1, 12 * last.year + last.month)
    )
    chosen = (day for day in months if (12 * day.year + day.month - 1) % step == 0)
    return _dated(chosen, left, right, "%Y-%m" if step < 12 else "%Y", zone)


def moment_text(at: float, zone: tzinfo | None = None, *, exact: bool = False) -> str:
    """Local month, day and time, with seconds when `exact`; the offset from UTC where that hour comes twice."""
    local = _local(at, zone)
    return local.strftime("%m-%d %H:%M:%S" if exact else "%m-%d %H:%M") + _offset_if_twice(local, zone)


def span_text(start: float, end: float, zone: tzinfo | None = None) -> tuple[str, str]:
    """A bucket's start and end; a whole local day or month is that, and the end's date is left out within one day."""
    opened, closed = _local(start, zone), _local(end, zone)
    if opened.time() == closed.time() == time():
        if closed.date() - opened.date() == _DAY:
            return opened.strftime("%m-%d"), ""
        if opened.day == closed.day == 1 and closed.date() == (opened.date() + 31 * _DAY).replace(day=1):
            return opened.strftime("%Y-%m"), ""
    told = closed.strftime("%H:%M" if closed.date() == opened.date() else "%m-%d %H:%M")
    if opened.date() + _DAY == closed.date() and closed.time() == time():
        told = "24:00"
    return moment_text(start, zone), told + _offset_if_twice(closed, zone)


def stamp(at: float, zone: tzinfo | None = None) -> str:
    """A moment as a table holds it: local, to the second, always with its offset."""
    return _local(at, zone).isoformat(sep=" ", timespec="seconds")


def value_ticks(low: float, high: float, most: int, unit: Unit) -> list[Tick]:
    """At most about `most` round values of [low, high]; counts are whole."""
    if not high > low or most < 1:
        return []
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    if unit is Unit.COUNT:
        step = max(1.0, step)
    first = math.ceil(low / step - 1e-9)
    return [(n * step, _written(n * step, step)) for n in range(first, math.floor(high / step + 1e-9) + 1)]


def value_text(value: float, unit: Unit) -> str:
    """A value as it is read out: 0.973, 3,120 ms, 1,234."""
    if unit is Unit.SHARE:
        return f"{value:.3f}".removesuffix("0")
    digits = 0 if unit is Unit.COUNT or abs(value) >= 10 else 1
    return f"{value:,.{digits}f}" + (" ms" if unit is Unit.MS else "")


def share_text(count: float, whole: float) -> str:
    """So many per cent; "" of nothing."""
    return f"{100 * count / whole:.1f}%" if whole else ""


def _written(value: float, step: float) -> str:
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:,.{digits}f}"


def _even(left: float, right: float, step: int, form: str, zone: tzinfo | None) -> list[Tick]:
    numbers = range(math.ceil(left / step), math.floor(right / step) + 1)
    locals_ = ((n * step, _local(n * step, zone)) for n in numbers)
    return [(at, local.strftime(form) + _offset_if_twice(local, zone)) for at, local in locals_]


def _by_clock(left: float, right: float, minutes: int, zone: tzinfo | None) -> Iterator[Tick]:
    """Every so many minutes of each local day. The wall's clock is asked back: a time that it skips is not shown."""
    for day in _days(_day(left, zone), _day(right, zone)):
        for minute in range(0, 24 * 60, minutes):
            clock = time(minute // 60, minute % 60)
            moments = {local_moment(day, clock, zone, later=later) for later in (False, True)}
            for moment in sorted(moments):
                at = moment.timestamp()
                local = _local(at, zone)
                if left <= at <= right and (local.date(), local.time()) == (day, clock):
                    text = local.strftime("%H:%M") if minute else local.strftime("%m-%d")
                    yield at, text + _offset_if_twice(local, zone)


def _dated(days: Iterator[date], left: float, right: float, form: str, zone: tzinfo | None) -> list[Tick]:
    ticks = ((local_moment(day, time(), zone).timestamp(), day.strftime(form)) for day in days)
    return [tick for tick in ticks if left <= tick[0] <= right]


def _days(first: date, last: date) -> Iterator[date]:
    for number in range((last - first).days + 1):
        yield first + number * _DAY


def _day(at: float, zone: tzinfo | None) -> date:
    return _local(at, zone).date()


def _local(at: float, zone: tzinfo | None) -> datetime:
    return (_EPOCH + timedelta(seconds=at)).astimezone(zone)  # fromtimestamp refuses early years on Windows


def _offset_if_twice(local: datetime, zone: tzinfo | None) -> str:
    """ " +02:00" where the wall's clock shows the same twice."""
    wall = local.replace(tzinfo=zone, fold=0)
    if wall.astimezone(UTC) >= wall.replace(fold=1).astimezone(UTC):
        return ""  # shown once (or, in a gap, never)
    return " " + local.strftime("%z")[:3] + ":" + local.strftime("%z")[3:5]
