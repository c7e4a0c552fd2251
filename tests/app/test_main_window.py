"""The window's frame: names of the contract, sessions, imports, closing, failures, colours and words (§1, §10)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEventLoop, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListView,
    QMessageBox,
    QProgressBar,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from app.bug_dialog import BugDialog
from app.main_window import SMALLEST
from app.words import LANGUAGES, word
from core.errors import KnowledgeLocked
from core.ingest.unfinished import begin
from core.settings import Settings
from core.store.database import Database
from core.store.lock import write_lock
from core.store.sources import Sources
from tests.app.desk import ARTICLES, Desk

CTRL = Qt.KeyboardModifier.ControlModifier
NAMES = [
    "mainTabs",
    "searchPage",
    "monitorPage",
    "knowledgePage",
    "searchInput",
    "domainFilter",
    "resultList",
    "relevanceBadge",
    "completenessHint",
    "articlePreview",
    "sessionSidebar",
    "sessionSelector",
    "newSessionButton",
    "retrievedDomains",
    "retrievedDocs",
    "feedbackUseful",
    "feedbackNotUseful",
    "copyAnswerButton",
    "importButton",
    "importProgress",
    "cancelImportButton",
]


@pytest.fixture
def many_files(tmp_path: Path) -> Path:
    """A folder whose import takes long enough to be stopped."""
    folder = tmp_path / "many"
    for number in range(400):
        path = folder / f"area{number % 4}" / f"{number:04}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# 文章 {number}\n\n" + f"第 {number} 篇的正文。" * 40, encoding="utf-8")
    return folder


@pytest.fixture
def english(qapp: QApplication, data_dir: Path) -> Iterator[Desk]:
    opened = Desk(data_dir, language="en")
    opened.open()
    yield opened
    opened.close()


# ------------------------------------------------------------------------ names
def test_every_widget_of_the_contract_is_there_once_with_an_accessible_name(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    for name in NAMES:
        found = desk.window.findChildren(QWidget, name)
        assert len(found) == 1, name
        assert found[0].accessibleName(), name
    assert desk.window.objectName() == "mainWindow"
    assert desk.window.accessibleName()


def test_whatever_can_be_used_has_an_accessible_name(desk: Desk) -> None:
    kinds = (QAbstractButton, QLineEdit, QComboBox, QListView, QProgressBar)
    for kind in kinds:
        for widget in desk.window.findChildren(kind):
            own = widget.objectName() and not widget.objectName().startswith("qt_")
            if own and not widget.isHidden():
                assert widget.accessibleName(), widget.objectName()


def test_the_list_gives_the_doc_key_as_user_role(desk: Desk) -> None:
    desk.search("VPN 691")
    assert desk.page.model.index(0).data(Qt.ItemDataRole.UserRole) == "network/vpn-691.md"


def test_the_pages_stand_in_the_order_of_the_contract(desk: Desk) -> None:
    tabs = desk.window.tabs
    assert [tabs.tabText(place) for place in range(tabs.count())] == ["检索", "监控", "知识库"]
    assert tabs.widget(0).isAncestorOf(desk.page)
    assert [tabs.widget(place).objectName() for place in (1, 2)] == ["monitorPage", "knowledgePage"]


def test_an_import_that_was_cut_off_is_told_and_goes_on(desk: Desk, many_files: Path) -> None:
    banner = desk.window.knowledge.unfinished
    desk.window.tabs.setCurrentWidget(desk.window.knowledge)
    assert banner.isHidden()
    desk.window.work.progressed.connect(lambda progress: progress.done > 250 and desk.window.work.cancel())
    desk.window.start_import([many_files])
    desk.drain()
    assert banner.isVisible()
    assert word("knowledge.unfinished", "zh_CN", path=many_files, articles="").rstrip(" 篇") in banner.words.text()
    desk.language.set_code("en")
    desk.drain()
    assert str(many_files) in banner.words.text()
    assert "not finished" in banner.words.text()
    desk.window.work.progressed.disconnect()
    QTest.mouseClick(banner.go_on, Qt.MouseButton.LeftButton)
    desk.drain()
    assert banner.isHidden()
    assert desk.window.knowledge.report_model.rowCount() == 400


def test_what_was_cut_off_is_told_at_the_next_start_and_can_be_dismissed(
    qapp: QApplication, data_dir: Path, tmp_path: Path
) -> None:
    database = Database.open(data_dir / "deskside.sqlite3")
    gone = tmp_path / "gone"
    begin(Sources(database), [str(gone)], None)
    database.close()
    for told in (True, False):
        desk = Desk(data_dir)
        desk.open()
        banner = desk.window.knowledge.unfinished
        assert banner.isHidden() is not told
        if told:
            assert str(gone) in banner.words.text()
            banner.forget.click()
            desk.drain()
            assert banner.isHidden()
        desk.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_button_is_cut_at_the_smallest_size(desk: Desk, language: str) -> None:
    desk.language.set_code(language)
    desk.window.resize(*SMALLEST)
    for text in ("ERR_TIMEOUT", "打印机"):
        desk.search(text)
        QApplication.processEvents()
        buttons = [button for button in desk.window.findChildren(QAbstractButton) if button.isVisible()]
        assert desk.page.pane.copy_button in buttons
        assert [
            (button.objectName(), button.width())
            for button in buttons
            if button.text() and button.width() < (button.minimumWidth() or button.minimumSizeHint().width())
        ] == []
    assert (desk.window.width(), desk.window.height()) == SMALLEST


def test_a_long_session_name_ends_before_the_edge(desk: Desk) -> None:
    """Letters that are clipped leave ink in the last columns of their field; an ellipsis stands clear of them."""
    selector = desk.window.sidebar.selector
    desk.window.resize(*SMALLEST)
    selector.show_sessions((), "W" * 80)
    option = QStyleOptionComboBox()
    selector.initStyleOption(option)
    part = QStyle.SubControl.SC_ComboBoxEditField
    field = selector.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, selector)
    picture = selector.grab().toImage()

    def ink(first: int, last: int) -> int:
        return len({picture.pixel(x, y) for x in range(first, last) for y in range(field.top(), field.bottom())})

    assert ink(field.left(), field.center().x()) > 1
    assert ink(field.right() - 2, field.right() + 1) == 1


# ------------------------------------------------------------------------ sessions
def test_the_sidebar_shows_what_the_session_retrieved(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.timers["dwell"].time_out()
    desk.drain()
    desk.search("ERR_TIMEOUT")
    desk.timers["dwell"].time_out()
    desk.drain()
    chips = [chip.text() for chip in desk.window.sidebar.domains.findChildren(QLabel)]
    assert sorted(chips) == sorted([f"{desk.page.model.domain_name(key)} 1" for key in ("network", "api")])
    docs = desk.window.sidebar.docs
    assert [docs.item(row).data(Qt.ItemDataRole.UserRole) for row in range(docs.count())] == [
        "api/err-timeout.md",
        "network/vpn-691.md",
    ]
    assert desk.window.sidebar.selector.count() == 1


def test_a_click_in_the_sidebar_opens_without_a_new_lookup(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.timers["dwell"].time_out()
    desk.drain()
    desk.search("ERR_TIMEOUT")
    docs = desk.window.sidebar.docs
    QTest.mouseClick(docs.viewport(), Qt.MouseButton.LeftButton, pos=docs.visualItemRect(docs.item(0)).center())
    desk.drain()
    assert desk.in_pane == "network/vpn-691.md"
    assert len(desk.rows()) == 2


def test_ctrl_n_starts_over_and_the_next_lookup_is_in_another_session(desk: Desk) -> None:
    desk.search("VPN 691")
    first = desk.control.sessions.current
    desk.key(Qt.Key.Key_N, CTRL)
    desk.drain()
    assert desk.box.text() == ""
    assert desk.in_pane is None
    assert desk.window.sidebar.selector.currentText() == word("session.fresh", "zh_CN")
    desk.search("VPN 691")
    assert desk.control.sessions.current not in {None, first}
    assert not desk.page.badge.text().endswith(word("level.DEDUPED", "zh_CN"))


def test_ten_idle_minutes_start_a_session_that_can_be_put_back(desk: Desk) -> None:
    desk.search("VPN 691")
    first = desk.control.sessions.current
    desk.clock.advance(601)
    desk.search("ERR_TIMEOUT")
    second = desk.control.sessions.current
    assert second != first
    notice = desk.window.notice
    assert (notice.label.text(), notice.button.text()) == ("已开新工单", "并回上一单")
    notice.button.click()
    desk.drain()
    assert desk.control.sessions.current == first
    assert notice.label.text() == "已并回上一单"
    desk.timers["dwell"].time_out()
    desk.drain()
    engine = desk.window.engine
    assert engine is not None
    assert [summary.lookups for summary in engine.sessions()] == [2]
    assert desk.held() == [("api/err-timeout.md", "ERR_TIMEOUT")]


def test_several_quick_lookups_start_one_session(desk: Desk) -> None:
    desk.type("VPN 691")
    desk.key(Qt.Key.Key_Return)
    desk.key(Qt.Key.Key_Return)
    desk.drain()
    engine = desk.window.engine
    assert engine is not None
    assert [summary.lookups for summary in engine.sessions()] == [2]


def test_earlier_sessions_are_found_by_what_was_searched_and_switched_to(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.timers["dwell"].time_out()
    desk.drain()
    first = desk.control.sessions.current
    desk.window.new_session()
    desk.search("ERR_TIMEOUT")
    selector = desk.window.sidebar.selector
    selector.showPopup()
    selector.search.emit("691")
    selector.panel.line.blockSignals(True)
    selector.panel.line.setText("691")
    selector.panel.line.blockSignals(False)
    desk.drain()
    assert selector.panel.list.item(0).data(Qt.ItemDataRole.UserRole) == first
    QTest.keyClick(selector.panel.line, Qt.Key.Key_Return)
    desk.drain()
    assert desk.control.sessions.current == first
    assert desk.window.sidebar.docs.count() == 1
    desk.clock.advance(3600)
    desk.search("打印机")
    assert desk.control.sessions.current == first


def test_a_ticket_number_that_is_new_starts_a_session_of_that_name(desk: Desk) -> None:
    selector = desk.window.sidebar.selector
    selector.start_named.emit("T-1042")
    desk.drain()
    desk.search("VPN 691")
    assert desk.control.sessions.current == "T-1042"
    assert selector.currentText() == "T-1042"


# ------------------------------------------------------------------------ knowledge
def test_an_import_reports_every_file_and_is_searched_at_once(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "a.md").write_text("# 新文章 NEW-4711\n\n说明 NEW-4711。\n", encoding="utf-8")
    (folder / "b.md").write_bytes(b"")
    desk.window.start_import([folder])
    assert not desk.window.knowledge.import_button.isEnabled()
    desk.drain()
    report = desk.window.knowledge.report_model
    assert report.rowCount() == 2
    assert [report.index(row, 0).data() for row in range(2)] == ["跳过", "新增"]
    assert desk.window.knowledge.import_button.isEnabled()
    assert desk.window.jobs.isHidden()
    desk.search("NEW-4711")
    assert desk.shown[0].endswith("a.md")


def test_the_report_names_files_below_their_folder_and_speaks_the_language_of_the_window(
    desk: Desk, tmp_path: Path
) -> None:
    folder = tmp_path / "kb"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "空.md").write_text("", encoding="utf-8")
    (folder / "表.csv").write_text("编号,标题\nA/1,甲\n", encoding="utf-8")
    desk.window.start_import([folder])
    desk.drain()
    report = desk.window.knowledge.report_model

    def cells(column: int) -> list[str]:
        return [report.index(row, column).data() for row in range(report.rowCount())]

    assert cells(1) == ["sub/空.md", "表.csv#A/1"]
    assert cells(2) == ["文件里没有文字", ""]
    desk.language.set_code("en")
    assert cells(2) == ["The file has no text", ""]


def test_dropping_a_folder_imports_it(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "dropped"
    folder.mkdir()
    (folder / "a.md").write_text("# 拖进来的\n\n正文。\n", encoding="utf-8")
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(folder))])
    how = (Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    page = desk.window.knowledge
    page.dragEnterEvent(entering := QDragEnterEvent(QPoint(5, 5), *how))
    assert entering.isAccepted()
    assert page.drop.property("over")
    page.dropEvent(QDropEvent(QPoint(5, 5), *how))
    assert not page.drop.property("over")
    desk.drain()
    assert desk.window.knowledge.report_model.rowCount() == 1


def test_a_missing_path_is_one_sentence(desk: Desk, tmp_path: Path) -> None:
    desk.window.start_import([tmp_path / "gone"])
    desk.drain()
    assert "gone" in desk.window.notice.label.text()
    assert not desk.window.work.running


def test_stopping_an_import_keeps_what_was_done(desk: Desk, many_files: Path) -> None:
    stopped: list[int] = []

    def stop(progress: object) -> None:
        if not stopped:
            stopped.append(1)
            desk.window.jobs.cancel.click()

    desk.window.work.progressed.connect(stop)
    desk.window.start_import([many_files])
    desk.drain()
    counts = desk.window.knowledge._report.counts if desk.window.knowledge._report else {}
    assert desk.window.knowledge._report is not None
    assert desk.window.knowledge._report.cancelled
    engine = desk.window.engine
    assert engine is not None
    assert engine.status().articles == len(ARTICLES) + counts["added"]


def test_while_another_process_imports_nothing_is_called_final(desk: Desk) -> None:
    def foot() -> bool:
        return word("foot.pending", "zh_CN") in desk.window.foot.text()

    with write_lock(desk.folder.write_lock):
        desk.search("ERR_TIMEOUT")
        assert (desk.level, desk.page.hint.text()) == ("PRECISE", word("hint.precise_pending", "zh_CN"))
        assert foot()
    desk.search("VPN 691")
    assert desk.page.hint.text() == word("hint.precise", "zh_CN")
    assert not foot()


def test_domains_are_named_in_the_language_of_the_window(desk: Desk) -> None:
    def shown() -> list[str]:
        domains = desk.window.knowledge.domains
        return [domains.item(row).text() for row in range(domains.count())]

    chinese = shown()
    desk.language.set_code("en")
    desk.drain()
    assert shown() != chinese
    assert len(shown()) == len(chinese) == 4


# ------------------------------------------------------------------------ closing
def test_closing_during_an_import_asks_and_can_be_taken_back(desk: Desk, many_files: Path) -> None:
    """Case 41."""
    desk.window.start_import([many_files])
    desk.window.close()
    box = desk.window.findChild(QMessageBox, "closeDuringImport")
    assert box is not None
    assert desk.window.isVisible()
    box.button(QMessageBox.StandardButton.NoButton)
    box.reject()
    assert desk.window.isVisible()
    desk.window.work.cancel()
    desk.drain()
    assert desk.window.isVisible()


def test_closing_during_an_import_stops_it_and_ends(desk: Desk, many_files: Path) -> None:
    """Case 41."""
    desk.window.start_import([many_files])
    desk.window.close()
    box = desk.window.findChild(QMessageBox, "closeDuringImport")
    assert box is not None
    stop = next(button for button in box.buttons() if button.text() == word("close.stop", "zh_CN"))
    stop.click()
    desk.drain()
    assert not desk.window.isVisible()


def test_closing_while_a_lookup_is_in_flight_just_closes(desk: Desk) -> None:
    desk.type("VPN 691")
    desk.key(Qt.Key.Key_Return)
    desk.window.close()
    assert not desk.window.isVisible()


def test_it_is_never_smaller_than_1024_by_600(desk: Desk) -> None:
    desk.window.resize(10, 10)
    assert (desk.window.width(), desk.window.height()) == (1024, 600)
    assert desk.window.minimumSizeHint().width() <= 1024
    assert desk.window.minimumSizeHint().height() <= 600


# ------------------------------------------------------------------------ failures
def test_an_expected_failure_is_said_in_the_language_of_the_window(desk: Desk) -> None:
    desk.tasks.expected.emit(KnowledgeLocked(pid=4711, host="desk-3", since="10:42"))
    assert "4711" in desk.window.notice.label.text()
    desk.language.set_code("en")
    assert desk.window.notice.label.text().startswith("Another program is writing knowledge")


def test_a_bug_shows_one_dialog_with_details_and_the_log_and_copies_both(desk: Desk) -> None:
    for _ in range(3):
        desk.tasks.bug.emit(ZeroDivisionError("x"))
    (dialog,) = desk.window.findChildren(BugDialog)
    assert "ZeroDivisionError" in dialog.details
    dialog.copy.click()
    assert "ZeroDivisionError" in QApplication.clipboard().text()
    assert "deskside.log" in QApplication.clipboard().text()
    dialog.reject()
    desk.search("VPN 691")
    assert desk.level == "PRECISE"


def test_a_database_that_is_not_sound_is_said_and_the_window_stays(qapp: QApplication, tmp_path: Path) -> None:
    (tmp_path / "deskside.sqlite3").write_bytes(b"this is no database at all, not even by its first bytes" * 100)
    opened = Desk(tmp_path)
    try:
        failed: list[int] = []
        opened.window.work.open_failed.connect(lambda: failed.append(1))
        opened.window.show()
        while not failed:
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        assert opened.window.notice.isVisible()
        assert "deskside.sqlite3" in opened.window.notice.label.text()
        assert opened.page.hint.text() == word("state.not_open", "zh_CN")
        assert opened.window.foot.text() == word("state.not_open", "zh_CN")
    finally:
        opened.close()


def test_what_is_typed_while_the_knowledge_base_opens_is_not_lost(qapp: QApplication, data_dir: Path) -> None:
    opened = Desk(data_dir)
    try:
        opened.type("VPN 691")
        opened.key(Qt.Key.Key_Return)
        assert opened.window.engine is None
        opened.open()
        assert opened.rows() == [("VPN 691", "enter", 0)]
        assert opened.in_pane == "network/vpn-691.md"
    finally:
        opened.close()


# ------------------------------------------------------------------------ looks
def test_language_and_colours_are_switched_live_and_kept(desk: Desk) -> None:
    view = desk.window.view
    for action in view.menu().actions():
        if action.data() in {"en", "dark"}:
            action.trigger()
    desk.drain()
    assert desk.window.tabs.tabText(0) == "Search"
    assert desk.window.palette().base().color().lightness() < 128
    kept = Settings.load(desk.folder.settings)
    assert (kept.word("language"), kept.word("theme")) == ("en", "dark")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_cut_at_the_smallest_size(data_dir: Path, qapp: QApplication, language: str) -> None:
    opened = Desk(data_dir, language=language)
    opened.open()
    try:
        opened.window.resize(1024, 600)
        opened.search("VPN 691")
        QApplication.processEvents()
        for button in opened.window.findChildren(QAbstractButton):
            if button.isVisible() and button.text():
                assert button.width() >= button.fontMetrics().horizontalAdvance(button.text()), button.text()
        for label in opened.window.findChildren(QLabel):
            if label.isVisible() and not label.wordWrap() and label.sizePolicy().horizontalPolicy().name != "Ignored":
                assert label.width() >= label.fontMetrics().horizontalAdvance(label.text()), label.text()
    finally:
        opened.close()


def test_an_english_window_holds_no_chinese_of_its_own(english: Desk) -> None:
    english.search("zzqx")
    own = [
        *(button.text() for button in english.window.findChildren(QAbstractButton)),
        english.page.hint.text(),
        english.page.badge.text(),
        english.window.foot.text(),
    ]
    assert [text for text in own if any("\u4e00" <= letter <= "\u9fff" for letter in text)] == []
