"""The search page on a real engine: what one types, what is shown, and what is written of it (contract §2, §10)."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.words import word
from tests.app.desk import Desk

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def compose(desk: Desk, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(desk.box, event)


def test_letter_by_letter_and_enter_is_one_row_and_one_mark(desk: Desk) -> None:
    desk.type("ERR_TIMEOUT")
    desk.stand()
    desk.enter()
    assert desk.rows() == [("ERR_TIMEOUT", "enter", 0)]
    assert desk.in_pane == "api/err-timeout.md"
    assert desk.held() == []
    desk.timers["dwell"].time_out()
    assert desk.held() == [("api/err-timeout.md", "ERR_TIMEOUT")]
    assert desk.rows() == [("ERR_TIMEOUT", "enter", 0)]


def test_typed_and_cleared_writes_nothing(desk: Desk) -> None:
    desk.type("ERR_TIMEOUT")
    desk.stand()
    desk.key(Qt.Key.Key_Escape)
    assert desk.box.text() == ""
    for timer in desk.timers.values():
        timer.time_out()
    assert (desk.rows(), desk.held(), desk.events()) == ([], [], [])
    assert desk.shown == []


def test_a_preview_shows_results_badge_and_hint_only_when_the_text_stands(desk: Desk) -> None:
    desk.type("VPN 691")
    assert desk.timers["preview"].running == 120
    desk.timers["preview"].time_out()
    desk.drain()
    assert desk.shown == []
    assert not desk.page.badge.isVisible()
    assert desk.timers["reveal"].running == 400
    desk.timers["reveal"].time_out()
    assert desk.shown[0] == "network/vpn-691.md"
    assert desk.level == "PRECISE"
    assert desk.page.badge.isVisible()
    assert desk.page.hint.text() == word("hint.precise", "zh_CN")
    assert desk.rows() == []


def test_the_old_list_stays_greyed_until_then_and_opens_nothing(desk: Desk) -> None:
    desk.search("VPN 691")
    before = desk.shown
    desk.type("x")
    assert desk.shown == before
    assert desk.page.delegate.faded
    assert not desk.page.badge.isVisible()
    desk.page.results.clicked.emit(desk.page.model.index(1))
    desk.drain()
    assert desk.events() == []


def test_the_accessible_description_is_the_seeds_sentence(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    assert desk.page.hint.accessibleDescription() == "知识库中不存在比上述结果更精准的文档"
    desk.language.set_code("en")
    assert desk.page.hint.accessibleDescription() == "No document in the knowledge base is more precise than this one"


def test_a_plain_word_is_never_exact(desk: Desk) -> None:
    desk.search("打印机")
    assert len(desk.shown) == 2
    assert desk.level != "PRECISE"


def test_a_code_nobody_has_is_said_so(desk: Desk) -> None:
    desk.search("0x80004005")
    assert desk.level in {"NOT_FOUND", "REFERENCE"}
    assert "0x80004005" in desk.page.hint.text()


def test_nothing_found_leaves_no_other_article_in_the_pane(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    assert desk.in_pane is not None
    desk.search("zzqx")
    assert desk.level == "NOT_FOUND"
    assert desk.in_pane is None


def test_a_preview_that_finds_nothing_takes_the_earlier_answer_away(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    desk.type("zzqx")
    assert desk.in_pane is not None, "one may read on while one types"
    desk.box.selectAll()
    desk.type("zzqx")
    desk.stand()
    assert desk.level == "NOT_FOUND"
    assert desk.in_pane is None
    assert not desk.page.pane.copy_button.isVisible()


def test_escape_takes_the_answer_away_and_says_what_comes_there(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    desk.box.setFocus()
    desk.key(Qt.Key.Key_Escape)
    assert desk.box.text() == ""
    assert desk.in_pane is None
    assert not desk.page.pane.copy_button.isVisible()
    shown = [label.text() for label in desk.page.pane.findChildren(QLabel) if label.isVisible()]
    assert word("empty.article_title", "zh_CN") in shown


def test_an_article_opened_from_the_sidebar_answers_no_text_and_stays(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.timers["dwell"].time_out()
    desk.drain()
    docs = desk.window.sidebar.docs
    QTest.mouseClick(docs.viewport(), Qt.MouseButton.LeftButton, pos=docs.visualItemRect(docs.item(0)).center())
    desk.drain()
    desk.box.setFocus()
    desk.key(Qt.Key.Key_Escape)
    assert desk.in_pane == "network/vpn-691.md"
    desk.search("zzqxv")
    assert desk.in_pane is None, "Enter asks for the article of this text, and there is none"


def test_an_article_opened_below_not_found_stays_when_the_same_text_is_previewed_again(desk: Desk) -> None:
    desk.search("zzqx 打印机 wwqv")
    assert desk.level == "NOT_FOUND"
    hit = desk.page.model.hit(0)
    assert hit is not None
    desk.control.open(hit)
    desk.drain()
    desk.control.again()
    desk.drain()
    assert desk.in_pane == hit.doc_key


def test_where_a_filter_hides_the_answer_the_empty_list_says_so(desk: Desk) -> None:
    def advice() -> list[str]:
        return [label.text() for label in desk.page.findChildren(QLabel) if label.isVisibleTo(desk.page)]

    desk.search("zzqx")
    assert word("empty.nothing_body", "zh_CN") in advice()
    desk.page.domain.setCurrentIndex(1)
    desk.drain()
    desk.search("zzqxv")
    assert word("empty.nothing_filtered", "zh_CN") in advice()


def test_courtesy_alone_writes_no_row_and_is_answered(desk: Desk) -> None:
    desk.search("你好，谢谢")
    assert desk.rows() == []
    assert desk.sessions() == []
    assert desk.page.hint.text() == word("hint.gated", "zh_CN")
    desk.search("ERR_TIMEOUT")
    assert len(desk.sessions()) == 1


def test_a_click_opens_and_makes_the_text_a_lookup(desk: Desk) -> None:
    desk.type("VPN")
    desk.stand()
    row = desk.page.model.row_of("network/vpn-789.md")
    box = desk.page.results.visualRect(desk.page.model.index(row))
    QTest.mouseClick(desk.page.results.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    desk.drain()
    assert desk.rows() == [("VPN", "open", 0)]
    assert desk.events() == [("opened", "network/vpn-789.md")]
    assert desk.held() == [("network/vpn-789.md", "VPN")]
    assert desk.in_pane == "network/vpn-789.md"
    assert desk.page.model.hit(row).held_query == "VPN"


def test_the_keyboard_goes_into_the_list_opens_and_comes_back(desk: Desk) -> None:
    desk.type("VPN")
    desk.stand()
    desk.key(Qt.Key.Key_Down)
    assert desk.page.results.hasFocus()
    desk.key(Qt.Key.Key_Down)
    assert desk.page.results.currentIndex().row() == 1
    assert desk.rows() == []
    desk.key(Qt.Key.Key_Return)
    desk.drain()
    assert desk.in_pane == desk.shown[1]
    assert desk.rows() == [("VPN", "open", 0)]
    desk.key(Qt.Key.Key_Up)
    desk.key(Qt.Key.Key_Up)
    assert desk.box.hasFocus()


def test_copying_without_a_selection_hands_over_the_steps_without_a_path(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.key(Qt.Key.Key_C, CTRL)
    desk.drain()
    text = QApplication.clipboard().text()
    assert text == "VPN 错误 691：用户名或密码被拒绝\n1. 核对工号。\n2. 重置密码。"
    assert desk.events() == [("copied", "network/vpn-691.md")]
    assert desk.rows() == [("VPN 691", "enter", 0)]
    desk.key(Qt.Key.Key_C, CTRL | SHIFT)
    assert QApplication.clipboard().text().endswith("更新 2025-03-05 · network/vpn-691.md")


def test_copying_with_a_selection_hands_over_the_selection(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.page.pane.text.setFocus()
    desk.page.pane.text.selectAll()
    desk.key(Qt.Key.Key_C, CTRL)
    desk.drain()
    assert QApplication.clipboard().text().startswith("远程连接被拒绝。")
    assert desk.events() == [("copied", "network/vpn-691.md")]


def test_copying_a_selected_result_that_is_not_open_reads_it_first(desk: Desk) -> None:
    desk.type("VPN 789")
    desk.stand()
    desk.key(Qt.Key.Key_Down)
    desk.key(Qt.Key.Key_C, CTRL)
    desk.drain()
    assert QApplication.clipboard().text().startswith("VPN 错误 789")
    assert desk.rows() == [("VPN 789", "copy", 0)]


def test_in_the_box_a_selected_text_is_copied_as_in_any_box(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.box.selectAll()
    desk.key(Qt.Key.Key_C, CTRL)
    desk.drain()
    assert QApplication.clipboard().text() == "VPN 691"
    assert desk.events() == []


def test_a_vote_is_written_with_its_direction_and_belongs_to_the_lookup(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.page.pane.votes.useful.click()
    desk.page.pane.votes.undo.click()
    desk.page.pane.votes.not_useful.click()
    assert desk.events() == [("voted", "network/vpn-691.md")] * 3
    assert desk.votes() == [1, 0, -1]
    assert desk.rows() == [("VPN 691", "enter", 0)]


def test_a_text_left_standing_becomes_a_row_that_its_continuation_supersedes(desk: Desk) -> None:
    desk.type("VPN")
    desk.stand()
    assert desk.timers["settle"].running == 3000
    desk.timers["settle"].time_out()
    assert desk.rows() == [("VPN", "settle", 0)]
    desk.type(" 691")
    desk.clock.advance(5)
    desk.enter()
    assert desk.rows() == [("VPN", "settle", 1), ("VPN 691", "enter", 0)]


def test_a_seen_answer_keeps_its_level_and_shows_the_mark(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    desk.timers["dwell"].time_out()
    desk.drain()
    desk.search("ERR_TIMEOUT")
    assert desk.level == "PRECISE"
    assert desk.page.badge.text() == "精准 · 本单看过"
    assert desk.page.model.hit(0).held_query == "ERR_TIMEOUT"


def test_the_same_query_again_says_when_it_was_asked(desk: Desk) -> None:
    desk.search("打印机")
    desk.search("打印机")
    assert "结果没变" in desk.page.hint.text()
    assert [row[0] for row in desk.rows()] == ["打印机", "打印机"]


def test_the_filter_narrows_the_same_text_without_a_row(desk: Desk) -> None:
    desk.type("VPN")
    desk.stand()
    combo = desk.page.domain
    assert combo.findData("network") > 0
    combo.setCurrentIndex(combo.findData("printing"))
    desk.drain()
    assert not any(key.startswith("network/") for key in desk.shown)
    combo.setCurrentIndex(0)
    desk.drain()
    assert any(key.startswith("network/") for key in desk.shown)
    assert desk.rows() == []


def test_ctrl_k_goes_to_the_box_from_anywhere(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.window.tabs.setCurrentWidget(desk.window.knowledge)
    desk.window.knowledge.import_button.setFocus()
    desk.key(Qt.Key.Key_K, CTRL)
    assert desk.window.tabs.currentIndex() == 0
    assert desk.box.hasFocus()
    assert desk.box.selectedText() == "VPN 691"


def test_an_input_method_is_left_alone_while_it_composes(desk: Desk) -> None:
    """Case 26."""
    desk.box.setFocus()
    compose(desk, "wu")
    compose(desk, "wu'xian")
    assert desk.timers["preview"].running is None
    desk.key(Qt.Key.Key_Return)
    desk.drain()
    assert desk.rows() == []
    compose(desk, "", "无线")
    assert desk.box.text() == "无线"
    desk.enter()
    assert [row[0] for row in desk.rows()] == ["无线"]
    compose(desk, "da")
    desk.key(Qt.Key.Key_Escape)
    assert desk.box.text() == "无线"
    assert desk.window.isVisible()
    compose(desk, "ka")
    desk.control.again()
    desk.drain()
    desk.key(Qt.Key.Key_K, CTRL)
    assert desk.box.preedit == "ka"
    compose(desk, "", "卡")
    assert desk.box.text() == "无线卡"


def test_what_was_typed_before_composing_is_searched_when_composing_ends(desk: Desk) -> None:
    desk.type("VPN")
    compose(desk, "da")
    assert desk.timers["preview"].running is None
    compose(desk, "")
    assert desk.timers["preview"].running == 120


def test_markup_in_content_stays_letters(desk: Desk) -> None:
    """Case 34."""
    desk.search("TAG-34")
    assert desk.page.model.index(0).data() == "标题 <b>粗</b> TAG-34"
    assert "<img src='http://127.0.0.1:9/x.png'>" in desk.page.pane.text.toPlainText()
    rich = [
        label.text()
        for label in desk.window.findChildren(QLabel)
        if "<" in label.text() and label.textFormat() != Qt.TextFormat.PlainText
    ]
    assert rich == []
    for widget in desk.window.findChildren(QWidget):
        assert "<b>粗</b>" not in widget.toolTip()


def test_f3_walks_the_marks_and_ctrl_f_finds(desk: Desk) -> None:
    desk.search("打印机")
    text = desk.page.pane.text
    first = text.textCursor().position()
    desk.key(Qt.Key.Key_F3)
    assert len(text.extraSelections()) == len(text.mark_ranges) > 0
    desk.key(Qt.Key.Key_F, CTRL)
    desk.page.pane.find_line.setText("先看")
    assert len(text.mark_ranges) in {0, 1}
    desk.key(Qt.Key.Key_Escape)
    assert desk.page.pane.find_line.isHidden() or not desk.page.pane.find_line.isVisible()
    assert text.textCursor().position() >= first or first >= 0


@pytest.mark.parametrize("language", ["zh_CN", "en"])
def test_a_live_switch_redraws_an_old_answer(desk: Desk, language: str) -> None:
    desk.search("ERR_TIMEOUT")
    desk.language.set_code("en" if language == "zh_CN" else "zh_CN")
    desk.language.set_code(language)
    desk.drain()
    assert desk.page.badge.text() == word("level.PRECISE", language)
    assert desk.page.hint.text() == word("hint.precise", language)
    assert desk.window.tabs.tabText(0) == word("tab.search", language)
    assert desk.rows() == [("ERR_TIMEOUT", "enter", 0)]
