"""Voting in the window: by mouse and keyboard, seen at once, taken back, and what it leaves on later results."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from app.vote_bar import NOT_USEFUL, RIGHT, USEFUL, VoteBar
from app.words import LANGUAGES, word
from tests.app.desk import Desk

CTRL = Qt.KeyboardModifier.ControlModifier


def bar(desk: Desk) -> VoteBar:
    return desk.page.pane.votes


def shown_buttons(desk: Desk) -> list[str]:
    names = ("feedbackRight", "feedbackUseful", "feedbackNotUseful", "feedbackUndo")
    return [name for name in names if desk.window.findChild(QPushButton, name).isVisible()]


@pytest.mark.parametrize(
    ("name", "value"), [("feedbackRight", RIGHT), ("feedbackUseful", USEFUL), ("feedbackNotUseful", NOT_USEFUL)]
)
def test_a_vote_is_confirmed_on_its_button_and_can_be_taken_back(desk: Desk, name: str, value: int) -> None:
    desk.search("VPN 691")
    button = desk.window.findChild(QPushButton, name)
    before = button.text()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.text() == f"✓ {before}"
    assert shown_buttons(desk) == [name, "feedbackUndo"]
    assert desk.votes() == [value]
    QTest.mouseClick(bar(desk).undo, Qt.MouseButton.LeftButton)
    assert button.text() == before
    assert shown_buttons(desk) == ["feedbackRight", "feedbackUseful", "feedbackNotUseful"]
    assert desk.votes() == [value, 0]
    assert desk.rows() == [("VPN 691", "enter", 0)]


def test_pressing_it_again_takes_it_back(desk: Desk) -> None:
    desk.search("VPN 691")
    for _ in range(2):
        bar(desk).right.click()
    assert desk.votes() == [2, 0]


def test_taken_back_by_keyboard_the_focus_stays_in_the_bar(desk: Desk) -> None:
    desk.search("VPN 691")
    bar(desk).useful.setFocus()
    desk.key(Qt.Key.Key_Space)
    desk.key(Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is bar(desk).undo
    desk.key(Qt.Key.Key_Space)
    assert desk.votes() == [1, 0]
    assert QApplication.focusWidget() is bar(desk).useful


def test_ctrl_enter_on_a_result_opens_it_as_the_right_one(desk: Desk) -> None:
    desk.type("打印机")
    desk.stand()
    desk.key(Qt.Key.Key_Down)
    desk.key(Qt.Key.Key_Down)
    second = desk.shown[1]
    desk.key(Qt.Key.Key_Return, CTRL)
    desk.drain()
    assert desk.events() == [("opened", second), ("voted", second)]
    assert desk.votes() == [2]
    assert desk.in_pane == second
    assert bar(desk).given == RIGHT
    assert desk.rows() == [("打印机", "open", 0)]


def test_ctrl_enter_in_the_article_calls_it_the_right_one_once(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.page.pane.text.setFocus()
    for _ in range(2):
        desk.key(Qt.Key.Key_Return, CTRL)
    assert desk.votes() == [2]
    assert bar(desk).given == RIGHT


def test_rows_of_an_earlier_text_cannot_be_voted_on(desk: Desk) -> None:
    desk.search("打印机")
    desk.type("x")
    desk.page.results.right_wanted.emit(desk.page.model.index(0))
    desk.drain()
    assert desk.votes() == []


def test_what_was_said_belongs_to_one_lookup_and_article(desk: Desk) -> None:
    desk.search("打印机")
    first = desk.in_pane
    bar(desk).useful.click()
    other = next(key for key in desk.shown if key != first)
    for key, vote in ((other, 0), (first, USEFUL)):
        hit = desk.page.model.hit(desk.page.model.row_of(str(key)))
        assert hit is not None
        desk.control.open(hit)
        desk.drain()
        assert (desk.in_pane, bar(desk).given) == (key, vote)
    desk.box.setFocus()
    desk.enter()
    assert [query for query, *_ in desk.rows()] == ["打印机", "打印机"]
    assert bar(desk).given == 0, "a second Enter is another lookup"
    desk.search("VPN 691")
    assert bar(desk).given == 0


def test_a_confirmed_article_is_marked_for_the_like_question(desk: Desk) -> None:
    for _ in range(2):
        desk.search("打印机 脱机")
        bar(desk).right.click()
        desk.drain()
        desk.window.new_session()
        desk.drain()
    desk.search("脱机的打印机怎么办")
    row = desk.page.model.row_of("printing/offline.md")
    hit = desk.page.model.hit(row)
    assert hit is not None
    assert hit.confirmed == 2
    told = desk.page.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole)
    assert word("search.confirmed", "zh_CN", count=2) in told
    desk.search("打印机 脱机 691")
    assert all(hit.confirmed == 0 for row in range(len(desk.shown)) if (hit := desk.page.model.hit(row)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_given_vote_follows_the_language(desk: Desk, language: str) -> None:
    desk.search("VPN 691")
    bar(desk).right.click()
    desk.language.set_code(language)
    assert bar(desk).right.text() == f"✓ {word('vote.right', language)}"
    assert bar(desk).undo.text() == word("vote.undo", language)
    assert bar(desk).right.accessibleName() == word("vote.given_name", language, vote=word("vote.right", language))


def test_what_is_not_shown_takes_no_room(desk: Desk) -> None:
    desk.search("VPN 691")
    bar(desk).not_useful.click()
    QApplication.processEvents()
    shown = sorted((button.x(), button.width()) for button in bar(desk).findChildren(QPushButton) if button.isVisible())
    gaps = [right[0] - sum(left) for left, right in pairwise(shown)]
    assert len(set(gaps)) == 1, gaps
