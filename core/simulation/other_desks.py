"""Reports of desks that never were: one like this one, one that has fallen silent, one with old knowledge."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path

from core.files import replace_file
from core.monitor.desk_report import LEVELS, DeskDay, DeskHour, day_of, encode

_NAMES = {"zh_CN": ("二楼服务台", "分公司服务台", "夜班服务台"), "en": ("Second floor", "Branch office", "Night shift")}
_LAST_HEARD_H = (0.2, 31.0, 0.4)
_NEWEST = ("2025-05-20", "2025-05-20", "2024-11-04")
_SHARES = (0.53, 0.17, 0.16, 0.13, 0.01)  # PRECISE, HIGHLY_RELEVANT, REFERENCE, none, degraded
_QUESTIONS = (("投影仪没信号", 5), ("打卡机识别不了人脸", 3))


def write_reports(folder: Path, now: datetime, language: str, seed: int) -> None:
    """Three desks' reports of today and the two days before, up to `now` (aware)."""
    chance = random.Random(seed)
    for number, name in enumerate(_NAMES[language]):
        heard = now - timedelta(hours=_LAST_HEARD_H[number])
        hours = [_hour(start, chance) for start in _full_hours(heard)]
        for day in sorted({day_of(heard), *(day_of(hour.start) for hour in hours)}):
            told = tuple(hour for hour in hours if day_of(hour.start) == day)
            report = DeskDay(
                desk=f"{0xDE5C0000 + number:08x}",
                name=name,
                day=day,
                written_at=heard,
                articles=52 - 8 * (number == 2),
                newest_update=_NEWEST[number],
                hours=told,
                unanswered=_QUESTIONS[: 1 + (number == 0)] if told else (),
                untold=chance.randint(0, 6) if told else 0,
            )
            replace_file(folder / report.file_name, encode(report))


def _full_hours(heard: datetime) -> list[datetime]:
    """The nine hours that ended before a desk was heard last, and those of the two days before, in order."""
    last = heard.replace(minute=0, second=0, microsecond=0)
    return [last - timedelta(days=back, hours=hour) for back in (2, 1, 0) for hour in range(9, 0, -1)]


def _hour(start: datetime, chance: random.Random) -> DeskHour:
    lookups = chance.randint(40, 110)
    counts = [round(lookups * share * chance.uniform(0.8, 1.2)) for share in _SHARES[1:]]
    levels = dict(zip(("HIGHLY_RELEVANT", "REFERENCE", "none", "degraded"), counts, strict=True))
    levels["DEDUPED"] = round(lookups * 0.1)
    levels["PRECISE"] = lookups - sum(levels.values())
    sessions = round(lookups * 0.48)
    return DeskHour(
        start=start,
        lookups=lookups,
        sessions=sessions,
        answered=lookups - levels["degraded"],
        not_found=levels["none"],
        degraded=levels["degraded"],
        adopted=round(sessions * chance.uniform(0.45, 0.6)),
        repeated=round(lookups * chance.uniform(0.05, 0.12)),
        levels={level: levels[level] for level in LEVELS},
    )
