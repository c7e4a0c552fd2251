"""Figures as trec_eval's, badges as the contract counts them, bad files named by line."""

from __future__ import annotations

import dataclasses
import gzip
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import InvalidInput, PathMissing
from core.evaluation import Query, evaluate, judge, load_qrels, load_queries, ndcg, summary, wilson_low
from core.model import Answer, ArticleState, Hit, LookupResult, Outcome, Passage, RelevanceLevel


def hit(doc_key: str, *copies: str) -> Hit:
    return Hit(1, doc_key, "", "general", None, ArticleState.CURRENT, None, copies, "", 0, 0, "", (), (), ())


def answer(*hits: Hit, level: RelevanceLevel | None = RelevanceLevel.REFERENCE) -> Answer:
    outcome = Outcome.FOUND if hits else Outcome.NOT_FOUND
    primary = (
        Passage(hits[0].doc_key, "", "general", "", 0, "", None, "current", None, hits[0].copies, False)
        if hits
        else None
    )
    result = LookupResult(
        outcome, bool(hits), None, "", primary, (), level if hits else None, level if hits else None,
        None, (), None, (), (), (), False, None, "",
    )  # fmt: skip
    ranking = tuple(key for one in hits for key in (one.doc_key, *one.copies))
    return Answer(result, hits, ranking, {})


QUERY = Query("q", "text")


def test_figures_are_those_of_trec_eval() -> None:
    """Worked by hand: gains 0, 2, 0, 1 of judged 2, 1, 1."""
    judged = judge(QUERY, {"a": 2, "b": 1, "c": 1}, answer(hit("x"), hit("a"), hit("y"), hit("b")))
    ideal = 2 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert judged.ndcg10 == pytest.approx((2 / math.log2(3) + 1 / math.log2(5)) / ideal)
    assert judged.recall10 == pytest.approx(2 / 3)
    assert judged.reciprocal10 == pytest.approx(1 / 2)
    assert judged.rank == 2


def test_left_out_questions_are_counted_by_themselves() -> None:
    """A badge on one counts against the badge, but it is no question on another subject."""
    queries = [Query("here", "text"), Query("gone", "text"), Query("other", "text")]
    badge = answer(hit("a"), level=RelevanceLevel.HIGHLY_RELEVANT)
    answers = iter([badge, badge, answer()])
    judged = evaluate(queries, {"here": {"a": 1}}, lambda _: next(answers), left_out={"gone"})
    assert [(one.answerable, one.left_out) for one in judged] == [(True, False), (False, True), (False, False)]
    document = summary(judged, "hashed", leave_out=True)
    assert document["left_out"] == {"n": 1, "not_found": 0, "precise": 0, "highly": 1}
    assert document["unanswerable"] == {"n": 1, "not_found": 1, "precise": 0, "highly": 0}
    assert (document["levels"]["HIGHLY_RELEVANT"]["right"], document["levels"]["HIGHLY_RELEVANT"]["count"]) == (1, 2)
    assert document["ndcg@10"] == 1
    assert "left_out" not in summary(judged, "hashed")


def test_only_the_first_ten_count_and_fifty_for_the_candidates() -> None:
    eleventh = [hit(f"x{number}") for number in range(10)] + [hit("a")]
    judged = judge(QUERY, {"a": 1}, answer(*eleventh))
    assert (judged.ndcg10, judged.recall10, judged.reciprocal10, judged.recall50) == (0, 0, 0, 1)


@given(st.lists(st.integers(0, 3), max_size=20))
def test_ndcg_is_one_exactly_for_the_best_order(gains: list[int]) -> None:
    best = sorted(gains, reverse=True)
    if any(gains):
        assert ndcg(best, gains) == pytest.approx(1)
        assert (ndcg(gains, gains) == pytest.approx(1)) == (gains[:10] == best[:10])
    else:
        assert ndcg(gains, gains) == 0


def test_an_article_is_known_by_its_key_or_by_what_follows_a_hash() -> None:
    scores = {"page.md#1": 1}
    assert judge(QUERY, scores, answer(hit("corpus.jsonl.gz#page.md#1"))).rank == 1
    assert judge(QUERY, scores, answer(hit("page.md#1"))).rank == 1
    assert judge(QUERY, scores, answer(hit("corpus.jsonl.gz#page.md#11"))).rank is None
    assert judge(QUERY, {"d7": 1}, answer(hit("odd#name.jsonl#d7"))).rank == 1


def test_precise_is_right_only_when_the_primary_is() -> None:
    scores = {"a": 2, "b": 1}
    precise = RelevanceLevel.PRECISE
    assert judge(QUERY, scores, answer(hit("a"), hit("x"), level=precise)).right
    assert not judge(QUERY, scores, answer(hit("x"), hit("a"), level=precise)).right
    assert not judge(QUERY, scores, answer(hit("b"), hit("a"), level=precise)).right, "b is only useful"
    assert judge(QUERY, scores, answer(hit("z", "a"), level=precise)).right, "a copy is the same text"


