"""Reranking: a reranker orders the first articles anew, where nothing but a score put them in their order (§3, 6).

What stands somewhere by rule stays: articles that L0 leaves through an identifier, those that quote a pasted message,
whatever stands above an article of a higher score, and what replaces another above it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.index.keyword import ExactMatch
from core.ordering import successors_first
from core.protocols import Reranker
from core.query import Query
from core.ranking import RankedArticle

if TYPE_CHECKING:
    from core.store.articles import Articles
    from core.store.heads import ArticleHead

FIRST = 30

log = logging.getLogger(__name__)


class Reranking:
    """Thread-safe. Without a reranker everything stays as it is."""

    def __init__(
        self,
        articles: Articles,
        quoters: Callable[[Query, Collection[int]], Collection[int]],
        reranker: Callable[[], Reranker | None] = lambda: None,
    ) -> None:
        """`quoters`: those of some articles that hold the whole of a long question; `reranker`: the one in use."""
        self._articles = articles
        self._quoters = quoters
        self._reranker = reranker

    @property
    def name(self) -> str:
        """Of the reranker in use; empty without."""
        reranker = self._reranker()
        return "" if reranker is None else reranker.name

    def ordered(
        self,
        query: Query,
        exact: ExactMatch,
        ranked: list[RankedArticle],
        heads: dict[int, ArticleHead],
        seconds: float | None = None,
    ) -> tuple[list[RankedArticle], dict[int, float] | None]:
        """The articles with the first 30 ordered anew, and what the places are worth that moved articles now have: id →
        fused score of who stood there. An article keeps its own score: it leads nobody by being lifted. None where the
        reranker failed, or was not done within `seconds` (None: its own limit), and the order is as before."""
        reranker = self._reranker()
        blocks = blocks_of(ranked[:FIRST], self._by_rule(query, exact, heads), all_ranked=ranked) if reranker else []
        if reranker is None or not blocks:
            return ranked, {}
        moving = [article for start, end in blocks for article in ranked[start:end]]
        try:
            told = reranker.scores(query.written, self._passages(moving, heads), seconds)
        except Exception as error:
            log.warning("not reranked: %s", error or type(error).__name__)
            return ranked, None
        scores = dict(zip((article.article_id for article in moving), told.tolist(), strict=True))
        order = list(ranked)
        for start, end in blocks:
            order[start:end] = sorted(ranked[start:end], key=lambda article: -scores[article.article_id])
        places = {one.article_id: place.score for one, place in zip(order, ranked, strict=True)}
        return successors_first(order, heads), places

    def _by_rule(self, query: Query, exact: ExactMatch, heads: Mapping[int, ArticleHead]) -> Collection[int]:
        named = exact.articles if exact.through_identifier else exact.precise
        return {*named, *self._quoters(query, heads.keys())}

    def _passages(self, articles: Sequence[RankedArticle], heads: Mapping[int, ArticleHead]) -> list[str]:
        """Title and best chunk of each."""
        chunks = self._articles.chunks([one.chunks[0] for one in articles if one.chunks])
        best = [chunks.get(one.chunks[0]) if one.chunks else None for one in articles]
        return [
            f"{heads[one.article_id].title}\n{chunk.text if chunk is not None else ''}".strip()
            for one, chunk in zip(articles, best, strict=True)
        ]


def blocks_of(
    ranked: Sequence[RankedArticle], by_rule: Collection[int], *, all_ranked: Sequence[RankedArticle]
) -> list[tuple[int, int]]:
    """From where to where (exclusive) articles of `ranked`, the first of `all_ranked`, follow each other by score
    alone; two at least."""
    after = np.maximum.accumulate([article.score for article in reversed(all_ranked)])[::-1]  # the highest from here on
    blocks, start = [], 0
    for place in range(1, len(ranked) + 1):
        if place < len(ranked):
            above = ranked[place - 1]
            is_free = not {above.article_id, ranked[place].article_id} & set(by_rule)
            if is_free and above.score >= after[place]:
                continue
        if place - start > 1:
            blocks.append((start, place))
        start = place
    return blocks
