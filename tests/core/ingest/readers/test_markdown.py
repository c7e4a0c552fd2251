"""Markdown articles as they are really written."""

from __future__ import annotations

import pytest

from core.ingest.readers.markdown import MarkdownReader, strip_markup
from core.ingest.unusable import NoArticle
from core.model import ArticleState, Record
from core.reasons import Reason


def read(text: str, name: str = "name.md") -> Record:
    (record,) = MarkdownReader().read(text.encode(), name)
    return record


def test_front_matter_is_read_in_both_list_styles() -> None:
    inline = read("---\ntitle: 标题\nkeywords: [VPN, 错误691]\ndomain: network\nupdated: 2025-04-02\n---\n正文")
    block = read("---\ntitle: 标题\nkeywords:\n- VPN\n- 错误691\ndomain: network\nms.date: 04/02/2025\n---\n正文")
    assert inline == block
    assert inline == Record("标题", "正文", keywords=("VPN", "错误691"), domain="network", updated="2025-04-02")


def test_values_stay_as_they_are_written() -> None:
    record = read("---\ntitle: 0x80070005\nkeywords: [0012, 1e3, yes, 2025-01-01]\n---\n正文")
    assert record.title == "0x80070005"
    assert record.keywords == ("0012", "1e3", "yes", "2025-01-01")


def test_a_key_that_stands_twice_is_no_fault() -> None:
    record = read("---\ntitle: 一\nms.date: 1/2/2019\nms.date: 3/4/2019\n---\n正文")
    assert (record.title, record.updated, record.notes) == ("一", "2019-03-04", ())


@pytest.mark.parametrize("front", ["title: [1\nx: y", "title： 全角 ms.date： 1\n- 9257", "- a\n- b", "a: &x [*x"])
def test_broken_front_matter_is_text_with_a_note(front: str) -> None:
    record = read(f"---\n{front}\n---\n# 真标题\n\n正文")
    assert record.title == "真标题"
    assert front in record.body and "正文" in record.body
    assert record.notes[0].code.startswith("front_matter_")


def test_without_a_closing_line_there_is_no_front_matter() -> None:
    record = read("---\ntitle: x\n\n# 标题\n正文")
    assert record.title == "标题" and "title: x" in record.body and not record.notes


def test_the_title_falls_back_to_the_first_h1_then_the_stem() -> None:
    assert read("## 二级\n# 一级\n正文").title == "一级"
    assert read("正文", "文件名..md").title == "文件名."
    assert read("```\n# code\n```\n正文", "stem.md").title == "stem"


def test_the_h1_stays_in_the_body() -> None:
    assert read("---\ntitle: T\n---\n# 一级\n正文").body == "# 一级\n正文"


def test_redirect_stubs_and_empty_bodies_are_skipped_with_the_reason() -> None:
    with pytest.raises(NoArticle, match="moved"):
        read("---\nredirect_url: other-article\nredirect_document_id: TRUE\n---\n")
    with pytest.raises(NoArticle, match="only_front_matter"):
        read("---\ntitle: T\n---\n<!-- only a comment -->\n")
    with pytest.raises(NoArticle, match="no_text"):
        read(" \n\t\n　\n")


def test_a_redirect_with_text_is_an_article() -> None:
    assert read("---\nredirect_url: x\n---\n正文").notes == (Reason.of("redirects", target="x"),)


def test_comments_and_anchors_go_and_code_stays() -> None:
    text = '# <a name="a-b"></a>标题<!-- x\ny -->\n<a name=z>\n```xml\n<!-- kept --><a name="k"></a>\n```\n<b>粗体</b>'
    assert strip_markup(text) == '# 标题\n\n```xml\n<!-- kept --><a name="k"></a>\n```\n<b>粗体</b>'


def test_markup_in_a_title_is_text() -> None:
    assert read('# <img src="http://127.0.0.1:9/t.png"> <b>粗体</b>\n正文').title.startswith("<img src=")


@pytest.mark.parametrize(
    ("written", "expected"),
    [("05/06/2019", "2019-05-06"), ("4/8/2021", "2021-04-08"), ("2025/4/2", "2025-04-02"),
     ("2025年4月2日", "2025-04-02"), ("2025-04-02T10:00:00Z", "2025-04-02"), ("20250402", "2025-04-02")],
)  # fmt: skip
def test_dates_become_iso(written: str, expected: str) -> None:
    record = read(f"---\ntitle: T\nms.date: {written}\n---\n正文")
    assert (record.updated, record.notes) == (expected, ())


@pytest.mark.parametrize("written", ["02/0s/2018", "6/242017", "13/45/2019", "2025-02-30"])
def test_impossible_dates_are_none_with_a_note(written: str) -> None:
    record = read(f"---\ntitle: T\nms.date: {written}\n---\n正文")
    assert record.updated is None
    assert record.notes == (Reason.of("date_unreadable", text=written),)


def test_states() -> None:
    record = read("---\ntitle: T\nstate: 草稿\nsuperseded_by: new.md\nreview_by: 2026-01-01\n---\n正文")
    assert (record.state, record.superseded_by, record.review_by) == (ArticleState.DRAFT, "new.md", "2026-01-01")
    assert read("---\nsuperseded_by: new.md\n---\n正文").state is ArticleState.SUPERSEDED
    odd = read("---\nstate: weird\n---\n正文")
    assert odd.state is ArticleState.CURRENT and odd.notes == (Reason.of("state_unknown", word="weird"),)
