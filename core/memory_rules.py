"""What session memory does to an answer: soft mode marks, hard mode withholds (contract §5). Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.index.keyword import ExactMatch
from core.model import DedupReason
from core.session import DomainAnswers, Held

GENERAL = "general"
_LARGE_SHARE = 0.25
_LARGE_BASE = 200


@dataclass(frozen=True, slots=True)
class Memory:
    """What a session holds and has asked, read once a lookup."""

    held: Mapping[str, Held]
    answers: Mapping[str, DomainAnswers]
    earlier_queries: Sequence[str] = ()

    def holds(self, doc_key: str, content_hash: str) -> bool:
        """Whether the session has read this very text; changed text is unread."""
        known = self.held.get(doc_key)
        return known is not None and known.content_hash in ("", content_hash)


EMPTY = Memory({}, {})


@dataclass(frozen=True, slots=True)
class DomainCase:
    """What decides whether a closed domain answers all the same."""

    domain: str
    doc_key: str
    article_id: int
    exact: ExactMatch
    domain_articles: int
    all_articles: int
    new_words: bool
    dimension_named: bool


def withheld(case: DomainCase, memory: Memory, most_answers: int) -> DedupReason | None:
    """Whether hard mode keeps the primary's content back because of its domain."""
    answers = memory.answers.get(case.domain)
    if answers is None:
        return None
    if answers.count >= most_answers:
        return DedupReason.DOMAIN_RETRIEVED
    if _declared_alone(case.exact, case.article_id) or _covers_too_much(case):
        return None
    if not answers.closed and (case.new_words or case.dimension_named):
        return None
    return DedupReason.DOMAIN_RETRIEVED


def _declared_alone(exact: ExactMatch, article_id: int) -> bool:
    """Declared, as the only one, through an identifier of the query."""
    return any(
        term.identifier and term.declared and article_id in term.articles and term.articles <= exact.precise
        for term in exact.terms
    )


def _covers_too_much(case: DomainCase) -> bool:
    """A domain that says nothing about what was read: `general`, or a large part of a base of some size."""
    if case.domain == GENERAL:
        return True
    return case.all_articles >= _LARGE_BASE and case.domain_articles > _LARGE_SHARE * case.all_articles


def earlier_query(memory: Memory, doc_keys: Collection[str]) -> str:
    """The query that first brought one of these articles, else the session's last one."""
    for held in memory.held.values():
        if held.doc_key in doc_keys and held.query:
            return held.query
    return memory.earlier_queries[-1] if memory.earlier_queries else ""


def closing_query(memory: Memory, domain: str) -> str:
    """The query by which the session first read something of the domain."""
    return next((held.query for held in memory.held.values() if held.domain == domain and held.query), "")
