"""BM25 alone: ours against rank_bm25 (which defines the scores), bm25s and tantivy, top 10."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from core.index.snapshot import ChunkIndex
from core.index.top import top_slots
from tests.bench.corpus import Corpus
from tests.bench.timing import Row, interleaved

TOP = 10
QUERIES = 30
_GOAL = 50.0
Query = Sequence[str]


def lexical(corpus: Corpus, index: ChunkIndex, oracle: BM25Okapi, folder: Path) -> list[Row]:
    """Rows for queries of 2, 5 and 12 words."""
    others = {"rank_bm25": _rank_bm25(oracle)}
    others |= {
        name: made for name, make in (("bm25s", _bm25s), ("tantivy", _tantivy)) if (made := make(corpus, folder))
    }
    rows = []
    for words in (2, 5, 12):
        queries = corpus.queries(words, QUERIES)
        _check(index, oracle, queries[:3])
        medians = interleaved({"deskside": lambda query: _ours(index, query), **others}, queries)
        for name, value in medians.items():
            ratio = None if name == "deskside" else value / medians["deskside"]
            goal = f">= {_GOAL:.0f} x" if name == "rank_bm25" else ""
            rows.append(Row(f"BM25, {words} words", name, value, "ms", ratio, goal, ratio >= _GOAL if goal else None))
    return rows


def _ours(index: ChunkIndex, query: Query) -> Any:
    return top_slots(index._state.bm25.scores(query), TOP)


def _check(index: ChunkIndex, oracle: BM25Okapi, queries: Sequence[Query]) -> None:
    """A fast wrong answer is none."""
    for query in queries:
        np.testing.assert_allclose(index._state.bm25.scores(query), oracle.get_scores(query), rtol=0, atol=1e-9)


def _rank_bm25(oracle: BM25Okapi) -> Callable[[Query], Any]:
    def run(query: Query) -> Any:
        scores = oracle.get_scores(query)
        return np.argpartition(-scores, TOP)[:TOP]

    return run


def _bm25s(corpus: Corpus, folder: Path) -> Callable[[Query], Any] | None:
    try:
        import bm25s
    except ImportError:
        return None
    retriever = bm25s.BM25(k1=1.5, b=0.75, method="atire", backend="numpy")
    retriever.index([list(chunk) for chunk in corpus.chunks], show_progress=False)
    return lambda query: retriever.retrieve([list(query)], k=TOP, show_progress=False, n_threads=0)


def _tantivy(corpus: Corpus, folder: Path) -> Callable[[Query], Any] | None:
    try:
        import tantivy
    except ImportError:
        return None
    schema = tantivy.SchemaBuilder().add_text_field("text", stored=False, tokenizer_name="blanks").build()
    (folder / "tantivy").mkdir()
    index = tantivy.Index(schema, path=str(folder / "tantivy"))
    index.register_tokenizer("blanks", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    for chunk in corpus.chunks:
        writer.add_document(tantivy.Document(text=" ".join(chunk)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def run(query: Query) -> Any:
        terms = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", word)) for word in query]
        return searcher.search(tantivy.Query.boolean_query(terms), TOP).hits

    return run
