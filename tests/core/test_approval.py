"""What votes do to an order: a little, and nothing above the rules that stand above scores."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.approval import Approval, approvals_of, reordered
from core.index.keyword import ExactMatch
from core.model import ArticleState
from core.ranking import RankedArticle
from core.store.heads import ArticleHead
from core.store.votes import VoteRow

CURRENT = ArticleState.CURRENT


def head(number: int, superseded_by: str | None) -> ArticleHead:
    return ArticleHead(
        id=number,
        doc_key=f"k{number}",
        title="",
        domain="general",
        keywords=(),
        updated=None,
        state=CURRENT,
        superseded_by=superseded_by,
        review_by=None,
        content_hash="",
        text_hash=str(number),
        named=True,
    )


def order(
    scores: list[float],
    weights: dict[int, float],
    *,
    exact: frozenset[int] = frozenset(),
    precise: frozenset[int] = frozenset(),
    states: dict[int, ArticleState] | None = None,
    superseded_by: dict[int, int] | None = None,
    places: dict[int, float] | None = None,
) -> list[int]:
    """Article numbers in the order that votes give; articles are numbered as they stood before."""
    successors = {n: f"k{other}" for n, other in (superseded_by or {}).items()}
    heads = {n: head(n, successors.get(n)) for n in range(len(scores))}
    moved = reordered(
        [RankedArticle(n, score, 0.0, ()) for n, score in enumerate(scores)],
        {f"k{n}": Approval(1, weight) for n, weight in weights.items()},
        heads,
        {n: (states or {}).get(n, CURRENT) for n in heads},
        ExactMatch(articles=exact, precise=precise),
        places=places,
    )
    return [article.article_id for article in moved]


def rows(*said: tuple[str, int]) -> list[VoteRow]:
    return [VoteRow(session, "a", value, copied=value == 0) for session, value in said]


def test_a_confirmed_article_passes_one_just_above_it_and_none_far_above() -> None:
    assert order([2.0, 1.9, 1.8], {2: 1.0}) == [2, 0, 1]
    assert order([2.9, 1.9, 1.8], {2: 1.0}) == [0, 2, 1]
    assert order([2.9, 2.2, 1.0], {2: 50.0}) == [0, 1, 2], "a little, however many agree"


def test_where_a_reranker_moved_articles_votes_go_by_the_places() -> None:
    assert order([1.0, 2.0], {1: 1.0}) == [0, 1], "a rule, for all one knows"
    assert order([1.0, 2.0], {1: 1.0}, places={0: 2.0, 1: 1.9}) == [1, 0]
    assert order([1.0, 2.0], {1: 1.0}, places={0: 2.9, 1: 1.9}) == [0, 1]


def test_what_did_not_help_sinks_a_little() -> None:
    assert order([2.0, 1.9, 1.0], {0: -1.0}) == [1, 0, 2]


def test_nothing_passes_an_article_that_an_exact_term_led_to() -> None:
    assert order([2.0, 1.9], {1: 5.0}, exact=frozenset({0})) == [0, 1]
    assert order([2.0, 1.9], {1: 5.0}, precise=frozenset({0})) == [0, 1]
    assert order([2.0, 1.9], {1: 5.0}, exact=frozenset({0, 1})) == [1, 0]


def test_what_is_not_current_passes_nothing_that_is() -> None:
    for state in ArticleState:
        moved = order([2.0, 1.9], {1: 5.0}, states={1: state})
        assert moved == ([1, 0] if state is CURRENT else [0, 1])
    assert order([2.0, 1.9], {1: 5.0}, states=dict.fromkeys((0, 1), ArticleState.UNREVIEWED)) == [1, 0]


def test_what_was_replaced_never_passes_its_successor() -> None:
    superseded = dict.fromkeys((0, 1), ArticleState.SUPERSEDED)
    assert order([2.0, 1.9], {0: -5.0, 1: 5.0}, states=superseded, superseded_by={1: 0}) == [0, 1]


def test_an_article_that_a_rule_put_first_despite_its_score_stays() -> None:
    assert order([1.0, 1.9, 1.8], {2: 1.0}) == [0, 2, 1]


def test_of_one_session_the_last_vote_counts_and_a_copy_only_without_one() -> None:
    assert approvals_of(rows(("s", 2), ("s", 1), ("s", 2))) == {"a": Approval(1, 1.0)}
    assert approvals_of(rows(("s", 2), ("s", -1))) == {"a": Approval(0, -0.5)}
    assert approvals_of(rows(("s", 2), ("s", 0))) == {"a": Approval(1, 1.0)}
    assert approvals_of(rows(("s", 0), ("s", 0))) == {"a": Approval(0, 0.2)}
    assert approvals_of(rows(("s", 2), ("t", 1), ("u", -1), ("v", 0))) == {"a": Approval(2, 1.2)}


def test_votes_against_an_article_cancel_those_for_it() -> None:
    assert approvals_of(rows(("s", 1), ("t", -1)))["a"].lift == 0


@given(
    st.lists(st.floats(0, 3), min_size=1, max_size=8).map(lambda scores: sorted(scores, reverse=True)),
    st.dictionaries(st.integers(0, 7), st.floats(-4, 4), max_size=8),
    st.frozensets(st.integers(0, 7)),
)
def test_all_articles_stay_and_exact_ones_are_passed_by_exact_ones_only(
    scores: list[float], weights: dict[int, float], exact: frozenset[int]
) -> None:
    moved = order(scores, weights, exact=exact)
    assert sorted(moved) == list(range(len(scores)))
    for place, article in enumerate(moved):
        for below in moved[place + 1 :]:
            if below < article and below in exact:
                assert article in exact
    assert moved == order(scores, weights, exact=exact)


def test_a_lift_grows_with_agreement_and_is_bounded() -> None:
    lifts = [Approval(1, weight).lift for weight in (-9, -1, 0, 0.2, 1, 2, 99)]
    assert lifts == sorted(lifts)
    assert all(abs(lift) <= 0.6 for lift in lifts)
    assert replace(Approval(1, 1.0), weight=-1.0).lift == -Approval(1, 1.0).lift
