"""Background work: results come home to the GUI thread, the latest wins, cancelling is silent, bugs are told."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest
from PySide6.QtCore import QObject

from app.tasks import Lane, TaskRunner
from core.errors import Cancelled, DesksideError, PathMissing
from core.job import Job
from core.report import Progress


class Heard(QObject):
    """An owner that writes down what it is told, and on which thread."""

    def __init__(self) -> None:
        super().__init__()
        self.results: list[Any] = []
        self.errors: list[DesksideError] = []
        self.progress: list[Progress] = []
        self.threads: set[int] = set()

    def done(self, result: Any) -> None:
        self.results.append(result)
        self.threads.add(threading.get_ident())

    def error(self, error: DesksideError) -> None:
        self.errors.append(error)

    def progressed(self, progress: Progress) -> None:
        self.progress.append(progress)
        self.threads.add(threading.get_ident())


@pytest.fixture
def heard(qapp: object) -> Heard:
    return Heard()


def test_work_runs_elsewhere_and_its_result_comes_home(tasks: TaskRunner, heard: Heard) -> None:
    tasks.start(heard, lambda _: threading.get_ident(), on_done=heard.done)
    tasks.drain()
    assert heard.results != [threading.get_ident()]
    assert heard.threads == {threading.get_ident()}


def test_work_that_gives_way_is_cancelled_by_whatever_is_started_later_on_its_lane(
    tasks: TaskRunner, heard: Heard
) -> None:
    begun = threading.Event()
    ended: list[int] = []

    def endless(job: Job) -> None:
        begun.set()
        while True:
            job.checkpoint()

    job = tasks.start(heard, endless, on_end=lambda: ended.append(1), lane=Lane.LONG, gives_way=True)
    assert begun.wait(60)
    tasks.start(heard, lambda _: "quick", on_done=heard.done, lane=Lane.QUICK)
    assert not job.cancelled
    tasks.start(heard, lambda _: "long", on_done=heard.done, lane=Lane.LONG)
    tasks.drain()
    assert job.cancelled
    assert sorted(heard.results) == ["long", "quick"]
    assert ended == [1]


def test_a_lane_keeps_the_order_and_lanes_do_not_wait_for_each_other(tasks: TaskRunner, heard: Heard) -> None:
    gate = threading.Event()
    tasks.start(heard, lambda _: gate.wait(60), lane=Lane.LONG)
    for number in range(5):
        tasks.start(heard, lambda _, n=number: n, on_done=heard.done, lane=Lane.QUICK)
    tasks.start(heard, lambda _: gate.set(), lane=Lane.LOOKUP)
    tasks.drain()
    assert heard.results == [0, 1, 2, 3, 4]


def test_the_latest_wins(tasks: TaskRunner, heard: Heard) -> None:
    begun, go = threading.Event(), threading.Event()

    def first(job: Job) -> str:
        begun.set()
        go.wait(60)
        job.checkpoint()
        return "first"

    earlier = tasks.start(heard, first, on_done=heard.done, lane=Lane.LOOKUP, replaces="preview")
    assert begun.wait(60)
    for text in ("second", "third"):
        tasks.start(heard, lambda _, t=text: t, on_done=heard.done, lane=Lane.LOOKUP, replaces="preview")
    go.set()
    tasks.drain()
    assert earlier.cancelled
    assert heard.results == ["third"]


def test_replaced_work_that_ends_all_the_same_is_not_heard(tasks: TaskRunner, heard: Heard) -> None:
    go = threading.Event()
    tasks.start(heard, lambda _: go.wait(60) and "old", on_done=heard.done, replaces="read", lane=Lane.QUICK)
    tasks.start(heard, lambda _: "new", on_done=heard.done, replaces="read", lane=Lane.LOOKUP)
    go.set()
    tasks.drain()
    assert heard.results == ["new"]


def test_a_cancelled_import_still_hands_over_its_report(tasks: TaskRunner, heard: Heard) -> None:
    ended: list[str] = []
    begun = threading.Event()

    def work(job: Job) -> str:
        begun.set()
        while not job.cancelled:
            threading.Event().wait(0.001)
        return "report"

    job = tasks.start(heard, work, on_done=heard.done, on_end=lambda: ended.append("end"), lane=Lane.LONG)
    assert begun.wait(60)
    job.cancel()
    tasks.drain()
    assert heard.results == ["report"]
    assert ended == ["end"]


def test_cancelled_is_silence_but_the_end_is_told(tasks: TaskRunner, heard: Heard) -> None:
    told: list[object] = []
    tasks.expected.connect(told.append)
    tasks.bug.connect(told.append)

    def work(_: Job) -> None:
        raise Cancelled

    tasks.start(heard, work, on_done=heard.done, on_error=heard.error, on_end=lambda: told.append("end"))
    tasks.drain()
    assert (heard.results, heard.errors, told) == ([], [], ["end"])


def test_an_expected_error_goes_to_who_asked_else_to_the_window(tasks: TaskRunner, heard: Heard) -> None:
    told: list[object] = []
    tasks.expected.connect(told.append)
    error = PathMissing(path="x")

    def work(_: Job) -> None:
        raise error

    tasks.start(heard, work, on_error=heard.error)
    tasks.drain()
    assert (heard.errors, told) == ([error], [])
    tasks.start(heard, work)
    tasks.drain()
    assert told == [error]


def test_anything_else_is_a_bug(tasks: TaskRunner, heard: Heard) -> None:
    told: list[object] = []
    tasks.bug.connect(told.append)

    def work(_: Job) -> None:
        raise ZeroDivisionError("b")

    tasks.start(heard, work, on_error=heard.error)
    tasks.drain()
    assert heard.errors == []
    assert [type(error) for error in told] == [ZeroDivisionError]


def test_progress_comes_home_and_the_last_of_many_is_among_it(tasks: TaskRunner, heard: Heard) -> None:
    def work(job: Job) -> None:
        for number in range(1, 10_001):
            job.report(number, 10_000, f"{number}.md")

    tasks.start(heard, work, on_progress=heard.progressed, lane=Lane.LONG)
    tasks.drain()
    assert heard.progress[-1] == Progress(10_000, 10_000, "10000.md")
    assert heard.threads == {threading.get_ident()}
    assert [p.done for p in heard.progress] == sorted(p.done for p in heard.progress)


def test_nothing_is_told_to_an_owner_that_is_gone(tasks: TaskRunner, qapp: object) -> None:
    import shiboken6

    results: list[Any] = []
    owner = QObject()
    go = threading.Event()
    tasks.start(owner, lambda _: go.wait(60), on_done=results.append, on_end=lambda: results.append("end"))
    shiboken6.delete(owner)
    go.set()
    tasks.drain()
    assert results == []


def test_closing_cancels_what_runs_and_takes_nothing_new(tasks: TaskRunner, heard: Heard) -> None:
    begun = threading.Event()

    def work(job: Job) -> None:
        begun.set()
        while not job.cancelled:
            threading.Event().wait(0.001)

    tasks.start(heard, work, on_done=heard.done, lane=Lane.LONG)
    assert begun.wait(60)
    assert tasks.close()
    assert tasks.start(heard, lambda _: 1, on_done=heard.done).cancelled
    assert heard.results == []


def test_a_work_that_never_looks_does_not_hold_the_program(qapp: object) -> None:
    """The lane is a daemon: closing gives up on it and the interpreter ends."""
    code = (
        "import threading\n"
        "from PySide6.QtCore import QCoreApplication, QObject\n"
        "from app.tasks import TaskRunner\n"
        "app = QCoreApplication([])\n"
        "tasks, owner, begun = TaskRunner(), QObject(), threading.Event()\n"
        "tasks.start(owner, lambda job: (begun.set(), threading.Event().wait()))\n"
        "begun.wait(60)\n"
        "print(tasks.close(limit_s=0.05))\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout.strip(), ended.stderr) == (0, "False", "")
