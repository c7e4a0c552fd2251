"""The missing dimension from question to answer: named with REFERENCE, and a way past hard mode (contract §5, §6)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine
from core.model import Actor, DedupReason, Facet, Mode, Outcome, RelevanceLevel, Trigger

ARTICLES = {
    "hp.md": ("HP 打印机的处理", "在 Windows 11 上重装驱动，清空队列。"),
    "canon.md": ("佳能打印机的处理", "在 Windows 10 上清空队列。"),
    "shared.md": ("打印机报 0x0000011b", "打印机连不上：Windows 11 更新后出现。"),
    "offline.md": ("打印机脱机", "检查网线和端口。"),
    "jam.md": ("打印机卡纸", "打开后盖取出纸张。"),
}
QUERY = "走廊传真间的打印机"
"""All articles declare the printer, none speaks of where it stands: for reference."""


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    folder = tmp_path / "kb" / "printing"
    folder.mkdir(parents=True)
    for name, (title, body) in ARTICLES.items():
        text = f"---\ntitle: {title}\nkeywords: [打印机]\ndomain: printing\n---\n\n{body}\n"
        (folder / name).write_text(text, encoding="utf-8")
    opened = Engine.open(tmp_path / "data")
    opened.remove_starter()
    opened.ingest([tmp_path / "kb"])
    yield opened
    opened.close()


def test_a_reference_names_what_is_missing_and_offers_values(engine: Engine) -> None:
    answer = engine.lookup(QUERY)
    assert answer.result.evidence_level is RelevanceLevel.REFERENCE
    values = {one.facet: set(one.values) for one in answer.dimensions}
    assert values[Facet.SYSTEM] == {"Windows 11", "Windows 10"}
    assert values[Facet.ERROR_CODE] == {"0x0000011b"}
    assert values[Facet.PRODUCT] == {"HP", "佳能"}
    assert set(answer.result.missing_dimensions) == {"系统版本", "错误码", "软件或设备", "具体现象"}
    assert answer.result.as_json()["missing_dimensions"] == list(answer.result.missing_dimensions)


def test_a_value_added_is_no_longer_missing_and_puts_its_article_first(engine: Engine) -> None:
    answer = engine.lookup(f"{QUERY} 佳能", missing_dimension="product")
    assert answer.hits[0].doc_key.endswith("canon.md")
    assert Facet.PRODUCT not in {one.facet for one in answer.dimensions}


def test_other_levels_name_nothing(engine: Engine) -> None:
    precise = engine.lookup("0x0000011b")
    assert precise.result.evidence_level is RelevanceLevel.PRECISE
    assert precise.dimensions == ()
    assert precise.result.missing_dimensions == ()
    nothing = engine.lookup("火星殖民地报销")
    assert nothing.result.outcome is Outcome.NOT_FOUND
    assert nothing.result.missing_dimensions == ()


def test_in_hard_mode_a_refusal_names_the_dimension_and_naming_it_passes(engine: Engine) -> None:
    def ask(missing: str | None = None) -> tuple[Outcome, DedupReason | None, tuple[str, ...]]:
        answer = engine.lookup(
            QUERY,
            session_id="T-1",
            mode=Mode.HARD,
            actor=Actor.EXECUTOR,
            trigger=Trigger.MCP,
            missing_dimension=missing,
        )
        return answer.result.outcome, answer.result.dedup_reason, answer.result.missing_dimensions

    assert ask()[0] is Outcome.FOUND
    outcome, reason, missing = ask()
    assert (outcome, reason) == (Outcome.DEDUPED, DedupReason.DOMAIN_RETRIEVED)
    assert "软件或设备" in missing
    assert ask(missing[0])[0] is Outcome.FOUND
