"""What badge and hint line say about an answer, by its state (contract §10). No Qt; names of words, not words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from core.model import Answer, ArticleState, Dimension, Outcome, RelevanceLevel

NOT_FOUND = "NOT_FOUND"
Value = str | tuple[str, ...]
"""A tuple is listed as the language lists things."""

_BY_LEVEL = {RelevanceLevel.PRECISE: "hint.precise", RelevanceLevel.HIGHLY_RELEVANT: "hint.highly"}

# What is said of a state matters more than which word would help: other words do not make an article current.
_NOT_CURRENT: dict[str, str] = {
    ArticleState.SUPERSEDED: "hint.superseded_alone",
    ArticleState.DRAFT: "hint.draft",
    ArticleState.UNREVIEWED: "hint.unreviewed",
    ArticleState.EXPIRED: "hint.expired",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """`level` is a relevance level, NOT_FOUND or "" (no badge); `hint` names the line, `values` fill it.

    `seen`: this session holds every article of the answer. `retry`: offer to try again.
    """

    level: str
    hint: str
    values: dict[str, Value] = field(default_factory=dict)
    seen: bool = False
    retry: bool = False


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the line must say besides the answer: a running import (done, total), pending knowledge, an earlier search,
    how many texts have the vectors that are waited for (done, total).

    `earlier` = local time and ranking of the same text in this session; `successor` = the title of what replaced
    the primary.
    """

    importing: tuple[int, int] | None = None
    pending: bool = False
    earlier: tuple[str, tuple[str, ...]] | None = None
    successor: str | None = None
    embedding: tuple[int, int] | None = None


def verdict(answer: Answer, around: Surroundings) -> Verdict:
    """The most important thing to know comes first: not answered, incomplete, not held, replaced, seen, the level."""
    result = answer.result
    if result.outcome is Outcome.DEGRADED:
        timeout = result.degraded is not None and result.degraded.reason == "timeout"
        return Verdict("", "hint.degraded_timeout" if timeout else "hint.degraded_other", retry=True)
    if result.outcome is Outcome.GATED:
        return Verdict("", "hint.gated")
    level = shown_level(answer)
    seen = result.relevance_level is RelevanceLevel.DEDUPED
    hint, values = next(_lines(answer, around, level, seen))
    return Verdict(level, hint, values, seen)


def shown_level(answer: Answer) -> str:
    """The level that the badge shows. In soft mode a seen answer keeps the level that its evidence has (§5)."""
    result = answer.result
    if result.outcome is Outcome.NOT_FOUND:
        return NOT_FOUND
    level = result.relevance_level
    if level is RelevanceLevel.DEDUPED and result.evidence_level is not None:
        level = result.evidence_level
    return level.value if level is not None else ""


def _lines(answer: Answer, around: Surroundings, level: str, seen: bool) -> Iterator[tuple[str, dict[str, Value]]]:
    """All that is true of the answer, the most important first."""
    result = answer.result
    for leg in result.missing_legs:
        yield ("hint.leg_vector" if leg.lower() in {"l1", "vector"} else "hint.leg_keyword"), {}
    if around.importing is not None and level != RelevanceLevel.PRECISE:
        done, total = around.importing
        yield "hint.importing", {"done": f"{done:,}", "total": f"{total:,}" if total else "…"}
    if answer.unheld_codes:
        # Only of codes that stand below it can be said that they differ.
        shown = answer.hits or answer.neighbours
        yield "hint.unknown_code" if shown else "hint.unknown_code_alone", {"codes": answer.unheld_codes}
    if around.embedding is not None and level not in _BY_LEVEL:
        done, total = around.embedding
        yield "hint.embedding", {"done": f"{done:,}", "total": f"{total:,}"}
    if level == NOT_FOUND:
        if result.unknown_words:
            yield "hint.not_found_words", {"words": tuple(f'"{name}"' for name in result.unknown_words)}
        yield "hint.not_found", {}
    if around.successor is not None:
        yield "hint.superseded", {"title": around.successor}
    elif result.primary is not None and result.primary.state in _NOT_CURRENT:
        yield _NOT_CURRENT[result.primary.state], {}
    elif level == RelevanceLevel.REFERENCE and (replaced := _replaced_by_first(answer)):
        yield "hint.replaces", {"title": replaced}
    if around.earlier is not None:
        time, ranking = around.earlier
        more = len(set(answer.ranking) - set(ranking))
        yield ("hint.again_more", {"time": time, "count": str(more)}) if more else ("hint.again_same", {"time": time})
    if seen:
        yield "hint.all_seen", {}
    yield _by_level(answer, around, level)


def _replaced_by_first(answer: Answer) -> str:
    """The title of a listed article that the first one replaced: it may hold nothing of the question itself."""
    first = answer.hits[0].doc_key if answer.hits else None
    return next((hit.title for hit in answer.hits[1:] if hit.superseded_by == first), "")


def _by_level(answer: Answer, around: Surroundings, level: str) -> tuple[str, dict[str, Value]]:
    if level == RelevanceLevel.PRECISE and (around.pending or around.importing is not None):
        return "hint.precise_pending", {}
    if level in _BY_LEVEL:
        return _BY_LEVEL[RelevanceLevel(level)], {}
    return ("hint.reference" if open_dimensions(answer) else "hint.reference_plain"), {}


def open_dimensions(answer: Answer) -> tuple[Dimension, ...]:
    """What an answer leaves open, to be offered; nothing where codes that are easily mixed up, or another wording of
    the question, come first."""
    return () if answer.neighbours or answer.suggestion else answer.dimensions
