"""What a field note is worth as an answer: found and marked, never more than a reference (contract §4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine
from core.model import Mode, Outcome, RelevanceLevel, Trigger

REFERENCE = RelevanceLevel.REFERENCE


@pytest.fixture
def real(data_dir: Path, knowledge: Path) -> Iterator[Engine]:
    """The engine as it is shipped: hashed vectors."""
    engine = Engine.open(data_dir)
    engine.remove_starter()
    engine.ingest([knowledge])
    yield engine
    engine.close()


def note(engine: Engine, query: str, text: str) -> str:
    saved = engine.notes.write(query, text)
    assert saved is not None
    engine.notes.take_in(saved)
    return saved.doc_key


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("ZX-4711", "换墨盒。"),
        ("ZX-4711 墨盒报警", "ZX-4711 墨盒报警：换墨盒。"),
        ("投影仪闪绿光", "投影仪闪绿光：拔掉转接头。"),
        ("会议室投影仪闪绿光怎么办", "拔掉转接头。"),
    ],
)
def test_the_same_question_finds_the_note_as_a_reference(real: Engine, query: str, text: str) -> None:
    assert real.lookup(query).result.outcome is Outcome.NOT_FOUND
    key = note(real, query, text)
    result = real.lookup(query).result
    assert result.primary is not None
    assert (result.primary.doc_key, result.primary.state) == (key, "unreviewed")
    assert (result.relevance_level, result.evidence_level) == (REFERENCE, REFERENCE)


def test_a_code_that_only_the_note_declares_is_a_reference_for_executors_too(real: Engine) -> None:
    key = note(real, "ZX-4711", "换墨盒。")
    result = real.lookup("ZX-4711", mode=Mode.HARD, trigger=Trigger.MCP).result
    assert result.primary is not None
    assert (result.primary.doc_key, result.relevance_level) == (key, REFERENCE)


def test_a_note_with_the_words_of_an_article_does_not_lend_it_its_level(engine: Engine) -> None:
    """Vectors that say 0.8085 for the article: the note beside it stays below."""
    before = engine.preview("数据库连接池配置").result
    assert before.relevance_level is RelevanceLevel.HIGHLY_RELEVANT
    key = note(engine, "数据库连接池配置", "数据库连接池配置：改成 80。")
    result = engine.preview("数据库连接池配置").result
    assert result.primary is not None
    shown = [result.primary, *result.supplement]
    states = {passage.doc_key: passage.state for passage in shown}
    assert states.get(key, "unreviewed") == "unreviewed"
    assert result.primary.doc_key != key or result.relevance_level is REFERENCE


@pytest.mark.parametrize("query", ["GATE-77", "刷脸门禁"])
def test_a_note_on_a_code_or_word_takes_nothing_from_the_article_about_it(
    real: Engine, knowledge: Path, query: str
) -> None:
    article = knowledge / "gate.md"
    article.write_text("---\ntitle: 门禁\nkeywords: [GATE-77, 刷脸门禁]\n---\n重新登记读头。\n", encoding="utf-8")
    real.ingest([knowledge])
    before = real.lookup(query).result
    assert before.relevance_level is RelevanceLevel.PRECISE
    note(real, query, f"{query}：今天重启就好了。")
    after = real.lookup(query).result
    assert (after.relevance_level, after.primary) == (RelevanceLevel.PRECISE, before.primary)
    assert any(hit.state == "unreviewed" for hit in real.lookup(query).hits), "the note is listed all the same"
