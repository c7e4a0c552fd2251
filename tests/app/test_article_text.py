"""An article's body as blocks: every letter keeps its place, markup is read safely, nothing is taken as HTML."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.answer_text import answer_text
from app.article_text import LONGEST_BLOCK, Block, blocks, is_markdown
from core.model import Article, ArticleState

MARKUP = st.text(alphabet=list("# *`|-_[]()!>\\~1.\n\t 步骤ab<é😀\u2028"), max_size=200)


def article(body: str, title: str = "标题", key: str = "a/b.md") -> Article:
    return Article(1, key, title, "d", body, (), "2025-01-02", ArticleState.CURRENT, None, None, "", "")


def texts(body: str) -> list[tuple[str, str]]:
    return [(block.kind, "".join(run.text for run in block.runs)) for block in blocks(body)]


def runs_of(block: Block) -> list[object]:
    return [*block.runs, *(run for cell in block.cells for run in cell)]


@given(MARKUP, st.booleans())
def test_every_run_stands_where_it_says_and_in_order(body: str, markdown: bool) -> None:
    last = 0
    for block in blocks(body, markdown=markdown):
        for run in runs_of(block):
            if run.start >= 0:
                assert body[run.start : run.start + len(run.text)] == run.text
                assert run.start >= last
                last = run.start


@given(MARKUP)
def test_plain_text_loses_no_visible_letter(body: str) -> None:
    shown = "".join(run.text for block in blocks(body, markdown=False) for run in block.runs)
    assert [c for c in shown if not c.isspace()] == [c for c in body if not c.isspace()]


@given(MARKUP)
def test_markdown_loses_no_word(body: str) -> None:
    shown = "".join(run.text for block in blocks(body) for run in runs_of(block))
    for letter in "步骤aé😀<":
        # addresses in brackets and the word behind a fence are markup; all else stays
        if "](" not in body and "`" not in body and "~" not in body:
            assert shown.count(letter) == body.count(letter)


def test_headings_lists_and_code_are_told_apart() -> None:
    body = "# 标题 #\n\n一段\n接着\n\n1. 第一步\n   还有\n2. `ipconfig`\n\n```\nping  x\n\ny\n```\n- 点\n> 引\n---\n"
    assert texts(body) == [
        ("heading", "标题"),
        ("paragraph", "一段接着"),
        ("item", "1.\t第一步还有"),
        ("item", "2.\tipconfig"),
        ("code", "ping  x\n\ny"),
        ("item", "•\t点"),
        ("quote", "引"),
        ("rule", ""),
    ]


def test_lines_of_latin_words_are_joined_with_a_blank() -> None:
    assert texts("one\ntwo 三\n四") == [("paragraph", "one two 三四")]


def test_tags_stay_letters() -> None:
    assert texts("<b>粗</b> <img src='http://127.0.0.1/x'>") == [
        ("paragraph", "<b>粗</b> <img src='http://127.0.0.1/x'>")
    ]


def test_a_link_shows_its_words_and_a_picture_its_name() -> None:
    (block,) = blocks("看 [官网](http://example.com/a_b) 和 ![截图](file:///etc/passwd)")
    assert [(run.text, run.style) for run in block.runs if run.style != "plain"] == [
        ("官网", "link"),
        ("▣ ", "picture"),
        ("截图", "picture"),
    ]
    assert "passwd" not in "".join(run.text for run in block.runs)


def test_paths_and_wildcards_keep_their_backslashes_and_stars() -> None:
    for body in (r"C:\Windows\*.dmp", r"\\server\share", "2 * 3 * 4", "snake_case_name", "*#06#", "a*b*c"):
        assert texts(body) == [("paragraph", body)]


def test_a_table_row_has_cells() -> None:
    rows = blocks("| 代码 | 含义 |\n|---|:-:|\n| 691 | a \\| b |\n")
    assert [["".join(run.text for run in cell) for cell in row.cells] for row in rows] == [
        ["代码", "含义"],
        ["691", "a | b"],
    ]


def test_one_endless_line_becomes_blocks_that_a_layout_can_take() -> None:
    found = blocks("好" * 250_000)
    assert max(block.length for block in found) <= LONGEST_BLOCK
    assert sum(block.length for block in found) == 250_000


def test_text_files_are_not_markdown() -> None:
    assert is_markdown("a/b.md")
    assert is_markdown("a.csv#12")
    assert not is_markdown("a/B.TXT")


# ------------------------------------------------------------------------ what copying hands over
def test_copying_hands_over_the_title_and_the_steps_without_a_path() -> None:
    body = "## 现象\n\n1. 甲\n2. 乙\n\n## 解决步骤\n\n1. 重启\n2. 运行：\n\n"
    body += "   ```\n   sfc /scannow\n   ```\n\n3. 再试\n\n完"
    assert answer_text(article(body)) == "标题\n1. 重启\n2. 运行：\n   sfc /scannow\n3. 再试"


def test_without_a_heading_the_first_numbered_list_is_the_steps() -> None:
    assert answer_text(article("说明\n\n1. 甲\n   - 细\n2. 乙\n\n尾")) == "标题\n1. 甲\n  • 细\n2. 乙"


def test_without_steps_the_section_of_the_passage_is_handed_over() -> None:
    body = "# 标题\n\n前言\n\n## 一\n\n甲甲\n\n## 二\n\n乙乙\n"
    assert answer_text(article(body), passage_start=body.index("乙")) == "标题\n乙乙"


def test_a_table_is_handed_over_row_by_row() -> None:
    assert answer_text(article("|a|b|\n|-|-|\n|1|2|\n")) == "标题\na | b\n1 | 2"


@given(MARKUP)
def test_copying_never_fails_and_never_holds_the_path(body: str) -> None:
    assert "secret/path" not in answer_text(article(body, key="secret/path.md"), passage_start=len(body) // 2)
