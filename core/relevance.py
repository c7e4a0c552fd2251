"""Relevance: from distance or evidence to similarity, from similarity and L0 to a level. Pure (contract §4)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from core.coverage import Coverage
from core.embedding.profile import DISTANCE, HASHED, Profile, profile_of
from core.model import ArticleState, RelevanceLevel

# So many articles an agent looks at: a HIGHLY_RELEVANT answer is right when one of them is (Decision 3).
FIRST = 3
_LEAST_INFORMATION = 0.1
_MUCH_INFORMATION = 3.0
_STEEP = 30.0
_MOST_LEAD = 8.0  # standard deviations
_CLEAR_LEAD = 2.0  # likewise
_NEARLY_ALONE = 0.7  # of the score by words
_FEW = 500
# An article about another number or name is a reference at most.
_OF_ANOTHER_NAME = 0.6


def similarity_of_distance(l2_score: float, max_l2_distance: float) -> float:
    """`1 − min(l2, max) / max`: the squared L2 distance as a similarity in [0, 1] (first seed, section 3)."""
    return 1.0 - min(max(l2_score, 0.0), max_l2_distance) / max_l2_distance


def margin_between(best: float, next_best: float) -> float:
    """By how much an article leads, as a share of its own score; 0 … 1."""
    return max(0.0, (best - next_best) / best) if best > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a level is judged by.

    `margin`: how far the article leads the one that is `FIRST` places behind it, the first that an agent who reads
    that many does not see (share of its own lexical score). `title`: 0 … 1, how much the title and the question say
    the same. `information`: what of the question's information the article holds, in units of what one word that a
    single chunk holds tells (≥ 0). `distance`: squared L2, None without the vector leg. `exact`: the article is in the
    L0 match and that is more than a bare number; `precise`: L0 leaves exactly this article; `unheld`: the question
    holds an identifier that the base does not hold. `near_lead`, `nearest`, `first_by_words`: as in `core.lead.Lead`,
    nothing without a model; `same_title`: the title and the question say the same; `untitled`: nobody gave the article
    a title; `lexical`: the BM25 leg answered; `articles`: how many the base has.
    """

    state: ArticleState
    coverage: Coverage
    margin: float
    distance: float | None
    exact: bool
    precise: bool
    unheld: bool
    other_name: bool = False
    title: float = 0.0
    information: float = 1.0
    near_lead: float = 0.0
    nearest: bool = False
    first_by_words: bool = False
    same_title: bool = False
    untitled: bool = False
    lexical: bool = True
    articles: int = 0


def features_of(evidence: Evidence) -> dict[str, float]:
    """What a profile's lines weigh. Titles tell little unless they say nearly the same as the question."""
    return features(
        coverage=evidence.coverage.share,
        margin=evidence.margin,
        title=evidence.title,
        information=evidence.information,
        near_lead=evidence.near_lead,
        nearest=evidence.nearest,
        first_by_words=evidence.first_by_words,
        same_title=evidence.same_title,
        untitled=evidence.untitled,
        articles=evidence.articles,
    )


def features(
    *,
    coverage: float,
    margin: float,
    title: float,
    information: float,
    near_lead: float = 0.0,
    nearest: bool = False,
    first_by_words: bool = False,
    same_title: bool = False,
    untitled: bool = False,
    articles: int = 0,
) -> dict[str, float]:
    """The same from the figures that the log keeps of the evidence."""
    return {
        "coverage": coverage,
        "information": math.log(max(_LEAST_INFORMATION, information)),
        "margin_by_information": margin * min(information, _MUCH_INFORMATION),
        "title": title**4,
        "near_lead": min(near_lead, _MOST_LEAD),
        "clear": _clear(coverage, margin, near_lead if nearest else 0.0) if first_by_words else 0.0,
        "same_title": float(same_title),
        # Where no title can speak for an article, the rest has to.
        "untitled": float(untitled),
        # In a small base few articles resemble the right one.
        "few": math.log(max(1.0, _FEW / articles)) if articles else 0.0,
    }


def _clear(coverage: float, margin: float, near_lead: float) -> float:
    """0 … 1: that an article holds the question and either leads both by words and by nearness, or holds words that no
    other article does."""
    both = margin * min(near_lead, _CLEAR_LEAD) / _CLEAR_LEAD
    alone = max(0.0, margin - _NEARLY_ALONE) / (1.0 - _NEARLY_ALONE)
    return coverage**2 * math.sqrt(max(both, alone))


def evidence_similarity(evidence: Evidence, profile: Profile) -> float:
    """What stands for similarity where distances mean little (Decision 4): the smaller of two calibrated shares, that
    the base says something on the subject, and, above ½, that a right article stands among the first. Never falls when
    more speaks for the article."""
    values = features_of(evidence)
    most = _OF_ANOTHER_NAME if evidence.other_name else 1.0
    return min(_share(profile.subject, values), 0.5 + 0.5 * _share(profile.answer, values), most)


def _share(line: Mapping[str, float], values: Mapping[str, float]) -> float:
    """The logistic of a weighted sum; `offset` is the sum's beginning."""
    height = line.get("offset", 0.0) + sum(weight * values[name] for name, weight in line.items() if name != "offset")
    return 1.0 / (1.0 + math.exp(-min(max(height, -_STEEP), _STEEP)))


def similarity_of(evidence: Evidence, profile: Profile) -> float:
    """Similarity in [0, 1], formed as the profile says; where a leg is missing that it rests on, the hashed profile's
    evidence decides (contract §7)."""
    if profile.similarity == DISTANCE:
        if evidence.distance is not None:
            return similarity_of_distance(evidence.distance, profile.max_l2_distance)
        profile = profile_of(HASHED)
    return evidence_similarity(evidence, profile if evidence.lexical else profile_of(HASHED))


def level_of(evidence: Evidence, similarity: float, profile: Profile) -> RelevanceLevel | None:
    """The level of an answer; None = not found. The first rule of contract §4 that holds."""
    trusted = evidence.state is ArticleState.CURRENT and not evidence.unheld
    if trusted and evidence.precise and not evidence.coverage.missing:
        return RelevanceLevel.PRECISE
    if trusted and similarity >= profile.highly_relevant_threshold:
        return RelevanceLevel.HIGHLY_RELEVANT
    if similarity >= profile.reference_threshold or evidence.exact:
        return RelevanceLevel.REFERENCE
    return None


def state_today(state: ArticleState, review_by: str | None, today: str) -> ArticleState:
    """An article whose review date has passed is expired. Dates are ISO 8601."""
    if state is ArticleState.CURRENT and review_by and review_by[:10] < today:
        return ArticleState.EXPIRED
    return state
