"""An article's body as blocks and runs that a pane can draw: a small, safe reading of Markdown. No Qt.

Nothing of the body is ever taken as HTML, no picture is fetched and no address is opened: tags stay letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

LONGEST_BLOCK = 2000

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})")
_ITEM = re.compile(r"^([ \t]*)([-*+•]|\d{1,3}[.)、])[ \t]+(?=\S)")
_QUOTE = re.compile(r"^ {0,3}>[ \t]?")
_RULE = re.compile(r"^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_TABLE_LINE = re.compile(r"^[ \t]*\|.*\|[ \t]*$")
_TABLE_RULE = re.compile(r"^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")
# A backslash before a backslash is left alone: in a network path it is far more often meant than an escape.
_INLINE = re.compile(
    r"(?P<tick>`+)(?P<code>.+?)(?P=tick)"
    r"|\*\*(?P<bold>(?=\S).+?)\*\*"
    r"|(?<![\w*\\])\*(?P<italic>(?=\S)[^*]+?)\*(?![\w*])"
    r"|!\[(?P<picture>[^\]]*)\]\([^)\s]*(?:[ \t]+\"[^\"]*\")?\)"
    r"|(?<!!)\[(?P<link>[^\]]+)\]\((?P<address>[^)\s]*)(?:[ \t]+\"[^\"]*\")?\)"
    r"|(?<![\w\\:])\\(?P<escaped>[`*_{}\[\]()#+.!|<>~-])"
)


@dataclass(frozen=True, slots=True)
class Run:
    """Letters of one style. `start` ≥ 0: they are `body[start : start + len(text)]`; −1: put there by the program."""

    text: str
    start: int
    style: str = "plain"  # plain | bold | italic | code | link | picture
    address: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, list item, code line group, quote line, rule or table row (`cells`)."""

    kind: str  # heading | paragraph | item | code | quote | rule | row
    runs: tuple[Run, ...] = ()
    level: int = 0
    cells: tuple[tuple[Run, ...], ...] = field(default=())

    @property
    def length(self) -> int:
        """How many letters it draws."""
        return sum(len(run.text) for run in self.runs) + sum(len(run.text) for cell in self.cells for run in cell)


def blocks(body: str, *, markdown: bool = True) -> list[Block]:
    """The whole body in blocks of at most LONGEST_BLOCK letters, in order. Every run keeps its place in `body`."""
    lines = _lines(body)
    found = list(_markdown_blocks(body, lines)) if markdown else list(_plain_blocks(body, lines))
    return [part for block in found for part in _split(block)]


def is_markdown(doc_key: str) -> bool:
    """Whether an article of that key is read as Markdown; plain text files keep every letter."""
    return not doc_key.rsplit("#", 1)[0].lower().endswith(".txt")


