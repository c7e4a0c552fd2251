"""How lookups are served: by which instance, by which deadline, what counts as a failure, what comes late (§3, §8)."""

from __future__ import annotations

import importlib
import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.engine import Engine
from core.figures import AgentFigures, BreakerState
from core.model import Actor, LegState, Outcome, RelevanceLevel, Trigger
from core.settings import Settings
from tests.e2e.planted import write_articles
from tests.manual_clock import ManualClock
from tests.slow_embedder import Patience, SlowEmbedder

POOL, LOGS = "数据库连接池配置", "日志分析步骤"
MYSQL = "infrastructure/mysql-pool.md"


class Desk:
    """An open engine over the stated articles, whose model can be held up, in the test's own time."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder / "data"
        self.folder.mkdir()
        Settings().changed(**settings).save(self.folder / "settings.json")
        (self.folder / "agent_types.yaml").write_text(
            "network:\n  zh: 网络\n  domains: [infrastructure, troubleshooting]\n", encoding="utf-8"
        )
        self.clock, self.embedder = ManualClock(), SlowEmbedder()
        self.patience = Patience(self.clock, self.embedder)
        self.engine = self.open()
        self.engine.remove_starter()
        self.engine.ingest([write_articles(folder / "kb")])

    def open(self) -> Engine:
        return Engine.open(self.folder, embedder=self.embedder, clock=self.clock, wait=self.patience)

    def ask(self, text: str, session: str = "T-1", **more: Any) -> Any:
        return self.engine.lookup(text, session_id=session, **more)

    def figures(self) -> dict[str, AgentFigures]:
        return {one.id: one for one in self.engine._serving.calls.pool.figures()}

    def calls(self) -> dict[str, tuple[int, float, int]]:
        """Instance → (calls, success rate, degraded), of those that made any."""
        return {id_: (one.total, one.success_rate, one.degraded) for id_, one in self.figures().items() if one.total}

    def rows(self) -> list[dict[str, Any]]:
        self.engine._database.log.catch_up()
        with closing(sqlite3.connect(self.folder / "deskside.sqlite3")) as connection:
            connection.row_factory = sqlite3.Row
            found = [
                dict(row)
                for row in connection.execute(
                    "SELECT * FROM tool_invocation JOIN lookup_fact ON invocation_id = id ORDER BY id"
                )
            ]
        for row in found:
            row["retrieval_details"] = json.loads(row["retrieval_details"])
        return found

    def late_leg_ends(self) -> None:
        """The held embedder goes on, and what it was held up with has come."""
        self.embedder.let_go()
        self.workers_rest()

    def workers_rest(self) -> None:
        """All that was started before has ended."""
        for worker in self.engine._serving.calls._workers.values():
            worker.submit(lambda: None).result(30)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.embedder.let_go()
    made.engine.close()


def test_the_best_tier_serves_and_the_row_says_who(desk: Desk) -> None:
    answer = desk.ask(POOL)
    assert answer.result.missing_legs == ()
    (row,) = desk.rows()
    assert (row["agent"], row["agent_type"], row["domain"]) == ("network/semantic-1", "network", "infrastructure")
    assert row["query_key"]
    assert row["retrieval_details"]["embedder"] == "planted"
    assert desk.calls() == {"network/semantic-1": (1, 1.0, 0)}


def test_the_type_follows_from_what_is_recalled_and_filters_nothing(desk: Desk) -> None:
    assert [desk.ask(text).result.primary.doc_key for text in ("E-1001", LOGS, "网线标签颜色")] == [
        "codes/e-1001.md",
        "troubleshooting/logs.md",
        "cabling/colours.md",
    ]
    assert [row["agent_type"] for row in desk.rows()] == ["general", "network", "general"]


@pytest.mark.parametrize("first", ["_index", "read"], ids=["the index", "the word lists"])
def test_opening_and_loading_cost_no_leg_and_are_nobodys_call(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    searcher, slow = desk.engine._asking.searcher, iter([60.0])
    loaded = getattr(searcher, first)

    def loading(*values: Any) -> Any:
        desk.clock.advance(next(slow, 0.0))
        return loaded(*values)

    monkeypatch.setattr(searcher, first, loading)
    assert desk.ask(POOL).result.missing_legs == ()
    assert desk.figures()["network/semantic-1"].avg_ms == 0
    (row,) = desk.rows()
    assert row["duration_ms"] == 60_000, "who asked did wait"


# ------------------------------------------------- the request's time and faults, not the instance's

AFTER_THE_SEARCH = {
    "waiting for the database": "core.store.database.Database.transaction",
    "judging and answering": "core.answering.Answering.prepare",
    "the log": "core.store.activity.Activity.record_lookup",
    "the session": "core.session.RetrievedDocTracker.mark_retrieved",
    "the cache": "core.agents.cache.SearchCache.put",
}


@pytest.mark.parametrize("where", AFTER_THE_SEARCH.values(), ids=AFTER_THE_SEARCH)
def test_what_comes_after_the_search_is_no_part_of_the_call(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    desk.ask(LOGS)
    real, asking = _named(where), threading.current_thread()
    waited: list[str] = []

    def slow(*values: Any, **more: Any) -> Any:
        if threading.current_thread() is asking:  # and not the log's writer
            waited.append(where)
            desk.clock.advance(60)
            desk.engine._serving.calls.give_up_overdue()  # as another lookup does
        return real(*values, **more)

    monkeypatch.setattr(where, slow)
    assert desk.ask(POOL, trigger=Trigger.CLI).result.missing_legs == ()
    assert waited
    assert desk.calls() == {"network/semantic-1": (2, 1.0, 0)}
    assert desk.figures()["network/semantic-1"].avg_ms == 0


@pytest.mark.parametrize(
    "where", [AFTER_THE_SEARCH[name] for name in ("waiting for the database", "the log", "the session")]
)
def test_a_row_that_cannot_be_written_raises_and_is_no_failure_of_the_call(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    desk.ask(LOGS)
    real, asking = _named(where), threading.current_thread()

    def locked(*values: Any, **more: Any) -> Any:
        if threading.current_thread() is asking:
            raise sqlite3.OperationalError("database is locked")
        return real(*values, **more)

    with monkeypatch.context() as patch:
        patch.setattr(where, locked)
        with pytest.raises(sqlite3.OperationalError):
            desk.ask(POOL, trigger=Trigger.CLI)
    assert [row["query"] for row in desk.rows()] == [LOGS]
    assert desk.calls() == {"network/semantic-1": (2, 1.0, 0)}


def test_a_hashed_engine_has_no_semantic_tier(tmp_path: Path) -> None:
    engine = Engine.open(tmp_path / "data")
    try:
        engine.lookup("VPN 691", session_id="T-1")
        pool = engine._serving.calls.pool
        assert {one.tier for one in pool.figures()} == {"hybrid-hashed", "keyword"}
        assert [one.tier for one in pool.figures() if one.total] == ["hybrid-hashed"]
    finally:
        engine.close()


# ------------------------------------------------------------------ deadlines


@pytest.mark.parametrize(
    ("more", "deadline"),
    [({}, 1.5), ({"actor": Actor.EXECUTOR, "trigger": Trigger.MCP}, 8.0)],
    ids=["person", "executor"],
)
def test_an_answer_does_not_wait_for_a_leg_beyond_its_deadline(
    desk: Desk, more: dict[str, Any], deadline: float
) -> None:
    desk.embedder.hold()
    answer = desk.ask(POOL, **more)
    assert desk.patience.waited == [deadline]
    assert answer.result.missing_legs == ("vector",)
    assert (answer.result.outcome, answer.result.primary.doc_key) == (Outcome.FOUND, MYSQL)
    assert answer.leg_is_coming == ("actor" not in more)
    (row,) = desk.rows()
    assert (row["success"], row["retrieval_details"]["l1_scores"]) == (1, None)
    assert (row["retrieval_details"]["embedder"], row["retrieval_details"]["profile"]) == ("hashed", "hashed")
    assert row["duration_ms"] >= deadline * 1000
    assert desk.calls() == {}  # the call goes on


def test_the_deadlines_are_settings(tmp_path: Path) -> None:
    desk = Desk(tmp_path, answer_deadline_ms=700, executor_answer_deadline_ms=900)
    desk.embedder.hold()
    desk.ask(POOL)
    desk.ask(LOGS, actor=Actor.EXECUTOR, trigger=Trigger.MCP)
    desk.embedder.let_go()
    desk.engine.close()
    assert desk.patience.waited == [0.7, 0.9]


def test_a_late_leg_counts_with_its_true_duration(desk: Desk) -> None:
    desk.embedder.hold()
    desk.ask(POOL)
    desk.clock.advance(2.7)
    desk.late_leg_ends()
    figures = desk.figures()["network/semantic-1"]
    assert (figures.total, figures.success_rate, round(figures.avg_ms)) == (1, 1.0, 4200)


def test_a_call_past_the_engine_deadline_is_a_failure_and_blocks_nothing(desk: Desk) -> None:
    desk.embedder.hold()
    answer = desk.ask(POOL)
    assert desk.engine.late_legs.state(answer.invocation_id) is LegState.COMING
    desk.clock.advance(8.5)
    assert desk.engine.late_legs.state(answer.invocation_id) is LegState.LOST
    assert desk.calls() == {"network/semantic-1": (1, 0.0, 1)}
    assert desk.figures()["network/semantic-1"].avg_ms == 10_000
    hanging = desk.embedder._gate
    desk.embedder.hold()
    desk.embedder.let_go()  # for new calls; the old one still hangs
    assert desk.ask(LOGS).result.missing_legs == ()
    hanging.set()


def test_a_late_leg_brings_the_whole_answer_under_the_same_row_and_fills_the_cache(desk: Desk) -> None:
    desk.embedder.hold()
    answer = desk.ask("故障排查")
    assert desk.engine.late_legs.answer(answer.invocation_id) is None
    desk.late_leg_ends()
    assert desk.engine.late_legs.state(answer.invocation_id) is LegState.ARRIVED
    whole = desk.engine.late_legs.answer(answer.invocation_id)
    assert whole is not None
    assert (whole.invocation_id, whole.result.session_id) == (answer.invocation_id, "T-1")
    assert (whole.result.missing_legs, whole.details["embedder"]) == ((), "planted")
    assert len(desk.rows()) == 1
    again = desk.ask("故障排查", "T-2")
    assert (again.result.cached, again.ranking) == (True, whole.ranking)


@pytest.mark.parametrize("ends", [LegState.ARRIVED, LegState.LOST])
def test_a_late_leg_outlasts_a_change_of_settings(desk: Desk, ends: LegState) -> None:
    desk.embedder.hold()
    answer = desk.ask("故障排查")
    (desk.folder / "settings.json").write_text('{"top_k": 7}', encoding="utf-8")
    desk.engine.preview(POOL)  # asks by the new ones
    assert desk.engine.late_legs.state(answer.invocation_id) is LegState.COMING
    if ends is LegState.LOST:
        desk.clock.advance(10)
    else:
        desk.late_leg_ends()
    assert desk.engine.late_legs.state(answer.invocation_id) is ends
    whole = desk.engine.late_legs.answer(answer.invocation_id)
    assert (whole is not None and whole.result.missing_legs == ()) == (ends is LegState.ARRIVED)


# ---------------------------------------------------------------- failed legs


class Panic(BaseException):
    """As libraries of Rust raise it."""


@pytest.mark.parametrize("fault", [RuntimeError("the model is gone"), Panic("rust panicked"), SystemExit(3)])
def test_words_go_on_without_vectors_and_that_is_a_failure_of_the_instance(desk: Desk, fault: BaseException) -> None:
    desk.embedder.fault = fault
    answer = desk.ask(POOL)
    assert (answer.result.missing_legs, answer.result.outcome) == (("vector",), Outcome.FOUND)
    assert not answer.leg_is_coming
    assert desk.calls() == {"network/semantic-1": (1, 0.0, 1)}
    assert len(desk.rows()) == 1


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_vectors_that_are_no_numbers_are_a_failed_leg_and_are_not_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, bad: float
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(desk.embedder, "encode_query", lambda *_: np.full(desk.embedder.dimension, bad, np.float32))
        answer = desk.ask(POOL)
        assert (answer.result.missing_legs, answer.details["l1_scores"]) == (("vector",), None)
        assert desk.calls() == {"network/semantic-1": (1, 0.0, 1)}
    well = desk.ask(POOL)
    assert (well.result.cached, well.result.missing_legs, well.details["embedder"]) == (False, (), "planted")


def test_vectors_go_on_without_words(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.index.bm25.Bm25.add_scores", _fail)
    answer = desk.ask(POOL)
    assert (answer.result.missing_legs, answer.result.primary.doc_key) == (("bm25",), MYSQL)
    assert answer.result.relevance_level is RelevanceLevel.HIGHLY_RELEVANT
    assert list(desk.calls().values()) == [(1, 0.0, 1)]


def test_with_both_legs_gone_the_answer_is_degraded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.index.bm25.Bm25.add_scores", _fail)
    desk.embedder.fault = RuntimeError("the model is gone")
    result = desk.ask(POOL).result
    assert (result.outcome, result.found, result.degraded.reason) == (Outcome.DEGRADED, False, "error")
    (row,) = desk.rows()
    assert (row["success"], row["degraded_reason"], row["outcome"]) == (0, "error", "degraded")
    assert list(desk.calls().values()) == [(1, 0.0, 1)]


def test_nothing_ready_by_the_deadline_is_a_timeout(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.index.bm25.Bm25.add_scores", _fail)
    desk.embedder.hold()
    answer = desk.ask(POOL)
    assert (answer.result.degraded.reason, answer.leg_is_coming) == ("timeout", False)
    assert list(desk.calls().values()) == [(1, 0.0, 1)]
    desk.late_leg_ends()
    assert list(desk.calls().values()) == [(1, 0.0, 1)]  # counted once


@pytest.mark.parametrize(
    "where",
    [
        "core.lookup.Searcher.begin",
        "core.lookup.Searcher.domains",
        "core.ordering.Ordering.rank",
        "core.answering.Answering.prepare",
        "core.term_source.TermLookup.term_articles",
    ],
)
def test_a_failure_counts_wherever_it_is_caught(desk: Desk, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(where, _fail)
        result = desk.ask(POOL).result
    assert (result.outcome, result.degraded.reason) == (Outcome.DEGRADED, "error")
    ((agent, counted),) = desk.calls().items()
    assert counted == (1, 0.0, 1)
    (row,) = desk.rows()
    assert (row["agent"], row["success"]) == (agent, 0)
    assert desk.ask(POOL).result.outcome is Outcome.FOUND  # and is not replayed


def test_with_every_breaker_open_the_answer_is_degraded_and_one_probe_brings_it_back(desk: Desk) -> None:
    pool = desk.engine._serving.calls.pool
    for agent in [id_ for id_ in desk.figures() if id_.startswith("network/")]:
        while desk.figures()[agent].breaker is BreakerState.CLOSED:
            assignment = pool.route("network")
            assert assignment is not None
            pool.finish(assignment, ok=False, duration_ms=1)
    before = desk.calls()
    result = desk.ask(POOL).result
    assert (result.outcome, result.degraded.reason) == (Outcome.DEGRADED, "circuit_open")
    (row,) = desk.rows()
    assert (row["agent"], row["agent_type"], row["degraded_reason"]) == (None, "network", "circuit_open")
    assert desk.calls() == before
    desk.clock.advance(30)
    assert desk.ask(POOL).result.outcome is Outcome.FOUND  # the lookup itself is the probe
    assert desk.figures()["network/semantic-1"].breaker is BreakerState.CLOSED


def test_the_lower_tiers_serve_when_the_model_is_gone_and_the_best_one_comes_back(desk: Desk) -> None:
    desk.embedder.fault = RuntimeError("the model is gone")
    for number in range(10):
        assert desk.ask(f"{POOL} {number:03}").result.missing_legs == ("vector",)
    answer = desk.ask(f"{POOL} 200")
    assert (answer.result.missing_legs, answer.details["embedder"]) == ((), "hashed")
    assert desk.rows()[-1]["agent"].startswith("network/hybrid-hashed-")
    desk.embedder.fault = None
    desk.clock.advance(30)
    desk.ask(f"{POOL} 201")  # the probe runs behind its answer
    desk.workers_rest()
    assert desk.figures()["network/semantic-1"].breaker is BreakerState.CLOSED
    assert desk.ask(f"{POOL} 202").details["embedder"] == "planted"


def test_keyword_serves_alone_when_nothing_else_can(desk: Desk) -> None:
    pool = desk.engine._serving.calls.pool
    for tier in ("semantic", "hybrid-hashed"):
        while (assignment := pool.route("network")) is not None and assignment.tier == tier:
            pool.finish(assignment, ok=False, duration_ms=1)
        pool.release(assignment)
    answer = desk.ask(POOL)
    assert (answer.result.missing_legs, answer.result.outcome) == (("vector",), Outcome.FOUND)
    assert desk.calls()["network/keyword-1"] == (1, 1.0, 0)
    assert not desk.ask(POOL).result.cached


def test_a_slow_model_steps_back_and_serves_again_once_it_is_fast(tmp_path: Path) -> None:
    """The worked example: an average of 4.2 s is a penalty of 0.12; hashed vectors serve; five good probes, and the
    model serves again, within 120 lookups."""
    desk = Desk(tmp_path, cache__ttl_s=0)
    texts = desk.embedder.calls
    desk.ask(LOGS, throwaway=True)
    texts = desk.embedder.calls - texts  # that one lookup encodes
    desk.embedder.takes = lambda: desk.clock.advance(4.2 / texts)
    while desk.ask(LOGS).details["embedder"] == "planted":
        assert len(desk.rows()) < 100
        assert desk.engine.monitor.collect()
    for n in (1, 2):
        figures = desk.figures()[f"network/semantic-{n}"]
        assert (figures.total, round(figures.avg_ms), round(figures.monitor_penalty, 4)) == (20, 4200, 0.12)
    desk.embedder.takes = lambda: None
    served: list[str] = []
    while len(served) < 120 and "planted" not in served:
        served.append(desk.ask(LOGS).details["embedder"])
        desk.workers_rest()
    assert served[-1] == "planted"
    assert len(served) > 80  # a probe in 20 lookups, five of them
    desk.engine.close()


# --------------------------------------------------------- what does not count


def test_previews_hits_and_throwaways_do_not_count(desk: Desk) -> None:
    desk.ask(POOL)
    desk.ask(POOL)
    desk.engine.preview(POOL)
    desk.ask(LOGS, session=None, throwaway=True)
    desk.engine.explain(POOL, MYSQL)
    desk.ask("您好")
    assert desk.calls() == {"network/semantic-1": (1, 1.0, 0)}


def test_a_preview_asks_no_model(desk: Desk) -> None:
    desk.embedder.hold()
    assert desk.engine.preview(POOL).hits
    assert desk.embedder.calls == 0


def test_why_a_hit_is_there_waits_for_no_model(desk: Desk) -> None:
    desk.ask(POOL)
    asked = desk.embedder.calls
    explained = desk.engine.explain(POOL, MYSQL)
    assert explained is not None
    assert explained.missing_legs == ()
    assert desk.embedder.calls == asked  # out of the cache
    desk.embedder.hold()
    late = desk.engine.explain("连接池耗尽", "infrastructure/exhausted.md")
    assert late is not None
    assert late.missing_legs == ("vector",)
    assert desk.calls() == {"network/semantic-1": (1, 1.0, 0)}


# --------------------------------------------------------------------- ending


def test_closing_waits_for_no_hung_call(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.embedder.hold()
    desk.ask(POOL)
    desk.clock.advance(1)  # the second that closing gives
    desk.engine.close()
    desk.embedder.let_go()


def test_calls_are_there_again_after_a_restart(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.ask(POOL)
    desk.embedder.fault = RuntimeError("the model is gone")
    desk.ask(LOGS)
    before = desk.calls()
    desk.engine.close()
    desk.engine = desk.open()
    assert desk.calls() == before
    assert sum(total for total, _, _ in before.values()) == 2
    desk.engine.close()


def _fail(*_: object, **__: object) -> None:
    raise RuntimeError("planted")


def _named(path: str) -> Any:
    module, owner, name = path.rsplit(".", 2)
    return getattr(getattr(importlib.import_module(module), owner), name)
