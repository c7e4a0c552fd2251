"""The monitor tab: what it shows, where each number leads, how it stays fresh, by mouse and keyboard (§8, §10)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QDate, QDateTime, QEvent, Qt, QTime
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QListWidget,
    QTabBar,
    QTableView,
    QWidget,
)

from app.bug_dialog import BugDialog
from app.drill_down import DrillDown
from app.figure_table import FigureTable
from app.figure_tile import FigureTile
from app.main_window import SMALLEST
from app.monitor_feed import COLLECT_MS
from app.monitor_page import MonitorPage
from app.words import LANGUAGES, WORDS, word
from core.desks import DeskFolder
from core.figures import Period, Selection
from tests.app.desk import Desk
from tests.app.monitor_figures import ALERTS, BROKEN, CONCERNS, QUESTIONS, SLOW, SUGGESTIONS, StatedMonitor

ROLE = Qt.ItemDataRole
ROOT = Path(__file__).resolve().parents[2]
NAMES = [
    "monitorRange",
    "agentSuccessPlot",
    "agentPenaltyPlot",
    "agentLatencyPlot",
    "levelDistributionPlot",
    "similarityHistogram",
    "dedupReasonPlot",
    "alertList",
    "suggestionList",
    "agentTable",
]


class Supervisor:
    """Somebody at the monitor tab of a desk, whose figures are stated ones."""

    def __init__(self, desk: Desk, monitor: StatedMonitor) -> None:
        self.desk, self.monitor = desk, monitor
        assert desk.window.engine is not None
        desk.window.engine.__dict__["monitor"] = monitor
        self.page: MonitorPage = desk.window.monitor
        desk.window.tabs.setCurrentWidget(self.page)
        desk.drain()

    def engines(self) -> None:
        """To the second sub-page."""
        self.page.bar.pages.setCurrentIndex(1)
        self.desk.drain()

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """A key where the focus is, and all that follows from it."""
        self.desk.key(key, modifier)
        self.desk.drain()

    def table(self, name: str) -> FigureTable:
        found = self.page.findChild(QTableView, name)
        assert isinstance(found, FigureTable)
        return found

    def tile(self, name: str) -> FigureTile:
        found = self.page.findChild(QAbstractButton, name)
        assert isinstance(found, FigureTile)
        return found

    def press(self, name: str) -> dict[str, Any]:
        """Press a tile; which lookups are asked for."""
        self.tile(name).click()
        self.desk.drain()
        return self.asked()

    def asked(self) -> dict[str, Any]:
        """Which lookups were asked for last: all that is not as by default."""
        selection, which = self.monitor.asked[-1]
        told: dict[str, Any] = {name: value for name, value in which.items() if value and name != "limit"}
        return told | ({"selection": selection} if selection != Selection() else {})

    @property
    def drill(self) -> DrillDown | None:
        """What is behind a number, while it is shown."""
        return self.page.drill if self.page.drill.isVisible() else None


@pytest.fixture
def supervisor(desk: Desk) -> Supervisor:
    return Supervisor(desk, StatedMonitor())


@pytest.fixture
def newcomer(desk: Desk) -> Supervisor:
    """At a desk where nothing has happened yet."""
    return Supervisor(desk, StatedMonitor(empty=True))


def heads_of(table: FigureTable) -> list[str]:
    """The names of its columns, as they stand above them."""
    return [table.figures.headerData(at, Qt.Orientation.Horizontal) for at in range(table.figures.columnCount())]


def texts(widget: QWidget) -> Iterator[str]:
    """All that can be read on a widget, as it is."""
    for label in widget.findChildren(QLabel):
        if label.isVisible():
            yield label.text()
    for button in widget.findChildren(QAbstractButton):
        if button.isVisible():
            yield button.text()
    for table in widget.findChildren(FigureTable):
        if table.isVisible():
            yield from heads_of(table)


# ------------------------------------------------------------------------ the tab
def test_nothing_of_it_is_loaded_before_it_is_looked_at(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from app.application import build_window\n"
        "from core.paths import DataFolder\n"
        "from core.settings import Settings\n"
        "application = QApplication(['deskside'])\n"
        "folder = DataFolder(Path(sys.argv[1])).create()\n"
        "window = build_window(application, folder, Settings.load(folder.settings), 'zh_CN')\n"
        "window.show()\n"
        "while window.engine is None or not window.control.idle: application.processEvents()\n"
        "print('pyqtgraph' in sys.modules, window.findChild(object, 'monitorRange') is not None)\n"
        "window.tabs.setCurrentWidget(window.monitor)\n"
        "while not window.control.idle: application.processEvents()\n"
        "print('pyqtgraph' in sys.modules, window.monitor.bar.isVisible())\n"
        "window.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "data")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["False", "False", "True", "True"], done.stderr


def test_every_widget_of_the_contract_is_there_once_with_an_accessible_name(supervisor: Supervisor) -> None:
    supervisor.engines()
    for name in NAMES:
        found = supervisor.desk.window.findChildren(QWidget, name)
        assert len(found) == 1, name
        assert found[0].accessibleName(), name


def test_service_opens_first_and_the_engines_are_made_when_they_are_asked_for(supervisor: Supervisor) -> None:
    assert supervisor.page.service.isVisible()
    assert supervisor.page.findChild(QWidget, "enginesPage") is None
    assert "engines" not in supervisor.desk.timers
    supervisor.engines()
    assert supervisor.page.engines.isVisible()
    assert not supervisor.page.service.isVisible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_can_be_used_has_an_accessible_name_and_is_reached_with_tab(
    supervisor: Supervisor, language: str
) -> None:
    supervisor.desk.language.set_code(language)
    supervisor.engines()
    for kind in (QAbstractButton, QComboBox, QTableView, QListWidget, QTabBar):
        for widget in supervisor.page.findChildren(kind):
            if widget.isVisible() and not widget.objectName().startswith("qt_"):
                assert widget.accessibleName() or widget.text(), widget
    wanted = {widget for widget in supervisor.page.findChildren(QWidget) if widget.isVisible()}
    wanted = {widget for widget in wanted if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isEnabled()}
    start = supervisor.page.bar.pages
    reached, at = {start}, start.nextInFocusChain()
    while at is not start:
        reached.add(at)
        at = at.nextInFocusChain()
    assert wanted - reached == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_button_and_no_tile_is_cut_at_the_smallest_size(supervisor: Supervisor, language: str) -> None:
    supervisor.desk.language.set_code(language)
    supervisor.desk.window.resize(*SMALLEST)
    for _ in LANGUAGES:
        supervisor.desk.drain()
        QApplication.processEvents()
        cut = [
            (button.objectName() or button.text(), button.size(), button.minimumSizeHint())
            for button in supervisor.page.findChildren(QAbstractButton)
            if button.isVisible()
            and (button.text() or isinstance(button, FigureTile))
            and button.size().expandedTo(button.minimumSizeHint()) != button.size()
        ]
        assert cut == []
        for scroll in supervisor.page._scrolls.values():
            if scroll.isVisible():
                assert scroll.horizontalScrollBar().maximum() == 0
        supervisor.engines()
    window = supervisor.desk.window
    assert (window.width(), window.height()) == SMALLEST


def test_nothing_on_it_can_pass_for_markup(supervisor: Supervisor) -> None:
    supervisor.engines()
    supervisor.page.bar.pages.setCurrentIndex(0)
    supervisor.desk.drain()
    rich = [
        label.text() for label in supervisor.page.findChildren(QLabel) if label.textFormat() != Qt.TextFormat.PlainText
    ]
    assert rich == []


# ------------------------------------------------------------------------ figures
def test_tiles_tell_shares_with_their_n_and_say_too_few(supervisor: Supervisor) -> None:
    told = {
        name: (supervisor.tile(name).value, supervisor.tile(name).note)
        for name in ("lookupsTile", "answeredTile", "withoutResultTile", "adoptedTile", "lookupsPerSessionTile")
    }
    assert told == {
        "lookupsTile": ("1,284", ""),
        "answeredTile": ("98.3%", "1,262 / 1,284"),
        "withoutResultTile": ("10.4%", "131 / 1,262"),
        "adoptedTile": ("样本不足", "9 / 14"),
        "lookupsPerSessionTile": ("3.12", "412 张工单"),
    }
    assert supervisor.tile("answeredTile").accessibleName() == "应答率: 98.3%, 1,262 / 1,284"


def test_a_badge_with_too_few_votes_has_an_interval_but_no_share(supervisor: Supervisor) -> None:
    _, rows = supervisor.table("honestyTable").figures.table()
    assert rows[0][1:] == [0.984, 64, "91.7% 至 99.7%"]
    assert rows[2][1] == "样本不足", "nor is the share exported"


def test_what_an_instance_should_worry_about_stands_out_by_weight_too(supervisor: Supervisor) -> None:
    supervisor.engines()
    table = supervisor.table("agentTable")
    heads = heads_of(table)
    bold = {
        (row.id, heads[column])
        for place, row in enumerate(table.figures.rows)
        for column in range(len(heads))
        if (font := table.figures.index(place, column).data(ROLE.FontRole)) is not None and font.bold()
    }
    assert bold == {(SLOW, "平均"), (SLOW, "惩罚分"), (BROKEN, "成功率"), (BROKEN, "惩罚分"), (BROKEN, "熔断")}


def test_a_rate_of_too_few_calls_is_neither_shown_nor_sorted_by_nor_exported(supervisor: Supervisor) -> None:
    supervisor.engines()
    table = supervisor.table("agentTable")
    heads = heads_of(table)
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        table.sortByColumn(heads.index("成功率"), order)
        _, rows = table.figures.table()
        rates = [row[heads.index("成功率")] for row in rows]
        assert [rate for rate in rates if isinstance(rate, float)] == rates[:5]
        assert set(rates[5:]) == {"样本不足", "–"}
    assert rates[:5] == sorted(rates[:5], reverse=True)


def test_where_nothing_happened_that_is_said_in_words(newcomer: Supervisor) -> None:
    read = set(texts(newcomer.page))
    for name in ("monitor.unanswered_none", "monitor.concerns_none", "monitor.honesty_none"):
        assert word(name, "zh_CN") in read
    assert newcomer.tile("answeredTile").value == "–"
    assert any(word("monitor.no_lookups", "zh_CN") in text for text in read)
    newcomer.engines()
    read = set(texts(newcomer.page))
    for name in ("monitor.alerts_none", "monitor.suggestions_none"):
        assert word(name, "zh_CN") in read
    assert any(word("monitor.no_calls", "zh_CN") in text for text in read)
    assert not newcomer.page.engines.alerts.acknowledge.isVisible()


def test_a_switch_of_language_redraws_everything(supervisor: Supervisor) -> None:
    supervisor.engines()
    supervisor.page.bar.pages.setCurrentIndex(0)
    supervisor.desk.drain()
    ours = {chinese for name, (chinese, english) in WORDS.items() if chinese != english}
    for place in (0, 1):
        supervisor.page.bar.pages.setCurrentIndex(place)
        supervisor.desk.drain()
        assert ours & set(texts(supervisor.page))
    supervisor.desk.language.set_code("en")
    supervisor.desk.drain()
    for place in (0, 1):
        supervisor.page.bar.pages.setCurrentIndex(place)
        supervisor.desk.drain()
        assert ours & set(texts(supervisor.page)) == set()
    assert supervisor.tile("latencyTile").accessibleName().startswith("Lookup time, p95: 188 ms")


def test_desks_are_shown_only_where_they_report_to_a_folder(supervisor: Supervisor) -> None:
    card = supervisor.page.service.desks
    assert card.isHidden()
    supervisor.monitor.desks_are = DeskFolder.UNREACHABLE
    supervisor.desk.timers["monitor"].time_out()
    supervisor.desk.drain()
    assert card.isVisible()
    read = "\n".join(texts(card))
    assert "//server/desks" in read
    _, rows = card.table.figures.table()
    assert [row[0] for row in rows] == ["一楼服务台（本机）", "二楼服务台"]
    assert rows[1][1].startswith("没有消息")
    assert rows[1][2] == "2026-10-02 · 比别处旧"


# ------------------------------------------------------------------------ fresh
def test_it_collects_every_ten_seconds_whether_anybody_looks_or_not(desk: Desk) -> None:
    timer = desk.timers["monitor"]
    supervisor = Supervisor(desk, StatedMonitor())
    for looking in (True, False):
        desk.window.tabs.setCurrentIndex(1 if looking else 0)
        desk.drain()
        before = (supervisor.monitor.collections, len(supervisor.monitor.selections))
        assert timer.running == COLLECT_MS
        timer.time_out()
        desk.drain()
        after = (supervisor.monitor.collections, len(supervisor.monitor.selections))
        assert (after[0] - before[0], after[1] - before[1]) == (1, int(looking))


def test_what_is_shown_stands_until_the_new_figures_are_there(supervisor: Supervisor) -> None:
    before = supervisor.tile("lookupsTile").value
    supervisor.monitor.empty = True
    supervisor.page.bar.range.setCurrentIndex(2)
    assert supervisor.tile("lookupsTile").value == before
    supervisor.desk.drain()
    assert supervisor.tile("lookupsTile").value == "0"


def test_it_says_when_it_was_updated(supervisor: Supervisor) -> None:
    assert supervisor.page.bar.fresh.text().endswith("更新")
    supervisor.monitor.breaks = True
    supervisor.page.bar.range.setCurrentIndex(2)
    supervisor.desk.drain()
    assert supervisor.page.bar.fresh.text() == word("monitor.not_fresh", "zh_CN")
    for dialog in supervisor.desk.window.findChildren(BugDialog):
        dialog.close()
    supervisor.monitor.breaks = False
    supervisor.desk.timers["monitor"].time_out()
    supervisor.desk.drain()
    assert supervisor.page.bar.fresh.text().endswith("更新")


def test_a_list_keeps_its_place_and_the_focus_when_figures_come_anew(supervisor: Supervisor) -> None:
    supervisor.engines()
    alerts = supervisor.page.engines.alerts.list
    alerts.setFocus()
    alerts.setCurrentRow(2)
    kept = alerts.currentItem().data(ROLE.UserRole)
    supervisor.desk.timers["monitor"].time_out()
    supervisor.desk.drain()
    assert alerts.currentItem().data(ROLE.UserRole) == kept
    assert alerts.hasFocus()


# ------------------------------------------------------------------------ what is looked at
def test_filters_say_which_lookups_count(supervisor: Supervisor) -> None:
    bar, seen = supervisor.page.bar, supervisor.monitor.selections
    bar.type.setCurrentIndex(bar.type.findData("workplace"))
    supervisor.desk.drain()
    assert seen[-1] == Selection(type="workplace")
    agents = [bar.agent.itemData(place) for place in range(bar.agent.count())]
    assert agents == [None, "workplace/hybrid-hashed-1", "workplace/hybrid-hashed-2", "workplace/keyword-1"]
    bar.agent.setCurrentIndex(1)
    bar.domain.setCurrentIndex(bar.domain.findData("printing"))
    supervisor.desk.drain()
    assert seen[-1] == Selection("workplace", "workplace/hybrid-hashed-1", "printing")
    bar.type.setCurrentIndex(0)
    supervisor.desk.drain()
    assert seen[-1] == Selection(domain="printing"), "another type takes back the instance"


@pytest.mark.parametrize(("place", "hours"), [(0, 1), (1, 24)])
def test_ranges_end_now(supervisor: Supervisor, place: int, hours: int) -> None:
    supervisor.page.bar.range.setCurrentIndex(0 if place else 1)
    supervisor.page.bar.range.setCurrentIndex(place)
    supervisor.desk.drain()
    period = supervisor.monitor.periods[-1]
    assert (period.end - period.start).total_seconds() == hours * 3600
    assert period.start < datetime.now(UTC) <= period.end


def test_a_range_of_ones_own_is_taken_as_it_is_set(supervisor: Supervisor) -> None:
    bar = supervisor.page.bar
    assert not bar.first.isVisible()
    bar.range.setCurrentIndex(4)
    assert bar.first.isVisible()
    start, end = datetime(2026, 3, 2, 8, tzinfo=UTC), datetime(2026, 3, 2, 12, tzinfo=UTC)
    for edit, moment in ((bar.first, start), (bar.last, end)):
        edit.setDateTime(QDateTime.fromSecsSinceEpoch(int(moment.timestamp())))
    supervisor.desk.drain()
    assert (supervisor.monitor.periods[-1].start, supervisor.monitor.periods[-1].end) == (start, end)


def test_a_range_of_ones_own_ends_where_time_can_be_reckoned(supervisor: Supervisor) -> None:
    bar = supervisor.page.bar
    bar.range.setCurrentIndex(4)
    bar.last.setDateTime(QDateTime(QDate(9999, 12, 31), QTime(23, 59)))
    bar.first.setDateTime(QDateTime(QDate(1752, 9, 14), QTime(0, 0)))
    supervisor.desk.drain()
    assert bar.fresh.text().endswith("更新")
    ends = bar.view.ends
    assert ends is not None
    assert supervisor.monitor.periods[-1] == Period(*ends)


# ------------------------------------------------------------------------ where numbers lead
def test_each_tile_leads_to_the_lookups_behind_it(supervisor: Supervisor) -> None:
    supervisor.engines()
    wanted: dict[str, dict[str, Any]] = {
        "lookupsTile": {},
        "sessionsTile": {},
        "answeredTile": {"outcome": "degraded"},
        "withoutResultTile": {"outcome": "not_found"},
        "adoptedTile": {"adopted": True},
        "lookupsPerSessionTile": {},
        "repeatedTile": {"repeated": True},
        "latencyTile": {},
        "degradedTile": {"outcome": "degraded"},
        "legMissingTile": {"leg_missing": True},
    }
    assert {name: supervisor.press(name) for name in wanted} == wanted
    supervisor.press("lookupsTile")
    assert supervisor.drill is not None
    assert supervisor.drill.lookups.figures.rowCount() == len(QUESTIONS)
    supervisor.drill.step_back()
    supervisor.press("latencyTile")
    assert supervisor.drill.lookups.figures.rows[0].query == QUESTIONS[1], "the slowest comes first"


def test_each_number_of_an_instance_leads_to_the_lookups_it_served(supervisor: Supervisor) -> None:
    supervisor.engines()
    table = supervisor.table("agentTable")
    heads = heads_of(table)
    for head in ("实例", "调用", "成功率", "降级或缺路", "平均", "中位 p50", "p95 耗时", "惩罚分", "路由得分"):
        table.setFocus()
        assert table.choose(BROKEN, heads.index(head))
        supervisor.key(Qt.Key.Key_Return)
        if head in {"成功率", "降级或缺路"}:
            of, first = supervisor.monitor.asked[-2]
            assert (of, first["outcome"]) == (Selection(agent=BROKEN), "degraded"), head
            assert supervisor.asked() == {"selection": Selection(agent=BROKEN), "leg_missing": True}, head
        else:
            assert supervisor.asked() == {"selection": Selection(agent=BROKEN)}, head
        supervisor.key(Qt.Key.Key_Escape)


def test_from_a_number_to_a_session_and_back_with_the_keyboard_alone(supervisor: Supervisor) -> None:
    supervisor.engines()
    table = supervisor.table("agentTable")
    table.setFocus()
    table.choose(BROKEN, 4)
    supervisor.key(Qt.Key.Key_Return)
    drill = supervisor.drill
    assert drill is not None
    assert drill.lookups.hasFocus()
    assert BROKEN in "\n".join(texts(drill))
    supervisor.key(Qt.Key.Key_Return)
    assert drill.moments.hasFocus()
    _, rows = drill.moments.figures.table()
    assert [row[1] for row in rows] == ["检索", "检索", "检索", "打开文章", "投票：没用"]
    assert "T-1040" in "\n".join(texts(drill))
    supervisor.key(Qt.Key.Key_Escape)
    assert drill.lookups.hasFocus()
    supervisor.key(Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert supervisor.drill is None
    assert table.hasFocus()
    assert (table.currentIndex().data(ROLE.UserRole), table.currentIndex().column()) == (BROKEN, 4)


def test_what_is_behind_a_number_stays_while_figures_come_anew(supervisor: Supervisor) -> None:
    supervisor.press("lookupsTile")
    supervisor.desk.timers["monitor"].time_out()
    supervisor.desk.drain()
    assert supervisor.drill is not None


def test_an_article_of_a_session_opens(supervisor: Supervisor) -> None:
    supervisor.press("lookupsTile")
    supervisor.key(Qt.Key.Key_Return)
    drill = supervisor.drill
    assert drill is not None
    drill.moments.choose("printing/jam.md", 2)
    supervisor.key(Qt.Key.Key_Return)
    assert supervisor.desk.in_pane == "printing/jam.md"
    assert supervisor.desk.window.tabs.currentIndex() == 0


def test_a_question_without_an_answer_becomes_a_note(supervisor: Supervisor) -> None:
    table = supervisor.table("unansweredTable")
    table.setFocus()
    table.choose(QUESTIONS[1], 4)
    supervisor.key(Qt.Key.Key_Return)
    assert supervisor.desk.window.tabs.currentIndex() == 0
    assert supervisor.desk.box.text() == QUESTIONS[1]
    assert supervisor.desk.page.note.isVisible()


def test_a_note_that_is_being_written_is_not_put_under_another_question(supervisor: Supervisor) -> None:
    window = supervisor.desk.window
    window.monitor.note_wanted.emit(QUESTIONS[0])
    supervisor.desk.page.note.text.setPlainText("半句")
    window.monitor.note_wanted.emit(QUESTIONS[1])
    assert supervisor.desk.box.text() == QUESTIONS[0]
    assert supervisor.desk.page.note.text.toPlainText() == "半句"
    assert window.notice.isVisible()
    assert QUESTIONS[0] in window.notice.label.text()
    window.notice.hide()
    window.monitor.note_wanted.emit(QUESTIONS[0])
    assert not window.notice.isVisible(), "it is the one that is wanted"


def test_a_note_from_the_monitor_is_no_lookup(desk: Desk) -> None:
    desk.window.monitor.note_wanted.emit("VPN 691")
    desk.stand()
    assert desk.page.model.rowCount() > 0
    assert desk.timers["settle"].running is None
    desk.box.setText("打印机卡纸")
    desk.stand()
    assert desk.timers["settle"].running is not None, "what is typed settles"


def test_a_question_leads_to_its_lookups(supervisor: Supervisor) -> None:
    table = supervisor.table("unansweredTable")
    table.setFocus()
    table.choose(QUESTIONS[5].casefold(), 0)
    supervisor.key(Qt.Key.Key_Return)
    assert supervisor.asked() == {"query_key": QUESTIONS[5].casefold(), "outcome": "not_found"}


def test_an_article_to_look_at_opens(supervisor: Supervisor) -> None:
    table = supervisor.table("concernTable")
    table.setFocus()
    table.choose(f"{CONCERNS[1].concern}:{CONCERNS[1].doc_key}")
    supervisor.key(Qt.Key.Key_Return)
    assert supervisor.desk.in_pane == CONCERNS[1].doc_key


def test_a_badge_leads_to_its_lookups(supervisor: Supervisor) -> None:
    table = supervisor.table("honestyTable")
    table.setFocus()
    table.choose("HIGHLY_RELEVANT")
    supervisor.key(Qt.Key.Key_Return)
    assert supervisor.asked() == {"level": "HIGHLY_RELEVANT"}


def test_exported_numbers_say_their_unit_and_have_no_needless_digits(supervisor: Supervisor) -> None:
    supervisor.engines()
    heads, rows = supervisor.table("agentTable").figures.table()
    assert heads[3] == "成功率（占比 0–1）"
    assert heads[5:8] == ["平均（毫秒）", "中位 p50（毫秒）", "p95 耗时（毫秒）"]
    for row in rows:
        for cell in row:
            assert not isinstance(cell, float) or cell == round(cell, 3)
    assert next(row for row in rows if row[0] == SLOW)[3] == 0.951


# ------------------------------------------------------------------------ alerts and suggestions
def test_open_alerts_come_first_and_are_acknowledged_with_the_keyboard(supervisor: Supervisor) -> None:
    supervisor.engines()
    card = supervisor.page.engines.alerts
    shown = [card.list.item(row).data(ROLE.UserRole) for row in range(card.list.count())]
    assert shown == [4, 3, 2, 1]
    card.list.setFocus()
    card.list.setCurrentRow(1)
    supervisor.key(Qt.Key.Key_Space)
    assert supervisor.monitor.acknowledged == [3]
    assert card.list.count() == 3
    card.list.setCurrentRow(1)
    assert card.current is not None
    assert card.current.id == 2
    assert not card.acknowledge.isEnabled()
    supervisor.key(Qt.Key.Key_Space)
    assert supervisor.monitor.acknowledged == [3], "only open ones can be"


def test_alerts_say_what_how_much_and_since_when(supervisor: Supervisor) -> None:
    supervisor.engines()
    card = supervisor.page.engines.alerts
    told = {
        card.list.item(row).data(ROLE.UserRole): card.list.item(row).data(ROLE.AccessibleTextRole)
        for row in range(card.list.count())
    }
    assert told[3].startswith(f"成功率低：{BROKEN}, ● 未处理, 82.0%（阈值 90.0%）")
    assert told[4].startswith("疑似故障：VPN 连不上，一直转圈, ● 未处理, 最多时 15 分钟内 7 张工单问到")
    assert told[2].startswith(f"平均耗时高：{SLOW}, ◐ 已确认, 4.2 s（阈值 3.0 s）")
    assert "恢复" in told[1]


@pytest.mark.parametrize(
    ("alert", "which"),
    [
        (3, {"selection": Selection(agent=BROKEN), "leg_missing": True}),
        (4, {"query_key": "vpn 连 不上"}),
        (2, {"selection": Selection(agent=SLOW)}),
        (1, {"selection": Selection(agent="general/hybrid-hashed-1")}),
    ],
)
def test_an_alert_leads_to_its_lookups(supervisor: Supervisor, alert: int, which: dict[str, Any]) -> None:
    supervisor.engines()
    card = supervisor.page.engines.alerts
    card.list.setFocus()
    card.list.setCurrentRow([4, 3, 2, 1].index(alert))
    supervisor.key(Qt.Key.Key_Return)
    assert supervisor.asked() == which
    own = next(one for one in ALERTS if one.id == alert)
    period = supervisor.monitor.asked_of[-1]
    assert period.start == own.opened_at - timedelta(minutes=15)
    assert period.end == own.resolved_at if own.resolved_at else period.end >= own.opened_at
    assert supervisor.drill is not None
    first = supervisor.drill.lookups.figures.rows[0].query
    assert first == QUESTIONS[1 if alert in {1, 2} else 0], "where it is about time, the slowest comes first"


def follow(supervisor: Supervisor, kind: str) -> None:
    supervisor.engines()
    card = supervisor.page.engines.suggestions
    card.list.setFocus()
    card.list.setCurrentRow([told.kind.value for told in SUGGESTIONS].index(kind))
    supervisor.key(Qt.Key.Key_Return)


def test_a_suggestion_leads_to_its_question(supervisor: Supervisor) -> None:
    follow(supervisor, "write_article")
    assert supervisor.desk.box.text() == QUESTIONS[0]
    assert supervisor.desk.page.note.isVisible()


def test_a_suggestion_leads_to_its_instance(supervisor: Supervisor) -> None:
    follow(supervisor, "failing_agent")
    table = supervisor.table("agentTable")
    assert table.hasFocus()
    assert table.currentIndex().data(ROLE.UserRole) == BROKEN


def test_a_suggestion_leads_to_its_article(supervisor: Supervisor) -> None:
    follow(supervisor, "review_article")
    assert supervisor.desk.in_pane == "network/vpn-691.md"


def test_a_suggestion_leads_to_the_lookups_of_an_outage(supervisor: Supervisor) -> None:
    follow(supervisor, "outage")
    assert supervisor.asked() == {"query_key": "vpn 连 不上"}


def test_a_suggestion_leads_to_the_articles_past_their_review(supervisor: Supervisor) -> None:
    follow(supervisor, "expired_articles")
    assert supervisor.page.service.isVisible()
    assert supervisor.table("concernTable").hasFocus()


def test_a_suggestion_leads_to_the_files_that_failed(supervisor: Supervisor) -> None:
    follow(supervisor, "failed_files")
    assert supervisor.desk.window.tabs.currentWidget() is supervisor.desk.window.knowledge


def test_a_suggestion_leads_to_badge_reliability(supervisor: Supervisor) -> None:
    follow(supervisor, "badge_lies")
    dialog = supervisor.desk.window.findChild(QWidget, "reliabilityDialog")
    assert dialog is not None
    assert dialog.isVisible()
    dialog.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_an_acknowledged_outage_is_still_found_by_its_suggestion(supervisor: Supervisor) -> None:
    supervisor.engines()
    assert any(alert.detail == SUGGESTIONS[0].query for alert in supervisor.monitor.alerts())


# ------------------------------------------------------------------------ on a real log
def test_what_was_done_at_the_desk_is_there_from_the_figure_to_the_last_act(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.page.pane.copy(with_source=False)
    desk.drain()
    desk.search("打印机卡纸")
    desk.search("打印机卡纸")
    desk.search("火星殖民地怎么报销")
    page = desk.window.monitor
    desk.window.tabs.setCurrentWidget(page)
    desk.drain()
    assert page.service.lookups.value == "4"
    assert page.service.without.note == "1 / 4"
    assert page.service.adopted.note == "1 / 1"
    assert page.service.repeated.note == "1 / 4"
    assert [row.query for row in page.service.unanswered.figures.rows] == ["火星殖民地怎么报销"]
    for tile, queries in (
        (page.service.repeated, ["打印机卡纸"]),
        (page.service.without, ["火星殖民地怎么报销"]),
        (page.service.adopted, ["火星殖民地怎么报销", "打印机卡纸", "打印机卡纸", "VPN 691"]),
        (page.service.lookups, ["火星殖民地怎么报销", "打印机卡纸", "打印机卡纸", "VPN 691"]),
    ):
        tile.click()
        desk.drain()
        assert [row.query for row in page.drill.lookups.figures.rows] == queries
        page.drill.step_back()
    page.service.lookups.click()
    desk.drain()
    desk.key(Qt.Key.Key_Return)
    desk.drain()
    _, rows = page.drill.moments.figures.table()
    assert [(row[1], row[2]) for row in rows][:2] == [
        ("检索", "VPN 691"),
        ("复制步骤", "VPN 错误 691：用户名或密码被拒绝"),
    ]
