"""What a reranker may order anew, and what it leaves where a rule put it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from core.engine import Engine
from core.protocols import Scores
from core.ranking import RankedArticle
from core.reranking import blocks_of
from tests.e2e.planted import write_articles


class Judge:
    """Scores a passage by `liked`: text in it → score. `fails`: raised instead."""

    name = "judge"

    def __init__(self, **liked: float) -> None:
        self.liked = liked
        self.fails: Exception | None = None
        self.asked: list[list[str]] = []
        self.seconds: list[float | None] = []

    def scores(self, query: str, passages: Sequence[str], seconds: float | None = None) -> Scores:
        self.asked.append(list(passages))
        self.seconds.append(seconds)
        if self.fails:
            raise self.fails
        return np.array([sum(score for text, score in self.liked.items() if text in one) for one in passages])


def ranking(*scores: float) -> list[RankedArticle]:
    return [RankedArticle(number, score, 0.0, ()) for number, score in enumerate(scores)]


def blocks(*scores: float, by_rule: Collection[int] = (), first: int = 30) -> list[tuple[int, int]]:
    ranked = ranking(*scores)
    return blocks_of(ranked[:first], by_rule, all_ranked=ranked)


def test_articles_that_follow_each_other_by_score_are_one_block() -> None:
    assert blocks(3, 2, 2, 1) == [(0, 4)]


def test_one_article_is_nothing_to_order() -> None:
    assert blocks(3) == []
    assert blocks() == []


def test_what_stands_by_rule_stays_and_parts_what_is_above_from_what_is_below() -> None:
    assert blocks(5, 4, 3, 2, 1, by_rule={0}) == [(1, 5)]
    assert blocks(5, 4, 3, 2, 1, by_rule={2}) == [(0, 2), (3, 5)]
    assert blocks(5, 4, 3, by_rule={1}) == []


def test_what_stands_above_a_higher_score_stands_there_by_rule() -> None:
    assert blocks(1, 5, 4) == [(1, 3)]
    assert blocks(3, 2, 5, 4) == [(2, 4)]
    assert blocks(5, 3, 4, 2) == [(0, 2), (2, 4)]


def test_a_higher_score_below_the_first_ones_counts_too() -> None:
    assert blocks(3, 2, 9, first=2) == []
    assert blocks(3, 2, 1, 2.5, first=3) == [(0, 2)]


class Desk:
    """An engine whose reranker the test hands in."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.judge: Judge | None = None
        self.engine = Engine.open(folder / "data")
        monkeypatch.setattr(self.engine.models, "reranker", lambda: self.judge)
        self.engine.remove_starter()
        self.kb = write_articles(folder / "kb")
        self.engine.ingest([self.kb])

    def keys(self, text: str) -> list[str]:
        return [hit.doc_key for hit in self.engine.lookup(text).hits]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    made = Desk(tmp_path, monkeypatch)
    yield made
    made.engine.close()


FAULT = "故障排查"
REVIEW = "troubleshooting/review.md"


def test_a_lookup_is_ordered_by_the_reranker_and_a_preview_is_not(desk: Desk) -> None:
    before = desk.keys(FAULT)
    assert before[0] != REVIEW
    desk.judge = Judge(复盘=1.0)
    preview = desk.engine.preview(FAULT)
    assert [hit.doc_key for hit in preview.hits] == before
    assert desk.judge.asked == []
    after = desk.keys(FAULT)  # not what the cache kept of a search without it
    assert after[0] == REVIEW
    assert sorted(after) == sorted(before)


def test_it_reads_titles_and_best_chunks(desk: Desk) -> None:
    desk.judge = Judge()
    desk.keys(FAULT)
    (passages,) = desk.judge.asked
    assert any(passage.startswith("怎样复盘\n") and "一周内" in passage for passage in passages)


def test_nothing_is_lifted_above_an_exact_match(desk: Desk) -> None:
    desk.judge = Judge(时钟不同步=9.0, 磁盘将满=8.0)
    answer = desk.engine.lookup("E-1001 告警怎么办")
    assert answer.hits[0].doc_key == "codes/e-1001.md"
    assert all("E-1001" not in passage for asked in desk.judge.asked for passage in asked)


@pytest.mark.parametrize("error", [TimeoutError(), RuntimeError("no")])
def test_one_that_is_late_or_fails_leaves_the_order_and_is_asked_again(desk: Desk, error: Exception) -> None:
    before = desk.keys(FAULT)
    desk.judge = Judge(复盘=1.0)
    desk.judge.fails = error
    assert desk.keys(FAULT) == before
    desk.judge.fails = None
    assert desk.keys(FAULT)[0] == REVIEW


def test_it_gets_what_is_left_of_the_answers_time(desk: Desk) -> None:
    desk.judge = Judge()
    desk.keys(FAULT)
    (seconds,) = desk.judge.seconds
    assert seconds is not None
    assert seconds <= 1.5


def test_what_replaces_an_article_stays_above_it(desk: Desk) -> None:
    new = "---\ntitle: 新的定级办法\n---\n故障排查分四级，先看影响多少人，再看多久。\n"
    (desk.kb / "troubleshooting/levels.md").write_text(new, encoding="utf-8")
    old = "---\ntitle: 怎样定级\nsuperseded_by: troubleshooting/levels.md\n---\n故障排查分三级，先看影响多少人。\n"
    (desk.kb / "troubleshooting/grading.md").write_text(old, encoding="utf-8")
    desk.engine.ingest([desk.kb])
    desk.judge = Judge(怎样定级=9.0, 新的定级办法=-9.0)
    keys = desk.keys(FAULT)
    assert keys.index("troubleshooting/levels.md") < keys.index("troubleshooting/grading.md")


def test_an_article_that_was_lifted_leads_nobody_by_it(desk: Desk) -> None:
    ranked = desk.engine._asking.searcher.search(FAULT).ranked
    own = {article.article_id: article.score for article in ranked}
    desk.judge = Judge(复盘=1.0)
    search = desk.engine._asking.searcher.search(FAULT)
    assert search.ranked[0].article_id != ranked[0].article_id
    assert {article.article_id: article.score for article in search.ranked} == own
    assert search.places is not None
    assert search.places[search.ranked[0].article_id] == ranked[0].score
