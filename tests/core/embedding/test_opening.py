"""What a small model reads of an article."""

from __future__ import annotations

from core.embedding.opening import opening_of, title_of


def test_the_title_stands_alone_and_the_text_behind_it_without_marks() -> None:
    body = "# 打印机脱机\n\n1. **重启** [打印服务](http://x.example/a)\n\n```\nnet stop spooler\n```\n"
    assert opening_of("打印机脱机", body).splitlines()[0] == "打印机脱机"
    assert "重启 打印服务" in opening_of("打印机脱机", body)
    assert not set("*[]#`").intersection(opening_of("打印机脱机", body))


def test_a_han_character_counts_four_letters() -> None:
    assert opening_of("", "字" * 500, size=40) == "\n" + "字" * 10
    assert opening_of("", "ab " * 500, size=40).strip() == ("ab " * 14)[:40].strip()


def test_an_article_without_a_title_begins_with_its_text_in_the_second_line() -> None:
    assert title_of(opening_of("打印机", "脱机")) == "打印机"
    assert title_of(opening_of("打印机", "")) == "打印机"
    assert title_of(opening_of("", "脱机")) == ""
    assert opening_of("", "脱机").strip() == "脱机"


def test_what_stands_far_behind_in_a_huge_body_changes_nothing() -> None:
    beginning = "重启打印服务。" * 10_000
    assert opening_of("打印机", beginning + "[" * 1000) == opening_of("打印机", beginning)
