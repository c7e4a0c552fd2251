"""Thresholds from votes: a simulated user study. 200 votes of which a tenth are wrong move towards Decision 3, never
away from it; 20 votes are refused."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from core.report import Thresholds
from core.tuning import (
    BADGED_SHARE,
    LEAST_VOTES,
    MOST_STEP,
    RIGHT_SHARE,
    Sample,
    level_shares,
    reliability,
    too_few,
    tuned,
)

VOTES, NOISE, STUDIES = 200, 0.1, 5
REFERENCE = 0.3


@dataclass(frozen=True)
class World:
    """Many answers, their similarity, and how likely each is right; where the threshold stands in it."""

    middle: float
    slope: float
    threshold: float

    def answers(self, generator: np.random.Generator) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        similarity = generator.beta(5, 2.2, 20_000).round(4)
        return similarity, 0.985 / (1 + np.exp(-self.slope * (similarity - self.middle)))


WORLDS = {
    "too low": World(middle=0.6, slope=20, threshold=0.5),
    "too high": World(middle=0.4, slope=20, threshold=0.9),
    "just right": World(middle=0.45, slope=20, threshold=0.6),
}


def shortfall(similarity: npt.NDArray[np.float64], right: npt.NDArray[np.float64], threshold: float) -> float:
    """How far HIGHLY_RELEVANT is from what Decision 3 promises: right often enough, and not silent."""
    badged = similarity >= threshold
    share = float(right[badged].mean()) if badged.any() else 1.0
    return max(0.0, RIGHT_SHARE - share) + max(0.0, BADGED_SHARE - float(badged.mean()))


def drawn(
    generator: np.random.Generator,
    similarity: npt.NDArray[np.float64],
    right: npt.NDArray[np.float64],
    votes: int = VOTES,
    noise: float = NOISE,
) -> list[Sample]:
    """Votes on some of the answers; a share of them says the opposite of what is true."""
    chosen = generator.choice(len(similarity), votes, replace=False)
    truth = generator.random(votes) < right[chosen]
    said = truth ^ (generator.random(votes) < noise)
    return [Sample(float(s), bool(v)) for s, v in zip(similarity[chosen], said, strict=True)]


@pytest.fixture
def generator() -> np.random.Generator:
    seed = random.randrange(2**32)
    sys.stdout.write(f"seed {seed}\n")
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", WORLDS)
def test_two_hundred_votes_move_towards_the_promise_and_never_away(name: str, generator: np.random.Generator) -> None:
    world = WORLDS[name]
    moved = []
    for _ in range(STUDIES):
        similarity, right = world.answers(generator)
        samples = drawn(generator, similarity, right)
        current = Thresholds(world.threshold, REFERENCE)
        assert too_few(samples, current) is None
        better = tuned(samples, current).highly_relevant
        assert abs(better - world.threshold) <= MOST_STEP + 1e-9
        before, after = (shortfall(similarity, right, t) for t in (world.threshold, better))
        assert after <= before + 1e-9, f"{world.threshold} to {better}: from {before} to {after}"
        moved.append(better - world.threshold)
    if name == "too low":
        assert sum(step > 0 for step in moved) >= 3, moved
    elif name == "too high":
        assert sum(step < 0 for step in moved) >= 3, moved


def test_steps_upon_steps_arrive_and_stay(generator: np.random.Generator) -> None:
    world = WORLDS["too low"]
    similarity, right = world.answers(generator)
    current = Thresholds(world.threshold, REFERENCE)
    distances = [shortfall(similarity, right, current.highly_relevant)]
    for _ in range(8):
        current = tuned(drawn(generator, similarity, right, votes=600), current)
        distances.append(shortfall(similarity, right, current.highly_relevant))
    assert distances[0] > 0.1
    assert distances[-1] < distances[0] / 3, distances
    assert max(distances[5:]) < distances[0] / 3, distances


def test_votes_without_a_wrong_one_are_read_as_well(generator: np.random.Generator) -> None:
    world = WORLDS["too low"]
    similarity, right = world.answers(generator)
    samples = drawn(generator, similarity, right, noise=0)
    assert tuned(samples, Thresholds(world.threshold, REFERENCE)).highly_relevant > world.threshold


def test_fine_is_said_only_where_the_votes_say_so() -> None:
    current = Thresholds(0.6, REFERENCE)
    clear = [Sample(0.65 + n % 30 / 100, right=n % 60 != 0) for n in range(600)]
    told = reliability(clear, current)
    assert (told.changes, told.holds) == (False, True)
    open_still = [Sample(0.6 + n % 40 / 100, right=n % 14 != 0) for n in range(110)]
    told = reliability(open_still, current)
    assert told.refused is None
    assert (told.changes, told.holds) == (False, False)


def test_only_fresh_votes_lead_on(generator: np.random.Generator) -> None:
    world = WORLDS["too low"]
    samples = drawn(generator, *world.answers(generator), votes=600)
    current = Thresholds(world.threshold, REFERENCE)
    told = reliability(samples, current, fresh=20)
    assert told.refused is not None
    assert (told.votes, told.fresh, told.refused.votes) == (600, 20, 20)
    assert told.before == level_shares(samples, current), "the figures are of all votes"
    assert reliability(samples, current, fresh=300).proposed == tuned(samples[:300], current)


def test_twenty_votes_are_refused(generator: np.random.Generator) -> None:
    world = WORLDS["too low"]
    samples = drawn(generator, *world.answers(generator), votes=20)
    told = reliability(samples, Thresholds(world.threshold, REFERENCE))
    assert told.refused is not None
    assert (told.refused.votes, told.refused.votes_needed) == (20, LEAST_VOTES)
    assert told.proposed == told.thresholds
    assert told.before == told.after
    assert not told.changes


def test_votes_far_from_the_threshold_say_nothing_about_it() -> None:
    samples = [Sample(0.2, right=False)] * 100 + [Sample(0.99, right=True)] * 100
    refused = too_few(samples, Thresholds(0.6, 0.3))
    assert refused is not None
    assert (refused.votes, refused.near) == (200, 0)


def test_votes_on_exact_answers_tell_how_often_people_err() -> None:
    """The same votes about the threshold mean more where even exact answers are blamed as often."""
    about = [Sample(0.6 + n % 40 / 100, right=n % 8 != 0) for n in range(160)]
    current = Thresholds(0.6, REFERENCE)
    careful = [Sample(1.0, right=True, precise=True)] * 200
    careless = [Sample(1.0, right=n % 8 != 0, precise=True) for n in range(200)]
    assert tuned(about + careful, current).highly_relevant > 0.6
    assert tuned(about + careless, current).highly_relevant == 0.6


def test_a_badge_that_may_not_be_given_is_no_reason_to_move() -> None:
    """Superseded articles are REFERENCE whatever their similarity."""
    wrong = [Sample(0.9, right=False, trusted=False)] * 150
    fine = [Sample(0.65 + n % 30 / 100, right=n % 20 != 0) for n in range(120)]
    assert tuned(wrong + fine, Thresholds(0.6, REFERENCE)).highly_relevant <= 0.6


def test_the_lower_threshold_falls_where_right_answers_are_kept_back() -> None:
    kept_back = [Sample(0.27, right=True)] * 30
    shown = [Sample(0.7 + n % 30 / 100, right=n % 25 != 0) for n in range(150)]
    better = tuned(kept_back + shown, Thresholds(0.65, 0.3))
    assert 0.25 <= better.reference <= 0.27
    assert better.reference < better.highly_relevant


def test_the_lower_threshold_rises_where_nothing_just_above_it_is_right() -> None:
    useless = [Sample(0.3 + n % 5 / 100, right=False, answerable=False) for n in range(60)]
    shown = [Sample(0.7 + n % 30 / 100, right=n % 25 != 0) for n in range(150)]
    assert 0.3 < tuned(useless + shown, Thresholds(0.65, 0.3)).reference <= 0.3 + MOST_STEP


def test_levels_are_told_as_the_thresholds_would_give_them() -> None:
    samples = [
        Sample(0.1, right=True, precise=True),
        Sample(0.8, right=True),
        Sample(0.7, right=False),
        Sample(0.8, right=True, trusted=False),
        Sample(0.2, right=True, exact=True),
        Sample(0.2, right=True),
    ]
    shares = level_shares(samples, Thresholds(0.75, 0.5))
    assert {level: (share.count, share.right) for level, share in shares.items()} == {
        "PRECISE": (1, 1),
        "HIGHLY_RELEVANT": (1, 1),
        "REFERENCE": (3, 2),
    }
    share = shares["REFERENCE"]
    assert share.share == 0.6667
    assert share.wilson_low is not None
    assert share.wilson_high is not None
    assert 0 < share.wilson_low < 0.6667 < share.wilson_high < 1
    assert level_shares([], Thresholds(0.75, 0.5))["PRECISE"].share is None


def test_the_same_votes_give_the_same_thresholds(generator: np.random.Generator) -> None:
    world = WORLDS["too low"]
    samples = drawn(generator, *world.answers(generator))
    current = Thresholds(world.threshold, REFERENCE)
    assert tuned(samples, current) == tuned(samples[::-1], current)
