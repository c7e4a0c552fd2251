"""Plain text: the file as it is; its first line is the title."""

from __future__ import annotations

from core.ingest.encoding import Decoded, decode
from core.ingest.readers import fields, stem_of, suffix_of
from core.ingest.unusable import BadContent, NoArticle
from core.model import Record

_LONGEST_NAME = 60  # a longer first line is the beginning of the text, not its name


class PlainReader:
    """`.txt` files, and files without a suffix when they are sound UTF-8 or UTF-16."""

    suffixes = frozenset({".txt", ".text", ""})

    def read(self, data: bytes, name: str) -> list[Record]:
        """Raises NoArticle for empty files, BadContent when the encoding cannot be told."""
        decoded = decode(data) if suffix_of(name) else _surely_text(data)
        fields.require_text(decoded.text)
        body = decoded.text.strip("\n")
        title = fields.first_line(body, stem_of(name))
        return [Record(title=title, body=body, named=len(title) <= _LONGEST_NAME, notes=decoded.notes)]


def _surely_text(data: bytes) -> Decoded:
    """Without a suffix nothing says that a file is text at all, so nothing is guessed."""
    try:
        decoded = decode(data)
    except BadContent:
        decoded = None
    if decoded is None or decoded.notes or not decoded.encoding.startswith("utf"):
        raise NoArticle("suffix_missing")
    return decoded
