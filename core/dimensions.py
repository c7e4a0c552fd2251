"""Dimensions: what a question leaves open and the articles found for it differ in (contract §6, §10; first seed §4).

Pure: from the question and what an answer has read of its first articles to the facets that would tell them apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from core.facets import DEVICE, Found, found_in_body, found_in_name, is_named, latin_names
from core.identifiers import find_identifiers
from core.lexicon import Lexicon
from core.model import Chunk, Dimension, Facet
from core.query import Query
from core.text import fold, squeeze

if TYPE_CHECKING:
    from core.lookup import Search

MOST = 4
MOST_VALUES = 5
COMPARED = 10
_LEAST_TOLD_APART = 0.2  # of all pairs of articles, by the facet; less is a question about one odd article
_NEAR_THE_BEST = 0.4  # of the best one's score; what stands far below answers another question
_READ = 2
_LONGEST_VALUE = 16
# A code decides more than a symptom: what a facet tells apart counts so many times.
_WORTH = {Facet.ERROR_CODE: 1.2, Facet.SYSTEM: 1.1, Facet.PRODUCT: 1.0, Facet.VERSION: 0.9, Facet.SYMPTOM: 0.8}
_IN_BODY = 0.5  # what an article only mentions names it less surely than its title does
_COMMON = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """What an answer has read of an article: its title, its keywords, the headings and texts of its best chunks."""

    title: str
    keywords: tuple[str, ...]
    headings: tuple[str, ...]
    texts: tuple[str, ...]


def candidates_of(search: Search, chunks: Mapping[int, Chunk]) -> list[Candidate]:
    """The first articles of a search that are not far behind the best, as far as `chunks` (by id) are read."""
    ranked = search.ranked[:COMPARED]
    best = max((article.score for article in ranked), default=0.0)
    candidates = []
    for place, article in enumerate(ranked):
        if place and article.score < best * _NEAR_THE_BEST:
            continue
        head = search.heads[article.article_id]
        read = [chunks[chunk] for chunk in article.chunks[:_READ] if chunk in chunks]
        headings = tuple(chunk.heading.rpartition(" > ")[2] for chunk in read)
        candidates.append(Candidate(head.title, head.keywords, headings, tuple(chunk.text for chunk in read[:1])))
    return candidates


class _Value(NamedTuple):
    """One thing that an article says of a facet: as it writes it, how surely it is about it, its family (Windows)."""

    written: str
    weight: float
    family: str


_Values = dict[str, _Value]


def dimensions_of(query: Query, candidates: Sequence[Candidate], lexicon: Lexicon) -> tuple[Dimension, ...]:
    """At most four facets in which the candidates (best first) differ and of which the question says nothing, the most
    telling first; each with up to five values, written as the articles write them, the best articles' first.

    No value stands in the question, in any listed form, and none is shared by all candidates. Fewer than two
    candidates differ in nothing.
    """
    compared = candidates[:COMPARED]
    if len(compared) < 2:
        return ()
    asked = _said_by(query)
    common = _shared_keywords(compared)
    said = [_said_by_article(candidate, common) for candidate in compared]
    telling: list[tuple[float, Dimension]] = []
    for facet, worth in _WORTH.items():
        values = [_open(facet, article.get(facet, {}), asked, query, lexicon) for article in said]
        values = _without_shared(facet, values)
        apart = _told_apart(values)
        if apart >= _LEAST_TOLD_APART:
            telling.append((apart * worth, Dimension(facet, _best(values))))
    telling.sort(key=lambda one: -one[0])
    return tuple(dimension for _, dimension in telling[:MOST])


# ------------------------------------------------------------------ what is said


def _said_by(query: Query) -> Mapping[Facet, Collection[Found]]:
    """What the question says of each facet; an identifier that is nothing else is a code."""
    said: dict[Facet, list[Found]] = defaultdict(list)
    for found in (*found_in_name(query.text), *found_in_body(query.text)):
        said[found.facet].append(found)
    keys = [found.key.replace(" ", "") for values in said.values() for found in values]
    for code in find_identifiers(query.squeezed):
        if not any(code.key in key for key in keys):
            said[Facet.ERROR_CODE].append(Found(Facet.ERROR_CODE, code.key))
    return said


def _said_by_article(candidate: Candidate, common: Collection[str]) -> dict[Facet, _Values]:
    said: dict[Facet, _Values] = defaultdict(dict)
    for found in _found(candidate):
        weight = 1.0 if found.naming else _IN_BODY
        before = said[found.facet].get(found.key)
        if before is None or before.weight < weight:
            said[found.facet][found.key] = _Value(found.written, weight, found.family)
    for keyword in candidate.keywords:
        key = _key(keyword)
        if key in common and not any(key in values for values in said.values()):
            said[Facet.PRODUCT][key] = _Value(keyword, 1.0, "")
    return said


@lru_cache(maxsize=1024)  # the next query finds most of the same articles again
def _found(candidate: Candidate) -> tuple[Found, ...]:
    # Parted so that nothing is read across two of them.
    names = " | ".join((candidate.title, *candidate.keywords, *candidate.headings))
    found = [*found_in_name(names), *latin_names(candidate.title)]
    for text in candidate.texts:
        found.extend(found_in_body(text))
    return tuple(filter(_is_certain, found))


def _is_certain(found: Found) -> bool:
    """Not a lower-case `max_error_count`: a setting more often than a code. A caller may type as he likes."""
    return found.facet is not Facet.ERROR_CODE or "_" not in found.key or found.written.isupper()


def _shared_keywords(candidates: Sequence[Candidate]) -> frozenset[str]:
    """Keywords that name what some of the articles are about: declared by several, by no code, symptom or system."""
    counts = Counter(key for candidate in candidates for key in {_key(word) for word in candidate.keywords})
    return frozenset(
        key
        for key, count in counts.items()
        if _COMMON <= count < len(candidates) and len(key) <= _LONGEST_VALUE and not is_named(key)
    )


def _key(word: str) -> str:
    return squeeze(fold(word)).strip()


# --------------------------------------------------------------- what is left open


def _open(
    facet: Facet, values: _Values, asked: Mapping[Facet, Collection[Found]], query: Query, lexicon: Lexicon
) -> _Values:
    """The values that the question leaves open: all when it is silent, none when it has said one; where it named a
    family without a version (Windows), the versions of that family; where a kind of device, the makes."""
    told = asked.get(facet, ())
    if told and all(found.family == DEVICE for found in told):
        values = {key: value for key, value in values.items() if value.family != DEVICE}
    elif told:
        families = {found.family for found in told if found.family and found.family == found.key}
        if len(families) < len({found.key for found in told}):
            return {}
        values = {
            key: value
            for key, value in values.items()
            if key != value.family and any(value.family.startswith(family) for family in families)
        }
    return {key: value for key, value in values.items() if not _is_asked(key, query, lexicon)}


def _is_asked(key: str, query: Query, lexicon: Lexicon) -> bool:
    return any(form in query.squeezed for form in (key, *lexicon.synonyms(key)))


def _without_shared(facet: Facet, values: Sequence[_Values]) -> list[_Values]:
    """Without what all candidates say, a bare family where a version of it is named somewhere, and kinds of device
    where a make or a program is."""
    counts = Counter(key for article in values for key in article)
    named = [(key, value.family) for article in values for key, value in article.items()]
    families = {family for key, family in named if family not in {key, DEVICE}}
    makes = any(family != DEVICE and counts[key] < len(values) for key, family in named)
    if facet is Facet.SYSTEM and not families and len(counts) == 1:
        return [{} for _ in values]  # one system without a version: nobody would be asked which
    dropped = {
        key for key, family in named if counts[key] == len(values) or key in families or (makes and family == DEVICE)
    }
    return [{key: value for key, value in article.items() if key not in dropped} for article in values]


def _told_apart(values: Sequence[_Values]) -> float:
    """Of all pairs of articles, the share that say something different; a pair counts the more the better it is."""
    weights = [1 / (1 + place) for place in range(len(values))]
    same: dict[frozenset[str], float] = defaultdict(float)
    for article, weight in zip(values, weights, strict=True):
        same[frozenset(article)] += weight
    pairs = sum(weights) ** 2 - sum(weight**2 for weight in weights)
    return (sum(weights) ** 2 - sum(weight**2 for weight in same.values())) / pairs


def _best(values: Sequence[_Values]) -> tuple[str, ...]:
    """The values of the best articles first, each once, as it was first written."""
    weights: dict[str, float] = defaultdict(float)
    written: dict[str, str] = {}
    for place, article in enumerate(values):
        for key, value in article.items():
            weights[key] += value.weight / (1 + place)
            written.setdefault(key, value.written)
    order = sorted(weights, key=lambda key: (-weights[key], key))
    return _distinct(written[key] for key in order)[:MOST_VALUES]


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
