"""Relevance: from distance or evidence to similarity, from similarity and L0 to a level. Pure (contract §4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.embedding.profile import DISTANCE, HASHED, Profile, profile_of
from core.identifiers import find_identifiers
from core.lexicon import Lexicon
from core.model import ArticleState, RelevanceLevel
from core.query import Query


def similarity_of_distance(l2_score: float, max_l2_distance: float) -> float:
    """`1 − min(l2, max) / max`: the squared L2 distance as a similarity in [0, 1] (first seed, section 3)."""
    return 1.0 - min(max(l2_score, 0.0), max_l2_distance) / max_l2_distance


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a question an article holds: in its title, keywords and best section.

    `share`: of the question's information, 0 … 1; `missing`: informative words and identifiers that are not there.
    """

    share: float
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an article: its heading path and its text, both folded and squeezed."""

    heading: str
    text: str


def coverage_of(
    query: Query,
    head: str,
    sections: Iterable[Section],
    lexicon: Lexicon,
    information: Callable[[str], float],
    *,
    matched: Collection[str] = (),
) -> Coverage:
    """How much of a query an article answers. `head`: title and keywords, folded and squeezed.

    Words count by `information` (≥ 0); generic ones count only when nothing else was asked. A word is present as a
    substring or by a listed synonym, an identifier by equality only; `matched` words are what L0 found the article
    by, in whatever form it is written there.
    """
    weighed = {word: information(word) for word in (query.informative or query.asked)}
    total = sum(weighed.values())
    codes_asked = {word: code for word in weighed if (code := _code(word))}
    best = Coverage(0.0, query.informative)
    best_held = -1.0
    for section in [*sections] or [Section("", "")]:
        text = f"{head}\n{section.heading}\n{section.text}"
        codes = {identifier.key for identifier in find_identifiers(text)} if codes_asked else set()
        present = {
            word
            for word in weighed
            if word in matched or (codes_asked[word] in codes if word in codes_asked else _present(word, text, lexicon))
        }
        held = sum(weighed[word] for word in present)
        if held > best_held:
            best_held = held
            share = held / total if total > 0 else float(bool(present))
            best = Coverage(share, tuple(word for word in query.informative if word not in present))
    return best


@lru_cache(maxsize=1024)
def _code(word: str) -> str:
    """The key of a word that is an identifier; else empty."""
    identifiers = find_identifiers(word)
    return identifiers[0].key if len(identifiers) == 1 and identifiers[0].text == word else ""


def _present(word: str, text: str, lexicon: Lexicon) -> bool:
    return word in text or any(other in text for other in lexicon.synonyms(word))


def evidence_similarity(coverage: float, margin: float, profile: Profile) -> float:
    """What stands for similarity where distances mean little: the smaller of what coverage and margin allow."""
    return min(_along(profile.coverage_knots, coverage), _along(profile.margin_knots, margin))


def _along(knots: Sequence[tuple[float, float]], value: float) -> float:
    """The value of a line through knots, level beyond its ends."""
    if not knots:
        return 1.0
    at, height = knots[0]
    if value <= at:
        return height
    for next_at, next_height in knots[1:]:
        if value <= next_at:
            return height + (next_height - height) * (value - at) / (next_at - at)
        at, height = next_at, next_height
    return height


def margin_between(best: float, next_best: float) -> float:
    """By how much the primary leads, as a share of its own score; 0 … 1."""
    return max(0.0, (best - next_best) / best) if best > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a level is judged by. `distance` is the primary's squared L2, None without the vector leg; `exact`:
    the article is in the L0 match and that is more than a bare number; `precise`: L0 leaves exactly this article;
    `unheld`: the question holds an identifier that the base does not hold."""

    state: ArticleState
    coverage: Coverage
    margin: float
    distance: float | None
    exact: bool
    precise: bool
    unheld: bool


def similarity_of(evidence: Evidence, profile: Profile) -> float:
    """Similarity in [0, 1], formed as the profile says; without a distance the hashed profile's evidence decides
    (contract §7)."""
    if profile.similarity == DISTANCE:
        if evidence.distance is not None:
            return similarity_of_distance(evidence.distance, profile.max_l2_distance)
        profile = profile_of(HASHED)
    return evidence_similarity(evidence.coverage.share, evidence.margin, profile)


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
