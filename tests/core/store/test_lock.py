"""One writer at a time; a dead one is no writer."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from core.errors import KnowledgeLocked
from core.store.lock import is_held, process_start, write_lock
from tests.manual_clock import ManualClock


def holder(path: Path, **changes: object) -> None:
    facts = {
        "pid": os.getpid(), "host": socket.gethostname(), "since": "2026-01-01T00:00:00.000Z",
        "started": process_start(os.getpid()),
    }  # fmt: skip
    path.write_text(json.dumps({**facts, **changes}), encoding="utf-8")


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def take(path: Path) -> None:
    clock = ManualClock()
    with write_lock(path, clock=clock, pause=clock.advance):
        assert json.loads(path.read_text())["pid"] == os.getpid()
    assert not path.exists()


def test_the_lock_is_there_while_it_is_held_and_gone_after(tmp_path: Path) -> None:
    take(tmp_path / "knowledge.lock")
    assert list(tmp_path.iterdir()) == []


def test_a_second_writer_waits_ten_seconds_and_names_the_first(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.lock"
    holder(path)
    clock = ManualClock()
    start = clock.monotonic()
    with pytest.raises(KnowledgeLocked) as caught, write_lock(path, clock=clock, pause=clock.advance):
        pass
    assert clock.monotonic() - start == pytest.approx(10, abs=0.2)
    assert caught.value.facts["pid"] == os.getpid() and caught.value.facts["since"] == "2026-01-01T00:00:00.000Z"
    assert path.exists()


def test_waiting_ends_when_the_first_is_done(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.lock"
    holder(path)
    clock = ManualClock()

    def pause(seconds: float) -> None:
        clock.advance(seconds)
        if clock.monotonic() > 1005:
            path.unlink(missing_ok=True)

    with write_lock(path, clock=clock, pause=pause):
        pass
    assert clock.monotonic() < 1006


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.lock"
    holder(path, pid=dead_pid(), started="")
    take(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="start times of processes are read on Linux only")
def test_a_process_number_used_again_is_not_the_holder(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.lock"
    holder(path, started="1")
    take(path)


def test_a_process_on_another_computer_cannot_be_judged(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.lock"
    holder(path, host="elsewhere", pid=dead_pid())
    clock = ManualClock()
    with pytest.raises(KnowledgeLocked), write_lock(path, clock=clock, pause=clock.advance):
        pass


def test_an_old_lock_file_with_nothing_in_it_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.lock"
    path.write_bytes(b"")
    os.utime(path, (1, 1))
    take(path)


def test_it_is_held_while_a_living_process_has_it(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.lock"
    assert not is_held(path)
    with write_lock(path):
        assert is_held(path)
    assert not is_held(path)
    holder(path, pid=dead_pid(), started="")
    assert not is_held(path)


def test_an_error_inside_releases_it(tmp_path: Path) -> None:
    path = tmp_path / "knowledge.lock"
    with pytest.raises(ZeroDivisionError), write_lock(path):
        raise ZeroDivisionError
    assert not path.exists()


def test_threads_exclude_each_other_too(tmp_path: Path) -> None:
    path, inside, most = tmp_path / "knowledge.lock", [0], [0]

    def work() -> None:
        for _ in range(10):
            with write_lock(path, pause=lambda _: None, wait_s=1000):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] and list(tmp_path.iterdir()) == []
