"""A small part of `python -m tests.stress_agents`: sixteen threads on one engine."""

from __future__ import annotations

import random
import sys

from tests.stress_lookups import stress


def test_sixteen_threads_on_one_engine_lose_nothing() -> None:
    seed = random.randrange(2**32)
    sys.stdout.write(f"seed {seed}\n")
    assert stress(16, 20, seed, lambda line: sys.stdout.write(f"{line}\n")) == []
