"""Session memory at work: soft mode, previews, marks, what a restart and other processes see (contract §2, §5)."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.engine import Engine
from core.errors import UnknownSession
from core.model import DedupReason, EventKind, Mode, Outcome, RelevanceLevel, Trigger
from tests.e2e.planted import ARTICLES, PlantedEmbedder

POOL = "数据库连接池配置"
MYSQL, REDIS = "infrastructure/mysql-pool.md", "infrastructure/redis.md"


def everything_stored(data_dir: Path) -> str:
    with closing(sqlite3.connect(data_dir / "deskside.sqlite3")) as connection:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()


def rows(data_dir: Path) -> int:
    with closing(sqlite3.connect(data_dir / "deskside.sqlite3")) as connection:
        return int(connection.execute("SELECT count(*) FROM tool_invocation").fetchone()[0])


def test_previews_write_nothing(engine: Engine, data_dir: Path) -> None:
    engine.new_session("T-1")
    before = everything_stored(data_dir)
    for length in range(1, len("ERR_TIMEOUT") + 1):
        engine.preview("ERR_TIMEOUT"[:length], session_id="T-1")
    for query in (POOL, "你好", "E-9999", ""):
        assert engine.preview(query, session_id="T-1").invocation_id is None
    engine.preview(POOL)
    engine.read(MYSQL, query=POOL)
    assert everything_stored(data_dir) == before


def test_throwaway_lookups_write_nothing(engine: Engine, data_dir: Path) -> None:
    before = everything_stored(data_dir)
    for _ in range(2):
        answer = engine.lookup("ERR_TIMEOUT", trigger=Trigger.CLI, throwaway=True)
        assert (answer.result.outcome, answer.result.session_id, answer.invocation_id) == (Outcome.FOUND, None, None)
    assert everything_stored(data_dir) == before


def test_typing_and_enter_is_one_row_and_one_mark(engine: Engine, data_dir: Path) -> None:
    for length in range(1, len("ERR_TIMEOUT") + 1):
        engine.preview("ERR_TIMEOUT"[:length], session_id="T-1")
    answer = engine.lookup("ERR_TIMEOUT", session_id="T-1", trigger=Trigger.ENTER)
    engine.retrieved("T-1", "api/err-timeout.md", query="ERR_TIMEOUT", invocation_id=answer.invocation_id)
    engine.retrieved("T-1", "api/err-timeout.md", query="ERR_TIMEOUT", invocation_id=answer.invocation_id)
    assert rows(data_dir) == 1
    assert [[doc.doc_key for doc in docs] for _, docs in engine.session_memory("T-1").domains] == [
        ["api/err-timeout.md"]
    ]


@pytest.mark.parametrize("text", ["你好", "谢谢", "", "？！…"])
def test_a_gated_text_writes_no_row(engine: Engine, data_dir: Path, text: str) -> None:
    answer = engine.lookup(text, session_id="T-1")
    assert (answer.result.outcome, answer.invocation_id) == (Outcome.GATED, None)
    assert rows(data_dir) == 0
    assert engine.lookup(text).result.session_id is None
    assert [session.id for session in engine.sessions()] == ["T-1"]


@pytest.mark.parametrize(
    "query", ["ERR_TIMEOUT \ud800", "\udcff", "ERR_TIMEOUT\x00", "x" * 20_000, "ERR_TIMEOUT " * 2000]
)
def test_any_text_is_answered_and_written_down(engine: Engine, data_dir: Path, query: str) -> None:
    engine.preview(query, session_id="T-1")
    result = engine.lookup(query, session_id="T-1", trigger=Trigger.CLI).result
    assert result.outcome in (Outcome.FOUND, Outcome.NOT_FOUND, Outcome.GATED)
    json.dumps(result.as_json(), ensure_ascii=False).encode("utf-8")
    assert rows(data_dir) == (result.outcome is not Outcome.GATED)


def test_an_empty_session_id_starts_a_session(engine: Engine) -> None:
    assert engine.lookup("ERR_TIMEOUT", session_id="").result.session_id


def test_standing_in_a_list_retrieves_nothing(engine: Engine) -> None:
    engine.lookup(POOL, session_id="T-1", trigger=Trigger.ENTER)
    assert engine.session_memory("T-1").domains == ()
    result = engine.lookup(POOL, session_id="T-1", trigger=Trigger.ENTER).result
    assert result.outcome is Outcome.FOUND


@pytest.mark.parametrize("trigger", [Trigger.CLI, Trigger.MCP])
def test_a_command_hands_over_the_primary_and_every_supplement(engine: Engine, trigger: Trigger) -> None:
    result = engine.lookup(POOL, session_id="T-1", trigger=trigger).result
    assert result.primary is not None
    returned = {passage.doc_key: passage.domain for passage in (result.primary, *result.supplement)}
    assert {MYSQL, REDIS} <= set(returned)
    memory = engine.session_memory("T-1")
    assert {doc.doc_key: domain for domain, docs in memory.domains for doc in docs} == returned
    assert {doc.query for _, docs in memory.domains for doc in docs} == {POOL}
    assert set(result.retrieved_domains_this_session) == set(returned.values())


@pytest.mark.parametrize("kind", [EventKind.OPENED, EventKind.COPIED, EventKind.VOTED])
def test_a_deliberate_act_retrieves(engine: Engine, kind: EventKind) -> None:
    answer = engine.lookup(POOL, session_id="T-1")
    engine.record_event("T-1", kind, doc_key=REDIS, invocation_id=answer.invocation_id)
    assert [(domain, [doc.doc_key for doc in docs]) for domain, docs in engine.session_memory("T-1").domains] == [
        ("infrastructure", [REDIS])
    ]


def test_soft_marks_what_is_held_and_neither_reorders_nor_withholds(engine: Engine) -> None:
    before = engine.lookup(POOL, session_id="other")
    engine.lookup(POOL, session_id="T-1")
    engine.retrieved("T-1", MYSQL, query="连接池")
    after = engine.lookup(POOL, session_id="T-1")
    assert after.result.outcome is Outcome.FOUND
    assert after.ranking == before.ranking
    assert [hit.doc_key for hit in after.hits] == [hit.doc_key for hit in before.hits]
    marked = {hit.doc_key: hit.held_query for hit in after.hits if hit.held_at is not None}
    assert marked == {MYSQL: "连接池"}
    assert after.result.primary is not None
    assert before.result.primary is not None
    assert (before.result.primary.already_retrieved, after.result.primary.already_retrieved) == (False, True)
    assert after.result.primary.content == before.result.primary.content
    preview = engine.preview(POOL, session_id="T-1")
    assert {hit.doc_key for hit in preview.hits if hit.held_at is not None} == {MYSQL}


def test_soft_is_deduped_when_all_that_is_returned_is_held(engine: Engine) -> None:
    first = engine.lookup(POOL, session_id="T-1", trigger=Trigger.CLI).result
    second = engine.lookup(POOL, session_id="T-1", trigger=Trigger.CLI).result
    assert (second.outcome, second.found) == (Outcome.DEDUPED, True)
    assert second.relevance_level is RelevanceLevel.DEDUPED
    assert second.evidence_level is first.evidence_level is RelevanceLevel.HIGHLY_RELEVANT
    assert second.dedup_reason is DedupReason.DOC_RETRIEVED
    assert second.completeness_hint == first.completeness_hint
    assert second.primary is not None
    assert first.primary is not None
    assert (second.primary.doc_key, second.primary.content) == (first.primary.doc_key, first.primary.content)
    assert [one.doc_key for one in second.supplement] == [one.doc_key for one in first.supplement]
    assert all(one.already_retrieved for one in (second.primary, *second.supplement))


def test_soft_never_withholds_a_domain(engine: Engine) -> None:
    engine.lookup("数据库连接池", session_id="T-1", trigger=Trigger.CLI)
    result = engine.lookup("连接池耗尽", session_id="T-1", trigger=Trigger.CLI).result
    assert result.outcome is Outcome.FOUND
    assert result.primary is not None
    assert result.primary.doc_key == "infrastructure/exhausted.md"


def test_each_session_has_its_own_memory_whatever_the_cache_holds(engine: Engine) -> None:
    engine.lookup(POOL, session_id="T-1", trigger=Trigger.CLI)
    other = engine.lookup(POOL, session_id="T-2", trigger=Trigger.CLI).result
    assert (other.outcome, other.relevance_level) == (Outcome.FOUND, RelevanceLevel.HIGHLY_RELEVANT)
    assert other.primary is not None
    assert not other.primary.already_retrieved
    assert other.session_id == "T-2"
    again = engine.lookup(POOL, session_id="T-1", trigger=Trigger.CLI).result
    assert (again.outcome, again.session_id) == (Outcome.DEDUPED, "T-1")


def test_codes_that_differ_in_one_digit_never_share_an_answer(engine: Engine) -> None:
    for code in ("1001", "1002", "1001", "1003"):
        primary = engine.lookup(f"错误 E-{code} 怎么办", session_id="T-1").result.primary
        assert primary is not None
        assert primary.doc_key == f"codes/e-{code}.md"


def test_changed_text_is_unread_again(engine: Engine, knowledge: Path) -> None:
    engine.lookup("ERR_TIMEOUT", session_id="T-1", trigger=Trigger.CLI)
    path = knowledge / "api/err-timeout.md"
    path.write_text(path.read_text(encoding="utf-8").replace("三十秒", "六十秒"), encoding="utf-8")
    engine.ingest([knowledge])
    memory = engine.session_memory("T-1")
    assert [doc.current for _, docs in memory.domains for doc in docs] == [False]
    result = engine.lookup("ERR_TIMEOUT", session_id="T-1", trigger=Trigger.CLI).result
    assert result.outcome is Outcome.FOUND
    assert result.primary is not None
    assert "六十秒" in result.primary.content
    assert not result.primary.already_retrieved
    assert engine.lookup("ERR_TIMEOUT", session_id="T-1", trigger=Trigger.CLI).result.outcome is Outcome.DEDUPED


def test_memory_survives_a_restart_and_clearing_forgets_it(
    engine: Engine, data_dir: Path, embedder: PlantedEmbedder
) -> None:
    engine.lookup(POOL, session_id="T-1", trigger=Trigger.CLI)
    memory = engine.session_memory("T-1")
    engine.close()
    reopened = Engine.open(data_dir, embedder=embedder)
    try:
        assert reopened.session_memory("T-1") == memory
        assert reopened.lookup(POOL, session_id="T-1", trigger=Trigger.CLI).result.outcome is Outcome.DEDUPED
        assert reopened.clear_session("T-1") == sum(len(docs) for _, docs in memory.domains)
        assert reopened.lookup(POOL, session_id="T-1", trigger=Trigger.CLI).result.outcome is Outcome.FOUND
        for use in (reopened.session_memory, reopened.clear_session):
            with pytest.raises(UnknownSession):
                use("T-9")
    finally:
        reopened.close()


def test_an_answer_that_cannot_be_had_is_no_hit_and_marks_nothing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no search")

    with monkeypatch.context() as patch:
        patch.setattr("core.lookup.Searcher.begin", fail)
        result = engine.lookup(POOL, session_id="T-1", trigger=Trigger.CLI).result
    assert (result.outcome, result.found, result.primary, result.relevance_level) == (
        Outcome.DEGRADED,
        False,
        None,
        None,
    )
    assert result.degraded is not None and result.degraded.reason == "error"
    assert engine.session_memory("T-1").domains == ()
    assert engine.stats(1)["outcomes"]["degraded"] == 1
    assert engine.lookup(POOL, session_id="T-1", trigger=Trigger.CLI).result.outcome is Outcome.FOUND


def test_words_answer_when_the_vectors_fail(engine: Engine, embedder: PlantedEmbedder) -> None:
    embedder.fault = RuntimeError("the model is gone")
    answer = engine.lookup(POOL, session_id="T-1", trigger=Trigger.CLI)
    assert answer.result.missing_legs == ("vector",)
    assert answer.result.outcome is not Outcome.DEGRADED
    assert (answer.details["l1_scores"], answer.details["l1_top_similarity"]) == (None, None)
    embedder.fault = None
    whole = engine.lookup(POOL, session_id="T-2", trigger=Trigger.CLI).result
    assert (whole.missing_legs, whole.cached, whole.relevance_level) == ((), False, RelevanceLevel.HIGHLY_RELEVANT)


def _look_up_elsewhere(data_dir: Path, query: str) -> None:
    engine = Engine.open(data_dir, embedder=PlantedEmbedder())
    engine.lookup(query, session_id="T-1", mode=Mode.HARD, trigger=Trigger.MCP)
    engine.close()


def test_two_processes_share_one_memory(engine: Engine, data_dir: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=_look_up_elsewhere, args=(data_dir, POOL))
    process.start()
    process.join()
    assert process.exitcode == 0
    assert engine.session_memory("T-1").domains[0][0] == "infrastructure"
    soft = engine.lookup(POOL, session_id="T-1", trigger=Trigger.CLI).result
    assert (soft.outcome, soft.dedup_reason) == (Outcome.DEDUPED, DedupReason.DOC_RETRIEVED)
    hard = engine.lookup("连接池耗尽", session_id="T-1", mode=Mode.HARD, trigger=Trigger.MCP).result
    assert (hard.outcome, hard.dedup_reason) == (Outcome.DEDUPED, DedupReason.DOMAIN_RETRIEVED)


def test_merging_a_session_merges_its_memory(engine: Engine) -> None:
    engine.lookup(POOL, session_id="T-1", trigger=Trigger.CLI)
    engine.lookup("ERR_TIMEOUT", session_id="T-2", trigger=Trigger.CLI)
    engine.merge_session("T-2", "T-1")
    assert [one.id for one in engine.sessions()] == ["T-1"]
    assert engine.sessions()[0].lookups == 2
    assert [domain for domain, _ in engine.session_memory("T-1").domains][-1] == "api"
    assert set(ARTICLES) >= {doc.doc_key for _, docs in engine.session_memory("T-1").domains for doc in docs}
