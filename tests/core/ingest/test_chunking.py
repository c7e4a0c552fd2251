"""Chunks stand exactly where they say, hold everything, and take bounded time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.errors import Cancelled
from core.ingest.chunking import readable, simple_split, split
from core.ingest.headings import headings, path_at

PIECES = st.sampled_from(
    ["# 一级", "## 二级 `a`", "正文。", "word ", "\n", "\n\n", "```\n# no\n```\n", "- x\n", "。", "长" * 90]
)
BODIES = st.lists(PIECES, min_size=1, max_size=80).map("".join)


def holds_everything(body: str, places: list[tuple[int, str]]) -> bool:
    covered = bytearray(len(body))
    for start, text in places:
        covered[start : start + len(text)] = b"\1" * len(text)
    return all(seen or character.isspace() for character, seen in zip(body, covered, strict=True))


@given(BODIES, st.integers(50, 500), st.integers(0, 600))
def test_chunks_are_exact_small_enough_and_complete(body: str, size: int, overlap: int) -> None:
    chunks = split(body, size, overlap)
    for chunk in chunks:
        assert chunk.text == body[chunk.start : chunk.start + len(chunk.text)]
        assert 0 < len(chunk.text) <= size
    assert holds_everything(body, [(chunk.start, chunk.text) for chunk in chunks])
    assert [chunk.start for chunk in chunks] == sorted(chunk.start for chunk in chunks)


@given(st.text(min_size=1, max_size=400), st.integers(1, 60), st.integers(0, 59))
def test_the_simple_split_is_exact_and_complete(text: str, size: int, overlap: int) -> None:
    pieces = simple_split(text, size, min(overlap, size - 1))
    assert all(piece == text[start : start + len(piece)] and len(piece) <= size for start, piece in pieces)
    assert holds_everything(text, pieces)


def test_a_chunk_knows_its_heading_path() -> None:
    body = "# A\n\n" + "前言。" * 100 + "\n\n## B\n\n" + "正文。" * 100 + "\n\n# C\n\n" + "尾。" * 200
    paths = [chunk.heading for chunk in split(body, 300, 0)]
    assert paths[0] == "A"
    assert "A > B" in paths
    assert paths[-1] == "C"


def test_headings_in_code_are_none() -> None:
    body = "# A `x` **y**\n```sh\n# comment\n```\n~~~\n# c\n~~~\n### [D](url) ###\ntext"
    assert [(heading.level, heading.text) for heading in headings(body)] == [(1, "A x y"), (3, "D")]
    assert path_at(headings(body), len(body)) == "A x y > D"
    assert path_at([], 5) == ""


def test_a_very_long_line_is_cut_at_punctuation_and_nothing_is_lost() -> None:
    body = "开头HEAD11Z。" + "通话结束后请在系统里登记工单并选择分类，" * 3000 + "结尾TAIL11Z"
    chunks = split(body, 500, 80)
    assert holds_everything(body, [(chunk.start, chunk.text) for chunk in chunks])
    assert "TAIL11Z" in chunks[-1].text and "HEAD11Z" in chunks[0].text


def test_a_long_line_without_any_mark_is_cut_too() -> None:
    body = "字" * 30_000
    assert holds_everything(body, [(chunk.start, chunk.text) for chunk in split(body, 500, 80)])


def test_the_checkpoint_can_end_the_work() -> None:
    calls: list[int] = []

    def checkpoint() -> None:
        calls.append(1)
        if len(calls) > 2:
            raise Cancelled

    try:
        split("一行很长的字，" * 10_000, 500, 80, checkpoint)
    except Cancelled:
        assert len(calls) == 3
    else:
        raise AssertionError("not cancelled")


def test_pictures_and_unbroken_runs_are_no_text() -> None:
    body = "前 ![x](data:image/png;base64," + "iVBORw0KGgo" * 200 + ") 后 " + "A1" * 2000 + " 尾"
    text, notes = readable(body)
    assert text == "前 ![x]() 后 … 尾"
    assert len(notes) == 2


def test_ruled_lines_and_long_words_stay() -> None:
    body = "-" * 2000 + "\n" + "https://example.invalid/" + "a" * 500
    assert readable(body) == (body, ())
