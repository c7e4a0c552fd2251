"""A worker makes one call after another; a call that hangs holds up nothing but itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from core.agents.worker import MOST_HUNG, CallBroke, Worker, WorkerUnusable

PATIENCE_S = 30  # of a test that would otherwise hang itself


@pytest.fixture
def worker() -> Iterator[Worker]:
    one = Worker("network/hybrid-hashed-1")
    yield one
    one.close(PATIENCE_S)
    with one._lock:
        assert one._lock.wait_for(lambda: one._hung == 0 and one._thread is None, PATIENCE_S)


class Hang:
    """A call that has begun and does not end until it is let go."""

    def __init__(self, worker: Worker) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.future: Future[str] = worker.submit(self._work)
        assert self.begun.wait(PATIENCE_S)

    def _work(self) -> str:
        self.begun.set()
        assert self.go.wait(PATIENCE_S)
        return "late"


def test_calls_are_made_in_order_in_one_thread_of_its_name(worker: Worker) -> None:
    made: list[int] = []

    def call(number: int) -> tuple[str, int]:
        made.append(number)
        return threading.current_thread().name, threading.get_ident()

    futures = [worker.submit(lambda number=number: call(number)) for number in range(20)]
    assert {future.result(PATIENCE_S) for future in futures} == {futures[0].result()}
    assert futures[0].result()[0] == "network/hybrid-hashed-1"
    assert made == list(range(20))


def test_what_a_call_raises_is_its_futures_and_the_next_call_goes_on(worker: Worker) -> None:
    failed = worker.submit(lambda: 1 / 0)
    exited = worker.submit(lambda: exit(3))
    assert isinstance(failed.exception(PATIENCE_S), ZeroDivisionError)
    broke = exited.exception(PATIENCE_S)
    assert isinstance(broke, CallBroke), "a panic or an exit is a failure as any other"
    assert isinstance(broke.__cause__, SystemExit)
    assert worker.submit(lambda: "well").result(PATIENCE_S) == "well"


def test_a_call_that_hangs_does_not_hold_up_those_behind_it(worker: Worker) -> None:
    hang = Hang(worker)
    queued = worker.submit(lambda: "queued")
    worker.give_up(hang.future)
    assert queued.result(PATIENCE_S) == "queued"
    assert worker.submit(lambda: "new").result(PATIENCE_S) == "new"
    assert not hang.future.done()
    hang.go.set()
    assert hang.future.result(PATIENCE_S) == "late"


def test_a_call_that_still_waits_is_taken_back(worker: Worker) -> None:
    hang = Hang(worker)
    queued = worker.submit(lambda: "never")
    worker.give_up(queued)
    assert queued.cancelled()
    hang.go.set()
    assert hang.future.result(PATIENCE_S) == "late"


def test_giving_up_what_has_ended_changes_nothing(worker: Worker) -> None:
    ident = worker.submit(threading.get_ident)
    ident.result(PATIENCE_S)
    worker.give_up(ident)
    assert worker.submit(threading.get_ident).result(PATIENCE_S) == ident.result()


def test_too_many_calls_that_hang_make_it_unusable_until_one_ends(worker: Worker) -> None:
    hangs = []
    for _ in range(MOST_HUNG):
        hangs.append(Hang(worker))
        last = worker.submit(lambda: "behind")
        worker.give_up(hangs[-1].future)
        if len(hangs) < MOST_HUNG:
            assert last.result(PATIENCE_S) == "behind"
    assert isinstance(last.exception(), WorkerUnusable), "it failed; nobody took it back"
    with pytest.raises(WorkerUnusable, match="hang"):
        worker.submit(lambda: "refused")
    hangs[0].go.set()
    assert hangs[0].future.result(PATIENCE_S) == "late"
    with worker._lock:  # its thread is gone a moment after its future is done
        assert worker._lock.wait_for(lambda: worker._hung < MOST_HUNG, PATIENCE_S)
    assert worker.submit(lambda: "again").result(PATIENCE_S) == "again"
    for hang in hangs:
        hang.go.set()


def test_closed_it_takes_no_call_and_waits_for_none_that_hangs() -> None:
    worker = Worker("hung")
    hang = Hang(worker)
    queued = worker.submit(lambda: "never")
    assert not worker.close(wait_s=0)
    assert queued.cancelled()
    with pytest.raises(WorkerUnusable, match="closed"):
        worker.submit(lambda: "never")
    hang.go.set()
    assert worker.close(PATIENCE_S)
    assert hang.future.result(PATIENCE_S) == "late"
    assert worker.close(0)


def test_a_call_that_was_given_up_is_not_waited_for_at_the_end(worker: Worker) -> None:
    hang = Hang(worker)
    worker.give_up(hang.future)
    assert not worker.close(PATIENCE_S)
    hang.go.set()


def test_closing_waits_for_the_call_that_runs(worker: Worker) -> None:
    hang = Hang(worker)
    hang.go.set()
    assert worker.close(PATIENCE_S)
    assert hang.future.done()


def test_a_call_may_close_its_own_worker() -> None:
    worker = Worker("self")
    assert worker.submit(lambda: worker.close(0)).result(PATIENCE_S) is False
    assert worker.close(PATIENCE_S)


def test_a_call_is_told_its_turn_at_once_or_when_those_before_it_have_ended(worker: Worker) -> None:
    told: list[str] = []
    worker.submit(lambda: None, lambda: told.append("first")).result(PATIENCE_S)
    hang = Hang(worker)
    behind = worker.submit(lambda: list(told), lambda: told.append("behind"))
    assert told == ["first"]
    hang.go.set()
    assert behind.result(PATIENCE_S) == ["first", "behind"]
