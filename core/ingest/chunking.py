"""Body → chunks: recursive split with overlap, exact places, heading paths; in bounded time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from core.ingest.headings import Heading, headings, path_at
from core.model import ChunkDraft
from core.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*;base64,[A-Za-z0-9+/=_%\s-]{40,}", re.IGNORECASE)
_UNBROKEN = re.compile(r"[A-Za-z0-9+/=_%-]{1000,}")
_LONG_LINE = 4000  # the splitter's time grows with the square of an unbroken line
_LONG_BLOCK = 500_000  # about 0.2 s of splitting between two checkpoints
_BREAKS = "。！？；.!?;，,、 "


def readable(body: str) -> tuple[str, tuple[Reason, ...]]:
    """The body without data URIs and without runs of letters and digits that no one wrote; and what was left out."""
    body, pictures = _DATA_URI.subn("", body)
    dropped = 0

    def drop(match: re.Match[str]) -> str:
        nonlocal dropped
        if not any(character.isalnum() for character in match.group()):
            return match.group()  # a ruled line
        dropped += len(match.group())
        return "…"

    body = _UNBROKEN.sub(drop, body)
    notes = [Reason.of("pictures_left_out", count=pictures)] if pictures else []
    if dropped:
        notes.append(Reason.of("unbroken_left_out", count=dropped))
    return body, tuple(notes)


def split(body: str, size: int, overlap: int, checkpoint: Callable[[], None] = lambda: None) -> list[ChunkDraft]:
    """Pieces of at most `size` characters that together hold all of the body but blanks.

    `text == body[start:start + len(text)]` for each; neighbours share at most `overlap` characters, and none across
    a piece of a very long line. At least one chunk for a body that is not blank. `checkpoint` is called often; what it
    raises ends the work.
    """
    overlap = min(overlap, size // 2)
    found = headings(body)
    chunks: list[ChunkDraft] = []
    for start, text in _pieces(body, size, overlap, checkpoint):
        if text.strip():
            chunks.append(ChunkDraft(start, _heading_of(found, start, text, overlap), text))
    return chunks


def simple_split(text: str, size: int, overlap: int) -> list[tuple[int, str]]:
    """(start, piece) of fixed length: what is left when the splitter fails."""
    step = max(size - overlap, 1)
    last = max(len(text) - overlap, 1)
    return [(start, text[start : start + size]) for start in range(0, last, step)]


def _heading_of(found: Sequence[Heading], start: int, text: str, overlap: int) -> str:
    """The path of the section that a chunk is about: what it begins in, or the heading that follows its overlap."""
    for heading in found:
        if heading.start >= start + min(overlap + 1, len(text)):
            break
        if heading.start >= start:
            return heading.path
    return path_at(found, start)


def _pieces(body: str, size: int, overlap: int, checkpoint: Callable[[], None]) -> Iterator[tuple[int, str]]:
    from semantic_text_splitter import MarkdownSplitter

    splitter = MarkdownSplitter(size, overlap=overlap)
    for at, block in _blocks(body, overlap):
        checkpoint()
        try:
            pieces = splitter.chunk_indices(block)
        except BaseException as error:  # the splitter is native code: a panic is no Exception
            if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
                raise
            pieces = simple_split(block, size, overlap)
        for start, text in pieces:
            yield at + start, text


def _blocks(body: str, overlap: int) -> Iterator[tuple[int, str]]:
    """The body in stretches without very long lines; these are cut at a mark of punctuation where there is one."""
    if len(body) <= _LONG_LINE:
        yield 0, body
        return
    begun = at = 0
    while at < len(body):
        end = body.find("\n", at)
        end = len(body) if end < 0 else end + 1
        if end - at > _LONG_LINE:
            if begun < at:
                yield begun, body[begun:at]
            yield from _cut_line(body, at, end, overlap)
            begun = end
        elif end - begun > _LONG_BLOCK:
            yield begun, body[begun:end]
            begun = end
        at = end
    if begun < len(body):
        yield begun, body[begun:]


def _cut_line(body: str, at: int, end: int, overlap: int) -> Iterator[tuple[int, str]]:
    while end - at > _LONG_LINE:
        cut = max(body.rfind(mark, at + _LONG_LINE // 2, at + _LONG_LINE) for mark in _BREAKS) + 1
        cut = cut or at + _LONG_LINE
        yield at, body[at:cut]
        at = cut - overlap
    yield at, body[at:end]
