"""The job bar: counts that move, a rate and a time left that are right, a button that stops."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.i18n import Language
from app.job_bar import JobBar
from core.report import Progress
from tests.manual_clock import ManualClock


@pytest.fixture
def bar(qtbot: QtBot) -> tuple[JobBar, ManualClock, Language]:
    clock, language = ManualClock(), Language("en")
    bar = JobBar(language, clock.monotonic)
    qtbot.addWidget(bar)
    bar.resize(900, 40)
    return bar, clock, language


def words(bar: JobBar) -> str:
    return " | ".join(label.text() for label in bar.findChildren(QLabel))


def test_it_shows_counts_name_rate_and_time_left(bar: tuple[JobBar, ManualClock, Language]) -> None:
    jobs, clock, _ = bar
    jobs.begin("job.importing")
    clock.advance(10)
    jobs.show_progress(Progress(200, 1000, "network/vpn.md"))
    assert not jobs.isHidden()
    assert "200/1,000" in words(jobs)
    assert "vpn.md" in words(jobs)
    assert jobs.pace() == "20 files a second · about 40 s left"
    assert (jobs.bar.value(), jobs.bar.maximum()) == (200, 1000)


def test_a_long_time_is_told_in_minutes_and_a_slow_rate_with_a_decimal(
    bar: tuple[JobBar, ManualClock, Language],
) -> None:
    jobs, clock, _ = bar
    jobs.begin("job.importing")
    clock.advance(10)
    jobs.show_progress(Progress(5, 605))
    assert jobs.pace() == "0.5 files a second · about 20 min left"


def test_nothing_is_guessed_before_there_is_anything_to_go_by(bar: tuple[JobBar, ManualClock, Language]) -> None:
    jobs, clock, _ = bar
    jobs.begin("job.importing")
    assert jobs.pace() == ""
    clock.advance(10)
    assert jobs.pace() == ""
    jobs.show_progress(Progress(7, 0, "x"))
    assert "7/…" in words(jobs)
    assert jobs.pace() == "0.7 files a second"


def test_stopping_is_asked_once_and_said(bar: tuple[JobBar, ManualClock, Language], qtbot: QtBot) -> None:
    jobs, _, language = bar
    asked: list[int] = []
    jobs.cancel_wanted.connect(lambda: asked.append(1))
    jobs.begin("job.importing")
    for _ in range(2):
        qtbot.mouseClick(jobs.cancel, Qt.MouseButton.LeftButton)
    assert asked == [1]
    assert "Stopping…" in words(jobs)
    language.set_code("zh_CN")
    assert "正在停止…" in words(jobs)
    jobs.end()
    assert jobs.isHidden()
