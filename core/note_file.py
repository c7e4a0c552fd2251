"""A field note as a Markdown file: its title, its front matter, its file name, and writing it over no other."""

from __future__ import annotations

import os
import secrets
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.identifiers import find_identifiers
from core.ingest.chunking import readable
from core.ingest.encoding import clean
from core.ingest.readers import fields
from core.ingest.readers.markdown import strip_markup
from core.model import ArticleState
from core.text import fold_with_map

TITLE_LENGTH = 200
TEXT_LENGTH = 100_000
_NAME_BYTES = 90  # of a title in a file name: well below what Windows allows of a whole path
_YAML_NULLS = frozenset({"~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class NoteFile:
    """What goes into the file. `updated` is a day, ISO 8601."""

    title: str
    keywords: tuple[str, ...]
    domain: str
    updated: str
    body: str

    @classmethod
    def of(cls, query: str, text: str, *, domain: str, updated: str) -> NoteFile | None:
        """The note that answers `query`; None when the text says nothing once it is read as an article is."""
        body = _body_of(text)
        if not fields.says_something(body):
            return None
        return cls(title_of(query), codes_in(query), domain, updated, body)

    def markdown(self) -> bytes:
        """UTF-8. The Markdown reader finds in it exactly what went in."""
        import yaml

        front = {
            "title": self.title,
            "state": ArticleState.UNREVIEWED.value,
            "keywords": list(self.keywords),
            "updated": self.updated,
            "domain": self.domain,
        }
        # No line of the front matter may break: a broken one could begin with the marks that end it.
        head = yaml.safe_dump(front, allow_unicode=True, sort_keys=False, width=2**31 - 1)
        return f"---\n{head}---\n\n{self.body}\n".encode()

    def names(self) -> Iterator[str]:
        """File names for it, the plain one first: day and title, allowed on every system."""
        title = _name_of(self.title)
        stem = f"{self.updated} {title}" if title else self.updated
        yield f"{stem}.md"
        number = 1
        while True:
            number += 1
            yield f"{stem} {number}.md"


def title_of(query: str) -> str:
    """The query on one line, at most TITLE_LENGTH characters."""
    title = " ".join(readable(" ".join(clean(query)[0].split()))[0].split())
    if len(title) > TITLE_LENGTH:
        title = title[: TITLE_LENGTH - 1].rstrip() + "…"
    # Front matter cannot tell a title of this name from one that is missing.
    return f"“{title}”" if title in _YAML_NULLS else title


def codes_in(query: str) -> tuple[str, ...]:
    """The identifiers of a query as they were typed, each once."""
    query = clean(query[:TEXT_LENGTH])[0]
    folded, where = fold_with_map(query)
    return tuple(dict.fromkeys(query[where[code.start] : where[code.end]] for code in find_identifiers(folded)))


def publish(folder: Path, name: str, data: bytes) -> bool:
    """Write a file of that name, whole or not at all; False when there is one of that name. Raises OSError.

    Of two programs that write at the same moment one gets the name.
    """
    target = folder / name
    beside = folder / f".{secrets.token_hex(8)}.new"  # hidden: no import reads it
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(beside, target)
        except FileExistsError:
            return False
        except OSError:  # no hard links here (some shares, some memory cards)
            return _publish_plainly(beside, target)
        return True
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _publish_plainly(beside: Path, target: Path) -> bool:
    """Take the name with an empty file, then move the whole one over it."""
    try:
        target.open("xb").close()
    except FileExistsError:
        return False
    try:
        beside.replace(target)
    except OSError:
        with suppress(OSError):
            target.unlink()
        raise
    return True


def _body_of(text: str) -> str:
    """The text as an article keeps it. What looks like an HTML comment or an anchor was typed to be read: in a fence
    the Markdown reader leaves it alone."""
    text = readable(clean(text[:TEXT_LENGTH])[0])[0].strip("\n").rstrip()
    if strip_markup(text) == text:
        return text
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _name_of(title: str) -> str:
    """Letters and digits of a title with dashes for the rest; "" when it has none."""
    kept = "".join(sign if sign.isalnum() else "-" for sign in unicodedata.normalize("NFC", title))
    squeezed = "-".join(part for part in kept.split("-") if part)
    return squeezed.encode("utf-8")[:_NAME_BYTES].decode("utf-8", "ignore").strip("-")
