"""The two or three lines of a result: a piece of the passage around its first mark, markup taken out. No Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.model import Span

_LEAD = 24
_SKIP = re.compile(
    r"^[ \t]*\|[ \t:|-]+\|[ \t]*$"  # the rule of a table
    r"|^[ \t]*\||(?<=[ \t])\||\|[ \t]*$"  # the bars between its cells
    r"|^[ \t]{0,3}(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)"
    r"|^[ \t]*(?:`{3,}|~{3,})[^\n]*$"
    r"|\*\*|`",
    re.MULTILINE,
)
_STOPS = "。！？；\n.!?;"


def snippet(content: str, marks: Sequence[Span], *, title: str = "", length: int = 180) -> tuple[str, tuple[Span, ...]]:
    """At most `length` characters of `content` in one line, with the marks moved along. A first line that only
    repeats `title` is left out, unless nothing else is there.

    Guarantees: each mark given back covers characters that a mark covered in `content`, in the same order; blanks
    run together to one; a piece that does not begin at the beginning starts with "…".
    """
    skipped = _skipped(content)
    begin = _after_title(content, title)
    start = max(begin, _start(content, [mark for mark in marks if mark.start >= begin], begin))
    letters: list[str] = ["…"] if content[begin:start].strip() else []
    origin: list[int] = [-1] * len(letters)
    for index in range(start, len(content)):
        if index in skipped:
            continue
        letter = content[index]
        if letter.isspace():
            if not letters or letters[-1] == " " or letters == ["…"]:
                continue
            letter = " "
        letters.append(letter)
        origin.append(index)
        if len(letters) >= length:
            break
    text = "".join(letters).rstrip()
    return text, _moved(origin[: len(text)], marks)


def _skipped(content: str) -> set[int]:
    """Places of markup that a one-line piece does not show."""
    places: set[int] = set()
    for match in _SKIP.finditer(content):
        places.update(range(match.start(), match.end()))
    return places


def _after_title(content: str, title: str) -> int:
    first, line_end, rest = content.lstrip().partition("\n")
    if title and line_end and rest.strip() and first.lstrip("# ").strip() == title.strip():
        return content.index(first) + len(first)
    return 0


def _start(content: str, marks: Sequence[Span], begin: int) -> int:
    """Where to begin, so that the first mark stands near the front and the sentence makes sense."""
    if not marks:
        return begin
    first = min(mark.start for mark in marks)
    if first - begin <= _LEAD * 2:
        return begin
    for index in range(first - 1, first - _LEAD * 2, -1):
        if content[index] in _STOPS:
            return index + 1
    return first - _LEAD


def _moved(origin: Sequence[int], marks: Sequence[Span]) -> tuple[Span, ...]:
    """Marks as runs of the new text whose characters were marked in the old."""
    marked: set[int] = set()
    for mark in marks:
        marked.update(range(mark.start, mark.end))
    spans: list[Span] = []
    begin: int | None = None
    for place, index in enumerate([*origin, -1]):
        if index in marked:
            begin = place if begin is None else begin
        elif begin is not None:
            spans.append(Span(begin, place))
            begin = None
    return tuple(spans)
