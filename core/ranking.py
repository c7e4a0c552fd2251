"""Ranking: fuse the legs, group chunks by article. Pure (contract §3, steps 5 and 6).

A fused score ranks inside one query; it is never shown, compared between queries or used as confidence.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.protocols import Ids, Scores

# An article is worth its best passage and what the whole of it says: a long article answers from several places.
# Measured on the dev benches: below 2 the body-only benches fall behind whole-article BM25.
WHOLE_ARTICLE_WEIGHT = 2.0


_KEPT_CHUNKS = 12


@dataclass(frozen=True, slots=True)
class RankedArticle:
    """An article in the order of an answer. `chunks`: ids of its best matching chunks, best first; `lexical`: its
    whole-article BM25 score (raw), from which margins are taken."""

    article_id: int
    score: float
    lexical: float
    chunks: tuple[int, ...]


def fuse(bm25: Scores, vector: Scores, bm25_weight: float, vector_weight: float) -> Scores:
    """Weighted sum of the legs, each divided by its maximum; all arrays the same length. A leg without any positive
    score counts 0."""
    return bm25_weight * _share_of_best(bm25) + vector_weight * _share_of_best(vector)


def _share_of_best(scores: Scores) -> Scores:
    best = float(scores.max(initial=0.0))
    return np.maximum(scores, 0.0) / best if best > 0 else np.zeros_like(scores)


def rank_articles(
    chunk_ids: Ids,
    article_ids: Ids,
    fused: Scores,
    whole: Scores,
    *,
    first: Collection[int] = (),
    demoted: Collection[int] = (),
    limit: int,
) -> list[RankedArticle]:
    """Articles, best first, `limit` at most.

    `fused` and `whole` (the article's own BM25 score, repeated for each of its chunks) are aligned with `chunk_ids`.
    Articles in `first` stand above all others, among themselves by score, also with score 0; `demoted` ones below
    those of their kind. Other articles with score 0 are dropped.
    """
    if not len(chunk_ids):
        return []
    articles, place = np.unique(article_ids, return_inverse=True)
    best = np.zeros(len(articles))
    np.maximum.at(best, place, fused)
    lexical = np.zeros(len(articles))
    np.maximum.at(lexical, place, whole)
    score = best + WHOLE_ARTICLE_WEIGHT * _share_of_best(lexical)
    ahead = np.isin(articles, list(first)) if first else np.zeros(len(articles), dtype=np.bool_)
    behind = np.isin(articles, list(demoted)) if demoted else np.zeros(len(articles), dtype=np.bool_)
    order = np.lexsort((articles, -score, behind, ~ahead))
    order = order[(score[order] > 0) | ahead[order]][:limit]
    chunks = _chunks_by_article(order, place, chunk_ids, fused)
    return [
        RankedArticle(
            article_id=int(articles[at]), score=float(score[at]), lexical=float(lexical[at]), chunks=chunks[int(at)]
        )
        for at in order
    ]


def _chunks_by_article(
    wanted: npt.NDArray[np.intp], place: npt.NDArray[np.intp], chunk_ids: Ids, fused: Scores
) -> dict[int, tuple[int, ...]]:
    """For each wanted article its best chunks, best first."""
    mine = np.flatnonzero(np.isin(place, wanted))
    mine = mine[np.lexsort((chunk_ids[mine], -fused[mine], place[mine]))]
    starts = np.searchsorted(place[mine], wanted, side="left")
    ends = np.minimum(np.searchsorted(place[mine], wanted, side="right"), starts + _KEPT_CHUNKS)
    return {
        int(at): tuple(chunk_ids[mine[start:end]].tolist()) for at, start, end in zip(wanted, starts, ends, strict=True)
    }
