"""A leg that comes late is announced and never reorders the list; failed and poorer answers are told as such (§10)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from app.late_update import LateUpdate
from core.engine import Engine
from core.model import Outcome
from tests.app.desk import Desk
from tests.e2e.planted import write_articles
from tests.manual_clock import ManualClock
from tests.slow_embedder import Patience, SlowEmbedder

FAULT = "故障排查"


class SlowDesk(Desk):
    """The window over the stated articles, with a model that can be held up."""

    def __init__(self, data_dir: Path, language: str) -> None:
        super().__init__(data_dir, language=language)
        self.embedder, self.engine_clock = SlowEmbedder(), ManualClock()
        patience = Patience(self.engine_clock, self.embedder)
        self.window._open_engine = lambda: Engine.open(
            data_dir, language=language, embedder=self.embedder, clock=self.engine_clock, wait=patience
        )

    @property
    def late(self) -> LateUpdate:
        return self.page.late

    def look(self) -> None:
        """The time between two looks for the leg is over."""
        self.timers["late"].time_out()
        self.drain()

    def leg_comes(self) -> None:
        assert self.window.engine is not None
        self.embedder.let_go()
        for worker in self.window.engine._serving.calls._workers.values():
            worker.submit(lambda: None).result(30)


@pytest.fixture(params=["zh_CN", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def desk(tmp_path: Path, qapp: object, language: str) -> Iterator[SlowDesk]:
    engine = Engine.open(tmp_path / "data", embedder=SlowEmbedder())
    engine.remove_starter()
    engine.ingest([write_articles(tmp_path / "kb")])
    engine.close()
    made = SlowDesk(tmp_path / "data", language)
    made.open()
    yield made
    made.embedder.let_go()
    made.close()


LEG_MISSING = {
    "zh_CN": "语义检索暂不可用，结果只按关键词匹配",
    "en": "Semantic search is not available; these results match by keyword only",
}
ARRIVED = {"zh_CN": ("语义结果到了", "更新"), "en": ("Semantic results have arrived", "Update")}


def test_a_late_leg_is_announced_and_shown_only_when_wanted(desk: SlowDesk, language: str) -> None:
    desk.embedder.hold()
    desk.search(FAULT)
    before = desk.shown
    assert desk.page.hint.text() == LEG_MISSING[language]
    assert not desk.late.isVisible()
    desk.look()
    assert not desk.late.isVisible()
    desk.leg_comes()
    desk.look()
    assert (desk.page.hint.text(), desk.late.text()) == ARRIVED[language]
    assert desk.late.isVisible()
    assert desk.shown == before
    desk.late.click()
    desk.drain()
    assert not desk.late.isVisible()
    assert desk.page.hint.text() not in {LEG_MISSING[language], ARRIVED[language][0]}
    whole = desk.window.engine.lookup(FAULT, session_id="other")  # type: ignore[union-attr]
    assert (whole.result.missing_legs, desk.shown) == ((), [hit.doc_key for hit in whole.hits])
    assert [row[0] for row in desk.rows()] == [FAULT, FAULT]  # the second is the one just made


def test_the_keyboard_reaches_it(desk: SlowDesk) -> None:
    desk.embedder.hold()
    desk.search(FAULT)
    desk.leg_comes()
    desk.look()
    interface = QAccessible.queryAccessibleInterface(desk.late)
    assert interface.text(QAccessible.Text.Name)
    assert desk.late.focusPolicy() & Qt.FocusPolicy.TabFocus
    QTest.keyClick(desk.page.input, Qt.Key.Key_U, Qt.KeyboardModifier.AltModifier)
    desk.drain()
    assert not desk.late.offered


def test_another_text_forgets_it(desk: SlowDesk) -> None:
    desk.embedder.hold()
    desk.search(FAULT)
    desk.leg_comes()
    desk.type("。")
    assert desk.timers["late"].running is None
    desk.look()
    assert not desk.late.offered


def test_a_leg_that_never_comes_leaves_the_line_as_it_is(desk: SlowDesk, language: str) -> None:
    desk.embedder.hold()
    desk.search(FAULT)
    desk.engine_clock.advance(10)
    desk.look()
    assert desk.page.hint.text() == LEG_MISSING[language]
    assert (desk.late.offered, desk.timers["late"].running) == (False, None)


def test_the_language_is_switched_with_it_in_sight(desk: SlowDesk, language: str) -> None:
    desk.embedder.hold()
    desk.search(FAULT)
    desk.leg_comes()
    desk.look()
    other = "en" if language == "zh_CN" else "zh_CN"
    desk.language.set_code(other)
    assert (desk.page.hint.text(), desk.late.text()) == ARRIVED[other]


def test_a_model_that_fails_is_said(desk: SlowDesk, language: str) -> None:
    desk.embedder.fault = RuntimeError("the model is gone")
    desk.search(FAULT)
    assert desk.page.hint.text() == LEG_MISSING[language]
    assert desk.shown
    assert desk.timers["late"].running is None


def test_a_lookup_that_timed_out_offers_to_try_again_and_that_works(
    desk: SlowDesk, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("planted")

    with monkeypatch.context() as patch:
        patch.setattr("core.index.bm25.Bm25.add_scores", fail)
        desk.embedder.hold()
        desk.search(FAULT)
    said = {
        "zh_CN": "这次没查成（超时），不代表没有答案",
        "en": "This search did not finish (timeout); that does not mean there is no answer",
    }
    assert desk.page.hint.text() == said[language]
    assert desk.page.retry.isVisible()
    desk.leg_comes()
    desk.page.retry.click()
    desk.drain()
    assert desk.shown
    assert not desk.page.retry.isVisible()
    outcomes = desk._sql("SELECT outcome FROM tool_invocation ORDER BY id")
    assert [outcome for (outcome,) in outcomes] == [Outcome.DEGRADED, Outcome.FOUND]
