"""The piece of a passage that a result shows: marks stay on their letters, whatever is left out."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.snippet import snippet
from app.text_units import unit_place
from core.model import Span

LETTERS = st.text(alphabet=list("# *`>-。\n 连接ab1é😀"), min_size=1, max_size=300)


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[Span]]:
    content = draw(LETTERS)
    cuts = sorted(draw(st.lists(st.integers(0, len(content)), max_size=8, unique=True)))
    return content, [Span(a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]


@given(marked(), st.integers(10, 200))
def test_marks_cover_what_they_covered_before(drawn: tuple[str, list[Span]], length: int) -> None:
    content, marks = drawn
    text, moved = snippet(content, marks, length=length)
    assert len(text) <= length
    assert "\n" not in text
    covered = "".join(content[mark.start : mark.end] for mark in marks)
    shown = "".join(text[mark.start : mark.end] for mark in moved)
    letters = iter(covered)
    assert all(any(letter == c for c in letters) for letter in shown if not letter.isspace())
    assert all(a.end <= b.start for a, b in pairwise(moved))


def test_a_late_mark_is_brought_to_the_front() -> None:
    content = "甲" * 300 + "。遇到 ERR_TIMEOUT 时重试"
    start = content.index("ERR")
    text, (mark,) = snippet(content, [Span(start, start + 11)])
    assert text == "…遇到 ERR_TIMEOUT 时重试"
    assert text[mark.start : mark.end] == "ERR_TIMEOUT"


def test_markup_is_left_out_and_steps_keep_their_numbers() -> None:
    assert snippet("## 步骤\n\n1. **先** `ping`\n- 再\n> 引", [])[0] == "步骤 1. 先 ping 再 引"


def test_a_first_line_that_only_repeats_the_title_is_left_out() -> None:
    assert snippet("# VPN 691\n\n密码错", [Span(2, 5)], title="VPN 691") == ("密码错", ())
    assert snippet("# VPN 691", [Span(2, 5)], title="VPN 691") == ("VPN 691", (Span(0, 3),))


def test_places_are_counted_in_the_units_of_qt() -> None:
    assert unit_place("a😀b", 2) == 3
    assert unit_place("错误b", 2) == 2
