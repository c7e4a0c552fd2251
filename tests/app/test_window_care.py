"""What an agent under stress may not fall into: lost notes, notes under another question, another code's steps."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMessageBox, QPushButton

from tests.app.desk import Desk


def test_closing_does_not_throw_a_note_away_unasked(desk: Desk) -> None:
    desk.search("投影仪闪绿光")
    desk.page.note.button.click()
    desk.page.note.text.insertPlainText("拔掉转接头。")
    assert not desk.window.close()
    box = desk.window.findChild(QMessageBox, "closeWithNote")
    assert box is not None
    box.reject()
    assert desk.window.isVisible()
    assert desk.page.note.text.toPlainText() == "拔掉转接头。"
    desk.page.note.saved()
    assert desk.window.close()


def test_a_note_that_nobody_began_closes_with_the_question(desk: Desk) -> None:
    desk.search("投影仪闪绿光")
    desk.page.note.button.click()
    desk.search("键盘进水")
    assert desk.page.note.isHidden()
    desk.page.note.button.click()
    desk.page.note.text.insertPlainText("擦干。")
    desk.search("投影仪闪绿光")
    assert not desk.page.note.isHidden(), "what was begun stays, under its own question"


def test_the_complaint_about_an_empty_note_goes_with_the_first_character(desk: Desk) -> None:
    desk.search("投影仪闪绿光")
    desk.page.note.button.click()
    desk.page.note.findChild(QPushButton, "saveNoteButton").click()
    problem = desk.page.note.findChild(QLabel, "noteProblem")
    assert problem.text()
    desk.page.note.text.insertPlainText("拔")
    assert not problem.text() or problem.isHidden()


def test_an_article_about_another_code_says_so_above_its_text(desk: Desk) -> None:
    desk.search("VPN 690")
    banner = desk.page.pane.findChild(QLabel, "articleCare")
    desk.page.near.findChildren(QPushButton)[0].click()
    desk.drain()
    assert desk.in_pane == "network/vpn-691.md"
    assert "代码不同" in banner.text()
    assert "691" in banner.text()
    desk.search("VPN 691")
    assert "代码不同" not in banner.text()


def test_ctrl_enter_in_the_box_says_that_the_shown_article_is_the_right_one(desk: Desk) -> None:
    desk.search("VPN 691")
    before = desk.rows()
    for _ in range(2):
        QTest.keyClick(desk.box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        desk.drain()
    assert (desk.rows(), desk.votes(), desk.in_pane) == (before, [2], "network/vpn-691.md")


def test_ctrl_enter_without_an_answer_says_nothing(desk: Desk) -> None:
    desk.box.setText("VPN 691")
    QTest.keyClick(desk.box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desk.drain()
    assert desk.votes() == []
