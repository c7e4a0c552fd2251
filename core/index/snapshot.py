"""ChunkIndex: what one query sees of all chunks, lexical and vector leg together, swapped whole when they change."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.index.bm25 import Bm25, Groups
from core.index.generation import Generation, damage, read_generation, write_generation
from core.index.postings import Int64s, SegmentBuilder
from core.index.scratch import Scratch
from core.index.top import distinct, strongest, top_slots
from core.index.vector import vectors_for
from core.job import Job
from core.protocols import Embedder, Ids, Scores, VectorIndex

BOTH_LEGS = frozenset({"bm25", "vector"})
MOST_CANDIDATES = 2048
_BATCH = 1024
_REBUILD_SHARE = 0.10
_REBUILD_MINIMUM = 500
_scratch = Scratch()
_NO_COSINE = 1e-6  # what rounding leaves of a cosine of 0


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk as the index takes it in: its tokens hold title, headings and keywords as well as the text's."""

    chunk_id: int
    article_id: int
    tokens: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class SubQuery:
    """One text to recall by. `factor` scales its scores when several are merged (rewrites: 0.8, contract §3)."""

    tokens: Sequence[str]
    text: str = ""
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Recall:
    """The live, allowed chunks that a query found; all arrays have the same length, chunks in order of adding.

    `whole`: the BM25 score of the chunk's article taken as one text (the same for all its chunks), also the best over
    the sub-queries; 0 when the lexical leg was off. `bm25`: best raw score over the sub-queries, each times its
    factor; never 0 unless only the vector leg found the chunk (negative ones exist: rank_bm25's floor on tiny corpora).
    `vector`: best max(0, cosine) likewise. `distance`: smallest squared L2 distance, unscaled; nan when the vector leg
    was off.
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
class _State:
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


class ChunkIndex:
    """The indexes over one set of chunks. Safe under threads: a query sees the state before a change or after it.

    Queries take no lock. `version` is the knowledge version (change number) that the index has caught up with.
    """

    def __init__(self, embedder: Embedder, vectors: VectorIndex, state: _State, folder: Path | None = None) -> None:
        self.embedder = embedder
        self.folder = folder
        self._vectors = vectors
        self._state = state
        self._writing = threading.Lock()

    # ------------------------------------------------------------- changing
    @classmethod
    def build(
        cls, chunks: Iterable[IndexedChunk], embedder: Embedder, version: int, *, job: Job | None = None
    ) -> ChunkIndex:
        """Index all chunks in one pass; memory only. Raises Cancelled."""
        builder, vectors = SegmentBuilder(), vectors_for(embedder)
        chunk_ids: list[int] = []
        article_ids: list[int] = []
        for batch in _batches(chunks):
            if job is not None:
                job.checkpoint()
            for chunk in batch:
                builder.add(chunk.tokens)
                chunk_ids.append(chunk.chunk_id)
                article_ids.append(chunk.article_id)
            vectors.add(embedder.encode_documents([c.tokens for c in batch], [c.text for c in batch]))
        segment, lengths = builder.finish()
        state = _State(version, Bm25((segment,), lengths), _int64s(chunk_ids), _int64s(article_ids), 0)
        return cls(embedder, vectors, state)

    def apply(self, added: Sequence[IndexedChunk], removed_articles: Collection[int], version: int) -> None:
        """Remove all chunks of some articles and add others, seen by queries as one step. An article that is in both
        is replaced. Costs what the batch costs; hand over a few hundred chunks at a time."""
        # A model may take long over this: queries and other writers go on meanwhile.
        encoded = [
            self.embedder.encode_documents([c.tokens for c in batch], [c.text for c in batch])
            for batch in _batches(added)
        ]
        with self._writing:
            state = self._state
            bm25, chunk_ids, article_ids = state.bm25, state.chunk_ids, state.article_ids
            if removed_articles:
                gone = np.isin(article_ids, _int64s(list(removed_articles))) & bm25.alive
                bm25 = bm25.without(np.flatnonzero(gone))
            if added:
                bm25 = bm25.with_added([chunk.tokens for chunk in added])
                chunk_ids = np.concatenate((chunk_ids, _int64s([chunk.chunk_id for chunk in added])))
                article_ids = np.concatenate((article_ids, _int64s([chunk.article_id for chunk in added])))
                self._vectors.add(np.concatenate(encoded))
            self._state = _State(version, bm25, chunk_ids, article_ids, state.frozen)

    def copy(self) -> ChunkIndex:
        """An index over the same chunks, in memory: what is removed from one of them stays in the other. The vectors
        are shared, so add to one of the two only."""
        return ChunkIndex(self.embedder, self._vectors, self._state)

    # --------------------------------------------------------------- asking
    def __len__(self) -> int:
        """Live chunks."""
        return self._state.bm25.count

    @property
    def version(self) -> int:
        """The knowledge version that the index has caught up with."""
        return self._state.version

    @property
    def needs_rebuild(self) -> bool:
        """True when what was added and removed since the written generation passes a tenth of all (and 500 chunks)."""
        state = self._state
        slots = len(state.chunk_ids)
        changed = (slots - state.frozen) + (slots - state.bm25.count)
        return changed > max(_REBUILD_MINIMUM, _REBUILD_SHARE * state.bm25.count)

    def df(self, token: str) -> int:
        """Live chunks that hold the token."""
        return self._state.bm25.df(token)

    def idf(self, token: str) -> float:
        """rank_bm25's idf with its floor; 0 for unknown tokens."""
        return self._state.bm25.idf(token)

    def information(self, token: str) -> float:
        """ln(1 + (N − df + ½) / (df + ½)): never negative, largest for unknown tokens."""
        return self._state.bm25.information(token)

    def articles_with_all(self, tokens: Sequence[str], enough: int = 0) -> Int64s:
        """Articles that hold every token, in any of their live chunks; ids ascending. Stops early, with too many, once
        at most `enough` are left."""
        state = self._state
        left: Int64s = np.empty(0, dtype=np.int64)
        for number, token in enumerate(sorted(set(tokens), key=state.bm25.df)):
            held = distinct(state.article_ids[state.bm25.slots_of(token)])
            if number == 0:
                left = held
            elif len(held):
                place = np.minimum(np.searchsorted(held, left), len(held) - 1)
                left = left[held[place] == left]
            else:
                left = held
            if len(left) <= enough:
                break
        return left

    def article_ids(self) -> frozenset[int]:
        """The articles that have a live chunk here (for `doctor`)."""
        state = self._state
        return frozenset(np.unique(state.article_ids[state.bm25.alive]).tolist())

    def chunk_ids(self) -> Int64s:
        """The live chunks, in order of adding (for `doctor`)."""
        state = self._state
        return state.chunk_ids[state.bm25.alive]

    def recall(
        self,
        tokens: Sequence[str],
        *,
        allowed_articles: Ids | None = None,
        query_text: str = "",
        legs: frozenset[str] = BOTH_LEGS,
        vector_candidates: int = 200,
        most: int = MOST_CANDIDATES,
    ) -> Recall:
        """What one text finds; see `recall_all`."""
        return self.recall_all(
            [SubQuery(tokens, query_text)],
            allowed_articles=allowed_articles,
            legs=legs,
            vector_candidates=vector_candidates,
            most=most,
        )

    def recall_all(
        self,
        queries: Sequence[SubQuery],
        *,
        allowed_articles: Ids | None = None,
        legs: frozenset[str] = BOTH_LEGS,
        vector_candidates: int = 200,
        most: int = MOST_CANDIDATES,
    ) -> Recall:
        """Merge what several sub-queries find, each chunk once, all of it from one state.

        Offered are live chunks of `allowed_articles` (None: all) that hold a word of the query or stand among the
        `vector_candidates` nearest with a cosine above 0. Hashed vectors add none of these: a chunk without a word of
        the query is only near by collision. A text of common words finds most of all chunks: of more than `most` only
        the strongest are kept (the sum of the legs, each as a share of its best, and each leg's best itself).
        Document frequencies are those of all live chunks.
        """
        state = self._state
        offered = state.bm25.alive
        if allowed_articles is not None:
            offered = offered & np.isin(state.article_ids, allowed_articles)
        bm25, whole = self._lexical(state, queries if "bm25" in legs else ())
        near_queries = queries if "vector" in legs else ()
        found = np.not_equal(bm25, 0, out=_scratch.empty("found", len(bm25), np.bool_))
        for token in {token for query in queries if "bm25" in legs for token in query.tokens}:
            if (
                state.bm25.idf(token) == 0
            ):  # held by just half of all chunks: it tells nothing, and is found all the same
                found[state.bm25.slots_of(token)] = True
        found &= offered
        of_slot = state.articles.of_slot
        if "bm25" not in legs or self.embedder.name != "hashed":
            near, _ = self._nearness(state, near_queries)
            found[top_slots(near * offered, vector_candidates, above=_NO_COSINE)] = True
        places = np.flatnonzero(found)
        words, article = bm25[places], whole[of_slot[places]]
        vector, distance = self._nearness(state, near_queries, places)
        if len(places) > most:
            kept = strongest((words, article, vector), most)
            places, words, article = places[kept], words[kept], article[kept]
            vector, distance = vector[kept], distance[kept]
        return Recall(
            chunk_ids=state.chunk_ids[places],
            article_ids=state.article_ids[places],
            bm25=words,
            whole=article,
            vector=np.maximum(vector, 0.0, out=vector),
            distance=distance,
        )

    @staticmethod
    def _lexical(state: _State, queries: Sequence[SubQuery]) -> tuple[Scores, Scores]:
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
        self, state: _State, queries: Sequence[SubQuery], slots: Int64s | None = None
    ) -> tuple[Scores, Scores]:
        """Best scaled cosine and smallest distance of these slots (all); 0 and nan without a query."""
        size = len(state.chunk_ids) if slots is None else len(slots)
        vector, distance = np.zeros(size), np.full(size, np.nan)
        for number, query in enumerate(queries):
            distances = self._distances(state, query, slots)[:size]
            cosines = distances * (-0.5 * query.factor)
            cosines += query.factor
            vector = np.maximum(vector, cosines, out=vector) if number else cosines
            distance = np.minimum(distance, distances, out=distance) if number else distances
        return vector, distance

    def _distances(self, state: _State, query: SubQuery, slots: Int64s | None) -> Scores:
        # A word that no chunk holds tells nothing about which chunk is near: its bucket is others' by collision.
        weights = [state.bm25.information(token) if state.bm25.df(token) else 0.0 for token in query.tokens]
        return self._vectors.distances(self.embedder.encode_query(query.tokens, weights, query.text), slots)

    # -------------------------------------------------------------- on disk
    def save(self, folder: Path) -> None:
        """Write the live chunks as a new generation, compacted; queries and changes go on meanwhile. Load it and
        `apply` what came after its version. Raises FileExistsError, OSError."""
        state = self._state
        alive = state.bm25.alive
        bm25 = state.bm25.compacted()
        vectors = self._vectors.kept(alive)  # a copy: more may be added while it is written
        generation = Generation(
            state.version, bm25.segments[0], bm25.lengths, state.chunk_ids[alive], state.article_ids[alive], vectors
        )
        write_generation(folder, generation, self.embedder)

    @classmethod
    def load(cls, folder: Path, embedder: Embedder) -> ChunkIndex:
        """Open a generation, mapped. Raises IndexMismatch (a ValueError) when it is not whole or not for `embedder`."""
        generation = read_generation(folder, embedder)
        state = _State(
            generation.version,
            Bm25((generation.postings,), generation.lengths),
            generation.chunk_ids,
            generation.article_ids,
            len(generation.chunk_ids),
        )
        return cls(embedder, generation.vectors, state, folder)

    def verify(self) -> tuple[str, ...]:
        """Names of damaged files of the generation this index was loaded from; reads all of it (for `doctor`)."""
        return () if self.folder is None else damage(self.folder)


def _take_better(best: Scores, other: Scores) -> None:
    """Put the better score of each slot into `best`; 0 means that a sub-query does not find it."""
    better = (best == 0) | ((other != 0) & (other > best))
    np.copyto(best, other, where=better)


def _batches(chunks: Iterable[IndexedChunk]) -> Iterator[list[IndexedChunk]]:
    iterator = iter(chunks)
    while batch := list(islice(iterator, _BATCH)):
        yield batch


def _int64s(values: Sequence[int]) -> Int64s:
    result: npt.NDArray[np.int64] = np.array(values, dtype=np.int64)
    return result
