"""Ranking: fuse the legs, group chunks by article. Pure (contract §3, steps 5 and 6).

A fused score ranks inside one query; it is never shown, compared between queries or used as confidence.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.embedding.profile import HASHED
from core.protocols import Embedder, Ids, Scores

# An article is worth its best passage and what the whole of it says: a long article answers from several places.
# Measured on the dev benches: below 2 the body-only benches fall behind whole-article BM25.
WHOLE_ARTICLE_WEIGHT = 2.5


# What a model's vectors weigh against words, as multiples of the settings' share: more, the less of the question
# the words answer. Measured on the dev benches with the small model, where 35 % gives 0.57 and 0.80.
_ALL_HEARD = 1.63
_NOTHING_HEARD = 2.29

_KEPT_CHUNKS = 12


@dataclass(frozen=True, slots=True)
class Weights:
    """What an article's score is made of, each times its share of the best: its best chunk by BM25 and by vectors, and
    the whole of it by BM25."""

    bm25: float
    vector: float
    whole: float


def weights_of(bm25: float, vector: float, whole: float, *, heard: float | None) -> Weights:
    """The weights of the settings. With a model's vectors words and vectors share the same sum in another way: `heard`
    is how much of the question's information the best article by words holds, 0 … 1; None without a model."""
    total = bm25 + vector + whole
    if heard is None or total == 0:
        return Weights(bm25, vector, whole)
    part = vector / (bm25 + vector) if bm25 + vector else 0.0
    share = min(1.0, part * (_NOTHING_HEARD + (_ALL_HEARD - _NOTHING_HEARD) * heard))
    left = total * (1.0 - share) / (bm25 + whole) if bm25 + whole else 0.0
    return Weights(left * bm25, total * share, left * whole)


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


def less_chance(vector: Scores, article_ids: Ids, embedder: Embedder) -> Scores:
    """Hashed cosines without what chance gives: a long article has many chunks, and so many chances that one of them
    is near by collision. The best of n cosines by collision is about sqrt(2 ln n / dimension); that is taken off.
    The nearness that a model finds is no chance and stays."""
    if embedder.name != HASHED or not len(vector):
        return vector
    _, place, chunks = np.unique(article_ids, return_inverse=True, return_counts=True)
    chance = np.sqrt(2 * np.log(chunks) / embedder.dimension)
    return np.maximum(vector - chance[place], 0.0)


def _share_of_best(scores: Scores) -> Scores:
    best = float(scores.max(initial=0.0))
    return np.maximum(scores, 0.0) / best if best > 0 else np.zeros_like(scores)


def rank_articles(
    chunk_ids: Ids,
    article_ids: Ids,
    fused: Scores,
    whole: Scores,
    whole_weight: float = WHOLE_ARTICLE_WEIGHT,
    *,
    first: Collection[int] = (),
    kept: Collection[int] = (),
    demoted: Collection[int] = (),
    limit: int,
) -> list[RankedArticle]:
    """Articles, best first, `limit` at most.

    `fused` and `whole` (the article's own BM25 score, repeated for each of its chunks) are aligned with `chunk_ids`.
    Articles in `first` stand above all others, among themselves by score; `demoted` ones below those of their
    kind. Articles with score 0 are dropped, but for those in `first` and `kept`.
    """
    if not len(chunk_ids):
        return []
    together = np.argsort(article_ids, kind="stable")
    ids = article_ids[together]
    starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
    ends = np.append(starts[1:], len(ids))
    articles = ids[starts]
    best = np.maximum(np.maximum.reduceat(fused[together], starts), 0.0)
    lexical = np.maximum(np.maximum.reduceat(whole[together], starts), 0.0)
    score = best + whole_weight * _share_of_best(lexical)
    ahead = np.isin(articles, list(first)) if first else np.zeros(len(articles), dtype=np.bool_)
    behind = np.isin(articles, list(demoted)) if demoted else np.zeros(len(articles), dtype=np.bool_)
    order = np.lexsort((articles, -score, behind, ~ahead))
    stays = np.isin(articles, list(kept)) if kept else np.zeros(len(articles), dtype=np.bool_)
    order = order[((score > 0) | ahead | stays)[order]][:limit]
    listed = (values[order].tolist() for values in (articles, score, lexical, starts, ends))
    return [
        RankedArticle(article, points, words, _best_chunks(together[start:end], chunk_ids, fused))
        for article, points, words, start, end in zip(*listed, strict=True)
    ]


def _best_chunks(mine: npt.NDArray[np.intp], chunk_ids: Ids, fused: Scores) -> tuple[int, ...]:
    """The ids of an article's best chunks, best first. `mine`: where they stand."""
    if len(mine) > 1:
        mine = mine[np.lexsort((chunk_ids[mine], -fused[mine]))][:_KEPT_CHUNKS]
    return tuple(chunk_ids[mine].tolist())
