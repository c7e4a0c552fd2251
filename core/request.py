"""What is asked beside the text, and what comes of it: the values between Asking and Answering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.model import Answer, Degraded, LookupResult, Mode, Outcome, RelevanceLevel


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for beside the text. `session_id` None: a new session begins with the row, unless `throwaway`
    (nothing is written then). `top_k`: how many articles are shown; `ranked`: how many are ranked, if more;
    `log_later`: the row need not be in the database when the answer is out."""

    text: str
    session_id: str | None
    mode: Mode
    top_k: int
    language: str
    missing_dimension: str | None = None
    hands_over: bool = False
    throwaway: bool = False
    ranked: int = 0
    log_later: bool = False

    @property
    def depth(self) -> int:
        """How many keys `Answer.ranking` holds at most."""
        return max(self.top_k, self.ranked)


@dataclass(frozen=True, slots=True)
class Handed:
    """An article whose content an answer hands over: what the tracker has to be told."""

    doc_key: str
    domain: str
    content_hash: str
    level: RelevanceLevel | None


@dataclass(frozen=True, slots=True)
class Prepared:
    """An answer ready to be logged; `handed`: primary (with its level), then supplements."""

    answer: Answer
    handed: tuple[Handed, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Settings that bound answers."""

    lookups_per_domain: int


def nothing(
    request: Request,
    domains: Sequence[str],
    outcome: Outcome,
    message: str,
    *,
    missing_legs: tuple[str, ...] = (),
    unknown_words: tuple[str, ...] = (),
    degraded: Degraded | None = None,
) -> LookupResult:
    """A result without any article: not found, gated or degraded."""
    return LookupResult(
        outcome=outcome,
        found=False,
        session_id=request.session_id,
        query=request.text,
        primary=None,
        supplement=(),
        relevance_level=None,
        evidence_level=None,
        completeness_hint=None,
        retrieved_domains_this_session=tuple(domains),
        dedup_reason=None,
        missing_legs=missing_legs,
        missing_dimensions=(),
        unknown_words=unknown_words,
        cached=False,
        degraded=degraded,
        message=message,
    )


def said(result: LookupResult) -> dict[str, Any]:
    """The part of `retrieval_details` (contract §7) that repeats what the result said."""
    return {
        "relevance_level": result.relevance_level,
        "completeness_hint": result.completeness_hint,
        "retrieved_domains": list(result.retrieved_domains_this_session),
        "dedup_reason": result.dedup_reason,
        "missing_legs": list(result.missing_legs),
        "cache_hit": result.cached,
    }
