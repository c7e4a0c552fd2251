"""Where the Markdown headings of a body stand, and the heading path at a place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_LINE = re.compile(
    r"^(?:[ ]{0,3}(?P<marks>```+|~~~+)(?P<info>[^\n]*)|(?P<level>#{1,6})[ \t]+(?P<text>[^\n]+))$", re.MULTILINE
)
_CLOSING = re.compile(r"[ \t]+#+[ \t]*$")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_MARKS = re.compile(r"\*\*|__|`|\\(?=[\\`*_{}\[\]()#+\-.!<>|])")


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading: where its line starts, its level 1–6, its text without marks, and the path that ends with it."""

    start: int
    level: int
    text: str
    path: str


def headings(body: str) -> list[Heading]:
    """All `#` headings outside fenced code, in order."""
    found: list[Heading] = []
    stack: list[tuple[int, str]] = []
    fence = ""
    for match in _LINE.finditer(body):
        marks = match["marks"]
        if marks:
            if not fence:
                fence = marks
            elif marks.startswith(fence) and not match["info"].strip():
                fence = ""
            continue
        if fence:
            continue
        text = plain(match["text"])
        if not text:
            continue
        level = len(match["level"])
        while stack and stack[-1][0] >= level:
            stack.pop()
        stack.append((level, text))
        found.append(Heading(match.start(), level, text, " > ".join(part for _, part in stack)))
    return found


def plain(text: str) -> str:
    """A heading's text without emphasis marks and link targets."""
    return _MARKS.sub("", _LINK.sub(r"\1", _CLOSING.sub("", text))).strip()


def path_at(found: Sequence[Heading], position: int) -> str:
    """The heading path that `position` stands under; "" above the first heading."""
    index = bisect_right(found, position, key=lambda heading: heading.start) - 1
    return found[index].path if index >= 0 else ""
