"""The sentence about an answer: what is to be pressed stands behind it, and no word widens the window (§10)."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.hint import Verdict
from app.hint_line import LONGEST, HintLine
from tests.app.desk import Desk


def test_what_to_press_stands_right_behind_its_sentence(desk: Desk) -> None:
    page = desk.page
    page._say(Verdict("", "hint.degraded_other", retry=True))
    page.late.show()
    QApplication.processEvents()
    sentence = page.hint
    assert sentence.width() >= sentence.fontMetrics().horizontalAdvance(sentence.text())
    assert page.retry.geometry().left() - sentence.geometry().right() < 24
    assert page.late.geometry().left() - page.retry.geometry().right() < 24


def test_an_endless_word_is_cut_told_whole_in_the_tip_and_widens_nothing(desk: Desk) -> None:
    before = desk.window.sidebar.width()
    desk.search("a" * 3000)
    QApplication.processEvents()
    hint = desk.page.hint
    assert "…" in hint.text()
    assert "a" * (2 * LONGEST) in hint.toolTip()
    assert "a" * (2 * LONGEST) in hint.accessibleName()
    assert hint.heightForWidth(hint.width()) <= hint.height()
    assert desk.window.sidebar.width() == before


def test_sentences_in_either_language_stay_as_they_are(qtbot: QtBot) -> None:
    line = HintLine()
    qtbot.addWidget(line)
    for text in ("没有找到，" * 60, "No article was found. " * 10, "b" * LONGEST):
        line.say(text)
        assert (line.text(), line.toolTip()) == (text, "")
