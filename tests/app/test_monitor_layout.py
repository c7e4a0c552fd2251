"""The texts of the monitor in their places: at the smallest size nothing that matters is cut, in zh_CN and en (§10)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QComboBox

from app.main_window import SMALLEST
from app.two_line_delegate import AT_RIGHT, SECOND_LINE
from app.words import LANGUAGES
from core.figures import Alert, AlertState
from tests.app.desk import Desk
from tests.app.monitor_figures import StatedMonitor
from tests.app.test_monitor_page import Supervisor


@pytest.fixture
def supervisor(desk: Desk) -> Supervisor:
    return Supervisor(desk, StatedMonitor())


def test_nothing_stands_beside_the_title_of_a_suggestion_and_its_priority_leads_the_second_line(
    supervisor: Supervisor,
) -> None:
    supervisor.engines()
    entries = supervisor.page.engines.suggestions.list
    for row in range(entries.count()):
        assert not entries.item(row).data(AT_RIGHT)
        assert entries.item(row).data(SECOND_LINE).startswith("优先级 ")


def test_an_alert_that_ended_on_its_day_is_told_by_the_hour_only(supervisor: Supervisor) -> None:
    supervisor.engines()
    began = datetime(2026, 11, 30, 9, 15).astimezone()
    same, later = datetime(2026, 11, 30, 10, 5).astimezone(), datetime(2026, 12, 1, 8, 0).astimezone()
    shown = [
        Alert(number, "agent_avg_ms:a/keyword-1", 1, 1, began.astimezone(UTC), AlertState.RESOLVED, resolved_at=ended)
        for number, ended in enumerate((same, later))
    ]
    supervisor.page.engines.alerts.show_alerts(shown)
    entries = supervisor.page.engines.alerts.list
    assert [entries.item(row).data(SECOND_LINE).split(" · ")[1:] for row in range(2)] == [
        ["11-30 09:15 起", "10:05 恢复"],
        ["11-30 09:15 起", "12-01 08:00 恢复"],
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sub_pages_have_room_for_their_names_whichever_is_chosen(supervisor: Supervisor, language: str) -> None:
    supervisor.desk.language.set_code(language)
    supervisor.desk.window.resize(*SMALLEST)
    pages = supervisor.page.bar.pages
    for chosen in range(pages.count()):
        pages.setCurrentIndex(chosen)
        supervisor.desk.drain()
        QApplication.processEvents()
        assert pages.tabRect(0).left() >= 0
        assert pages.tabRect(pages.count() - 1).right() < pages.width()
        for place in range(pages.count()):
            assert pages.tabRect(place).width() >= QFontMetrics(pages.font()).horizontalAdvance(pages.tabText(place))


def test_choosers_take_the_width_of_the_language(supervisor: Supervisor) -> None:
    def widths() -> list[int]:
        supervisor.desk.drain()
        QApplication.processEvents()
        return [box.width() for box in supervisor.page.bar.findChildren(QComboBox)]

    chinese = widths()
    supervisor.desk.language.set_code("en")
    assert widths() > chinese
    supervisor.desk.language.set_code("zh_CN")
    assert widths() == chinese
