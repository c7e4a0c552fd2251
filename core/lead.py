"""Lead: how far an article stands out among all that the legs found for a question (contract §4, evidence). Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.embedding.profile import HASHED
from core.index.recall import BM25, VECTOR
from core.lookup import Search
from core.protocols import Ids, Scores
from core.ranking import RankedArticle
from core.relevance import FIRST, margin_between


@dataclass(frozen=True, slots=True)
class Lead:
    """`margin`: the article's lead by whole-article BM25, as a share of its own score, over the next that an agent who
    reads `FIRST` articles does not see: with hashed vectors the one `FIRST` places behind it, with a model's the best
    by words of all others; without that leg, by nearness. `distance`: squared L2 of its nearest chunk, None without
    vectors. With a model's vectors: `near_lead`, by how many standard deviations it is nearer than the nearest that is
    not among those `FIRST`; whether it is the `nearest` of all, and `first_by_words`."""

    margin: float
    distance: float | None
    near_lead: float = 0.0
    nearest: bool = False
    first_by_words: bool = False


class Leads:
    """Of the articles of one search."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._by_model = search.embedder != HASHED and VECTOR not in search.missing_legs
        self._articles: Ids = np.empty(0, dtype=np.int64)
        self._near: Scores = np.empty(0)
        self._words: Scores = np.empty(0)
        recall = search.recall
        if recall is not None:
            self._articles, place = np.unique(recall.article_ids, return_inverse=True)
            self._near, self._words = np.zeros((2, len(self._articles)))
            np.maximum.at(self._near, place, recall.vector)
            np.maximum.at(self._words, place, recall.whole)

    def of(self, article: RankedArticle, behind: Sequence[RankedArticle]) -> Lead:
        """`behind`: what is ranked below it, best first."""
        unseen = behind[FIRST - 1] if len(behind) >= FIRST else None
        distance = self._distance(article)
        if not self._by_model:
            return Lead(self._margin(article, unseen), distance)
        near = self._near_of(article)
        unread = ~np.isin(self._articles, [article.article_id, *(one.article_id for one in behind[: FIRST - 1])])
        others = float(self._words[unread].max(initial=0.0))
        return Lead(
            margin_between(article.lexical, others) if self._has_words else self._margin(article, unseen),
            distance,
            near_lead=max(0.0, near - float(self._near[unread].max(initial=0.0))),
            nearest=near >= float(self._near.max(initial=0.0)) > 0,
            first_by_words=article.lexical >= float(self._words.max(initial=0.0)) > 0,
        )

    @property
    def _has_words(self) -> bool:
        return BM25 not in self._search.missing_legs

    def _margin(self, article: RankedArticle, unseen: RankedArticle | None) -> float:
        if self._has_words:
            return margin_between(article.lexical, 0.0 if unseen is None else unseen.lexical)
        return margin_between(self._near_of(article), 0.0 if unseen is None else self._near_of(unseen))

    def _near_of(self, article: RankedArticle) -> float:
        return float(self._near[self._articles == article.article_id].max(initial=0.0))

    def _distance(self, article: RankedArticle) -> float | None:
        recall = self._search.recall
        if recall is None:
            return None
        mine = recall.distance[recall.article_ids == article.article_id]
        return None if not len(mine) or np.isnan(mine).all() else float(np.nanmin(mine))
