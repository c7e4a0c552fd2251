"""Opening: what a small model reads of an article, its title and how it begins, as plain text."""

from __future__ import annotations

import re
import unicodedata

# How much is read. A Han character is about as long to encode as four Latin letters; an article says first what it is
# about, and twice as much was no better on the dev benches.
SIZE = 640
_WIDE = 4
# Letters of a body: of one without a line break the rest would take minutes and change nothing.
_LOOKED_AT = 40_000

_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_ADDRESS = re.compile(r"<?https?://\S+")
_LINE_MARK = re.compile(r"^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+|`{3,}.*|~{3,}.*|\|?[\s:|-]+\|?$)")
_EMPHASIS = re.compile(r"\*{1,3}|`+|_{2,}")
_SPACE = re.compile(r"\s+")


def opening_of(title: str, body: str, size: int = SIZE) -> str:
    """Title, line break, and the beginning of the Markdown `body` without its marks, on one line: at most `size`
    letters in all, a Han character counting four. `title` is empty for an article that nobody gave one: then the line
    break comes first."""
    title = _SPACE.sub(" ", title[:_LOOKED_AT]).strip()
    lines: list[str] = []
    room = size - _size(title)
    for line in body[:_LOOKED_AT].splitlines():
        text = _EMPHASIS.sub("", _LINK.sub(r"\1", _LINE_MARK.sub("", line)))
        text = _SPACE.sub(" ", _ADDRESS.sub("", text)).strip()
        if not text or (text == title and not lines):
            continue
        lines.append(text)
        room -= _size(text) + 1
        if room <= 0:
            break
    text = " ".join(lines)
    return beginning(f"{title}\n{text}", size) if title else f"\n{beginning(text, size)}"


def title_of(opening: str) -> str:
    """The title that an opening begins with; empty where nobody gave the article one."""
    return opening.partition("\n")[0]


def _size(text: str) -> int:
    return sum(_letters(character) for character in text)


def _letters(character: str) -> int:
    return _WIDE if _is_wide(character) else 1


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


def beginning(text: str, size: int = SIZE) -> str:
    """At most `size` letters of a text, a Han character counting four."""
    used = 0
    for place, character in enumerate(text):
        used += _letters(character)
        if used > size:
            return text[:place].rstrip()
    return text
