"""BM25: rank_bm25 defines the scores, whatever was added and removed before."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from core.index.bm25 import Bm25

words = st.sampled_from(["网络", "打印机", "vpn", "err_timeout", "的", "的", "the", "重置", "691"])
chunks = st.lists(words, max_size=12)
queries = st.lists(st.one_of(words, st.just("nowhere")), max_size=6)


@st.composite
def histories(draw):
    """A first corpus, then batches of additions and removals (as numbers taken modulo what is alive)."""
    first = draw(st.lists(chunks, max_size=8))
    steps = draw(
        st.lists(
            st.one_of(
                st.tuples(st.just("add"), st.lists(chunks, max_size=5)),
                st.tuples(st.just("remove"), st.lists(st.integers(0, 50), max_size=4)),
                st.tuples(st.just("ask"), queries),
                st.tuples(st.just("compact"), st.none()),
            ),
            max_size=8,
        )
    )
    return first, steps


def expected(live: list[list[str]], query: list[str]) -> np.ndarray:
    if not any(live):  # rank_bm25 divides by zero here
        return np.zeros(len(live))
    return BM25Okapi(live).get_scores(query)


@settings(max_examples=300, deadline=None)
@given(histories(), queries)
def test_scores_are_those_of_rank_bm25_after_any_history(history, query):
    first, steps = history
    index, corpus = Bm25.build(first), [*first]
    for kind, what in steps:
        live = [slot for slot in range(len(corpus)) if corpus[slot] is not None]
        if kind == "add":
            index = index.with_added(what)
            corpus.extend(what)
        elif kind == "remove" and live:
            gone = sorted({live[number % len(live)] for number in what})
            index = index.without(np.array(gone, dtype=np.int64))
            for slot in gone:
                corpus[slot] = None
        elif kind == "ask":
            index.scores(what)  # fills whatever the index remembers
        elif kind == "compact":
            index, corpus = index.compacted(), [chunk for chunk in corpus if chunk is not None]
    alive = np.array([chunk is not None for chunk in corpus], dtype=bool)
    live_chunks = [chunk for chunk in corpus if chunk is not None]
    scores = index.scores(query)
    assert len(scores) == len(corpus) == len(index)
    assert index.count == len(live_chunks)
    np.testing.assert_array_equal(index.alive, alive)
    np.testing.assert_allclose(scores[alive], expected(live_chunks, query), rtol=0, atol=1e-9)
    assert not scores[~alive].any()
    if any(live_chunks):
        oracle = BM25Okapi(live_chunks)
        assert index.average_idf == pytest.approx(oracle.average_idf, abs=1e-9)
        for word in query:
            assert index.df(word) == sum(word in chunk for chunk in live_chunks)
            assert index.idf(word) == pytest.approx(oracle.idf.get(word, 0.0), abs=1e-9)


def test_an_older_index_still_answers_as_it_did():
    before = Bm25.build([["a", "b"], ["a"], ["c", "a"]])
    after = before.without(np.array([1])).with_added([["b", "b"]])
    newer_answer = after.scores(["a", "b"])
    np.testing.assert_allclose(
        before.scores(["a", "b"]), BM25Okapi([["a", "b"], ["a"], ["c", "a"]]).get_scores(["a", "b"])
    )
    np.testing.assert_allclose(after.scores(["a", "b"]), newer_answer)
    assert len(before) == 3
    assert len(after) == 4


@pytest.mark.parametrize("corpus", [[["x"]], [["x", "x", "y"]], [["x"], ["x"], ["x", "y"]]])
def test_terms_in_all_chunks_get_the_floor(corpus):
    np.testing.assert_allclose(Bm25.build(corpus).scores(["x"]), BM25Okapi(corpus).get_scores(["x"]), atol=1e-12)


def test_nothing_scores_in_an_empty_index():
    assert len(Bm25.empty().scores(["x"])) == 0
    assert not Bm25.build([[], []]).scores(["x"]).any()


def test_information_is_never_negative_and_falls_with_document_frequency():
    index = Bm25.build([["a", "b", "c"], ["a", "b"], ["a"]])
    values = [index.information(term) for term in ("a", "b", "c", "unknown")]
    assert values == sorted(values)
    assert values[0] > 0
    assert values[0] == pytest.approx(math.log(1 + 0.5 / 3.5))


def test_many_small_batches_stay_few_segments():
    index = Bm25.empty()
    for number in range(500):
        index = index.with_added([[f"w{number % 7}", "x"]])
    assert len(index.segments) < 10
    np.testing.assert_allclose(
        index.scores(["w3", "x"]),
        BM25Okapi([[f"w{n % 7}", "x"] for n in range(500)]).get_scores(["w3", "x"]),
        atol=1e-9,
    )


@pytest.mark.parametrize("ordered", [True, False, "single"])
def test_groups_score_like_their_joined_texts_with_the_idf_of_chunks(ordered):
    random = np.random.default_rng(11)
    # "a" is in most chunks, "e" in few: frequent and rare terms are scored by different means
    chunks = [
        list(random.choice(list("abcde"), random.integers(0, 6), p=[0.6, 0.2, 0.1, 0.09, 0.01])) for _ in range(300)
    ]
    owners = random.integers(0, 80, 300)
    if ordered:
        owners = np.arange(300) if ordered == "single" else np.sort(owners)
        chunks = [chunk or ["a"] for chunk in chunks] if ordered == "single" else chunks
    gone = np.flatnonzero(random.random(300) < 0.1)
    index = Bm25.build(chunks[:200]).with_added(chunks[200:]).without(gone)
    groups = index.groups(owners)
    assert groups.single == (ordered == "single")
    live = sorted(set(range(300)) - set(gone.tolist()))
    joined = {owner: [word for slot in live if owners[slot] == owner for word in chunks[slot]] for owner in owners}
    average = sum(map(len, joined.values())) / sum(1 for words in joined.values() if words)
    query = ["a", "b", "b", "e", "nowhere"]
    chunk_scores, scores = np.zeros(300), np.zeros(groups.count)
    index.add_scores(query, chunk_scores, groups, scores)
    np.testing.assert_allclose(chunk_scores, index.scores(query), atol=1e-12)
    for slot in live:
        words = joined[owners[slot]]
        expected = sum(
            index.idf(term) * words.count(term) * 2.5 / (words.count(term) + 1.5 * (0.25 + 0.75 * len(words) / average))
            for term in query
        )
        assert scores[groups.of_slot[slot]] == pytest.approx(expected)
