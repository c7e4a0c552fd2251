"""Both legs fused, exact over all chunks: ours against rank_bm25 + FAISS flat + numpy, and one read of the vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from core.index.snapshot import ChunkIndex
from core.index.top import top_slots
from core.index.vector import FaissIndex
from core.ranking import fuse
from tests.bench.corpus import Corpus
from tests.bench.lexical import QUERIES, TOP
from tests.bench.timing import Row, interleaved

_WEIGHTS = (0.65, 0.35)
_NEAREST = 1000
_GOAL = 50.0
Query = Sequence[str]


def fused(corpus: Corpus, index: ChunkIndex, oracle: BM25Okapi) -> list[Row]:
    """Rows for queries of 5 and 12 words."""
    encoded = index.embedder_of().encode_documents(corpus.chunks, [""] * len(corpus.chunks))
    flat = FaissIndex(index.embedder_of().dimension)
    flat.add(encoded)
    everything = encoded.reshape(-1)

    def vector_of(query: Query) -> Any:
        return index.embedder_of().encode_query(query, [index.information(word) for word in query], "")

    def ours(query: Query) -> Any:
        found = index.recall(query)
        scores = fuse(found.bm25, found.vector, *_WEIGHTS)
        best = top_slots(scores, TOP)
        return found.chunk_ids[best], scores[best]

    def check(query: Query) -> None:
        """A fast wrong answer is none: the scores of the ten best equal those of a full scan."""
        weights = [index.information(word) if index.df(word) else 0.0 for word in query]
        cosines = np.maximum(encoded @ index.embedder_of().encode_query(query, weights, ""), 0.0).astype(np.float64)
        lexical = oracle.get_scores(query)
        scores = fuse(lexical, np.where(lexical != 0, cosines, 0.0), *_WEIGHTS)
        np.testing.assert_allclose(ours(query)[1], np.sort(scores)[::-1][:TOP], atol=1e-5)

    def usual(query: Query) -> Any:
        lexical = oracle.get_scores(query)
        distances, labels = flat._flat.search(vector_of(query)[np.newaxis], min(_NEAREST, len(flat)))
        scores = _WEIGHTS[0] * lexical / (lexical.max() or 1)
        near = np.maximum(1 - distances[0] / 2, 0)
        scores[labels[0]] += _WEIGHTS[1] * near / (near.max() or 1)
        return np.argpartition(-scores, TOP)[:TOP]

    contenders = {
        "deskside": ours,
        "rank_bm25 + FAISS flat": usual,
        "FAISS flat alone": lambda query: flat._flat.search(vector_of(query)[np.newaxis], TOP),
        "one read of the vectors": lambda query: everything @ everything,
    }
    rows = []
    for words in (5, 12):
        queries = corpus.queries(words, QUERIES)
        for query in queries[:5]:
            check(query)
        medians = interleaved(contenders, queries)
        for name, value in medians.items():
            ratio = None if name == "deskside" else value / medians["deskside"]
            goal = f">= {_GOAL:.0f} x" if name.startswith("rank_bm25") else ""
            rows.append(
                Row(f"Both legs, {words} words", name, value, "ms", ratio, goal, ratio >= _GOAL if goal else None)
            )
    return rows
