"""Approval: what people made of articles for near-equal questions, and by how much that moves them (contract §3). Pure.

A confirmed article rises a little, one that did not help sinks a little; the rules that stand above scores stay: what
L0 found, what is current and what replaces another are never passed by an article that lacks it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.model import ArticleState
from core.ranking import RankedArticle

if TYPE_CHECKING:
    from core.index.keyword import ExactMatch
    from core.store.heads import ArticleHead
    from core.store.votes import VoteRow

RIGHT, USEFUL, NONE, NOT_USEFUL = 2, 1, 0, -1
_WEIGHT = {RIGHT: 1.0, USEFUL: 0.5, NOT_USEFUL: -0.5}
_COPIED = 0.2
# Against a score of at most 1 + WHOLE_ARTICLE_WEIGHT. One "right article" moves by half of it, a copy by a tenth.
_MOST = 0.6


@dataclass(frozen=True, slots=True)
class Approval:
    """`confirmed`: sessions that called the article right or useful; `weight`: all that was said, each session once."""

    confirmed: int
    weight: float

    @property
    def lift(self) -> float:
        """What is added to the article's score: of the sign of `weight`, below 0.6 however many agree."""
        gain = _MOST * (1 - 2 ** -abs(self.weight))
        return gain if self.weight > 0 else -gain


def approvals_of(rows: Sequence[VoteRow]) -> dict[str, Approval]:
    """doc_key → what was said of it. `rows` oldest first; of one session its last vote on an article counts, a copy
    only where there is none, so that nobody lifts an article by repeating himself."""
    said: dict[str, dict[str, int]] = {}
    copied: dict[str, set[str]] = {}
    for row in rows:
        if row.value in _WEIGHT:
            said.setdefault(row.doc_key, {})[row.session_id] = row.value
        if row.copied:
            copied.setdefault(row.doc_key, set()).add(row.session_id)
    approvals = {}
    for doc_key in said.keys() | copied.keys():
        votes = said.get(doc_key, {})
        copies = len(copied.get(doc_key, set()) - votes.keys())
        approvals[doc_key] = Approval(
            confirmed=sum(value > 0 for value in votes.values()),
            weight=round(sum(_WEIGHT[value] for value in votes.values()) + _COPIED * copies, 4),
        )
    return approvals


def reordered(
    ranked: Sequence[RankedArticle],
    approvals: Mapping[str, Approval],
    heads: Mapping[int, ArticleHead],
    states: Mapping[int, ArticleState],
    exact: ExactMatch,
    *,
    places: Mapping[int, float] | None = None,
) -> tuple[RankedArticle, ...]:
    """The articles with the approved ones moved. `states`: as of today, by article id; `places`: what counts instead of
    an article's own score, where a reranker moved it. The same input gives the same order; articles that nobody spoke
    of keep theirs among themselves."""
    lifts = {a.article_id: approvals[key].lift for a in ranked if (key := heads[a.article_id].doc_key) in approvals}
    if not any(lifts.values()):
        return tuple(ranked)

    def score(article: RankedArticle) -> float:
        return (places or {}).get(article.article_id, article.score)

    def stands_on_rule(upper: RankedArticle, lower: RankedArticle) -> bool:
        """Whether something else than its score put `upper` there."""
        one, other = upper.article_id, lower.article_id
        return (
            score(upper) < score(lower)
            or any(one in group and other not in group for group in (exact.precise, exact.articles))
            or (states[one] is ArticleState.CURRENT and states[other] is not ArticleState.CURRENT)
            or heads[other].superseded_by == heads[one].doc_key
        )

    order: list[RankedArticle] = []
    for article in ranked:
        place = len(order)
        mine = score(article) + lifts.get(article.article_id, 0.0)
        while place and not stands_on_rule(order[place - 1], article):
            above = order[place - 1]
            if mine <= score(above) + lifts.get(above.article_id, 0.0):
                break
            place -= 1
        order.insert(place, article)
    return tuple(order)
