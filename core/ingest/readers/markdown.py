"""Markdown with YAML front matter. Broken front matter is body text plus a note, never a lost article."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.ingest.encoding import decode
from core.ingest.headings import headings
from core.ingest.readers import fields, stem_of
from core.ingest.unusable import NoArticle
from core.model import Record
from core.reasons import Reason

_FRONT_MATTER = re.compile(r"\s*---[ \t]*\n(.*?)(?:^|\n)(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL)
_FRONT_MATTER_LIMIT = 100_000
# A fenced block is matched as a whole and kept: what looks like markup in it is its content.
_MARKUP = re.compile(
    r"(?P<fence>^[ \t]*(?P<marks>```+|~~~+)[^\n]*\n.*?^[ \t]*(?P=marks))"
    r"|<!--.*?-->"
    r"|<a\s+(?:name|id)\s*=\s*(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s>\"']+)\s*(?:/>|>(?:\s*</a>)?)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)


class MarkdownReader:
    """`.md` files: one article a file."""

    suffixes = frozenset({".md", ".markdown", ".mdown"})

    def read(self, data: bytes, name: str) -> list[Record]:
        """Raises NoArticle for empty bodies and redirect stubs, BadContent when the encoding cannot be told."""
        decoded = decode(data)
        notes = list(decoded.notes)
        raw, body = _split(decoded.text, notes)
        meta = {fields.name_key(key): value for key, value in raw.items()}
        if target := _text(meta.get("redirect_url")):
            if not fields.says_something(body):
                raise NoArticle("moved", target=target)
            notes.append(Reason.of("redirects", target=target))
        body = strip_markup(body).strip("\n")
        if not fields.says_something(body):
            raise NoArticle("only_front_matter") if meta else NoArticle("no_text")
        found = headings(body)
        flat = {key: _text(value) for key, value in meta.items()}
        state, superseded_by, review_by = fields.state_fields(flat, notes)
        title = fields.first(flat, ("title", "标题"))
        if not title:
            title = next((heading.text for heading in found if heading.level == 1), "")
        return [
            Record(
                title=" ".join(title.split()) or stem_of(name).strip() or name,
                body=body,
                keywords=_keywords(next((meta[key] for key in fields.KEYWORD_NAMES if meta.get(key)), None)),
                domain=fields.first(flat, fields.DOMAIN_NAMES) or None,
                updated=fields.date_field(flat, fields.UPDATED_NAMES, notes),
                state=state,
                superseded_by=superseded_by,
                review_by=review_by,
                notes=tuple(notes),
            )
        ]


def strip_markup(body: str) -> str:
    """The text without HTML comments and `<a name>` anchors, which say nothing to a reader; fenced code stays."""
    if "<" not in body:
        return body
    return _MARKUP.sub(lambda match: match.group() if match["fence"] else "", body)


def _split(text: str, notes: list[Reason]) -> tuple[Mapping[str, Any], str]:
    """(front matter, body); what is no YAML mapping stays in the body."""
    match = _FRONT_MATTER.match(text)
    if match is None or len(match[1]) > _FRONT_MATTER_LIMIT:
        return {}, text
    if not match[1].strip():
        return {}, text[match.end() :]
    import yaml

    try:
        # The base loader keeps every value as it is written: 0x80070005, 0012 and 2025-04-02 stay what they are.
        # A key that stands twice is no error; the later one counts.
        meta = yaml.load(match[1], Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        mark = getattr(error, "problem_mark", None)
        broken = Reason.of("front_matter_broken")
        notes.append(broken if mark is None else Reason.of("front_matter_broken_at", line=mark.line + 2))
        return {}, text
    if not isinstance(meta, dict):
        notes.append(Reason.of("front_matter_empty"))
        return {}, text
    return {str(key): value for key, value in meta.items()}, text[match.end() :]


def _text(value: object) -> str:
    """A scalar as text; lists and mappings are none."""
    text = value.strip() if isinstance(value, str) else ""
    return "" if text in ("~", "null", "Null", "NULL") else text


def _keywords(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(dict.fromkeys(word for item in value if (word := _text(item))))
    return fields.split_keywords(_text(value))
