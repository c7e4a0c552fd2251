"""Record → article ready to be written: text cleaned, cut into chunks, hashed, its L0 terms found. No database here."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.identifiers import article_terms, holding_text
from core.ingest.chunking import readable
from core.ingest.readers import fields
from core.model import ChunkDraft, Record
from core.reasons import Reason
from core.store.articles import ArticleDraft

# Part of what says whether stored articles are up to date: raise it when the same bytes would be stored otherwise.
RULES = 3
Cut = Callable[[str], Sequence[ChunkDraft]]


@dataclass(frozen=True, slots=True)
class ReadyText:
    """What of a record is text that someone can read, and what was left out."""

    title: str
    body: str
    notes: tuple[Reason, ...]


def ready_text(record: Record, otherwise: str) -> ReadyText | None:
    """None when nothing readable is left of the record; `otherwise` is the title of a record without one."""
    body, left_out = readable(record.body)
    if not fields.says_something(body):
        return None
    title = " ".join(readable(record.title)[0].split()) or otherwise
    return ReadyText(title, body, (*record.notes, *left_out))


def content_hash(record: Record, text: ReadyText, domain: str) -> str:
    """Of everything that makes the article: any change of it makes a new article."""
    facts = [
        *(text.title, text.body, list(record.keywords), domain, record.updated, record.state.value),
        *(record.superseded_by, record.review_by, record.named),
    ]
    return hashlib.sha256(json.dumps(facts, ensure_ascii=False).encode("utf-8")).hexdigest()


def make_draft(record: Record, text: ReadyText, doc_key: str, domain: str, cut: Cut) -> ArticleDraft:
    """The article; `cut` makes the chunks of its body."""
    return ArticleDraft(
        doc_key=doc_key,
        title=text.title,
        named=record.named,
        domain=domain,
        body=text.body,
        keywords=record.keywords,
        updated=record.updated,
        state=record.state,
        superseded_by=record.superseded_by,
        review_by=record.review_by,
        content_hash=content_hash(record, text, domain),
        text_hash=text_hash(text.title, text.body),
        folded=holding_text(text.title, text.body),
        notes=text.notes,
        chunks=tuple(cut(text.body)),
        terms=tuple(article_terms(text.title if record.named else "", record.keywords, text.body)),
    )


def text_hash(title: str, body: str) -> str:
    """Equal for texts that read the same: line ends, trailing blanks, width and composition do not count."""
    lines = unicodedata.normalize("NFKC", f"{title}\n{body}").split("\n")
    return hashlib.sha256("\n".join(line.rstrip() for line in lines).strip().encode("utf-8")).hexdigest()
