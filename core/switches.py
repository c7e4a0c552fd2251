"""Switches: what of a search is taken, so that a preview may leave out the slow and `evaluate --ablate` anything."""

from __future__ import annotations

from dataclasses import dataclass

from core.index.recall import BOTH_LEGS
from core.rewriting import ALL_STEPS, NO_STEPS

L0 = "l0"
ALL_LEGS = frozenset({L0}) | BOTH_LEGS


@dataclass(frozen=True, slots=True)
class Switches:
    """All on but where said otherwise. `legs`: of L0, BM25 and vectors; `rewriting`: steps of core.rewriting;
    `whole_article`: an article is worth what the whole of it says; `verbatim`: and that it holds a long question word
    for word; `exact_first`: articles that L0 leaves through an identifier stand above all others; `confirmed`: an
    article confirmed for a near-equal query rises; `reranker`: a reranker model, where one is in use, orders the first
    ones anew."""

    legs: frozenset[str] = ALL_LEGS
    rewriting: frozenset[str] = ALL_STEPS
    whole_article: bool = True
    verbatim: bool = True
    exact_first: bool = True
    confirmed: bool = True
    reranker: bool = True


ALL_ON = Switches()
FOR_PREVIEW = Switches(rewriting=NO_STEPS, reranker=False)
