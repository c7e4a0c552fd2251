"""Explanation: why an answer has its level, and why an article is among its hits. For people, never in LookupResult."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.model import Answer, ArticleState, Outcome, RelevanceLevel
from core.text import fold, spans_of

# With all words held, a smaller lead than this is what keeps an answer at REFERENCE in the hashed profile.
_CLEAR_LEAD = 0.5
# Holding less of the question than this, an article is good by its meaning and not by its words.
_MOST = 0.5


class Cause(StrEnum):
    """The rule of contract §4 that gave a level, or kept a better one away."""

    ONLY_ONE = "only_one"
    HOLDS_ALL = "holds_all"
    HOLDS_MOST = "holds_most"
    NEAREST = "nearest"
    OTHER_CODE = "other_code"
    NOT_CURRENT = "not_current"
    OTHER_NAME = "other_name"
    LACKS_WORDS = "lacks_words"
    NO_LEAD = "no_lead"
    FAR = "far"
    NO_WORDS_HELD = "no_words_held"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Because:
    """One sentence's worth: `words`: the terms, codes or words it is about, as they were typed; `state` with
    NOT_CURRENT."""

    cause: Cause
    words: tuple[str, ...] = ()
    state: ArticleState = ArticleState.CURRENT


class Place(StrEnum):
    """Where an article holds a word of the question."""

    HERE = "here"
    SYNONYM = "synonym"
    ELSEWHERE = "elsewhere"
    NOWHERE = "nowhere"


@dataclass(frozen=True, slots=True)
class AskedWord:
    """An informative word of the question, as it was typed. HERE: in title, keywords or the best passage; SYNONYM:
    there as `written`; ELSEWHERE: in another part of the article, so that it does not count."""

    text: str
    place: Place
    written: str = ""


@dataclass(frozen=True, slots=True)
class FoundTerm:
    """An exact term by which L0 found the article, as it was typed: declared by it (title, keywords) or mentioned in
    its text, and how many articles the term leaves."""

    text: str
    declared: bool
    articles: int


@dataclass(frozen=True, slots=True)
class Leg:
    """The article's place, from 1, among the `of` articles that a leg found; None when the leg did not find it."""

    place: int | None
    of: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one article is among the hits of one text, and what its level by itself rests on.

    `place`: in the ranking, from 1; `selected`: it stands above others because exact terms leave it; `rewrite`: (kind,
    text) of the sub-query that found it best, None when that was the question itself; `replaces`: titles of hits that
    it stands above because it replaced them; `figures`: name → number, of `similarity`, both thresholds, `distance`
    (squared L2), `cosine`, `bm25` and what else the profile judges by; `calibrated` False: initial thresholds.
    """

    doc_key: str
    title: str
    place: int
    level: RelevanceLevel | None
    because: Because
    state: ArticleState
    review_by: str | None
    terms: tuple[FoundTerm, ...]
    selected: bool
    lexical: Leg
    semantic: Leg
    words: tuple[AskedWord, ...]
    rewrite: tuple[str, str] | None
    replaces: tuple[str, ...]
    figures: Mapping[str, float]
    profile: str
    calibrated: bool
    confirmed: int = 0
    missing_legs: tuple[str, ...] = ()


def because(
    level: RelevanceLevel | None,
    *,
    terms: Sequence[str],
    missing: Sequence[str],
    state: ArticleState,
    unheld: Sequence[str],
    other_name: bool,
    margin: float,
    coverage: float = 1.0,
) -> Because:
    """Why it is this level and no better one: the first reason that holds, in the order of the contract's rules."""
    if level is RelevanceLevel.PRECISE:
        return Because(Cause.ONLY_ONE, tuple(terms))
    if level is RelevanceLevel.HIGHLY_RELEVANT:
        most = Because(Cause.HOLDS_MOST, tuple(missing)) if coverage >= _MOST else Because(Cause.NEAREST)
        return most if missing else Because(Cause.HOLDS_ALL)
    if unheld:
        return Because(Cause.OTHER_CODE, tuple(unheld))
    if state is not ArticleState.CURRENT:
        return Because(Cause.NOT_CURRENT, state=state)
    if missing and not other_name:
        return Because(Cause.LACKS_WORDS, tuple(missing))
    return Because(Cause.OTHER_NAME if other_name else Cause.NO_LEAD if margin < _CLEAR_LEAD else Cause.FAR)


def because_of(answer: Answer) -> Because | None:
    """Why an answer has the level that it has; None for one that has none (gated, degraded)."""
    result, evidence = answer.result, answer.details.get("evidence") or {}
    typed = result.query
    if result.outcome is Outcome.NOT_FOUND:
        if answer.unheld_codes:
            return Because(Cause.OTHER_CODE, as_typed(typed, answer.unheld_codes))
        unknown = as_typed(typed, result.unknown_words)
        return Because(Cause.NO_WORDS_HELD, unknown) if unknown else Because(Cause.NOTHING)
    if result.evidence_level is None:
        return None
    return because(
        result.evidence_level,
        terms=as_typed(typed, answer.details.get("l0_terms") or ()),
        missing=as_typed(typed, evidence.get("missing") or ()),
        state=ArticleState(evidence.get("state", ArticleState.CURRENT)),
        unheld=as_typed(typed, answer.unheld_codes),
        other_name=bool(evidence.get("other_name")),
        margin=float(evidence.get("margin", 1.0)),
        coverage=float(evidence.get("coverage", 1.0)),
    )


def as_typed(text: str, folded: Collection[str]) -> tuple[str, ...]:
    """Folded words of a text as they stand in it: ERR_TIMEOUT for err_timeout. One that does not stand there as it is
    (a code put together from pieces) stays folded."""
    typed = []
    for word in folded:
        pieces = [text[span.start : span.end] for span in spans_of(text, (word,))]
        typed.append(next((piece for piece in pieces if fold(piece) == word), word))
    return tuple(typed)
