"""How old the knowledge is, by the engine's clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from core.clock import today
from core.engine import Engine
from core.model import ArticleState
from tests.manual_clock import ManualClock

CLOCK = ManualClock()
DAY = date.fromisoformat(today(CLOCK))


def day(offset: int) -> str:
    return (DAY + timedelta(days=offset)).isoformat()


def write(folder: Path, name: str, title: str, *lines: str) -> None:
    folder.mkdir(exist_ok=True)
    head = "\n".join([f"title: {title}", *lines])
    (folder / name).write_text(f"---\n{head}\n---\n\n{title}：先核对，再处理。\n", encoding="utf-8")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = Engine.open(tmp_path / "data", clock=CLOCK)
    opened.remove_starter()
    yield opened
    opened.close()


def test_without_a_date_there_is_no_age(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path / "kb", "a.md", "没有日期")
    engine.ingest([tmp_path / "kb"])
    assert (engine.status().newest_update, engine.status().age_days) == (None, None)


def test_the_age_is_that_of_the_newest_date_that_is_not_to_come(engine: Engine, tmp_path: Path) -> None:
    for number, offset in enumerate((-400, -27, 60_000)):
        write(tmp_path / "kb", f"{number}.md", f"第 {number} 篇", f"updated: {day(offset)}")
    engine.ingest([tmp_path / "kb"])
    assert (engine.status().newest_update, engine.status().age_days) == (day(-27), 27)


def test_what_nobody_has_reviewed_makes_no_knowledge_new(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path / "kb", "old.md", "旧文", f"updated: {day(-27)}")
    write(tmp_path / "kb", "draft.md", "草稿", f"updated: {day(-1)}", "state: draft")
    engine.ingest([tmp_path / "kb"])
    note = engine.notes.write("打印机卡纸", "打开后盖。")
    assert note is not None
    engine.notes.take_in(note)
    assert engine.status().newest_update == day(-27)


def test_overdue_is_what_nobody_reviewed_in_time(engine: Engine, tmp_path: Path) -> None:
    write(tmp_path / "kb", "late.md", "昨天到期", f"review_by: {day(-1)}")
    write(tmp_path / "kb", "due.md", "今天到期", f"review_by: {day(0)}")
    write(tmp_path / "kb", "draft.md", "草稿不算", f"review_by: {day(-9)}", "state: draft")
    write(tmp_path / "kb", "never.md", "不复核")
    engine.ingest([tmp_path / "kb"])
    assert engine.status().overdue == 1


@pytest.mark.parametrize(("offset", "state"), [(-1, ArticleState.EXPIRED), (0, ArticleState.CURRENT)])
def test_list_and_article_are_in_the_state_of_today(
    engine: Engine, tmp_path: Path, offset: int, state: ArticleState
) -> None:
    write(tmp_path / "kb", "a.md", "投影仪没有信号", f"review_by: {day(offset)}")
    engine.ingest([tmp_path / "kb"])
    (hit,) = engine.preview("投影仪没有信号").hits
    assert (hit.state, hit.review_by) == (state, day(offset))
    assert engine.read(hit.doc_key).article.state is state
