"""How figures read: counts, shares with what they are of, durations, ages. Too few to conclude anything is said."""

from __future__ import annotations

import math
from datetime import datetime

from app.i18n import Language
from core.figures import Rate

NONE = "–"
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def count_text(count: int) -> str:
    """1,234."""
    return f"{count:,}"


def share_text(share: float | None) -> str:
    """0 … 1 as a percentage with one decimal; a dash where there is nothing to count."""
    return NONE if share is None or not math.isfinite(share) else f"{share:.1%}"


def rate_text(rate: Rate, language: Language) -> str:
    """The share; below twenty nothing is concluded, and that is said in its place."""
    if not rate.n:
        return NONE
    return share_text(rate.share) if rate.enough else language("figure.too_few")


def of_text(rate: Rate, language: Language) -> str:
    """How many of how many, so that no rate stands without its n."""
    return language("figure.of", count=count_text(rate.count), n=count_text(rate.n))


def duration_text(milliseconds: float | None) -> str:
    """340 ms, 4.1 s, 2.5 min."""
    if milliseconds is None or not math.isfinite(milliseconds):
        return NONE
    if milliseconds < 999.5:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    return f"{seconds:.1f} s" if seconds < 99.95 else f"{seconds / 60:.1f} min"


def age_text(moment: datetime | None, now: datetime, language: Language) -> str:
    """How long ago, in the largest unit that fits; a moment to come counts as now."""
    if moment is None:
        return NONE
    seconds = max(0.0, (now - moment).total_seconds())
    if seconds < _MINUTE:
        return language("figure.just_now")
    for name, unit, until in (
        ("figure.minutes_ago", _MINUTE, _HOUR),
        ("figure.hours_ago", _HOUR, 2 * _DAY),
        ("figure.days_ago", _DAY, math.inf),
    ):
        if seconds < until:
            return language(name, count=int(seconds // unit))
    raise AssertionError("every age has a unit")


def moment_text(moment: datetime | None) -> str:
    """Local month, day, hours and minutes."""
    return NONE if moment is None else moment.astimezone().strftime("%m-%d %H:%M")


def short_moment_text(moment: datetime | None) -> str:
    """Only hours and minutes within the local day, else only month and day."""
    if moment is None:
        return NONE
    local = moment.astimezone()
    return local.strftime("%H:%M" if local.date() == datetime.now().astimezone().date() else "%m-%d")


def exact_moment_text(moment: datetime | None) -> str:
    """Local date and time to the second, with its offset where that hour comes twice."""
    if moment is None:
        return NONE
    local = moment.astimezone()
    text = local.strftime("%Y-%m-%d %H:%M:%S")
    return f"{text} {local.strftime('%z')}" if _comes_twice(local) else text


def _comes_twice(local: datetime) -> bool:
    naive = local.replace(tzinfo=None)
    return naive.astimezone().utcoffset() != naive.replace(fold=1).astimezone().utcoffset()
