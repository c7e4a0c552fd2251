"""Recall: what the legs find in one state of the index: words first, then, wherever it runs, a vector leg."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.embedding.profile import HASHED
from core.index.bm25 import Bm25, Groups
from core.index.postings import Int64s
from core.index.scratch import Scratch
from core.index.top import strongest, top_slots
from core.protocols import Embedder, Ids, Nearest, Scores, Unit, Vectors

BM25 = "bm25"
VECTOR = "vector"
BOTH_LEGS = frozenset({BM25, VECTOR})
MOST_CANDIDATES = 2048
VECTOR_CANDIDATES = 200
_NO_COSINE = 1e-6  # what rounding leaves of a cosine of 0
_CHUNKS_EACH = 10  # chunks of one article among the best, about
# What a handful of articles is too few to tell: so many more are supposed, about as near to any question as a model
# usually finds an article.
_SUPPOSED = 20
_USUAL_COSINE = 0.8
_USUAL_DEVIATION = 0.02
_scratch = Scratch()


@dataclass(frozen=True, slots=True)
class SubQuery:
    """One text to recall by: words by its tokens, a model by the text. `factor` scales its scores when several are
    merged (rewrites: 0.8, contract §3)."""

    tokens: Sequence[str]
    text: str = ""
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Recall:
    """The live, allowed chunks that a query found; all arrays have the same length, chunks in order of adding.

    `whole`: the BM25 score of the chunk's article taken as one text (the same for all its chunks), also the best over
    the sub-queries; 0 when the lexical leg was off. `bm25`: best raw score over the sub-queries, each times its
    factor; never 0 unless only the vector leg found the chunk (negative ones exist: rank_bm25's floor on tiny corpora).
    `vector`: likewise how near it is: max(0, cosine) of hashed vectors, of a model's by how many standard deviations
    the cosine stands above the base's other articles. `distance`: smallest squared L2 distance, unscaled; nan when the
    vector leg was off, or has no vector of it.
    """

    chunk_ids: Int64s
    article_ids: Int64s
    bm25: Scores
    whole: Scores
    vector: Scores
    distance: Scores

    def __len__(self) -> int:
        return len(self.chunk_ids)


@dataclass(frozen=True)
class State:
    """Everything but the vectors, which only grow: a state of n slots reads the first n of them. The first `frozen`
    slots are those of the generation on disk."""

    version: int
    bm25: Bm25
    chunk_ids: Int64s
    article_ids: Int64s
    frozen: int

    @cached_property
    def articles(self) -> Groups:
        """The slots grouped by article."""
        return self.bm25.groups(self.article_ids)

    @cached_property
    def live_articles(self) -> int:
        """How many articles the live slots are of."""
        return int(np.count_nonzero(self.first_of_article))

    @cached_property
    def first_of_article(self) -> npt.NDArray[np.bool_]:
        """True at the first live slot of each article."""
        live = np.flatnonzero(self.bm25.alive)
        first = np.zeros(len(self.article_ids), dtype=np.bool_)
        first[live[np.unique(self.article_ids[live], return_index=True)[1]]] = True
        return first


@dataclass(frozen=True, slots=True)
class Words:
    """What the words of some sub-queries find in one state, from which any vector leg goes on in the same state.

    `places`: the slots found, ascending; `bm25` and `whole` belong to them. `article_scores`: those of all articles,
    for slots that only vectors find; None where none is. `offered`: which slots may be found at all. Never changed:
    several threads may read it.
    """

    state: State
    queries: Sequence[SubQuery]
    offered: npt.NDArray[np.bool_]
    places: Int64s
    bm25: Scores
    whole: Scores
    article_scores: Scores | None
    lexical: bool

    def best_articles(self, most: int) -> list[tuple[int, float]]:
        """(article id, its whole BM25 score), the best of those found, best first."""
        best = self.places[slots := top_slots(self.whole, _CHUNKS_EACH * most)]
        scores = zip(self.state.article_ids[best].tolist(), self.whole[slots].tolist(), strict=True)
        return list(dict(scores).items())[:most]


@dataclass(frozen=True, slots=True)
class Nearness:
    """What a vector leg says of slots (ascending, all that words found among them): how near they are and their
    smallest squared distance, as in Recall."""

    places: Int64s
    vector: Scores
    distance: Scores


def by_words(
    state: State, queries: Sequence[SubQuery], allowed_articles: Ids | None, *, lexical: bool, all_articles: bool
) -> Words:
    """The lexical leg: slots of `allowed_articles` (None: all) that hold a word of the query; none with `lexical` off.
    `all_articles`: keep the scores of articles that no word was found in a chunk of. Document frequencies are those of
    all live chunks."""
    offered = state.bm25.alive
    if allowed_articles is not None:
        offered = offered & np.isin(state.article_ids, allowed_articles)
    if not lexical:
        none = np.empty(0)
        return Words(state, queries, offered, np.empty(0, dtype=np.int64), none, none, None, lexical)
    bm25, whole = _lexical(state, queries)
    found = np.not_equal(bm25, 0, out=_scratch.empty("found", len(bm25), np.bool_))
    for token in {token for query in queries for token in query.tokens}:
        if state.bm25.idf(token) == 0:  # held by just half of all chunks: it tells nothing, and is found all the same
            found[state.bm25.slots_of(token)] = True
    found &= offered
    places = np.flatnonzero(found)
    kept = whole.copy() if all_articles else None
    return Words(state, queries, offered, places, bm25[places], whole[state.articles.of_slot[places]], kept, lexical)


def by_vectors(words: Words, embedder: Embedder, vectors: Nearest, candidates: int = VECTOR_CANDIDATES) -> Nearness:
    """The vector leg. A model also offers the `candidates` nearest slots that words did not find (of each article its
    first, where its chunks share a vector). Hashed vectors do not, but where they stand alone: a chunk without a word
    of the query is only near by collision. Raises what the embedder raises, ValueError where its vector is not
    finite."""
    state, places = words.state, words.places
    encoded = [(query.factor, _encoded(state, query, embedder)) for query in words.queries]
    if embedder.name == HASHED:
        if not words.lexical:
            near, _ = _nearness(state, encoded, vectors)
            places = np.union1d(places, top_slots(near * words.offered, candidates, above=_NO_COSINE))
        return Nearness(places, *_nearness(state, encoded, vectors, places))
    each = state.first_of_article if embedder.unit is Unit.ARTICLE else state.bm25.alive
    near, distance = _above_the_others(each, encoded, vectors)
    places = np.union1d(places, top_slots(near * (words.offered & each), candidates, above=_NO_COSINE))
    return Nearness(places, near[places], distance[places])


def merged(words: Words, near: Nearness | None, most: int = MOST_CANDIDATES) -> Recall:
    """What both legs found, each chunk once; `near` None: without vectors. A text of common words finds most of all
    chunks: of more than `most` only the strongest are kept (the sum of the legs, each as a share of its best, and each
    leg's best itself)."""
    state, places, bm25, whole = words.state, words.places, words.bm25, words.whole
    if near is None:
        near = Nearness(places, np.zeros(len(places)), np.full(len(places), np.nan))
    elif len(near.places) > len(places):
        places = near.places
        bm25, whole = np.zeros(len(places)), np.zeros(len(places))
        bm25[np.searchsorted(places, words.places)] = words.bm25
        if words.article_scores is not None:
            whole = words.article_scores[state.articles.of_slot[places]]
    vector, distance = near.vector, near.distance
    if len(places) > most:
        kept = strongest((bm25, whole, vector), most)
        places, bm25, whole = places[kept], bm25[kept], whole[kept]
        vector, distance = vector[kept], distance[kept]
    return Recall(
        chunk_ids=state.chunk_ids[places],
        article_ids=state.article_ids[places],
        bm25=bm25,
        whole=whole,
        vector=np.maximum(vector, 0.0),
        distance=distance,
    )


def _lexical(state: State, queries: Sequence[SubQuery]) -> tuple[Scores, Scores]:
    """Best scaled BM25 score of every slot, and of every article taken whole; valid until the next call."""
    articles = state.articles
    bm25, whole = _scratch.zeros("bm25", len(state.chunk_ids)), _scratch.zeros("whole", articles.count)
    for number, query in enumerate(queries):
        scores = _scratch.zeros("other", len(bm25)) if number else bm25
        article_scores = _scratch.zeros("other whole", len(whole)) if number else whole
        state.bm25.add_scores(query.tokens, scores, articles, article_scores)
        if query.factor != 1:
            scores *= query.factor
            article_scores *= query.factor
        if number:
            _take_better(bm25, scores)
            _take_better(whole, article_scores)
    return bm25, whole


def _nearness(
    state: State, queries: Sequence[tuple[float, Vectors]], vectors: Nearest, slots: Int64s | None = None
) -> tuple[Scores, Scores]:
    """Best scaled cosine and smallest distance of these slots (all)."""
    size = len(state.chunk_ids) if slots is None else len(slots)
    vector, distance = np.zeros(size), np.full(size, np.nan)
    for number, (factor, query) in enumerate(queries):
        distances = vectors.distances(query, slots)[:size]
        cosines = distances * (-0.5 * factor)
        cosines += factor
        vector = np.maximum(vector, cosines, out=vector) if number else cosines
        distance = np.minimum(distance, distances, out=distance) if number else distances
    return vector, distance


def _above_the_others(
    each: npt.NDArray[np.bool_], queries: Sequence[tuple[float, Vectors]], vectors: Nearest
) -> tuple[Scores, Scores]:
    """By how many standard deviations the cosine of every slot stands above the mean of all others than the best (of
    those that are marked in `each`), and its smallest distance. What a model's cosines begin at hangs on the languages
    of question and article and on how the question is worded; only how far one stands out is comparable."""
    size = len(each)
    near, distance = np.zeros(size), np.full(size, np.inf)
    for factor, query in queries:
        distances = vectors.distances(query)[:size]
        cosines = 1.0 - 0.5 * distances
        live = cosines[each & np.isfinite(cosines)]
        others = live[live < live.max(initial=-np.inf)]
        count = len(others) + _SUPPOSED
        mean = (others.sum() + _SUPPOSED * _USUAL_COSINE) / count
        variance = (np.square(others - mean).sum() + _SUPPOSED * _USUAL_DEVIATION**2) / count
        np.fmax(near, (cosines - mean) * (factor / np.sqrt(variance)), out=near)
        np.fmin(distance, distances, out=distance)
    distance[np.isinf(distance)] = np.nan
    return near, distance


def _encoded(state: State, query: SubQuery, embedder: Embedder) -> Vectors:
    # A word that no chunk holds tells nothing about which chunk is near: its bucket is others' by collision.
    weights = [state.bm25.information(token) if state.bm25.df(token) else 0.0 for token in query.tokens]
    vector = embedder.encode_query(query.tokens, weights, query.text)
    if not np.isfinite(vector).all():
        raise ValueError(f"{embedder.name} made a vector of what is no number")
    return vector


def _take_better(best: Scores, other: Scores) -> None:
    """Put the better score of each slot into `best`; 0 means that a sub-query does not find it."""
    better = (best == 0) | ((other != 0) & (other > best))
    np.copyto(best, other, where=better)
