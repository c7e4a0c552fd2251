"""Articles that are not current are marked in the list, above their text and for screen readers."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFrame, QLabel

from app.article_state import state_mark, state_sentence
from app.i18n import Language
from app.words import LANGUAGES
from core.model import ArticleState
from tests.app.desk import Desk

ARTICLES = {
    "late.md": "title: TAG-55 门禁卡补办\nkeywords: [TAG-55]\nreview_by: 2020-01-31",
    "old.md": "title: OLD-97 旧的登记流程\nkeywords: [OLD-97]\nsuperseded_by: new.md",
    "new.md": "title: NEW-98 新的登记流程\nkeywords: [NEW-98]",
    "gone.md": "title: GONE-77 停用的流程\nkeywords: [GONE-77]\nstate: superseded",
    "draft.md": "title: DRAFT-66 投影仪草稿\nkeywords: [DRAFT-66]\nstate: draft",
    "due.md": "title: DUE-44 永远有效\nkeywords: [DUE-44]\nreview_by: 9999-12-31",
}


@pytest.fixture
def stated(desk: Desk, tmp_path: Path) -> Desk:
    """The window with articles in all states."""
    folder = tmp_path / "states"
    folder.mkdir()
    for name, head in ARTICLES.items():
        (folder / name).write_text(f"---\n{head}\n---\n\n按流程登记后处理。\n", encoding="utf-8")
    desk.window.start_import([folder])
    desk.drain()
    return desk


def banner(desk: Desk) -> tuple[bool, str]:
    frame = desk.window.findChild(QFrame, "articleState")
    assert isinstance(frame, QFrame)
    return frame.isVisible(), frame.findChildren(QLabel)[0].text()


@pytest.mark.parametrize(
    ("query", "key", "mark", "sentence"),
    [
        ("TAG-55", "late.md", "已过复核期 2020-01-31", "已过复核期 2020-01-31：照做前先核实"),
        ("DRAFT-66", "draft.md", "草稿", "草稿：照做前先核实"),
        ("GONE-77", "gone.md", "已被取代", "这篇已被取代，但没有写明新的是哪一篇；照做前先核实"),
    ],
)
def test_list_pane_and_screen_reader_say_it(stated: Desk, query: str, key: str, mark: str, sentence: str) -> None:
    stated.search(query)
    assert (stated.level, stated.in_pane) == ("REFERENCE", key)
    index = stated.page.model.index(0)
    assert mark in index.data(Qt.ItemDataRole.AccessibleTextRole)
    hit = stated.page.model.hit(0)
    assert hit is not None
    assert stated.page.delegate._pills(hit)[0] == (mark, "REFERENCE")
    assert banner(stated) == (True, sentence)


def test_a_current_article_has_no_mark(stated: Desk) -> None:
    stated.search("DUE-44")
    assert (stated.level, stated.in_pane) == ("PRECISE", "due.md")
    assert not banner(stated)[0]
    hit = stated.page.model.hit(0)
    assert hit is not None
    assert stated.page.delegate._pills(hit) == []


def test_what_was_replaced_stands_below_its_successor_and_names_it(stated: Desk) -> None:
    stated.search("登记流程")
    assert stated.shown.index("new.md") < stated.shown.index("old.md")
    row = stated.shown.index("old.md")
    stated.page._open(stated.page.model.index(row))
    stated.drain()
    assert banner(stated) == (True, "这篇已被《NEW-98 新的登记流程》取代")
    assert stated.page.pane._successor.isVisible()
    stated.page.pane._successor.click()
    stated.drain()
    assert stated.in_pane == "new.md"
    assert not banner(stated)[0]


def test_the_code_of_what_was_replaced_leads_to_the_successor_which_says_so(stated: Desk) -> None:
    stated.search("OLD-97")
    assert stated.shown[:2] == ["new.md", "old.md"]
    assert stated.in_pane == "new.md"
    assert stated.page.hint.text() == "这篇取代了下面的《OLD-97 旧的登记流程》"
    assert not banner(stated)[0]


def test_the_banner_follows_the_language(stated: Desk) -> None:
    stated.search("TAG-55")
    stated.language.set_code("en")
    assert banner(stated) == (True, "Past its review date 2020-01-31: check before you follow it")


def test_the_banner_is_amber_in_both_themes(stated: Desk) -> None:
    stated.search("TAG-55")
    frame = stated.window.findChild(QFrame, "articleState")
    assert isinstance(frame, QFrame)
    grounds = set()
    for mode in ("light", "dark"):
        stated.theme.set_mode(mode)
        QApplication.processEvents()
        colour = frame.grab().toImage().pixelColor(frame.width() // 2, 3)
        grounds.add(colour.name())
        assert colour.red() > colour.blue()
    stated.theme.set_mode("light")
    assert len(grounds) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", list(ArticleState))
@pytest.mark.parametrize("review_by", [None, "2025-03-01"])
def test_every_state_but_current_has_mark_and_sentence(
    language: str, state: ArticleState, review_by: str | None
) -> None:
    say, current = Language(language), state is ArticleState.CURRENT
    assert bool(state_mark(state, review_by, say)) is not current
    assert bool(state_sentence(state, review_by, "", say)) is not current
