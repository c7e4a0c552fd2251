"""How far an article stands out: over the articles that nobody reads, by words and by a model's vectors."""

from __future__ import annotations

import numpy as np
import pytest

from core.index.keyword import ExactMatch
from core.index.recall import Recall
from core.lead import Leads
from core.lookup import Search
from core.query import Query
from core.ranking import RankedArticle

QUESTION = Query("q", "q", "q", (), ("q",), ("q",), ("q",))
ARTICLES = [1, 2, 3, 4, 5]


def search(words: list[float], near: list[float], embedder: str, missing: tuple[str, ...] = ()) -> Search:
    """Five articles of one chunk each, ranked in the order of their numbers."""
    recall = Recall(
        np.array(ARTICLES),
        np.array(ARTICLES),
        bm25=np.array(words),
        whole=np.array(words),
        vector=np.array(near),
        distance=2.0 - np.array(near) / 10,
    )
    ranked = tuple(RankedArticle(number, 10.0 - number, words[number - 1], (number,)) for number in ARTICLES)
    return Search(QUESTION, ExactMatch(), recall, ranked, embedder=embedder, missing_legs=missing)


def test_with_hashed_vectors_the_article_three_places_behind_is_the_one_to_lead() -> None:
    found = search([8.0, 7.0, 6.0, 4.0, 7.9], [5.0, 4.0, 3.0, 2.0, 1.0], "hashed")
    lead = Leads(found).of(found.ranked[0], found.ranked[1:])
    assert lead.margin == pytest.approx(0.5)
    assert (lead.near_lead, lead.nearest, lead.first_by_words) == (0.0, False, False)
    assert lead.distance == pytest.approx(1.5)


def test_with_a_model_it_is_the_best_of_all_that_nobody_reads() -> None:
    found = search([8.0, 7.0, 6.0, 2.0, 4.0], [5.0, 9.0, 3.0, 2.5, 1.0], "model")
    lead = Leads(found).of(found.ranked[0], found.ranked[1:])
    assert lead.margin == pytest.approx(0.5)
    assert lead.near_lead == 2.5


@pytest.mark.parametrize(
    ("words", "near", "nearest", "first_by_words"),
    [
        ([8.0, 1.0], [5.0, 1.0], True, True),
        ([8.0, 9.0], [5.0, 1.0], True, False),
        ([8.0, 8.0], [5.0, 9.0], False, True),
        ([0.0, 0.0], [0.0, 0.0], False, False),
    ],
)
def test_it_is_first_where_nothing_stands_above_it_and_something_speaks_for_it(
    words: list[float], near: list[float], nearest: bool, first_by_words: bool
) -> None:
    found = search([*words, 0.0, 0.0, 0.0], [*near, 0.0, 0.0, 0.0], "model")
    lead = Leads(found).of(found.ranked[0], found.ranked[1:])
    assert (lead.nearest, lead.first_by_words) == (nearest, first_by_words)


def test_what_nothing_stands_behind_leads_wholly() -> None:
    found = search([8.0, 7.0, 6.0, 2.0, 4.0], [5.0, 4.0, 3.0, 2.0, 1.0], "hashed")
    assert Leads(found).of(found.ranked[0], ()).margin == 1.0


def test_without_words_the_lead_is_by_nearness() -> None:
    found = search([0.0] * 5, [8.0, 7.0, 6.0, 2.0, 1.0], "hashed", missing=("bm25",))
    assert Leads(found).of(found.ranked[0], found.ranked[1:]).margin == pytest.approx(0.75)
