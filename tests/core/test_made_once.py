"""A part that several threads ask for at once is made once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from core.made_once import made_once

_THREADS = 8


class Owner:
    def __init__(self) -> None:
        self.made = 0
        self.asked = threading.Barrier(_THREADS)

    @made_once
    def part(self) -> object:
        self.made += 1
        return object()

    def ask(self) -> object:
        self.asked.wait()
        return self.part


def test_all_threads_get_the_same_part() -> None:
    for _ in range(50):
        owner = Owner()
        with ThreadPoolExecutor(_THREADS) as threads:
            parts = {id(found.result()) for found in [threads.submit(owner.ask) for _ in range(_THREADS)]}
        assert (len(parts), owner.made) == (1, 1)


def test_each_object_has_its_own() -> None:
    one, other = Owner(), Owner()
    assert one.part is one.part
    assert one.part is not other.part
