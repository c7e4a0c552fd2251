"""DeskDay: what one desk tells of one day (UTC), hour by hour, and the JSON file that carries it. Pure.

`deskside-<desk>-<day>.json`; a file under any other name than its own is a copy and counts for nothing. Figures that
cannot be (more answered than asked) make a file broken: a sum over desks is only as good as its parts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from core.clock import from_iso, iso
from core.desks import SkippedBecause

FORMAT, SCHEMA = "deskside-report", 1
LEVELS = ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE", "DEDUPED", "none", "degraded")
MOST_BYTES = 2_000_000
_NAME = re.compile(r"deskside-(?P<desk>[0-9a-f]{8})-(?P<day>\d{4}-\d{2}-\d{2})\.json")
_LONGEST = 300  # characters of a question or a desk's name; a file holds no more of them
_COUNTS = ("lookups", "sessions", "answered", "not_found", "degraded", "adopted", "repeated")


class UnreadableReport(Exception):
    """`why` a file is no report that counts."""

    def __init__(self, why: SkippedBecause) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class DeskHour:
    """One hour from `start` (UTC, full hour). Superseded lookups are in no count. `sessions`: that had their first
    lookup in it, `adopted` those of them with an article copied, voted useful or named at closing; `repeated`: lookups
    whose question their session had asked before. `levels` (all of LEVELS) add up to `lookups`."""

    start: datetime
    lookups: int
    sessions: int
    answered: int
    not_found: int
    degraded: int
    adopted: int
    repeated: int
    levels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class DeskDay:
    """One desk's day. `hours`: those with lookups, in order. `unanswered`: (question, how often), most often first;
    `untold`: further lookups without an answer, whose question stays at the desk."""

    desk: str
    name: str
    day: date
    written_at: datetime
    articles: int
    newest_update: str | None
    hours: tuple[DeskHour, ...] = ()
    unanswered: tuple[tuple[str, int], ...] = ()
    untold: int = 0

    @property
    def file_name(self) -> str:
        """The one name that this report may have."""
        return f"deskside-{self.desk}-{self.day.isoformat()}.json"


def desk_and_day(file_name: str) -> tuple[str, date] | None:
    """What a file's name says; None: it is no report's name."""
    match = _NAME.fullmatch(file_name)
    try:
        return (match["desk"], date.fromisoformat(match["day"])) if match else None
    except ValueError:
        return None


def encode(report: DeskDay) -> bytes:
    """The file's content: UTF-8, JSON. Questions and the desk's name are cut at 300 characters."""
    document = {
        "format": FORMAT,
        "schema": SCHEMA,
        "desk": {"id": report.desk, "name": _text(report.name)},
        "day": report.day.isoformat(),
        "written_at": iso(report.written_at),
        "knowledge": {"articles": report.articles, "newest_update": report.newest_update},
        "hours": [
            {
                "start": iso(hour.start),
                **{name: getattr(hour, name) for name in _COUNTS},
                "levels": {level: hour.levels[level] for level in LEVELS},
            }
            for hour in report.hours
        ],
        "unanswered": [{"query": _text(query), "count": count} for query, count in report.unanswered],
        "untold": report.untold,
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def decode(file_name: str, content: bytes) -> DeskDay:
    """The report in a file. Raises UnreadableReport."""
    try:
        document = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UnreadableReport(SkippedBecause.BROKEN) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UnreadableReport(SkippedBecause.FOREIGN)
    schema = document.get("schema")
    if isinstance(schema, int) and schema > SCHEMA:
        raise UnreadableReport(SkippedBecause.NEWER)
    try:
        report = _read(document)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise UnreadableReport(SkippedBecause.BROKEN) from error
    if report.file_name != file_name:
        raise UnreadableReport(SkippedBecause.FOREIGN)
    return report


def _read(document: Mapping[str, Any]) -> DeskDay:
    day, knowledge = date.fromisoformat(document["day"]), document["knowledge"]
    newest = knowledge["newest_update"]
    hours = tuple(_hour(hour, day) for hour in _list(document["hours"]))
    if sorted({hour.start for hour in hours}) != [hour.start for hour in hours]:
        raise ValueError("hours twice or out of order")
    return DeskDay(
        desk=_text(document["desk"]["id"]),
        name=_text(document["desk"]["name"]),
        day=day,
        written_at=from_iso(document["written_at"]),
        articles=_count(knowledge["articles"]),
        newest_update=None if newest is None else date.fromisoformat(newest).isoformat(),
        hours=hours,
        unanswered=tuple((_text(one["query"]), _count(one["count"])) for one in _list(document["unanswered"])),
        untold=_count(document["untold"]),
    )


def _hour(hour: Mapping[str, Any], day: date) -> DeskHour:
    start = from_iso(hour["start"])
    levels = {level: _count(hour["levels"][level]) for level in LEVELS}
    counts = {name: _count(hour[name]) for name in _COUNTS}
    lookups = counts["lookups"]
    if (
        start.date() != day
        or start != start.replace(minute=0, second=0, microsecond=0)
        or sum(levels.values()) != lookups
        or counts["answered"] + counts["degraded"] != lookups
        or counts["not_found"] > counts["answered"]
        or counts["adopted"] > counts["sessions"]
        or max(counts["repeated"], counts["sessions"]) > lookups
    ):
        raise ValueError("figures that cannot be")
    return DeskHour(start=start, levels=levels, **counts)


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise ValueError(f"no count: {value!r}")
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"no list: {value!r}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"no text: {value!r}")
    return value[:_LONGEST]


def day_of(moment: datetime) -> date:
    """The day in UTC that an aware moment belongs to."""
    return moment.astimezone(UTC).date()


def bounds(day: date) -> tuple[datetime, datetime]:
    """Where a day begins and ends, aware UTC."""
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return start, start + timedelta(days=1)
