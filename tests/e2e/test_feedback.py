"""Votes on a real engine: what they lift, what they never do, and what they say of the levels (first seed, phase 2)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.embedding.hashed import HashedEmbedder
from core.engine import Engine
from core.feedback import scale_of
from core.model import Answer, EventKind
from core.report import Thresholds
from core.switches import Switches

# Two articles say much the same, so that they stand close together.
ARTICLES = {
    "a/scanner.md": ("扫描仪在东区不出图", "", "扫描仪在东区不出图时检查接口和线缆，重新安装驱动。"),
    "a/scanner-two.md": ("扫描仪在西区不出图", "", "扫描仪在西区不出图时检查接口和线缆，更换电源。"),
    "a/scanner-old.md": ("扫描仪旧型号", "state: superseded\nsuperseded_by: a/scanner.md", "扫描仪旧型号的接口说明。"),
    "b/e-4001.md": ("第一种告警", "keywords: [E-4001]", "E-4001：证书过期，重新签发。"),
    "b/e-4002.md": ("第二种告警", "keywords: [E-4002]", "E-4002：时钟不同步，校准时间。"),
    "c/other.md": ("会议室预订", "", "会议室在日历里预订，提前一天。"),
}
ASKED = "扫描仪 线缆 接口"


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    folder = tmp_path / "kb"
    for key, (title, head, body) in ARTICLES.items():
        (folder / key).parent.mkdir(parents=True, exist_ok=True)
        (folder / key).write_text(f"---\ntitle: {title}\n{head}\n---\n\n{body}\n", encoding="utf-8")
    return folder


@pytest.fixture
def embedder() -> HashedEmbedder:
    return HashedEmbedder(256)


def vote(engine: Engine, query: str, doc_key: str, value: int, *, session: str | None = None) -> Answer:
    answer = engine.lookup(query, session_id=session)
    said(engine, answer, doc_key, value)
    return answer


def said(engine: Engine, answer: Answer, doc_key: str, value: int) -> None:
    assert answer.result.session_id is not None
    engine.record_event(
        answer.result.session_id,
        EventKind.VOTED,
        doc_key=doc_key,
        invocation_id=answer.invocation_id,
        value=value,
    )


def order(engine: Engine, query: str) -> list[str]:
    return [hit.doc_key for hit in engine.preview(query).hits]


def confirmed(engine: Engine, query: str) -> dict[str, int]:
    return {hit.doc_key: hit.confirmed for hit in engine.preview(query).hits if hit.confirmed}


def test_a_confirmed_article_rises_for_the_same_question_in_other_order_and_is_marked(engine: Engine) -> None:
    before = order(engine, ASKED)
    lower = before[1]
    for number in range(4):
        vote(engine, ASKED, lower, 2, session=f"T-{number}")
    again = "请问 接口 线缆 扫描仪 怎么办"
    assert order(engine, again)[0] == lower
    assert confirmed(engine, again) == {lower: 4}
    assert engine.lookup(again).details["approvals"][lower]["confirmed"] == 4


def test_the_level_stays_what_it_was(engine: Engine) -> None:
    questions = [ASKED, "扫描仪 驱动", "扫描仪 密码", "打印 接口 共享", "E-4001 证书", "会议室 接口"]
    levels = {question: engine.preview(question).result.evidence_level for question in questions}
    for question in questions:
        for doc_key in order(engine, question)[1:]:
            for number in range(3):
                vote(engine, question, doc_key, 2, session=f"T-{number}")
            assert engine.preview(question).result.evidence_level == levels[question], (question, doc_key)


def test_one_number_apart_inherits_nothing(engine: Engine) -> None:
    for number in range(5):
        vote(engine, "E-4001 告警", "c/other.md", 2, session=f"T-{number}")
        vote(engine, "告警 时间 17", "b/e-4001.md", 2, session=f"T-{number}")
    for question in ("E-4002 告警", "E-40010 告警", "告警 时间 18", "告警 时间"):
        assert engine.feedback.approvals(question) == {}
    assert order(engine, "E-4002 告警")[0] == "b/e-4002.md"


def test_an_exact_article_stays_first_whatever_was_said(engine: Engine) -> None:
    for number in range(20):
        vote(engine, "E-4001 告警 时间", "b/e-4002.md", 2, session=f"T-{number}")
        vote(engine, "E-4001 告警 时间", "b/e-4001.md", -1, session=f"T-{number}")
    assert order(engine, "E-4001 告警 时间")[0] == "b/e-4001.md"


def test_what_was_replaced_stays_below_its_successor(engine: Engine) -> None:
    for number in range(20):
        vote(engine, "扫描仪 旧型号 接口", "a/scanner-old.md", 2, session=f"T-{number}")
    found = order(engine, "扫描仪 旧型号 接口")
    assert found.index("a/scanner.md") < found.index("a/scanner-old.md")


def test_a_vote_taken_back_leaves_the_order_as_it_was(engine: Engine) -> None:
    before = order(engine, ASKED)
    answers = [vote(engine, ASKED, before[1], 2, session=f"T-{number}") for number in range(4)]
    assert order(engine, ASKED) != before
    for answer in answers:
        said(engine, answer, before[1], 0)
    assert order(engine, ASKED) == before
    assert confirmed(engine, ASKED) == {}


def test_copying_counts_a_little_and_is_no_confirmation(engine: Engine) -> None:
    answer = engine.lookup(ASKED)
    assert answer.result.session_id is not None
    key = answer.hits[1].doc_key
    engine.record_event(answer.result.session_id, EventKind.COPIED, doc_key=key, invocation_id=answer.invocation_id)
    approval = engine.feedback.approvals(ASKED)[key]
    assert approval.confirmed == 0
    assert 0 < approval.lift < 0.1


def test_votes_can_be_switched_off(engine: Engine) -> None:
    before = order(engine, ASKED)
    for number in range(4):
        vote(engine, ASKED, before[1], 2, session=f"T-{number}")
    with engine.trial() as trial:
        assert trial.lookup(ASKED, Switches(confirmed=False)).ranking[: len(before)] == tuple(before)
        assert trial.lookup(ASKED).ranking[0] == before[1]


def test_other_processes_see_a_vote_at_once(engine: Engine, data_dir: Path) -> None:
    other = Engine.open(data_dir, embedder=engine._embedder)
    try:
        version = other.feedback.version()
        doc_key = order(engine, ASKED)[1]
        vote(engine, ASKED, doc_key, 2)
        assert confirmed(other, ASKED) == {doc_key: 1}
        assert other.feedback.version() != version
    finally:
        other.close()


def test_other_word_lists_find_the_votes_again_and_a_preview_writes_nothing(engine: Engine, data_dir: Path) -> None:
    doc_key = order(engine, ASKED)[1]
    vote(engine, ASKED, doc_key, 2)
    engine.folder.user_synonyms.write_text("线缆 数据线", encoding="utf-8")
    again = "扫描仪 数据线 接口"
    other = Engine.open(data_dir, embedder=HashedEmbedder(256))
    try:
        before = engine._database.data_version()
        other.preview(again)
        assert engine._database.data_version() == before
        other.lookup("会议室")
        assert confirmed(other, again) == {doc_key: 1}
    finally:
        other.close()


def test_the_event_and_the_vote_stand_in_the_log(engine: Engine, data_dir: Path) -> None:
    answer = vote(engine, ASKED, "a/scanner.md", 2, session="T-1")
    said(engine, answer, "a/scanner.md", -1)
    with closing(sqlite3.connect(data_dir / "deskside.sqlite3")) as connection:
        events = connection.execute("SELECT kind, doc_key, invocation_id, value FROM session_event").fetchall()
    assert events == [("voted", "a/scanner.md", answer.invocation_id, value) for value in (2, -1)]
    assert engine.feedback.approvals(ASKED)["a/scanner.md"].weight < 0


@pytest.mark.parametrize("value", [99, 3, -2])
def test_no_other_vote_is_kept(engine: Engine, data_dir: Path, value: int) -> None:
    answer = engine.lookup(ASKED, session_id="T-1")
    for doc_key, invocation_id in (("a/scanner.md", answer.invocation_id), ("a/scanner.md", None), (None, None)):
        with pytest.raises(ValueError, match=str(value)):
            engine.record_event("T-1", EventKind.VOTED, doc_key=doc_key, invocation_id=invocation_id, value=value)
    with closing(sqlite3.connect(data_dir / "deskside.sqlite3")) as connection:
        assert connection.execute("SELECT count(*) FROM session_event").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM vote").fetchone() == (0,)


@pytest.mark.parametrize("value", [99, 3, -2])
def test_a_vote_that_nobody_knows_is_read_over(engine: Engine, data_dir: Path, value: int) -> None:
    """An earlier version could write it."""
    before = order(engine, ASKED)
    vote(engine, ASKED, before[1], 2)
    with closing(sqlite3.connect(data_dir / "deskside.sqlite3")) as connection:
        connection.execute("UPDATE vote SET value = ?", (value,))
        connection.commit()
    assert engine.lookup(ASKED).hits
    assert order(engine, ASKED) == before
    assert confirmed(engine, ASKED) == {}
    assert engine.feedback.reliability().votes == 0


# ------------------------------------------------------------------ thresholds


def test_votes_count_right_and_wrong_as_decision_3_does(engine: Engine) -> None:
    answer = engine.lookup("E-4001 证书", session_id="T")
    assert answer.result.evidence_level == "PRECISE"
    said(engine, answer, answer.hits[0].doc_key, 1)
    vote(engine, "E-4002 时钟", "b/e-4001.md", 2, session="T")
    told = engine.feedback.reliability()
    assert (told.before["PRECISE"].right, told.before["PRECISE"].count) == (1, 2)
    third = engine.lookup(ASKED, session_id="T")
    said(engine, third, third.hits[2].doc_key, -1)
    assert engine.feedback.reliability().votes == 2, "that the third is wrong says nothing of the first three"
    said(engine, third, third.hits[1].doc_key, 1)
    assert engine.feedback.reliability().votes == 3


def test_applied_thresholds_hold_at_once_and_are_taken_back(engine: Engine) -> None:
    shipped = engine.feedback.reliability().thresholds
    asked = "会议室 日历 名单"
    level = engine.preview(asked).result.evidence_level
    for thresholds, wanted in ((Thresholds(1.01, 1.0), None), (Thresholds(0.02, 0.01), "HIGHLY_RELEVANT")):
        engine.feedback.apply(thresholds, votes=200)
        assert engine.feedback.reliability().thresholds == thresholds
        assert engine.preview(asked).result.evidence_level == wanted
    assert engine.feedback.reliability().undoable
    assert engine.feedback.undo() == Thresholds(1.01, 1.0)
    assert engine.feedback.undo() == shipped
    assert engine.preview(asked).result.evidence_level == level
    assert engine.feedback.undo() is None


def test_another_embedder_or_profile_is_another_scale(engine: Engine) -> None:
    profile = engine.feedback.profile()
    assert scale_of("hashed", profile) != scale_of("other", profile)
