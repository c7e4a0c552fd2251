"""HTML: the visible text, headings as Markdown headings, tables a row a line. Nothing is ever fetched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.ingest.encoding import decode
from core.ingest.readers import fields, stem_of
from core.model import Record

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]+)", re.IGNORECASE)
_LEFT_OUT = frozenset(
    {
        "script", "style", "nav", "template", "noscript", "iframe", "object", "embed", "svg", "canvas", "head", "title",
        "select", "button", "input", "textarea",
    }
)  # fmt: skip
_BLOCKS = frozenset(
    {
        "p", "div", "section", "article", "main", "header", "footer", "aside", "ul", "ol", "dl", "dt", "dd", "thead",
        "tbody", "tfoot", "caption", "blockquote", "figure", "figcaption", "form", "fieldset", "address", "details",
        "summary", "hr",
    }
)  # fmt: skip
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BLANKS = re.compile(r"[ \t\n\r\f\u00a0]+")


class HtmlReader:
    """`.html` and `.htm` files: one article a file."""

    suffixes = frozenset({".html", ".htm", ".xhtml"})

    def read(self, data: bytes, name: str) -> list[Record]:
        """Raises NoArticle for pages without text, BadContent when the encoding cannot be told."""
        from selectolax.lexbor import LexborHTMLParser

        declared = _CHARSET.search(data[:4096])
        decoded = decode(data, declared[1].decode("ascii") if declared else None)
        fields.require_text(decoded.text)
        tree = LexborHTMLParser(decoded.text)
        heads = [tree.css_first("title"), tree.css_first("h1")]
        titles = (_BLANKS.sub(" ", head.text()).strip() for head in heads if head is not None)
        body = page_text(tree.body) if tree.body is not None else ""
        fields.require_text(body)
        title = next(filter(None, titles), "") or stem_of(name)
        return [Record(title=title, body=body, notes=decoded.notes)]


def page_text(root: LexborNode) -> str:
    """The visible text below `root`. Walks without recursion: pages nest tens of thousands deep."""
    writer = _Writer()
    end = root.mem_id  # comparing nodes with == compares their whole HTML
    node: LexborNode | None = root
    while node is not None:
        entered = writer.open(node)
        child = node.child if entered else None
        if child is not None:
            node = child
            continue
        while node is not None:
            writer.close(node)
            if node.mem_id == end:
                return writer.finished()
            if node.next is not None:
                node = node.next
                break
            node = node.parent
    return writer.finished()


class _Writer:
    """Puts text together line by line. `_inline` has one entry an open table: whether a cell of it is open."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._pre = 0
        self._inline = [False]
        self._cells = [0]

    def open(self, node: LexborNode) -> bool:
        """Begin a node; False when its children are left out."""
        tag = node.tag
        if tag == "-text":
            self._text(node.text_content or "")
            return False
        if tag is None or tag.startswith(("-", "!", "_")) or tag in _LEFT_OUT:
            return False
        if tag == "table":
            self._end_line(gap=True)
            self._inline.append(False)
            self._cells.append(0)
        elif tag == "tr":
            self._end_line()
            self._cells[-1] = 0
        elif tag in ("td", "th"):
            if self._cells[-1]:
                self._line.append("| " if self._line and self._line[-1].endswith(" ") else " | ")
            self._cells[-1] += 1
            self._inline[-1] = True
        elif self._inline[-1]:
            self._space(tag)
        elif tag in _HEADINGS:
            self._end_line(gap=True)
            self._line.append(_HEADINGS[tag])
        elif tag == "li":
            self._end_line()
            self._line.append("- ")
        elif tag == "pre":
            self._end_line(gap=True)
            self._pre += 1
        elif tag == "br" or (tag in _BLOCKS and self._line != ["- "]):
            self._end_line(gap=tag == "p")
        return True

    def close(self, node: LexborNode) -> None:
        """End a node. Called for every node, left-out ones too."""
        tag = node.tag
        if tag == "table":
            self._end_line(gap=True)
            self._inline.pop()
            self._cells.pop()
        elif tag in ("td", "th"):
            self._inline[-1] = False
        elif tag == "tr":
            self._end_line()
        elif self._inline[-1]:
            self._space(tag or "")
        elif tag == "pre":
            self._end_line(gap=True)
            self._pre -= 1
        elif tag == "li" or tag in _HEADINGS or tag in _BLOCKS:
            self._end_line(gap=tag not in ("li", "div") and self._line[:1] != ["- "])

    def finished(self) -> str:
        """All that was written."""
        self._end_line()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._lines)).strip("\n")

    def _space(self, tag: str) -> None:
        if tag in _BLOCKS or tag in _HEADINGS or tag in ("br", "li", "pre"):
            self._text(" ")

    def _text(self, text: str) -> None:
        if self._pre:
            first, *others = text.split("\n")
            self._line.append(first)
            for line in others:
                self._lines.append("".join(self._line).rstrip())
                self._line = [line]
            return
        text = _BLANKS.sub(" ", text)
        if text.startswith(" ") and (not self._line or self._line[-1].endswith(" ")):
            text = text[1:]
        if text:
            self._line.append(text)

    def _end_line(self, *, gap: bool = False) -> None:
        line = "".join(self._line).rstrip()
        self._line = []
        if line.strip() and line.strip() != "-":
            self._lines.append(line if self._pre else line.strip())
        if gap and self._lines and self._lines[-1]:
            self._lines.append("")
