"""An import that is killed loses nothing that was committed, and a second run ends as if nothing had happened."""

from __future__ import annotations

import random
from pathlib import Path

from tests.kill_import import Moment, Rounds

FILES = 60


def test_two_kills_at_random_moments(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print(f"seed {seed}")  # noqa: T201 - shown when the test fails
    chance = random.Random(seed)
    rounds = Rounds(tmp_path, FILES)
    rounds.round(Moment.random(chance, FILES), fresh=True)
    rounds.round(Moment.random(chance, FILES), fresh=False)
