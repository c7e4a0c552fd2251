"""Readers: one file a format. Here: which reader reads which file."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.protocols import Reader


@cache
def _by_suffix() -> dict[str, Reader]:
    from core.ingest.readers.html import HtmlReader
    from core.ingest.readers.json_records import JsonReader
    from core.ingest.readers.markdown import MarkdownReader
    from core.ingest.readers.plain import PlainReader
    from core.ingest.readers.table import TableReader

    readers: tuple[Reader, ...] = (MarkdownReader(), PlainReader(), HtmlReader(), TableReader(), JsonReader())
    return {suffix: reader for reader in readers for suffix in reader.suffixes}


def suffix_of(name: str) -> str:
    """The part of a file name that decides its format: `.jsonl.gz` as a whole, lower case; "" when there is none."""
    stem, dot, last = name.lower().rpartition(".")
    if not dot or not last.strip():
        return ""
    if last == "gz" and "." in stem:
        return "." + stem.rpartition(".")[2] + ".gz"
    return "." + last


def reader_for(name: str) -> Reader | None:
    """The reader of a file of this name, or None. Names without a suffix are read as plain text."""
    return _by_suffix().get(suffix_of(name))


def stem_of(name: str) -> str:
    """The file name without the suffix that decides its format."""
    suffix = suffix_of(name)
    return name[: len(name) - len(suffix)] if suffix and len(suffix) < len(name) else name