def test_highly_relevant_is_right_with_a_right_article_among_three_results() -> None:
    level = RelevanceLevel.HIGHLY_RELEVANT
    three = (hit("x", "x2", "x3"), hit("y"), hit("a"))
    assert judge(QUERY, {"a": 1}, answer(*three, level=level)).right, "copies take no place in the list"
    assert not judge(QUERY, {"a": 1}, answer(hit("x"), hit("y"), hit("z"), hit("a"), level=level)).right


def test_a_seen_answer_counts_with_the_level_it_was_found_at() -> None:
    found = answer(hit("a"), level=RelevanceLevel.HIGHLY_RELEVANT)
    seen = dataclasses.replace(found.result, relevance_level=RelevanceLevel.DEDUPED, outcome=Outcome.DEDUPED)
    assert judge(QUERY, {"a": 1}, dataclasses.replace(found, result=seen)).level is RelevanceLevel.HIGHLY_RELEVANT


def test_the_summary_holds_a_badge_without_an_answer_against_it() -> None:
    queries = [Query("1", "right"), Query("2", "wrong"), Query("3", "nobody knows"), Query("4", "silent")]
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "4": {"a": 1}}
    precise = RelevanceLevel.PRECISE
    answers = {
        "right": answer(hit("a"), level=precise),
        "wrong": answer(hit("b"), level=precise),
        "nobody knows": answer(hit("b"), level=precise),
        "silent": answer(),
    }
    document = summary(evaluate(queries, qrels, answers.__getitem__), "hashed-256")
    assert document["queries"] == 4
    assert document["ndcg@10"] == pytest.approx(1 / 3, abs=1e-4)
    assert document["levels"]["PRECISE"] == {
        "count": 3, "right": 1, "share": 0.3333, "wilson_low": round(wilson_low(1, 3), 4),
    }  # fmt: skip
    assert document["levels"]["REFERENCE"] == {"count": 0, "right": 0, "share": None, "wilson_low": None}
    assert document["unanswerable"] == {"n": 1, "not_found": 0, "precise": 1, "highly": 0}
    assert document["answerable"] == {"n": 3, "not_found": 1}
    assert list(document) == [
        "queries", "ndcg@10", "recall@10", "mrr@10", "recall@50", "levels", "unanswerable", "answerable", "embedder",
    ]  # fmt: skip


@pytest.mark.parametrize(("right", "count", "low"), [(10, 10, 0.7225), (95, 100, 0.8882), (0, 10, 0.0), (1, 1, 0.2065)])
def test_wilson_bound_of_known_shares(right: int, count: int, low: float) -> None:
    assert wilson_low(right, count) == pytest.approx(low, abs=1e-4)


def test_queries_and_qrels_are_read_as_published(tmp_path: Path) -> None:
    lines = '\ufeff{"_id": "q1", "text": "第一", "kind": "hex"}\r\n\r\n{"_id": 2, "text": "二"}\n'
    plain, packed = tmp_path / "q.jsonl", tmp_path / "q.jsonl.gz"
    plain.write_text(lines, encoding="utf-8", newline="")
    packed.write_bytes(gzip.compress(lines.encode()))
    assert load_queries(plain) == load_queries(packed)
    assert load_queries(plain) == (Query("q1", "第一", {"kind": "hex"}), Query("2", "二"))
    qrels = tmp_path / "q.tsv"
    qrels.write_text("query-id\tcorpus-id\tscore\nq1\tcafe\u0301.md\t2\n", encoding="utf-8")
    assert load_qrels(qrels) == {"q1": {"café.md": 2}}, "article names are NFC, as doc keys are"
    qrels.write_text("q1\ta.md\t1\n", encoding="utf-8")
    assert load_qrels(qrels) == {"q1": {"a.md": 1}}


@pytest.mark.parametrize(
    "second", ["{", "[]", '{"_id": "b"}', '{"text": "x"}', '{"_id": "b", "text": 5}', '{"_id": "a", "text": "x"}']
)
def test_a_bad_query_line_is_named(tmp_path: Path, second: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"_id": "a", "text": "x"}\n' + second + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        load_queries(path)
    assert caught.value.facts["line"] == 2


@pytest.mark.parametrize("second", ["q1 a.md 1", "q1\ta.md", "q1\ta.md\thigh", "q1\ta.md\t1.5"])
def test_a_bad_qrels_line_is_named(tmp_path: Path, second: str) -> None:
    path = tmp_path / "q.tsv"
    path.write_text("query-id\tcorpus-id\tscore\n" + second + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as caught:
        load_qrels(path)
    assert caught.value.facts["line"] == 2


def test_bytes_that_are_no_text_and_missing_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes(b'{"_id": "a", "text": "x"}\n\xff\xfe\n')
    with pytest.raises(InvalidInput) as caught:
        load_queries(path)
    assert caught.value.facts["line"] == 2
    with pytest.raises(PathMissing):
        load_queries(tmp_path / "absent.jsonl")
    with pytest.raises(PathMissing):
        load_qrels(tmp_path)
    broken = tmp_path / "b.jsonl.gz"
    broken.write_bytes(b"no gzip")
    with pytest.raises(InvalidInput):
        load_queries(broken)
