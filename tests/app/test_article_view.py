"""The article's text area: marks stand on their letters, nothing is fetched, other colours draw it again."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.article_text import blocks
from app.article_view import MOST_MARKS, ArticleText
from app.theme import Theme
from core.model import Article, ArticleState, Span

LETTERS = st.text(alphabet=list("# *`|-_[]()>1.\n 连接ab😀é\t"), max_size=120)


@pytest.fixture
def view(qtbot: QtBot) -> ArticleText:
    made = ArticleText()
    qtbot.addWidget(made)
    made.resize(400, 300)
    return made


def article(body: str, title: str = "题") -> Article:
    return Article(1, "a.md", title, "d", body, (), None, ArticleState.CURRENT, None, None, "", "")


def show(view: ArticleText, body: str, marks: tuple[Span, ...] = (), place: int = 0, title: str = "题") -> None:
    view.show_article(article(body, title), blocks(body), marks, place)
    while not view.complete:
        QApplication.processEvents()


def drawn(view: ArticleText, start: int, end: int) -> str:
    cursor = QTextCursor(view.document())
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText().replace("\u2028", "\n")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=LETTERS, start=st.integers(0, 120), length=st.integers(1, 20))
def test_a_mark_covers_letters_that_it_covers_in_the_body(
    view: ArticleText, body: str, start: int, length: int
) -> None:
    mark = Span(min(start, len(body)), min(start + length, len(body)))
    show(view, body, (mark,))
    shown = "".join(drawn(view, *place) for place in view.mark_ranges)
    letters = iter(body[mark.start : mark.end])
    assert all(any(letter == other for other in letters) for letter in shown)


def test_marks_after_an_emoji_a_table_and_a_code_block_stand_right(view: ArticleText) -> None:
    body = "😀 前\n\n| a | 标记 |\n|---|---|\n| 1 | 标记 |\n\n```\nx 标记\n```\n\n1. **标记** 后\n"
    places = [i for i in range(len(body)) if body.startswith("标记", i)]
    show(view, body, tuple(Span(place, place + 2) for place in places))
    assert [drawn(view, *place) for place in view.mark_ranges] == ["标记"] * 4


def test_a_heading_that_repeats_the_title_is_not_drawn_twice(view: ArticleText) -> None:
    show(view, "# 题\n\n正文", title="题")
    assert view.toPlainText() == "正文"


def test_nothing_that_a_text_names_is_fetched(view: ArticleText) -> None:
    """Case 34."""
    for name in ("http://127.0.0.1:9/x.png", "file:///etc/passwd", "qrc:/x"):
        for kind in (QTextDocument.ResourceType.ImageResource, QTextDocument.ResourceType.StyleSheetResource):
            assert view.loadResource(kind.value, QUrl(name)) is None
    show(view, "![x](http://127.0.0.1:9/x.png) [y](file:///etc/passwd) <img src=z>")
    assert view.toPlainText() == "▣ x y <img src=z>"
    assert '<img src="http' not in view.toHtml()
    assert "href" not in view.toHtml()
    assert not view.openLinks()


def test_stepping_goes_round_both_ways(view: ArticleText) -> None:
    show(view, "甲 一 甲 二 甲", (Span(0, 1), Span(4, 5), Span(8, 9)))
    heard: list[tuple[int, int]] = []
    view.marks_changed.connect(lambda at, count: heard.append((at, count)))
    for by in (1, 1, 1, -1):
        view.step_mark(by)
    assert [at for at, _ in heard] == [1, 2, 0, 2]
    assert view.textCursor().position() == view.mark_ranges[2][0]


def test_finding_replaces_the_marks_and_gives_them_back(view: ArticleText) -> None:
    show(view, "VPN 与 vpn 与打印机", (Span(8, 11),))
    assert view.find_text("VPN") == 2
    assert view.find_text("没有") == 0
    view.find_text("")
    assert len(view.mark_ranges) == 1


def test_too_many_marks_limit_the_marks_and_not_the_text(view: ArticleText) -> None:
    body = "甲 " * (MOST_MARKS + 500)
    show(view, body, tuple(Span(place, place + 1) for place in range(0, len(body), 2)))
    assert view.toPlainText().count("甲") == MOST_MARKS + 500
    assert len(view.mark_ranges) == MOST_MARKS


def test_other_colours_draw_the_same_text_at_the_same_place(view: ArticleText, qapp: QApplication) -> None:
    theme = Theme(qapp, "light")
    try:
        view.show()
        show(view, "\n\n".join(f"第 {n} 段 `x`" for n in range(200)))
        view.verticalScrollBar().setValue(500)
        before = view.toPlainText()
        theme.set_mode("dark")
        QApplication.processEvents()
        while not view.complete:
            QApplication.processEvents()
        assert view.toPlainText() == before
        assert view.verticalScrollBar().value() == 500
    finally:
        theme.set_mode("system")


def test_it_is_read_only_and_gives_the_tab_key_away(view: ArticleText) -> None:
    assert view.isReadOnly()
    assert view.tabChangesFocus()
    assert view.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByKeyboard
