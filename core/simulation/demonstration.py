"""The data folder of `--demo`: a day that has just ended, and desks beside this one."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from core.job import Job
from core.paths import DataFolder
from core.settings import Settings
from core.simulation.day import questions, simulate
from core.simulation.other_desks import write_reports
from core.simulation.script import day

SEED = 6
_DESK = {"zh_CN": "一楼服务台", "en": "Ground floor"}


def make(root: Path, *, now: datetime, language: str, job: Job | None = None) -> None:
    """Fill a new data folder; half a minute at most on a slow computer. `now`: aware. Raises Cancelled."""
    simulate(root, day(questions(), SEED), end=now, seed=SEED, language=language, job=job)
    reports = root / "reports"
    reports.mkdir()
    write_reports(reports, now, language, SEED)
    settings = Settings({"report_folder": str(reports), "desk_name": _DESK[language], "language": language})
    settings.save(DataFolder(root).settings)
