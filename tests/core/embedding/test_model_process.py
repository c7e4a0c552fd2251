"""A model's own process: what its end, its silence and its nonsense are to who asked it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from core.embedding.flag_worker import Jobs
from core.embedding.model_fault import ModelUnusable
from core.embedding.model_process import ROOT, ModelProcess, child_command
from core.embedding_status import ModelFault
from tests.core.embedding.fake_worker import command
from tests.manual_clock import ManualClock

PATIENCE_S = 60.0


@pytest.fixture
def started() -> Iterator[Callable[..., ModelProcess]]:
    """Makes processes, and ends them."""
    made: list[ModelProcess] = []

    def start(wrong: str = "", **further: object) -> ModelProcess:
        process = ModelProcess(command=command(wrong, dimension=4), **further)  # type: ignore[arg-type]
        made.append(process)
        process.start()
        return process

    yield start
    for process in made:
        process.close()


def ask(process: ModelProcess, text: str = "VPN", do: str = "query", seconds: float = PATIENCE_S) -> list[int]:
    head, data = process.ask(do, seconds=seconds, texts=[text])
    assert len(data) == 4 * head["shape"][0] * head["shape"][1]
    return list(head["shape"])


def fault_of(process: ModelProcess, *what: str) -> ModelUnusable:
    with pytest.raises(ModelUnusable) as caught:
        ask(process, *what)
    return caught.value


def test_what_is_asked_is_answered(started: Callable[..., ModelProcess]) -> None:
    process = started()
    assert process.ask("load", seconds=PATIENCE_S, folder="x")[0]["device"] == "cpu"
    assert ask(process) == [1, 4]


def test_a_process_that_is_killed_is_a_fault_and_stays_one(started: Callable[..., ModelProcess]) -> None:
    process = started("dies")
    assert ask(process) == [1, 4]
    assert fault_of(process, "VPN", "passages").fault is ModelFault.DIED
    assert fault_of(process).fault is ModelFault.DIED


def test_its_last_words_are_told(started: Callable[..., ModelProcess]) -> None:
    fault = fault_of(started("says_why"), "VPN", "passages")
    assert (fault.fault, fault.detail) == (ModelFault.DIED, "the last words (exit status 1)")


def test_one_that_speaks_nonsense_is_ended(started: Callable[..., ModelProcess]) -> None:
    process = started("prints")
    assert fault_of(process).fault is ModelFault.DIED


def test_a_question_has_a_deadline_and_the_process_goes_on(started: Callable[..., ModelProcess]) -> None:
    process = started("hangs")
    with pytest.raises(TimeoutError):
        ask(process, "hang", seconds=0.01)
    assert ask(process) == [1, 4]


def test_one_that_says_nothing_for_long_is_killed(started: Callable[..., ModelProcess]) -> None:
    clock = ManualClock()
    process = started("hangs", hang_s=30.0, now=clock.monotonic)
    ask(process)
    clock.advance(100)  # nobody asked it
    with pytest.raises(TimeoutError):
        ask(process, "hang", seconds=0.01)
    clock.advance(31)
    with pytest.raises(ModelUnusable) as caught:
        ask(process, "hang", seconds=0.01)
    assert (caught.value.fault, caught.value.detail) == (ModelFault.DIED, "no answer for 31 s")
    assert fault_of(process).fault is ModelFault.DIED


def test_closing_ends_the_process(started: Callable[..., ModelProcess]) -> None:
    process = started()
    ask(process)
    process.close()
    process.close()
    assert fault_of(process).fault is ModelFault.DIED


def test_a_command_that_is_not_there_is_a_fault() -> None:
    process = ModelProcess(command=["no-such-program-anywhere"])
    with pytest.raises(ModelUnusable):
        process.start()
    process.close()


# ------------------------------------------------------------- the worker itself


def worker(script: str = "", **further: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    start = [sys.executable, "-c", script] if script else child_command()
    return subprocess.run(start, env=environment, capture_output=True, text=True, check=False, **further)  # type: ignore[call-overload, no-any-return]


def test_the_worker_ends_when_nobody_is_there_any_more() -> None:
    done = worker(stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_bundle_starts_itself_as_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    started = [sys.executable, str(ROOT / "main.py"), *child_command()[1:]]
    done = subprocess.run(started, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "reach",
    [
        "socket.create_connection(('127.0.0.1', 9))",
        "socket.getaddrinfo('localhost', 9)",
        "socket.socket().connect(('127.0.0.1', 9))",
        "urllib.request.urlopen('http://localhost:9')",
    ],
)
def test_the_worker_reaches_no_network(reach: str) -> None:
    script = (
        "import socket, sys, urllib.request\n"
        "from core.embedding.flag_worker import forbid_network\n"
        "sys.addaudithook(forbid_network)\n"
        f"try:\n    {reach}\n"
        "except OSError as error:\n    print('no network' in str(error))\n"
    )
    assert worker(script).stdout.strip() == "True"


def test_the_worker_loads_no_torch_before_it_is_told_to() -> None:
    done = worker("import sys, core.embedding.flag_worker; print('torch' in sys.modules, 'numpy' in sys.modules)")
    assert done.stdout.split() == ["False", "False"]


def test_questions_go_before_documents_that_wait_and_what_was_taken_back_is_not_done() -> None:
    jobs = Jobs()
    for number, do in enumerate(["passages", "passages", "query", "scores", "query"]):
        jobs.add({"id": number, "do": do})
    jobs.add({"id": 4, "do": "drop"})
    assert [jobs.next()["id"] for _ in range(4)] == [2, 3, 0, 1]
