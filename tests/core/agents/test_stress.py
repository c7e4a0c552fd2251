"""A small part of `python -m tests.stress_agents`: 16 threads at once."""

from __future__ import annotations

import random
import sys

from tests.stress_parts import stress


def test_sixteen_threads_lose_nothing_and_probe_once() -> None:
    seed = random.randrange(2**32)
    sys.stdout.write(f"seed {seed}\n")
    assert stress(16, 100, seed, lambda line: sys.stdout.write(f"{line}\n")) == []
