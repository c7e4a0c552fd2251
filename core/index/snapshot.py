"""ChunkIndex: what one query sees of all chunks, lexical and vector leg together, swapped whole when they change."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.embedding.profile import HASHED
from core.index.attached import Attached
from core.index.bm25 import Bm25
from core.index.generation import Generation, damage, read_generation, write_generation
from core.index.postings import Int64s, SegmentBuilder
from core.index.recall import (
    BM25,
    BOTH_LEGS,
    MOST_CANDIDATES,
    VECTOR,
    VECTOR_CANDIDATES,
    Nearness,
    Recall,
    State,
    SubQuery,
    Words,
    by_vectors,
    by_words,
    merged,
)
from core.index.top import distinct
from core.index.vector import vectors_for
from core.job import Job
from core.protocols import Embedder, Ids, VectorIndex, Vectors

_BATCH = 1024
_REBUILD_SHARE = 0.10
_REBUILD_MINIMUM = 500


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk as the index takes it in: its tokens hold title, headings and keywords as well as the text's."""

    chunk_id: int
    article_id: int
    tokens: tuple[str, ...]
    text: str


class ChunkIndex:
    """The indexes over one set of chunks. Safe under threads: a query sees the state before a change or after it.

    Queries take no lock. `version` is the knowledge version (change number) that the index has caught up with.
    Each of `embedders` has vectors of the same chunks; the first is the one that answers when all is well.
    """

    def __init__(
        self, embedders: Sequence[Embedder], vectors: Sequence[VectorIndex], state: State, folder: Path | None = None
    ) -> None:
        self._own = tuple(embedders)
        self._attached: Attached | None = None
        self.folder = folder
        self._vectors = tuple(vectors)
        self._state = state
        self._writing = threading.Lock()

    @property
    def embedders(self) -> tuple[Embedder, ...]:
        """Who can be asked: the attached model where nine of ten slots have a vector of it, then its own."""
        attached = self._attached
        if attached is None or not attached.is_enough(self._state):
            return self._own
        return (attached.embedder, *self._own)

    def as_now(self) -> ChunkIndex:
        """The same that stays as it is now, whatever is added or attached later: a search reads one state."""
        return copy(self)

    def attach(self, attached: Attached | None) -> None:
        """A model's vectors beside its own ones; None takes them away."""
        self._attached = attached

    # ------------------------------------------------------------- changing
    @classmethod
    def build(
        cls,
        chunks: Iterable[IndexedChunk],
        embedder: Embedder,
        version: int,
        *,
        further: Sequence[Embedder] = (),
        job: Job | None = None,
    ) -> ChunkIndex:
        """Index all chunks in one pass, with vectors of each embedder; memory only. Raises Cancelled."""
        embedders = (embedder, *further)
        builder, vectors = SegmentBuilder(), [vectors_for(embedder) for embedder in embedders]
        chunk_ids: list[int] = []
        article_ids: list[int] = []
        for batch in _batches(chunks):
            if job is not None:
                job.checkpoint()
            for chunk in batch:
                builder.add(chunk.tokens)
                chunk_ids.append(chunk.chunk_id)
                article_ids.append(chunk.article_id)
            for encoder, index in zip(embedders, vectors, strict=True):
                index.add(_encoded(encoder, batch))
        segment, lengths = builder.finish()
        state = State(version, Bm25((segment,), lengths), _int64s(chunk_ids), _int64s(article_ids), 0)
        return cls(embedders, vectors, state)

    def apply(self, added: Sequence[IndexedChunk], removed_articles: Collection[int], version: int) -> None:
        """Remove all chunks of some articles and add others, seen by queries as one step. An article that is in both
        is replaced. Costs what the batch costs; hand over a few hundred chunks at a time."""
        # A model may take long over this: queries and other writers go on meanwhile.
        encoded = [[_encoded(embedder, batch) for batch in _batches(added)] for embedder in self._own]
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
                for vectors, batches in zip(self._vectors, encoded, strict=True):
                    vectors.add(np.concatenate(batches))
            self._state = State(version, bm25, chunk_ids, article_ids, state.frozen)

    def copy(self) -> ChunkIndex:
        """An index over the same chunks, in memory: what is removed from one of them stays in the other. The vectors
        are shared, so add to one of the two only."""
        index = ChunkIndex(self._own, self._vectors, self._state)
        index.attach(self._attached)
        return index

    # --------------------------------------------------------------- asking
    @property
    def articles(self) -> int:
        """How many articles the live chunks are of."""
        return self._state.live_articles

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
        vector_candidates: int = VECTOR_CANDIDATES,
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
        vector_candidates: int = VECTOR_CANDIDATES,
        most: int = MOST_CANDIDATES,
    ) -> Recall:
        """Merge what several sub-queries find by words and by the first embedder's vectors, all of it from one state:
        `by_words`, `by_vectors` and `merged` (core.index.recall) one after the other."""
        words = self.by_words(queries, allowed_articles=allowed_articles, lexical=BM25 in legs)
        near = self.by_vectors(words, candidates=vector_candidates) if VECTOR in legs else None
        return merged(words, near, most)

    def by_words(
        self, queries: Sequence[SubQuery], *, allowed_articles: Ids | None = None, lexical: bool = True
    ) -> Words:
        """What the words of the sub-queries find among `allowed_articles` (None: all); nothing with `lexical` off."""
        models = any(embedder.name != HASHED for embedder in self.embedders)
        return by_words(self._state, queries, allowed_articles, lexical=lexical, all_articles=models)

    def by_vectors(self, words: Words, name: str = "", candidates: int = VECTOR_CANDIDATES) -> Nearness:
        """The vector leg of what `by_words` of this index gave, by the embedder of that name (empty: the first), on the
        calling thread. Raises whatever the embedder raises."""
        embedder, attached = self.embedder_of(name), self._attached
        if attached is not None and embedder is attached.embedder:
            return by_vectors(words, embedder, attached.at(words.state), candidates)
        return by_vectors(words, embedder, self._vectors[self._own.index(embedder)], candidates)

    def embedder_of(self, name: str = "") -> Embedder:
        """The embedder of that name; empty: the first. A model that was taken away, or is not covered any more, since
        it was chosen gives way to the last, whose vectors are always there."""
        embedders = self.embedders
        return next((one for one in embedders if name in ("", one.name)), embedders[-1])

    # -------------------------------------------------------------- on disk
    def save(self, folder: Path) -> None:
        """Write the live chunks as a new generation, compacted; queries and changes go on meanwhile. Load it and
        `apply` what came after its version. Raises FileExistsError, OSError."""
        state = self._state
        alive = state.bm25.alive
        bm25 = state.bm25.compacted()
        vectors = tuple(one.kept(alive) for one in self._vectors)  # a copy: more may be added while it is written
        generation = Generation(
            state.version, bm25.segments[0], bm25.lengths, state.chunk_ids[alive], state.article_ids[alive], vectors
        )
        write_generation(folder, generation, self._own)

    @classmethod
    def load(cls, folder: Path, *embedders: Embedder) -> ChunkIndex:
        """Open a generation, mapped. Raises IndexMismatch (a ValueError) when it is not whole, or not for these."""
        generation = read_generation(folder, embedders)
        state = State(
            generation.version,
            Bm25((generation.postings,), generation.lengths),
            generation.chunk_ids,
            generation.article_ids,
            len(generation.chunk_ids),
        )
        return cls(embedders, generation.vectors, state, folder)

    def verify(self) -> tuple[str, ...]:
        """Names of damaged files of the generation this index was loaded from; reads all of it (for `doctor`)."""
        return () if self.folder is None else damage(self.folder)


def _encoded(embedder: Embedder, batch: Sequence[IndexedChunk]) -> Vectors:
    return embedder.encode_documents([chunk.tokens for chunk in batch], [chunk.text for chunk in batch])


def _batches(chunks: Iterable[IndexedChunk]) -> Iterator[list[IndexedChunk]]:
    iterator = iter(chunks)
    while batch := list(islice(iterator, _BATCH)):
        yield batch


def _int64s(values: Sequence[int]) -> Int64s:
    result: npt.NDArray[np.int64] = np.array(values, dtype=np.int64)
    return result
