"""The vocabulary: frozen values and enums that every other part speaks in (contract §1, §6)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from core.reasons import Reason


class RelevanceLevel(StrEnum):
    """How good an answer is. A level belongs to the answer, that is to its primary article."""

    PRECISE = "PRECISE"
    HIGHLY_RELEVANT = "HIGHLY_RELEVANT"
    REFERENCE = "REFERENCE"
    DEDUPED = "DEDUPED"


class Outcome(StrEnum):
    """What became of a lookup."""

    FOUND = "found"
    NOT_FOUND = "not_found"
    DEDUPED = "deduped"
    DEGRADED = "degraded"
    GATED = "gated"


class DedupReason(StrEnum):
    """Why a lookup brought nothing new."""

    DOC_RETRIEVED = "doc_retrieved"
    DOMAIN_RETRIEVED = "domain_retrieved"


class Mode(StrEnum):
    """Soft marks what a session already holds; hard withholds it (contract §5)."""

    SOFT = "soft"
    HARD = "hard"


class Actor(StrEnum):
    """Who asked."""

    PERSON = "person"
    EXECUTOR = "executor"


class Trigger(StrEnum):
    """What turned a text into a lookup (contract §2, §7)."""

    ENTER = "enter"
    OPEN = "open"
    COPY = "copy"
    VOTE = "vote"
    SETTLE = "settle"
    CLI = "cli"
    MCP = "mcp"


class ArticleState(StrEnum):
    """Whether an article may be trusted. Only CURRENT can be PRECISE or HIGHLY_RELEVANT."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    DRAFT = "draft"
    UNREVIEWED = "unreviewed"
    EXPIRED = "expired"


class LegState(StrEnum):
    """What became of a leg that an answer did not wait for: it may still come, has come, or never will."""

    COMING = "coming"
    ARRIVED = "arrived"
    LOST = "lost"


class EventKind(StrEnum):
    """What a person did with an answer (table session_event)."""

    OPENED = "opened"
    COPIED = "copied"
    VOTED = "voted"
    CLOSED = "closed"
    NOTED = "noted"


# ------------------------------------------------------------------ knowledge


@dataclass(frozen=True, slots=True)
class Record:
    """One article as a reader found it, before it has a key, chunks or an id.

    `row_id` is set for table rows and JSON records only. `named`: somebody gave the title; else it is a first line or
    an id shown in its place, which names nothing. Dates are ISO 8601 where they can be read, else None.
    `notes` say what was odd but kept.
    """

    title: str
    body: str
    row_id: str | None = None
    named: bool = True
    keywords: tuple[str, ...] = ()
    domain: str | None = None
    updated: str | None = None
    state: ArticleState = ArticleState.CURRENT
    superseded_by: str | None = None
    review_by: str | None = None
    notes: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A piece of an article's body: `text == body[start:start + len(text)]`, below the heading path `heading`."""

    start: int
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Article:
    """One stored knowledge document. `id` is never used again: changed text gets a new one."""

    id: int
    doc_key: str
    title: str
    domain: str
    body: str
    keywords: tuple[str, ...]
    updated: str | None
    state: ArticleState
    superseded_by: str | None
    review_by: str | None
    content_hash: str
    text_hash: str
    copies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stored piece of an article; `position` counts from 0 inside the article."""

    id: int
    article_id: int
    position: int
    start: int
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters in the original (unfolded) text."""

    start: int
    end: int


# --------------------------------------------------------------------- answers


@dataclass(frozen=True, slots=True)
class Passage:
    """An article as an answer shows it, with its best piece. Carries no score (contract §6)."""

    doc_key: str
    title: str
    domain: str
    heading: str
    chunk_index: int
    content: str
    updated: str | None
    state: str
    superseded_by: str | None
    copies: tuple[str, ...]
    already_retrieved: bool


