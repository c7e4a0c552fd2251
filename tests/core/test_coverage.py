"""What of a question an article holds (contract §4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.coverage import Coverage, Section, coverage_of, title_asked
from core.lexicon import Lexicon
from core.query import read_query

LEXICON = Lexicon.load()


def covered(query: str, head: str, *sections: str) -> Coverage:
    lexicon = Lexicon.load()
    parts = [Section("", section) for section in sections]
    return coverage_of([read_query(query, lexicon)], head, parts, lexicon, lambda word: 1.0)


def test_words_are_present_in_one_section_with_title_and_keywords() -> None:
    assert covered("卡纸 碳粉", "卡纸", "换碳粉").missing == ()
    assert covered("卡纸 碳粉 硒鼓", "", "卡纸 碳粉", "硒鼓").missing == ("硒鼓",)
    assert covered("卡纸 碳粉 硒鼓", "", "卡纸 碳粉", "硒鼓").share == pytest.approx(2 / 3)


def test_a_listed_synonym_counts_and_a_code_counts_only_whole() -> None:
    assert covered("密码", "", "口令错误").missing == ()
    assert covered("691", "", "代码 6910").missing == ("691",)
    assert covered("ppr-9087", "", "见 ppr9087").missing == ()


def test_complaints_never_have_to_stand_in_an_article() -> None:
    assert covered("卡纸怎么办", "", "卡纸").missing == ()


def test_of_a_long_word_that_no_article_holds_the_parts_count_and_it_is_still_missing() -> None:
    lexicon = Lexicon.load()
    query = read_query("计算机科学 配置", lexicon)
    long_words = [word for word in query.informative if len(word) > 2]
    sections = [Section("", "计算机的配置")]
    held = coverage_of([query], "", sections, lexicon, lambda word: 1.0, known=lambda word: word not in long_words)
    as_a_whole = coverage_of([query], "", sections, lexicon, lambda word: 1.0, known=lambda word: True)
    assert long_words
    assert as_a_whole.share < held.share < 1
    assert held.missing == as_a_whole.missing == tuple(long_words)


def test_the_reading_that_is_held_best_counts() -> None:
    lexicon = Lexicon.load()
    taiwan, mainland = read_query("网路 印表机", lexicon), read_query("网络 打印机", lexicon)
    sections = [Section("", "网络打印机脱机")]
    both = coverage_of([taiwan, mainland], "", sections, lexicon, lambda word: 1.0)
    assert both == coverage_of([mainland], "", sections, lexicon, lambda word: 1.0)
    assert both.share == 1.0
    assert both.held == pytest.approx(len(mainland.informative))


def test_a_title_is_asked_for_by_the_share_of_what_it_tells() -> None:
    lexicon = Lexicon.load()
    query = read_query("vpn 证书", lexicon)

    def information(word: str) -> float:
        return {"vpn": 1.0, "证书": 2.0, "更新": 3.0}[word]

    assert title_asked(("vpn", "证书"), [query], lexicon, information) == 1.0
    assert title_asked(("vpn", "证书", "更新"), [query], lexicon, information) == pytest.approx(0.5)
    assert title_asked((), [query], lexicon, information) == 0.0


@given(st.lists(st.floats(0.01, 12), min_size=8, max_size=8))
def test_all_held_is_exactly_one_whatever_the_rounding(weights: list[float]) -> None:
    """So that of two readings that are both held the first counts, in every process."""
    query = read_query("卡纸 碳粉 硒鼓 路由 网关 证书 域名 端口", LEXICON)
    by_word = dict(zip(query.informative, weights, strict=True))
    held = coverage_of([query], " ".join(by_word), [], LEXICON, by_word.__getitem__)
    assert held.share == 1.0
