"""The four scenarios of the first document's section 7, from the text typed to the row in the log."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.engine import Engine
from core.model import Actor, Answer, DedupReason, Mode, Outcome, RelevanceLevel, Trigger

PRECISE_HINT = "知识库中不存在比上述结果更精准的文档"
HIGHLY_HINT = "当前结果已高度相关，继续检索不太可能找到更精准的文档"
REFERENCE_HINT = "当前结果为相关参考，如需更精准信息请明确缺少的具体维度"


def ask(engine: Engine, query: str) -> Answer:
    """What an executor does with its tool."""
    return engine.lookup(query, session_id="T-1", mode=Mode.HARD, actor=Actor.EXECUTOR, trigger=Trigger.MCP)


def log(data_dir: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(data_dir / "deskside.sqlite3")) as connection:
        connection.row_factory = sqlite3.Row
        rows = [dict(row) for row in connection.execute("SELECT * FROM tool_invocation ORDER BY id")]
    for row in rows:
        row["retrieval_details"] = json.loads(row["retrieval_details"])
    return rows


def test_scenario_1_normal_retrieval(engine: Engine, data_dir: Path) -> None:
    result = ask(engine, "数据库连接池配置").result
    assert result.outcome is Outcome.FOUND
    assert result.primary is not None
    assert result.primary.doc_key == "infrastructure/mysql-pool.md"
    assert "最大连接数设为 50" in result.primary.content
    assert result.relevance_level is RelevanceLevel.HIGHLY_RELEVANT
    assert result.completeness_hint == HIGHLY_HINT
    assert "infrastructure" in result.retrieved_domains_this_session
    (row,) = log(data_dir)
    details = row["retrieval_details"]
    assert details["l1_top_score"] == pytest.approx(0.383, abs=1e-4)
    assert details["l1_top_similarity"] == pytest.approx(0.8085, abs=1e-4)
    assert details["l1_top_similarity"] == round(details["l1_top_similarity"], 4)
    assert (row["relevance_level"], row["success"], row["dedup_reason"]) == ("HIGHLY_RELEVANT", 1, None)
    assert (details["relevance_level"], details["completeness_hint"]) == ("HIGHLY_RELEVANT", HIGHLY_HINT)
    assert details["retrieved_domains"] == list(result.retrieved_domains_this_session)


def test_scenario_2_action_memory_stops_repetition(engine: Engine, data_dir: Path) -> None:
    first = ask(engine, "数据库连接池").result
    assert first.relevance_level is RelevanceLevel.HIGHLY_RELEVANT
    for query in ("HikariCP 参数", "连接池耗尽"):
        result = ask(engine, query).result
        assert (result.outcome, result.dedup_reason) == (Outcome.DEDUPED, DedupReason.DOMAIN_RETRIEVED), query
        assert "infrastructure" in result.retrieved_domains_this_session
        assert (result.primary, result.supplement, result.found) == (None, (), False)
        assert result.relevance_level is RelevanceLevel.DEDUPED
    assert [(row["relevance_level"], row["dedup_reason"], row["success"]) for row in log(data_dir)] == [
        ("HIGHLY_RELEVANT", None, 1),
        ("DEDUPED", "domain_retrieved", 1),
        ("DEDUPED", "domain_retrieved", 1),
    ]


def test_scenario_3_precise_exact_match(engine: Engine, data_dir: Path) -> None:
    result = ask(engine, "ERR_TIMEOUT").result
    assert result.relevance_level is RelevanceLevel.PRECISE
    assert result.completeness_hint == PRECISE_HINT
    assert result.primary is not None
    assert result.primary.doc_key == "api/err-timeout.md"
    assert result.supplement == ()
    (row,) = log(data_dir)
    assert row["retrieval_details"]["l0_titles"] == ["接口超时"]
    assert row["relevance_level"] == "PRECISE"


def test_scenario_4_reference_then_targeted_supplement(engine: Engine, data_dir: Path) -> None:
    vague = ask(engine, "故障排查").result
    assert vague.relevance_level is RelevanceLevel.REFERENCE
    assert vague.completeness_hint == REFERENCE_HINT
    assert vague.retrieved_domains_this_session == ("troubleshooting",)
    aimed = ask(engine, "日志分析步骤").result
    assert aimed.outcome is Outcome.FOUND
    assert aimed.relevance_level is RelevanceLevel.HIGHLY_RELEVANT
    assert aimed.primary is not None
    assert aimed.primary.doc_key == "troubleshooting/logs.md"
    first, second = log(data_dir)
    assert first["retrieval_details"]["l1_top_similarity"] == pytest.approx(0.6, abs=1e-4)
    assert (first["relevance_level"], second["relevance_level"]) == ("REFERENCE", "HIGHLY_RELEVANT")


@pytest.mark.parametrize("query", ["数据库连接池配置", "ERR_TIMEOUT", "故障排查", "HikariCP 参数"])
def test_no_score_and_no_distance_is_in_a_result(engine: Engine, query: str) -> None:
    document = engine.lookup(query, session_id="T-1").result.as_json()

    def names_and_numbers(value: object) -> list[object]:
        if isinstance(value, dict):
            return [*value, *(one for inner in value.values() for one in names_and_numbers(inner))]
        if isinstance(value, list):
            return [one for inner in value for one in names_and_numbers(inner)]
        return [value] if isinstance(value, float) else []

    found = names_and_numbers(document)
    assert not [one for one in found if isinstance(one, float)]
    assert not [one for one in found if isinstance(one, str) and ("score" in one or "distance" in one)]
