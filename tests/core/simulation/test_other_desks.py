"""core.simulation.other_desks: reports that are read like real ones, of every kind that a supervisor may meet."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.figures import Period
from core.monitor.desk_figures import FolderReading, figures_of
from core.simulation.other_desks import write_reports


@pytest.mark.parametrize("hour", [0, 3, 9, 23])
@pytest.mark.parametrize("language", ["zh_CN", "en"])
def test_one_like_this_one_a_silent_one_and_one_behind(tmp_path: Path, hour: int, language: str) -> None:
    now = datetime(2026, 12, 1, hour, 30, tzinfo=UTC)
    write_reports(tmp_path, now, language, seed=1)
    reading, period = FolderReading(), Period(now - timedelta(hours=24), now)
    reading.read(tmp_path, period, now)
    assert reading.skipped() == ()
    told = figures_of(reading.reports(), period, now, here="")
    assert sorted((line.silent, line.behind) for line in told.desks) == [(False, False), (False, True), (True, False)]
    assert told.lookups > 500
    assert told.unanswered
