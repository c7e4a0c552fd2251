"""Which runs of characters are codes, and when two of them are the same (contract §4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.identifiers import article_terms, find_identifiers, hexadecimal_aliases, identifier_key, neighbour_joins
from core.text import fold


def codes(text: str) -> list[str]:
    return [identifier.text for identifier in find_identifiers(fold(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("VPN 691 连不上", ["691"]),
        ("PPR-9087、KB5005565 与 dev_12", ["ppr-9087", "kb5005565", "dev_12"]),
        ("10.69.1.254 v2.1.10 5.7.750", ["10.69.1.254", "v2.1.10", "5.7.750"]),
        ("ERR_TIMEOUT `0x80070005` **E-0012**，", ["err_timeout", "0x80070005", "e-0012"]),
        ("拨 *#06# 查看", ["*#06#"]),
        ("error:691 与 错误码：720", ["691", "720"]),
        ("ＰＰＲ－９０８７", ["ppr-9087"]),
    ],
)
def test_what_is_a_code(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "打印机",
        "wi-fi",
        "a-b-c",
        "12",
        "2025-04-02",
        "05/06/2019",
        "10:42",
        "30000ms",
        "500 MB",
        "5 分钟",
        "300秒",
        "___",
        "café691",
    ],
)
def test_what_is_none(text: str) -> None:
    assert codes(text) == []


def test_dash_underscore_blank_and_nothing_are_alike_but_zeros_and_length_count() -> None:
    assert {identifier_key(text) for text in ("e-0012", "e_0012", "e 0012", "e0012")} == {"e0012"}
    assert len({identifier_key(text) for text in ("e-0012", "e-012", "e-00120")}) == 3


@pytest.mark.parametrize(
    ("code", "aliases"),
    [
        ("0x0000011b", {"0x11b", "0000011b", "11b"}),
        ("0x80070005", {"80070005"}),
        ("0x00001234", {"0x1234", "00001234"}),
        ("0x12", set()),
        ("80070005", set()),
    ],
)
def test_hexadecimal_forms(code: str, aliases: set[str]) -> None:
    assert set(hexadecimal_aliases(code)) == aliases


def test_neighbouring_words_are_tried_as_one_the_longest_first() -> None:
    joins = [join.text for join in neighbour_joins("err timeout e 0012 x y")]
    assert joins[0] == "err timeout e 0012"
    assert {"err timeout", "e 0012"} <= set(joins)
    assert max(len(join.split()) for join in joins) == 4


def test_pieces_of_dates_and_bare_numbers_are_no_joins() -> None:
    assert [join.text for join in neighbour_joins("2025-04-02 300")] == []


def kinds(terms: list[object], term: str) -> set[str]:
    return {found.kind for found in terms if found.term == term}  # type: ignore[attr-defined]


def test_an_article_declares_by_title_and_keywords_and_mentions_in_its_body() -> None:
    terms = article_terms("VPN 报错 720", ["UDP 500", "445 端口", "错误 691", "打印机"], "见 PPR-9087。")
    assert kinds(terms, "vpn报错720") == {"declared"}
    assert kinds(terms, "720") == {"declared"}
    assert kinds(terms, "udp500") == {"declared"}
    assert kinds(terms, "500") == {"mentioned"}
    assert kinds(terms, "445端口") == {"declared"}
    assert kinds(terms, "445") == {"mentioned"}
    assert kinds(terms, "691") == {"declared"}
    assert kinds(terms, "打印机") == {"declared"}
    assert kinds(terms, "ppr9087") == {"mentioned"}
    assert kinds(terms, "9087") == {"part"}


@given(st.text(max_size=60))
def test_a_code_stands_where_it_says(text: str) -> None:
    folded = fold(text)
    for identifier in find_identifiers(folded):
        assert folded[identifier.start : identifier.end] == identifier.text
