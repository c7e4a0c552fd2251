"""What the report folder holds, and what the reports of all desks add up to (issue: more than one desk)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from stat import S_ISREG

from core.desks import DeskFolder, DeskReport, DesksFigures, SharedQuestion, SkippedBecause, SkippedFile
from core.figures import Bucket, Period, Rate
from core.monitor.desk_report import (
    LEVELS,
    MOST_BYTES,
    DeskDay,
    DeskHour,
    UnreadableReport,
    day_of,
    decode,
    desk_and_day,
)

SILENT_AFTER = timedelta(hours=24)
_FORGOTTEN_AFTER = timedelta(days=31)
_FAST_CLOCK = timedelta(minutes=5)
_MOST_SKIPPED = 100
_MOST_QUESTIONS = 10
_OF_THE_SYSTEM = frozenset({"desktop.ini", "thumbs.db"})


class FolderReading:
    """The reports of a folder as they were read last. A file that has not changed is not read again. `read` by one
    thread at a time; the others at any time."""

    def __init__(self) -> None:
        self._read: dict[str, tuple[tuple[int, int], DeskDay | SkippedBecause]] = {}
        self._reports: tuple[DeskDay, ...] = ()
        self._skipped: tuple[SkippedFile, ...] = ()

    def reports(self) -> tuple[DeskDay, ...]:
        """What counts."""
        return self._reports

    def skipped(self) -> tuple[SkippedFile, ...]:
        """What does not, by name; at most 100."""
        return self._skipped

    def read(self, folder: Path, period: Period, now: datetime) -> None:
        """Read the days of a period, and of every desk its newest. Days to come are a fast clock's: they are read of a
        desk only that has no others, and count as written when their file was. Raises OSError when the folder cannot be
        listed."""
        skipped: list[SkippedFile] = []
        newest: dict[str, tuple[bool, date, str]] = {}
        wanted: set[str] = set()
        today = day_of(now)
        first, last = day_of(period.start), min(day_of(period.end), today)
        with os.scandir(folder) as entries:
            for entry in entries:
                named = desk_and_day(entry.name)
                if named is None:
                    if not _is_ignored(entry):
                        skipped.append(SkippedFile(entry.name, _why_not(entry.name)))
                    continue
                desk, day = named
                found = (day <= today, day, entry.name)
                newest[desk] = max(newest.get(desk, found), found)
                if first <= day <= last:
                    wanted.add(entry.name)
        read = {}
        for name in sorted(wanted.union(name for *_, name in newest.values())):
            one = self._one(folder / name)
            if one is not None:
                read[name] = one
        self._read = read
        skipped += [SkippedFile(name, one) for name, (_, one) in read.items() if isinstance(one, SkippedBecause)]
        self._reports = tuple(
            one if one.written_at <= now + _FAST_CLOCK else replace(one, written_at=_moment(state[0]))
            for state, one in read.values()
            if isinstance(one, DeskDay)
        )
        self._skipped = tuple(sorted(skipped, key=lambda file: file.name)[:_MOST_SKIPPED])

    def _one(self, path: Path) -> tuple[tuple[int, int], DeskDay | SkippedBecause] | None:
        """The file as it is now; None: it went away meanwhile."""
        try:
            found = path.stat()
            state = (found.st_mtime_ns, found.st_size)
            known = self._read.get(path.name)
            if known is not None and known[0] == state:
                return known
            if not S_ISREG(found.st_mode) or found.st_size > MOST_BYTES:
                return state, SkippedBecause.FOREIGN
            return state, decode(path.name, path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError:
            return (0, 0), SkippedBecause.BROKEN
        except UnreadableReport as error:
            return state, error.why


def figures_of(reports: Sequence[DeskDay], period: Period, now: datetime, here: str | None) -> DesksFigures:
    """What reports add up to in a period; `here`: the id of this very desk, if it has one."""
    days = [one for one in reports if day_of(period.start) <= one.day <= day_of(period.end)]
    hours = [(one, hour) for one in days for hour in one.hours if period.start <= hour.start < period.end]
    counted = [hour for _, hour in hours]
    lookups, sessions = _sum(counted, "lookups"), _sum(counted, "sessions")
    return DesksFigures(
        period=period,
        folder=DeskFolder.REACHABLE,
        path="",
        desks=_desks(reports, hours, now, here),
        lookups=lookups,
        sessions=sessions,
        answered=Rate(_sum(counted, "answered"), lookups),
        without_result=Rate(_sum(counted, "not_found"), lookups),
        adopted=Rate(_sum(counted, "adopted"), sessions),
        repeated=Rate(_sum(counted, "repeated"), lookups),
        degraded=_sum(counted, "degraded"),
        timeline=_timeline(counted),
        unanswered=_unanswered(days),
        untold=sum(one.untold for one in days),
    )


def _sum(hours: Iterable[DeskHour], name: str) -> int:
    return sum(getattr(hour, name) for hour in hours)


def _timeline(hours: Iterable[DeskHour]) -> tuple[Bucket, ...]:
    levels: dict[datetime, Counter[str]] = {}
    for hour in hours:
        levels.setdefault(hour.start, Counter()).update(hour.levels)
    return tuple(
        Bucket(start, 3600, counts.total(), {level: counts[level] for level in LEVELS})
        for start, counts in sorted(levels.items())
    )


def _unanswered(days: Iterable[DeskDay]) -> tuple[SharedQuestion, ...]:
    counts: Counter[str] = Counter()
    desks: dict[str, set[str]] = {}
    for one in days:
        for query, count in one.unanswered:
            counts[query] += count
            desks.setdefault(query, set()).add(one.desk)
    order = sorted(counts, key=lambda query: (-counts[query], query))
    return tuple(SharedQuestion(query, counts[query], len(desks[query])) for query in order[:_MOST_QUESTIONS])


def _desks(
    reports: Iterable[DeskDay], hours: Iterable[tuple[DeskDay, DeskHour]], now: datetime, here: str | None
) -> tuple[DeskReport, ...]:
    """One line a desk, by name; those long gone that tell nothing of the period are left out."""
    last: dict[str, DeskDay] = {}
    for one in reports:
        if one.desk not in last or (one.day, one.written_at) > (last[one.desk].day, last[one.desk].written_at):
            last[one.desk] = one
    lookups: Counter[str] = Counter()
    for one, hour in hours:
        lookups[one.desk] += hour.lookups
    heard = {desk: min(one.written_at, now) for desk, one in last.items()}
    loud = {desk: one.newest_update or "" for desk, one in last.items() if now - heard[desk] <= SILENT_AFTER}
    lines = [
        DeskReport(
            id=desk,
            name=one.name,
            here=desk == here,
            last_at=heard[desk],
            silent=now - heard[desk] > SILENT_AFTER,
            newest_update=one.newest_update,
            articles=one.articles,
            behind=_is_behind(one.newest_update or "", [day for other, day in loud.items() if other != desk]),
            lookups=lookups[desk],
        )
        for desk, one in last.items()
        if lookups[desk] or now - heard[desk] <= _FORGOTTEN_AFTER
    ]
    return tuple(sorted(lines, key=lambda line: (line.name.casefold(), line.id)))


def _moment(mtime_ns: int) -> datetime:
    return datetime.fromtimestamp(mtime_ns / 1e9, UTC)


def _is_behind(newest: str, others: Collection[str]) -> bool:
    """Whether most of the other desks have newer knowledge: one with a single new article leaves nobody behind."""
    return sum(newest < other for other in others) * 2 > len(others)


def _why_not(name: str) -> SkippedBecause:
    """Why a file that has no report's name does not count."""
    half = name.endswith(".new") and desk_and_day(name.removesuffix(".new")) is not None
    return SkippedBecause.HALF_WRITTEN if half else SkippedBecause.FOREIGN


def _is_ignored(entry: os.DirEntry[str]) -> bool:
    """What the system puts into folders, and folders."""
    return entry.name.startswith(".") or entry.name.casefold() in _OF_THE_SYSTEM or entry.is_dir()
