"""Held codes that are easily taken for one that is not held: which are near, and where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.engine import Engine
from core.identifiers import identifier_key
from core.model import Answer
from core.neighbours import MOST, closest, code_of, differing


@pytest.mark.parametrize(
    ("asked", "held", "expected"),
    [
        # one digit, two digits, then the same series
        ("0x80004005", ["0x8004010f", "0x80070005", "0x80004004"], ["0x80004004", "0x80070005", "0x8004010f"]),
        ("0x80004005", ["0xc0000005", "0x1f", "80004005x"], ["0xc0000005"]),
        ("0x80004005", ["0x11b", "0xdeadbeef"], []),
        ("80070006", ["0x80070005"], ["0x80070005"]),
        ("720", ["721", "729", "620", "7200", "072"], ["721", "729", "620"]),
        ("720", ["691", "445"], []),
        ("err_timeot", ["errtimeout", "errrefused"], ["errtimeout"]),
        ("ppr9087", ["ppr9088", "ppr9187", "ppr1234", "ppx9087"], ["ppr9088", "ppr9187"]),
        ("e12", ["e13", "e99"], ["e13"]),
        ("ab", ["ac"], []),
        # two neighbouring characters swapped are one difference
        ("619", ["691", "169"], ["691", "169"]),
        ("err_tmieout", ["errtimeout"], ["errtimeout"]),
    ],
)
def test_near_are_codes_of_the_same_kind_that_hardly_differ(asked: str, held: list[str], expected: list[str]) -> None:
    assert closest(identifier_key(asked), held) == expected


def test_one_code_in_two_spellings_is_one_neighbour() -> None:
    assert closest("0x11c", ["0x11b", "0x0000011b", "11b"]) == ["0x0000011b"]


KEYS = st.from_regex(r"[a-z0-9]{1,9}", fullmatch=True)


@given(KEYS, st.lists(KEYS))
def test_never_the_code_itself_nor_more_than_can_be_read(asked: str, held: list[str]) -> None:
    found = closest(asked, [*held, asked])
    assert asked not in found
    assert len(found) <= MOST
    assert set(found) <= set(held)
    assert len(set(found)) == len(found)


def marked(asked: str, written: str) -> str:
    for span in reversed(differing(asked, written)):
        written = f"{written[: span.start]}[{written[span.start : span.end]}]{written[span.end :]}"
    return written


@pytest.mark.parametrize(
    ("asked", "written", "expected"),
    [
        ("0x80004005", "0x80070005", "0x800[70]005"),
        ("0x11c", "0x0000011B", "0x0000011[B]"),
        ("80070006", "0x80070005", "0x8007000[5]"),
        ("0x80070006", "80070005", "8007000[5]"),
        ("720", "721", "72[1]"),
        ("err_timeot", "ERR_TIMEOUT", "ERR_TIMEO[U]T"),
        ("err-timeouts", "ERR_TIMEOUT", "ERR_TIMEOU[T]"),
        ("ppr 9087", "PPR-9187", "PPR-9[1]87"),
    ],
)
def test_what_differs_is_marked_and_nothing_else(asked: str, written: str, expected: str) -> None:
    assert marked(asked, written) == expected


@example("0", "-")  # nothing but a separator
@given(st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True), st.from_regex(r"[A-Za-z0-9_-]{1,12}", fullmatch=True))
def test_marks_lie_inside_in_order_and_apart(asked: str, written: str) -> None:
    spans = differing(asked, written)
    edges = [edge for span in spans for edge in (span.start, span.end)]
    assert edges == sorted(set(edges))
    assert all(0 <= edge <= len(written) for edge in edges)


def test_an_article_names_the_code_it_is_about() -> None:
    assert code_of("VPN 错误 691：密码被拒绝", (), ["720"]) == "691"
    assert code_of("VPN 错误 691：密码被拒绝", (), ["0x80004005"]) == ""  # another kind: nobody mixes them up
    assert code_of("VPN 错误 691：密码被拒绝", (), []) == ""
    assert code_of("VPN 连不上", ("错误 789",), ["720"]) == "789"


# ------------------------------------------------------------- in a knowledge base

ARTICLES = {
    "denied.md": ("错误 0x80070005：拒绝访问", "以管理员身份运行。"),
    "mail.md": ("Outlook 打不开", "日志里有 0x8004010F。"),
    "vpn-691.md": ("VPN 错误 691：密码被拒绝", "核对密码。"),
    "numbers.md": ("机房巡检", "共 721 台，另见错误 729。"),
    "timeout.md": ("接口报 ERR_TIMEOUT", "查链路。"),
    "server.md": ("升级到 Windows Server 2019", "先备份。"),
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder: Path = tmp_path_factory.mktemp("base")
    (folder / "kb").mkdir()
    for name, (title, body) in ARTICLES.items():
        (folder / "kb" / name).write_text(f"---\ntitle: {title}\n---\n\n{body}\n", encoding="utf-8")
    opened = Engine.open(folder / "data")
    opened.remove_starter()
    opened.ingest([folder / "kb"])
    yield opened
    opened.close()


def near(answer: Answer) -> list[tuple[str, str]]:
    return [(one.code, one.doc_key) for one in answer.neighbours]


def test_held_codes_come_with_their_articles_as_they_write_them(engine: Engine) -> None:
    answer = engine.preview("0x80004005")
    assert near(answer) == [("0x80070005", "denied.md"), ("0x8004010F", "mail.md")]
    assert {one.asked for one in answer.neighbours} == {"0x80004005"}
    assert near(engine.preview("err_timeot")) == [("ERR_TIMEOUT", "timeout.md")]


def test_a_number_is_near_only_where_it_is_a_code(engine: Engine) -> None:
    assert near(engine.preview("VPN 错误 720")) == [("729", "numbers.md")]  # not the 721 machines
    assert near(engine.preview("错误 2016")) == []  # a year is no neighbour of a year


def test_a_held_code_has_no_neighbours(engine: Engine) -> None:
    assert near(engine.preview("0x80070005")) == []
    assert near(engine.preview("VPN 691")) == []


def test_the_message_names_what_is_near_and_where_nothing_is_does_not(engine: Engine) -> None:
    assert "0x80070005" in engine.preview("0x80004005").result.message
    assert engine.preview("QQQ-77731").result.message == "没有收录 QQQ-77731。"


def test_results_say_which_other_code_they_are_about(engine: Engine) -> None:
    hits = {hit.doc_key: hit.other_code for hit in engine.preview("VPN 690").hits}
    assert hits["vpn-691.md"] == "691"
    assert all(hit.other_code == "" for hit in engine.preview("VPN 691").hits)