# ------------------------------------------------------------------------ blocks
def _lines(body: str) -> list[tuple[int, int]]:
    """Start and end of each line, without its line end."""
    places, start = [], 0
    for line in body.splitlines(keepends=True):
        places.append((start, start + len(line.rstrip("\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))))
        start += len(line)
    return places


def _plain_blocks(body: str, lines: Sequence[tuple[int, int]]) -> Iterator[Block]:
    for start, end in lines:
        if body[start:end].strip():
            yield Block("paragraph", (Run(body[start:end], start),))


def _markdown_blocks(body: str, lines: Sequence[tuple[int, int]]) -> Iterator[Block]:
    paragraph: list[tuple[int, int]] = []
    at = 0
    while at < len(lines):
        start, end = lines[at]
        line = body[start:end]
        kind = _kind(line)
        if kind != "paragraph" and paragraph:
            yield _joined(body, paragraph)
            paragraph = []
        if kind == "paragraph":
            paragraph.append((start, end))
        elif kind == "code":
            at, block = _fenced(body, lines, at)
            if block is not None:
                yield block
            continue
        elif kind == "item":
            at, block = _item(body, lines, at)
            yield block
            continue
        elif kind != "blank":
            yield from _one_line(body, line, start, kind)
        at += 1
    if paragraph:
        yield _joined(body, paragraph)


def _kind(line: str) -> str:
    if not line.strip():
        return "blank"
    for kind, pattern in (
        ("code", _FENCE),
        ("heading", _HEADING),
        ("rule", _RULE),
        ("item", _ITEM),
        ("quote", _QUOTE),
        ("row", _TABLE_LINE),
    ):
        if pattern.match(line):
            return kind
    return "paragraph"


def _one_line(body: str, line: str, start: int, kind: str) -> Iterator[Block]:
    if kind == "heading":
        match = _HEADING.match(line)
        assert match is not None
        runs = _inline(body, start + match.start(2), start + match.end(2))
        yield Block("heading", runs, len(match.group(1)))
    elif kind == "rule":
        yield Block("rule")
    elif kind == "quote":
        match = _QUOTE.match(line)
        assert match is not None
        yield Block("quote", _inline(body, start + match.end(), start + len(line)))
    elif not _TABLE_RULE.match(line):
        yield Block("row", cells=tuple(_cells(body, line, start)))


def _cells(body: str, line: str, start: int) -> Iterator[tuple[Run, ...]]:
    left = line.index("|") + 1
    for match in re.finditer(r"(?<!\\)\|", line[left:]):
        right = line.index("|") + 1 + match.start()
        yield _inline(body, *_stripped(body, start + left, start + right))
        left = right + 1


def _stripped(body: str, start: int, end: int) -> tuple[int, int]:
    while start < end and body[start].isspace():
        start += 1
    while end > start and body[end - 1].isspace():
        end -= 1
    return start, end


def _fenced(body: str, lines: Sequence[tuple[int, int]], at: int) -> tuple[int, Block | None]:
    """A fenced piece, its indentation taken off (level 1 where it had one); an unclosed fence runs to the end."""
    opening = _FENCE.match(body[slice(*lines[at])])
    assert opening is not None
    mark = opening.group(1)
    indent = opening.start(1)
    runs: list[Run] = []
    at += 1
    while at < len(lines):
        start, end = lines[at]
        at += 1
        if body[start:end].strip().startswith(mark) and not body[start:end].strip().strip(mark[0]):
            break
        taken = 0
        while taken < indent and start + taken < end and body[start + taken] in " \t":
            taken += 1
        if runs:
            runs.append(Run("\n", -1, "code"))
        runs.append(Run(body[start + taken : end], start + taken, "code"))
    return at, Block("code", tuple(runs), int(indent > 0)) if runs else None


def _item(body: str, lines: Sequence[tuple[int, int]], at: int) -> tuple[int, Block]:
    """A list item with the lines that go on with it."""
    start, end = lines[at]
    match = _ITEM.match(body[start:end])
    assert match is not None
    depth = len(match.group(1).expandtabs(4)) // 2
    mark = match.group(2)
    marker = Run(mark, start + match.start(2)) if mark[0].isdigit() else Run("•", -1)
    runs: list[Run] = [marker, Run("\t", -1)]
    parts = [(start + match.end(), end)]
    at += 1
    while at < len(lines) and _kind(body[slice(*lines[at])]) == "paragraph":
        parts.append(_stripped(body, *lines[at]))
        at += 1
    runs.extend(_joined_runs(body, parts))
    return at, Block("item", tuple(runs), min(depth, 4))


def _joined(body: str, parts: Sequence[tuple[int, int]]) -> Block:
    return Block("paragraph", tuple(_joined_runs(body, [_stripped(body, *part) for part in parts])))


def _joined_runs(body: str, parts: Sequence[tuple[int, int]]) -> Iterator[Run]:
    """Lines of one paragraph run on: with a blank between Latin words, with nothing between Chinese ones."""
    for number, (start, end) in enumerate(parts):
        if number:
            before = body[parts[number - 1][1] - 1 : parts[number - 1][1]]
            wide = bool(before) and ord(before) > 0x2E7F and start < end and ord(body[start]) > 0x2E7F
            if not wide:
                yield Run(" ", -1)
        yield from _inline(body, start, end)


def _split(block: Block) -> Iterator[Block]:
    """Blocks that a layout can take in one step; one endless line becomes several."""
    if block.length <= LONGEST_BLOCK or block.cells:
        yield block
        return
    runs: list[Run] = []
    room = LONGEST_BLOCK
    for run in block.runs:
        text, start = run.text, run.start
        while len(text) > room:
            runs.append(Run(text[:room], start, run.style, run.address))
            yield Block(block.kind, tuple(runs), block.level)
            text, start = text[room:], (start + room if start >= 0 else -1)
            runs, room = [], LONGEST_BLOCK
        if text:
            runs.append(Run(text, start, run.style, run.address))
            room -= len(text)
    if runs:
        yield Block(block.kind, tuple(runs), block.level)


# ------------------------------------------------------------------------ inside a line
def _inline(body: str, start: int, end: int) -> tuple[Run, ...]:
    runs: list[Run] = []
    at = start
    for match in _INLINE.finditer(body, start, end):
        if match.start() > at:
            runs.append(Run(body[at : match.start()], at))
        at = match.end()
        if match.group("picture") is not None:
            runs.append(Run("▣ ", -1, "picture"))
            runs.append(Run(match.group("picture"), match.start("picture"), "picture"))
            continue
        for style in ("code", "bold", "italic", "link", "escaped"):
            if match.group(style) is not None:
                address = match.group("address") if style == "link" else ""
                plain = "plain" if style == "escaped" else style
                runs.append(Run(match.group(style), match.start(style), plain, address))
    if at < end:
        runs.append(Run(body[at:end], at))
    return tuple(runs)
