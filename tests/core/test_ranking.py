"""Fusing the legs and grouping by article (contract §3, steps 5 and 6)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding.hashed import HashedEmbedder
from core.ranking import Weights, fuse, less_chance, rank_articles, weights_of

SCORES = st.lists(st.floats(0, 50), min_size=1, max_size=20)


def test_each_leg_is_divided_by_its_own_maximum() -> None:
    fused = fuse(np.array([10.0, 5.0]), np.array([0.1, 0.2]), 0.65, 0.35)
    assert fused == pytest.approx([0.65 + 0.175, 0.325 + 0.35])


def test_a_silent_leg_counts_nothing_and_negative_scores_count_zero() -> None:
    assert fuse(np.array([2.0, -1.0]), np.zeros(2), 0.65, 0.35) == pytest.approx([0.65, 0.0])


@given(SCORES)
def test_scaling_a_leg_changes_no_order(scores: list[float]) -> None:
    values = np.array(scores)
    once, tenfold = fuse(values, values, 0.65, 0.35), fuse(values * 10, values, 0.65, 0.35)
    assert once == pytest.approx(tenfold)


def ranked(**options: object) -> list[int]:
    chunks = np.array([1, 2, 3, 4])
    articles = np.array([10, 10, 20, 30])
    fused = np.array([0.2, 0.9, 0.5, 0.0])
    found = rank_articles(chunks, articles, fused, np.zeros(4), limit=10, **options)  # type: ignore[arg-type]
    return [article.article_id for article in found]


def test_a_long_article_is_one_result_with_its_best_chunk_first() -> None:
    chunks = np.array([1, 2, 3])
    found = rank_articles(chunks, np.array([10, 10, 20]), np.array([0.2, 0.9, 0.5]), np.zeros(3), limit=10)
    assert [(article.article_id, article.chunks) for article in found] == [(10, (2, 1)), (20, (3,))]


def test_zeros_are_dropped_unless_an_identifier_led_there() -> None:
    assert ranked() == [10, 20]
    assert ranked(first=frozenset({30})) == [30, 10, 20]


def test_no_candidates_no_articles() -> None:
    nothing = np.empty(0, dtype=np.int64)
    assert rank_articles(nothing, nothing, np.empty(0), np.empty(0), limit=10) == []


def test_many_chunks_have_many_chances_and_one_has_none() -> None:
    """Four chunks against one in 256 buckets: sqrt(2 ln 4 / 256) = 0.104 is taken off each of the four."""
    articles = np.array([7, 7, 9, 7, 7])
    left = less_chance(np.array([0.30, 0.05, 0.25, 0.0, 0.30]), articles, HashedEmbedder(256))
    assert left == pytest.approx([0.196, 0, 0.25, 0, 0.196], abs=0.001)
    assert len(less_chance(np.empty(0), np.empty(0, dtype=np.int64), HashedEmbedder(256))) == 0


def test_without_a_model_the_weights_are_the_settings() -> None:
    assert weights_of(0.65, 0.35, 2.5, heard=None) == Weights(0.65, 0.35, 2.5)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 3), st.floats(0, 1), st.floats(0, 1))
def test_with_a_model_words_and_vectors_share_the_same_sum(
    bm25: float, vector: float, whole: float, heard: float, more: float
) -> None:
    weights = weights_of(bm25, vector, whole, heard=heard)
    better = weights_of(bm25, vector, whole, heard=min(1.0, heard + more))
    if bm25 + whole > 0:
        assert weights.bm25 + weights.vector + weights.whole == pytest.approx(bm25 + vector + whole)
    assert better.vector <= weights.vector + 1e-12
    if vector == 0:
        assert weights.vector == 0


def test_an_article_that_is_kept_stands_last_without_a_score_and_others_fall_out() -> None:
    articles = np.array([10, 20, 30])
    found = rank_articles(articles, articles, np.array([0.5, 0.0, 0.0]), np.zeros(3), kept={30}, limit=10)
    assert [article.article_id for article in found] == [10, 30]
