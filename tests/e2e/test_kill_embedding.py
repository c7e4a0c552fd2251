"""An embedding that is killed loses no committed vector, and the next one makes what is missing and no more."""

from __future__ import annotations

import random
from pathlib import Path

from tests.kill_embedding import kept, round_of, start, write_base

TEXTS = 120


def test_kills_at_random_moments(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    base = tmp_path / "base"
    write_base(base, TEXTS)
    round_of(base, random.Random(seed), TEXTS, pause_s=0.005)


def test_two_processes_that_embed_the_same_base_do_each_other_no_harm(tmp_path: Path) -> None:
    base = tmp_path / "base"
    write_base(base, TEXTS)
    together = [start(base, 0.005) for _ in range(2)]
    ends = [process.communicate()[0].splitlines()[-1] for process in together]
    encoded = [int(end.removeprefix("encoded ")) for end in ends]
    assert TEXTS <= sum(encoded) <= 2 * TEXTS
    assert len(kept(base)) == TEXTS
