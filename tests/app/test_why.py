"""Why this hit: on request, in words first, for any listed result; what the badge means for this very answer."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from app.i18n import Language
from app.why_dialog import WhyDialog
from app.why_text import as_text, badge_meaning, figures, parts, reason
from app.words import LANGUAGES, word
from core.explanation import Because, Cause, Explanation, Leg
from core.model import ArticleState
from tests.app.desk import Desk


def opened(desk: Desk) -> WhyDialog:
    desk.drain()
    dialog = desk.page.why.dialog
    assert dialog is not None
    return dialog


def said(dialog: WhyDialog) -> str:
    return "\n".join(label.text() for label in dialog.findChildren(QLabel))


def close(dialog: WhyDialog) -> None:
    dialog.shut.click()
    QApplication.sendPostedEvents(None, 52)  # deferred deletion
    QApplication.processEvents()


def test_the_button_explains_the_selected_result(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    assert desk.page.why.isVisible()
    desk.page.why.click()
    dialog = opened(desk)
    assert "接口报 ERR_TIMEOUT 的原因与处理" in said(dialog)
    assert word("why.declared_alone", "zh_CN", words="“ERR_TIMEOUT”") in said(dialog)
    assert word("because.only_one", "zh_CN", words="“ERR_TIMEOUT”") in said(dialog)
    close(dialog)
    assert desk.page.why.dialog is None


def test_any_listed_result_is_explained_from_the_keyboard(desk: Desk) -> None:
    desk.search("VPN 错误")
    assert len(desk.shown) > 1
    desk.page.results.setFocus()
    desk.page.results.setCurrentIndex(desk.page.model.index(1))
    desk.key(Qt.Key.Key_I, Qt.KeyboardModifier.ControlModifier)
    dialog = opened(desk)
    assert desk.shown[1] in said(dialog)
    assert word("why.place", "zh_CN", place="2") in said(dialog)
    close(dialog)


def test_a_result_offers_it_in_its_menu(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    texts = [action.text() for action in desk.page.results.actions()]
    assert word("why.ask_hit", "zh_CN") in texts
    assert desk.page.results.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu


def test_asking_why_is_no_lookup_and_opens_nothing(desk: Desk) -> None:
    desk.search("VPN 691")
    before = desk.rows(), desk.held(), desk.events()
    desk.page.why.click()
    close(opened(desk))
    assert (desk.rows(), desk.held(), desk.events()) == before


def test_what_the_session_has_read_is_said(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.page.pane.copy(with_source=False)
    desk.drain()
    desk.search("VPN 691")
    desk.page.why.click()
    dialog = opened(desk)
    assert "VPN 691" in dialog.text()
    assert word("why.with_care", "zh_CN") in said(dialog)
    close(dialog)


def test_there_is_nothing_to_ask_about_an_earlier_text(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    desk.type("X")
    assert not desk.page.why.isVisible()
    assert not desk.page.why.action.isEnabled()
    desk.box.clear()
    assert not desk.page.why.isVisible()


def test_it_is_copied_as_one_text(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    desk.page.why.click()
    dialog = opened(desk)
    dialog.copy.click()
    copied = QApplication.clipboard().text()
    assert copied == dialog.text()
    assert copied.startswith("接口报 ERR_TIMEOUT 的原因与处理\napi/err-timeout.md\n")
    assert word("why.similarity", "zh_CN") in copied
    close(dialog)


def test_a_live_switch_redraws_it(desk: Desk) -> None:
    desk.search("VPN 691")
    desk.page.why.click()
    dialog = opened(desk)
    desk.language.set_code("en")
    assert dialog.windowTitle() == word("why.title", "en")
    assert word("why.how", "en") in said(dialog)
    assert word("why.how", "zh_CN") not in said(dialog)
    close(dialog)


def test_foreign_text_stays_letters(desk: Desk) -> None:
    desk.search("TAG-34 <b>x</b>")
    desk.page.why.click()
    dialog = opened(desk)
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in dialog.findChildren(QLabel) if label.text())
    assert "标题 <b>粗</b> TAG-34" in said(dialog)
    close(dialog)


# ------------------------------------------------------------------ the badge
@pytest.mark.parametrize(
    ("query", "name"),
    [("ERR_TIMEOUT", "because.only_one"), ("VPN 0x80004005", "because.other_code"), ("zzqx", "because.no_words_held")],
)
def test_hovering_the_badge_explains_it(desk: Desk, query: str, name: str) -> None:
    desk.search(query)
    told = desk.page.badge.accessibleDescription()
    level = word(f"level.{desk.level}", "zh_CN")
    subject = query.rpartition(" ")[2]
    assert told == word("badge.means", "zh_CN", level=level, reason=word(name, "zh_CN", words=f"“{subject}”"))
    assert told in desk.page.badge.toolTip()


def test_a_seen_answer_says_so_in_its_badge(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    desk.page.pane.copy(with_source=False)
    desk.drain()
    desk.search("ERR_TIMEOUT")
    told = desk.page.badge.accessibleDescription()
    assert told.startswith(word("level.PRECISE", "zh_CN"))
    assert told.endswith(word("badge.seen", "zh_CN", told=""))


def test_the_badge_follows_the_language(desk: Desk) -> None:
    desk.search("ERR_TIMEOUT")
    desk.language.set_code("en")
    assert desk.page.badge.accessibleDescription().startswith('Exact: only this article holds "ERR_TIMEOUT"')


# ------------------------------------------------------------------ the words
def explanation(**changes: object) -> Explanation:
    values: dict[str, object] = {
        "doc_key": "a.md",
        "title": "A",
        "place": 1,
        "level": None,
        "because": Because(Cause.FAR),
        "state": ArticleState.CURRENT,
        "review_by": None,
        "terms": (),
        "selected": False,
        "lexical": Leg(1, 2),
        "semantic": Leg(None, 2),
        "words": (),
        "rewrite": None,
        "replaces": (),
        "figures": {"similarity": 0.5, "own_figure": 1.0},
        "profile": "hashed",
        "calibrated": False,
    }
    return Explanation(**(values | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("cause", list(Cause))
def test_every_cause_has_a_sentence(language: str, cause: Cause) -> None:
    states = [state for state in ArticleState if state is not ArticleState.CURRENT]
    for state in states if cause is Cause.NOT_CURRENT else [ArticleState.CURRENT]:
        told = reason(Because(cause, ("691",), state), Language(language))
        assert told
        assert "{" not in told


def test_long_and_many_words_are_cut() -> None:
    told = reason(Because(Cause.LACKS_WORDS, ("长" * 500, *"abcdef")), Language())
    assert len(told) < 150
    assert "…" in told


@pytest.mark.parametrize("kind", ["taiwan", "synonyms", "part", "identifier", "of a later day"])
def test_every_rewriting_has_words(kind: str) -> None:
    told = as_text(explanation(rewrite=(kind, "打印机 脱机")), Language())
    assert "“打印机 脱机”" in told


def test_a_missing_leg_did_not_find_nothing() -> None:
    (how, *_) = parts(explanation(missing_legs=("vector",), semantic=Leg(None, 0)), Language())
    assert word("why.semantic_off", "zh_CN") in how.lines
    assert word("why.semantic_not", "zh_CN") not in how.lines


def test_a_figure_of_a_later_profile_is_shown_under_its_own_name() -> None:
    rows = dict(figures(explanation(), Language()))
    assert rows["own_figure"] == "1.0000"
    assert rows[word("why.profile", "zh_CN")] == word("why.uncalibrated", "zh_CN", profile="hashed")


def test_the_state_says_since_when() -> None:
    told = as_text(explanation(state=ArticleState.EXPIRED, review_by="2025-03-01"), Language())
    assert "已过复核期 2025-03-01" in told


def test_without_an_answer_a_badge_means_nothing(desk: Desk) -> None:
    assert badge_meaning(desk.page._verdict, None, desk.language) == ""
