"""Marks: where a query stands in a text, whole words before their parts."""

from __future__ import annotations

import pytest

from core.text import spans_of


def marked(text: str, *terms: str) -> list[str]:
    return [text[span.start : span.end] for span in spans_of(text, terms)]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("数据库连接池的配置", ["数据库连接池", "配置"]),
        ("HikariCP 连接池参数配置", ["连接池", "配置"]),
        ("获取不到數據庫連接", ["數據庫連接"]),
        ("数据的配置", ["数据", "配置"]),
        ("与此无关", []),
    ],
)
def test_parts_of_a_long_word_are_marked_where_it_does_not_stand_as_a_whole(text: str, marks: list[str]) -> None:
    assert marked(text, "数据库连接池", "配置") == marks


def test_where_the_whole_word_stands_its_parts_elsewhere_are_not_marked() -> None:
    assert marked("连接池：数据库连接池，数据", "数据库连接池") == ["数据库连接池"]


def test_short_words_and_codes_have_no_parts() -> None:
    assert marked("配送 err_time timeout 印刷机", "配置", "err_timeout") == []
