"""The supervisor's dialog on a real engine: figures, refusal, applying and undoing, in both languages."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QPushButton

from app.reliability_dialog import ReliabilityDialog
from app.words import LANGUAGES, word
from core.clock import SystemClock
from core.engine import Engine
from core.model import EventKind, Outcome, RelevanceLevel
from core.report import Thresholds
from core.store.activity import Activity
from tests.app.desk import Desk

NUMBERS = 130


def opened(desk: Desk) -> ReliabilityDialog:
    action = desk.window.findChild(QAction, "reliabilityAction")
    assert action.isEnabled()
    action.trigger()
    desk.drain()
    dialog = desk.window.findChild(ReliabilityDialog)
    assert isinstance(dialog, ReliabilityDialog)
    return dialog


def verdict(dialog: ReliabilityDialog) -> str:
    label = dialog.findChild(QLabel, "reliabilityVerdict")
    assert isinstance(label, QLabel)
    return label.text()


def cell(dialog: ReliabilityDialog, row: int, column: int) -> str:
    item = dialog.table.item(row, column)
    assert item is not None
    return item.text()


def engine_of(desk: Desk) -> Engine:
    assert desk.window.engine is not None
    return desk.window.engine


def vote_often(engine: Engine, count: int) -> None:
    """Answers of any similarity from 0.6 on; the lower ones were wrong."""
    log = Activity(engine._database, SystemClock())
    for number in range(count):
        similarity = 0.6 + number % 40 / 100
        invocation = log.record_lookup(
            "S",
            f"第 {number} 句",
            outcome=Outcome.FOUND,
            details={
                "evidence": {"similarity": similarity, "state": "current"},
                "judged": [{"doc_key": "printing/jam.md"}],
            },
            duration_ms=1,
            evidence_level=RelevanceLevel.HIGHLY_RELEVANT,
        )
        engine.record_event(
            "S",
            EventKind.VOTED,
            doc_key="printing/jam.md",
            invocation_id=invocation,
            value=1 if similarity > 0.72 else -1,
        )


def test_without_votes_it_says_where_figures_come_from(desk: Desk) -> None:
    dialog = opened(desk)
    assert verdict(dialog) == word("reliability.none", "zh_CN")
    assert not dialog.apply.isEnabled()
    assert not dialog.undo.isVisible()
    assert word("reliability.no_votes", "zh_CN") in cell(dialog, 0, 1)


def test_too_few_votes_are_refused_with_how_many_are_missing(desk: Desk) -> None:
    vote_often(engine_of(desk), 20)
    dialog = opened(desk)
    assert verdict(dialog) == word("reliability.missing", "zh_CN", missing=80)
    assert not dialog.apply.isEnabled()


def test_thresholds_are_applied_and_undone(desk: Desk) -> None:
    engine = engine_of(desk)
    start = Thresholds(0.62, 0.3)
    engine.feedback.apply(start, votes=0)
    vote_often(engine, NUMBERS)
    told: list[int] = []
    dialog = opened(desk)
    dialog.changed.connect(lambda: told.append(1))
    assert word("reliability.offer", "zh_CN", votes=NUMBERS) in verdict(dialog)
    dialog.apply.click()
    desk.drain()
    assert told == [1]
    assert engine.feedback.profile().highly_relevant_threshold > start.highly_relevant
    assert word("reliability.applied", "zh_CN") in verdict(dialog)
    assert word("reliability.missing_since", "zh_CN", fresh=0, missing=100) in verdict(dialog)
    assert not dialog.apply.isEnabled()
    dialog.undo.click()
    desk.drain()
    assert told == [1, 1]
    assert engine.feedback.profile().highly_relevant_threshold == start.highly_relevant
    assert word("reliability.undone", "zh_CN") in verdict(dialog)
    assert word("reliability.undone_before", "zh_CN") in verdict(dialog)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_of_it_follows_the_language_and_has_names(desk: Desk, language: str) -> None:
    vote_often(engine_of(desk), 3)
    dialog = opened(desk)
    desk.language.set_code(language)
    assert dialog.windowTitle() == word("reliability.title", language)
    assert verdict(dialog) == word("reliability.missing", language, missing=97)
    assert cell(dialog, 0, 0) == word("level.PRECISE", language)
    for button in dialog.findChildren(QPushButton):
        assert button.accessibleName(), button.objectName()


def test_closing_it_while_it_counts_is_fine(desk: Desk) -> None:
    desk.window.show_reliability()
    dialog = desk.window.findChild(ReliabilityDialog)
    dialog.close()
    desk.drain()