@dataclass(frozen=True, slots=True)
class Degraded:
    """Why nothing could answer as asked. `reason`: timeout, circuit_open or error."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class LookupResult:
    """What a lookup answers, exactly the keys of contract §6. No score and no distance, anywhere."""

    outcome: Outcome
    found: bool
    session_id: str | None
    query: str
    primary: Passage | None
    supplement: tuple[Passage, ...]
    relevance_level: RelevanceLevel | None
    evidence_level: RelevanceLevel | None
    completeness_hint: str | None
    retrieved_domains_this_session: tuple[str, ...]
    dedup_reason: DedupReason | None
    missing_legs: tuple[str, ...]
    missing_dimensions: tuple[str, ...]
    unknown_words: tuple[str, ...]
    cached: bool
    degraded: Degraded | None
    message: str

    def as_json(self) -> dict[str, Any]:
        """The contract's JSON object, keys in the contract's order."""
        document = asdict(self)
        document["supplement"] = list(document["supplement"])
        for passage in (document["primary"], *document["supplement"]):
            if passage is not None:
                passage["copies"] = list(passage["copies"])
        for name in ("retrieved_domains_this_session", "missing_legs", "missing_dimensions", "unknown_words"):
            document[name] = list(document[name])
        return document


@dataclass(frozen=True, slots=True)
class Hit:
    """One line of the result list: an article, its best passage and where the query stands in them.

    `marks` are spans in `content`, `title_marks` in `title`. `other_chunks` are further matching pieces of the
    same article, best first. `held_at`/`held_query`: when and by which query this session retrieved it. `state` is
    that of today: EXPIRED once the day `review_by` is over. `confirmed`: sessions that called it right or useful for a
    near-equal query. `other_code`: what the article is about, when the query asks for a code that the base does not
    hold.
    """

    article_id: int
    doc_key: str
    title: str
    domain: str
    updated: str | None
    state: ArticleState
    superseded_by: str | None
    copies: tuple[str, ...]
    heading: str
    chunk_index: int
    start: int
    content: str
    marks: tuple[Span, ...]
    title_marks: tuple[Span, ...]
    other_chunks: tuple[int, ...]
    held_at: str | None = None
    held_query: str | None = None
    review_by: str | None = None
    confirmed: int = 0
    other_code: str = ""


class Facet(StrEnum):
    """In what articles about one subject differ."""

    PRODUCT = "product"
    VERSION = "version"
    SYSTEM = "system"
    ERROR_CODE = "error_code"
    SYMPTOM = "symptom"


@dataclass(frozen=True, slots=True)
class Dimension:
    """A facet of which a question says nothing, and what the articles found say of it, the best articles' first."""

    facet: Facet
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NearCode:
    """A code that the base holds beside `asked`, which it does not: as its article writes it, where it differs."""

    asked: str
    code: str
    differing: tuple[Span, ...]
    doc_key: str
    title: str


@dataclass(frozen=True, slots=True)
class Answer:
    """All that the window and `--explain` need of one lookup or preview.

    `hits` best first (top_k of them); `ranking` the same, or more, as doc keys, copies right after theirs; `details` is
    the log's `retrieval_details` (scores live there, contract §7); `invocation_id` is None for previews, gated
    texts and throw-away lookups. `unheld_codes`: identifiers of the query that the base does not hold; `neighbours`:
    held ones that are easily taken for them. `dimensions`: with REFERENCE, what would tell the articles apart.
    `suggestion`: the query as it was perhaps meant; never searched by itself. `leg_is_coming`: a missing leg was late
    and may still come (`Engine.late_legs`).
    """

    result: LookupResult
    hits: tuple[Hit, ...]
    ranking: tuple[str, ...]
    details: dict[str, Any]
    invocation_id: int | None = None
    unheld_codes: tuple[str, ...] = ()
    neighbours: tuple[NearCode, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    knowledge_version: int = 0
    suggestion: str | None = None
    leg_is_coming: bool = False


@dataclass(frozen=True, slots=True)
class ArticleView:
    """An article opened for reading: the whole text, where the query stands in it, and its best passage."""

    article: Article
    domain_name: str
    marks: tuple[Span, ...] = ()


# -------------------------------------------------------------------- sessions


@dataclass(frozen=True, slots=True)
class RetrievedDoc:
    """An article this session holds. `current` is False when its text changed since (it is unread again)."""

    doc_key: str
    title: str
    domain: str
    first_at: str
    query: str
    current: bool


@dataclass(frozen=True, slots=True)
class SessionSummary:
    """A session in a list. `domains` in order of first retrieval."""

    id: str
    title: str
    created_at: str
    lookups: int
    domains: tuple[str, ...]
    closed_at: str | None = None


@dataclass(frozen=True, slots=True)
class SessionMemory:
    """What one session holds: domain → its articles, both in order of first retrieval."""

    id: str
    title: str
    domains: tuple[tuple[str, tuple[RetrievedDoc, ...]], ...]
