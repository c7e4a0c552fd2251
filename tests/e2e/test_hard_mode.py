"""Hard mode: what an executor is refused, and what passes all the same. Each sentence of contract §5 is a test."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.engine import Engine
from core.model import Actor, DedupReason, LookupResult, Mode, Outcome, RelevanceLevel, Trigger
from tests.e2e.planted import PlantedEmbedder

DOMAIN, DOC = DedupReason.DOMAIN_RETRIEVED, DedupReason.DOC_RETRIEVED
POOL = "数据库连接池配置"


def ask(engine: Engine, query: str, session_id: str = "T-1", missing_dimension: str | None = None) -> LookupResult:
    return engine.lookup(
        query,
        session_id=session_id,
        mode=Mode.HARD,
        actor=Actor.EXECUTOR,
        trigger=Trigger.MCP,
        missing_dimension=missing_dimension,
    ).result


def key(result: LookupResult) -> str | None:
    return result.primary.doc_key if result.primary else None


def refused(result: LookupResult) -> DedupReason | None:
    """The reason of a refusal, after a look at its form: no content anywhere, the level of the evidence kept."""
    if result.outcome is not Outcome.DEDUPED:
        return None
    assert (result.found, result.primary, result.supplement) == (False, None, ())
    assert result.relevance_level is RelevanceLevel.DEDUPED
    assert result.evidence_level is not None
    assert result.completeness_hint
    assert result.message
    return result.dedup_reason


def test_a_held_article_is_left_out_and_the_next_one_answers(engine: Engine) -> None:
    engine.new_session("T-1")
    engine.retrieved("T-1", "infrastructure/mysql-pool.md", query="x")
    result = ask(engine, POOL)
    assert result.outcome is Outcome.FOUND
    assert key(result) == "infrastructure/redis.md"
    assert "infrastructure/mysql-pool.md" not in [one.doc_key for one in result.supplement]


def test_nothing_left_names_the_earlier_lookup(engine: Engine) -> None:
    assert key(ask(engine, "ERR_TIMEOUT")) == "api/err-timeout.md"
    result = ask(engine, "err timeout")
    assert refused(result) is DOC
    assert "ERR_TIMEOUT" in result.message


@pytest.mark.parametrize(
    ("closing", "level", "next_query"),
    [
        ("数据库连接池", RelevanceLevel.HIGHLY_RELEVANT, "连接池耗尽"),
        ("ERR_REFUSED", RelevanceLevel.PRECISE, "没有答复"),
    ],
)
def test_a_strong_answer_closes_its_domain(
    engine: Engine, closing: str, level: RelevanceLevel, next_query: str
) -> None:
    assert ask(engine, closing).relevance_level is level
    assert key(ask(engine, next_query, session_id="T-2")) is not None
    assert refused(ask(engine, next_query)) is DOMAIN


def test_another_domain_passes(engine: Engine) -> None:
    ask(engine, POOL)
    assert key(ask(engine, "网线标签颜色")) == "cabling/colours.md"


def test_a_supplement_closes_nothing(engine: Engine) -> None:
    first = ask(engine, POOL)
    assert "cabling/rack.md" in [one.doc_key for one in first.supplement]
    assert "cabling" in first.retrieved_domains_this_session
    assert key(ask(engine, "网线标签颜色")) == "cabling/colours.md"


def test_the_only_article_that_declares_a_typed_identifier_passes(engine: Engine) -> None:
    assert ask(engine, "ERR_REFUSED").relevance_level is RelevanceLevel.PRECISE
    assert key(ask(engine, "ERR_TIMEOUT")) == "api/err-timeout.md"


def test_it_does_not_pass_twice(engine: Engine) -> None:
    ask(engine, "ERR_REFUSED")
    ask(engine, "ERR_TIMEOUT")
    assert refused(ask(engine, "ERR_TIMEOUT")) is DOC


def test_the_domain_general_passes(engine: Engine) -> None:
    assert ask(engine, "欢迎语").relevance_level is RelevanceLevel.HIGHLY_RELEVANT
    assert key(ask(engine, "值班表")) == "office/rota.md"


def test_after_only_reference_the_same_words_do_not_pass(engine: Engine) -> None:
    first = ask(engine, "故障排查")
    assert first.relevance_level is RelevanceLevel.REFERENCE
    assert refused(ask(engine, "排查故障")) is DOMAIN


@pytest.mark.parametrize(("dimension", "passes"), [("操作系统版本", True), ("  ", False), ("", False), (None, False)])
def test_after_only_reference_a_named_dimension_passes(engine: Engine, dimension: str | None, passes: bool) -> None:
    first = ask(engine, "故障排查")
    result = ask(engine, "排查故障", missing_dimension=dimension)
    assert (result.outcome is Outcome.FOUND) is passes
    assert key(result) not in [one.doc_key for one in (first.primary, *first.supplement) if one]


def test_after_a_strong_answer_neither_new_words_nor_a_dimension_pass(engine: Engine) -> None:
    assert ask(engine, "日志分析步骤").relevance_level is RelevanceLevel.HIGHLY_RELEVANT
    assert refused(ask(engine, "故障排查", missing_dimension="操作系统版本")) is DOMAIN


def test_after_only_reference_a_new_informative_word_passes(engine: Engine) -> None:
    assert ask(engine, "故障排查").relevance_level is RelevanceLevel.REFERENCE
    assert key(ask(engine, "日志分析步骤")) == "troubleshooting/logs.md"


def test_in_every_case_at_most_three_answers_a_domain(engine: Engine) -> None:
    for code in ("1001", "1002", "1003"):
        assert key(ask(engine, f"E-{code}")) == f"codes/e-{code}.md"
    assert refused(ask(engine, "E-1004")) is DOMAIN
    assert key(ask(engine, "ERR_TIMEOUT")) == "api/err-timeout.md"
    assert key(ask(engine, "E-1004", session_id="T-2")) == "codes/e-1004.md"


def test_refusals_count_towards_nothing(engine: Engine) -> None:
    ask(engine, "E-1001")
    for _ in range(4):
        assert refused(ask(engine, "E-1001")) is DOC
    assert key(ask(engine, "E-1002")) == "codes/e-1002.md"


def test_the_general_domain_has_the_limit_of_three_as_well(engine: Engine) -> None:
    for query in ("欢迎语", "值班表", "工牌补办"):
        assert ask(engine, query).outcome is Outcome.FOUND
    assert refused(ask(engine, "午餐券")) is DOMAIN
    assert key(ask(engine, "午餐券", session_id="T-2")) == "office/lunch.md"


def test_clearing_the_session_opens_everything_again(engine: Engine) -> None:
    ask(engine, "数据库连接池")
    assert refused(ask(engine, "连接池耗尽")) is DOMAIN
    engine.clear_session("T-1")
    assert key(ask(engine, "连接池耗尽")) == "infrastructure/exhausted.md"


# ------------------------------------------------------------ domains that are a large part of the base


def row_file(folder: Path, sizes: dict[str, int]) -> Path:
    """One article a row, `sizes` articles a domain; the stated ones come on top."""
    path = folder / "rows.jsonl"
    lines = [
        json.dumps(
            {"id": f"{domain}-{number}", "title": f"条目 {number}", "domain": domain, "content": f"说明 {number}"}
        )
        for domain, size in sizes.items()
        for number in range(size)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def padded(data_dir: Path, knowledge: Path, request: pytest.FixtureRequest) -> Iterator[Engine]:
    """The stated base and more articles; the parameter says how many in `infrastructure` and how many elsewhere."""
    infrastructure, elsewhere = request.param
    row_file(knowledge, {"infrastructure": infrastructure, "elsewhere": elsewhere})
    opened = Engine.open(data_dir, embedder=PlantedEmbedder())
    opened.remove_starter()
    opened.ingest([knowledge])
    counts = dict(opened.status().domains)
    assert counts["infrastructure"] == infrastructure + 4
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("padded", "passes"),
    [((60, 130), True), ((40, 150), False), ((60, 100), False)],
    ids=["over a quarter of 211", "under a quarter of 211", "over a quarter, but only 181"],
    indirect=["padded"],
)
def test_a_domain_that_is_most_of_the_base_passes(padded: Engine, passes: bool) -> None:
    assert ask(padded, "数据库连接池").relevance_level is RelevanceLevel.HIGHLY_RELEVANT
    result = ask(padded, "连接池耗尽")
    assert refused(result) is (None if passes else DOMAIN)
    assert key(result) == ("infrastructure/exhausted.md" if passes else None)


def test_of_lookups_at_once_only_one_gets_the_content(engine: Engine) -> None:
    gate = threading.Barrier(6)

    def look_up(_: int) -> LookupResult:
        gate.wait()
        return ask(engine, "E-1001")

    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(look_up, range(6)))
    assert sorted(result.outcome for result in results) == [Outcome.DEDUPED] * 5 + [Outcome.FOUND]
