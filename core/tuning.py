"""Tuning: thresholds from votes, so that a level keeps its word (contract §11.3) with these articles and callers. Pure.

Votes are few and some are wrong. So what is judged is not the share of good votes but what lies behind it: how likely
an answer is right at each similarity, seen through a share of wrong votes that is estimated from the same votes (what
even the surest answers are blamed for). All curves that explain the votes count, each by how well it does. A threshold
moves only when they agree that the promise is broken, or the badge withheld too often; then it moves towards the
promise, by a small step, and no further than the votes carry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.evaluation import BADGES, wilson_low
from core.model import RelevanceLevel
from core.report import LevelShare, Reliability, Thresholds, TooFewVotes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

# Decision 3.
RIGHT_SHARE = 0.95
BADGED_SHARE = 0.55
UNFOUND_SHARE = 0.05
# With 100 votes a share of 0.95 is known to ±0.04; 30 about the threshold tell 0.95 from 0.80 there.
LEAST_VOTES = 100
LEAST_NEAR = 30
NEAR = 0.2
MOST_STEP = 0.05
_GRAIN = 0.005
_SURE = 0.9
_LEAST_BADGED = 10  # a threshold above which fewer votes lie is a guess
_GAP = 0.02  # between the two thresholds
_ONE_SIDED_95 = 1.645
# Not even the best answer is right always; PRECISE promises 0.98 (Decision 3).
_BEST = 0.985
_LIKELY_NOISE, _NOISE_SPREAD, _MOST_NOISE = 0.08, 0.05, 0.2


@dataclass(frozen=True, slots=True)
class Sample:
    """A lookup that was voted on. `right` as Decision 3 counts it; `precise`: L0 alone gave its level; `trusted`: it
    may be HIGHLY_RELEVANT (current, no code that the base does not hold); `exact`: REFERENCE by L0, whatever its
    similarity; `answerable`: some article was called right or useful."""

    similarity: float
    right: bool
    precise: bool = False
    trusted: bool = True
    exact: bool = False
    answerable: bool = True


def too_few(samples: Sequence[Sample], current: Thresholds) -> TooFewVotes | None:
    """Why nothing can be said yet, or None."""
    near = sum(abs(s.similarity - current.highly_relevant) <= NEAR for s in samples if not s.precise and s.trusted)
    if len(samples) >= LEAST_VOTES and near >= LEAST_NEAR:
        return None
    return TooFewVotes(votes=len(samples), votes_needed=LEAST_VOTES, near=near, near_needed=LEAST_NEAR)


def reliability(samples: Sequence[Sample], current: Thresholds, *, fresh: int | None = None) -> Reliability:
    """How often each level was right by the votes as they are, before and after the thresholds that `tuned` finds; with
    too few votes both are the same. Thresholds are found from the first `fresh` samples only: the others led to those
    that hold, and would lead on and on."""
    speaking = samples[:fresh]
    refused = too_few(speaking, current)
    better = current if refused else tuned(speaking, current)
    return Reliability(
        votes=len(samples),
        refused=refused,
        before=level_shares(samples, current),
        after=level_shares(samples, better),
        thresholds=current,
        proposed=better,
        fresh=len(speaking),
        holds=refused is None and better == current and holds(speaking, current),
    )


def level_shares(samples: Sequence[Sample], thresholds: Thresholds) -> Mapping[str, LevelShare]:
    """Level → how often its answers were right, if these thresholds had held."""
    counts, rights = Counter[str](), Counter[str]()
    for sample in samples:
        level = _level(sample, thresholds)
        if level is not None:
            counts[level] += 1
            rights[level] += sample.right
    return {str(level): share_of(counts[level], rights[level]) for level in BADGES}


def share_of(count: int, right: int) -> LevelShare:
    """`right` of `count`, with the 95 % Wilson interval."""
    if not count:
        return LevelShare(0, 0, None, None, None)
    low, high = wilson_low(right, count), 1 - wilson_low(count - right, count)
    return LevelShare(count, right, round(right / count, 4), round(low, 4), round(high, 4))


def _level(sample: Sample, thresholds: Thresholds) -> RelevanceLevel | None:
    if sample.precise:
        return RelevanceLevel.PRECISE
    if sample.trusted and sample.similarity >= thresholds.highly_relevant:
        return RelevanceLevel.HIGHLY_RELEVANT
    return RelevanceLevel.REFERENCE if sample.exact or sample.similarity >= thresholds.reference else None


def tuned(samples: Sequence[Sample], current: Thresholds) -> Thresholds:
    """Thresholds with which Decision 3 holds better than with `current`, each at most MOST_STEP away; `current` itself
    where the votes do not say clearly that it does not hold. Ask `too_few` first."""
    curve = _Curve(samples, current.highly_relevant)
    highly = _highly(samples, current, curve)
    reference = _reference(samples, current.reference, curve)
    return Thresholds(round(highly, 4), round(min(reference, highly - _GAP), 4))


def holds(samples: Sequence[Sample], current: Thresholds) -> bool:
    """Whether the votes say clearly that Decision 3 holds; where they do not, it may hold all the same."""
    share, answerable = _badged(samples)(current.highly_relevant)
    hidden = _unfound(samples)(current.reference)
    return (
        _Curve(samples, current.highly_relevant).sureness(current.highly_relevant) >= _SURE
        and share - _ONE_SIDED_95 * _error(share, answerable) >= BADGED_SHARE
        and hidden + _ONE_SIDED_95 * _error(hidden, answerable) <= UNFOUND_SHARE
    )


def _error(share: float, count: int) -> float:
    """The standard error of a share of so many."""
    return (share * (1 - share) / count) ** 0.5 if count else 1.0


def _highly(samples: Sequence[Sample], current: Thresholds, curve: _Curve) -> float:
    """Up while the badge lies, down while it is silent and would not lie."""
    start = current.highly_relevant
    badged = _badged(samples)
    steps = [step * _GRAIN for step in range(1, round(MOST_STEP / _GRAIN) + 1)]
    if curve.sureness(start) <= 1 - _SURE:
        above = [start + step for step in steps if curve.count(start + step) >= _LEAST_BADGED]

        def missing(threshold: float) -> float:
            silence = max(0.0, BADGED_SHARE - badged(threshold)[0])  # no way to keep a promise
            return max(0.0, RIGHT_SHARE - curve.share(threshold)) + silence

        return min([start, *above], key=missing)
    share, answerable = badged(start)
    if share + _ONE_SIDED_95 * _error(share, answerable) < BADGED_SHARE:
        below = []
        for t in (start - step for step in steps):
            if t < current.reference + _GAP or curve.sureness(t) < _SURE:
                break
            below.append(t)
        enough = (t for t in below if badged(t)[0] >= BADGED_SHARE)
        return next(enough, below[-1] if below else start)
    return start


def _reference(samples: Sequence[Sample], start: float, curve: _Curve) -> float:
    """Down while answers are kept back that were right; up where what is let through is hardly ever right."""
    unfound, answerable = _unfound(samples), sum(s.answerable for s in samples)
    steps = [step * _GRAIN for step in range(1, round(MOST_STEP / _GRAIN) + 1)]
    share = unfound(start)
    if share - _ONE_SIDED_95 * _error(share, answerable) > UNFOUND_SHARE:
        below = [start - step for step in steps if start - step > 0]
        return next((t for t in below if unfound(t) <= UNFOUND_SHARE), below[-1] if below else start)
    above = [
        start + step
        for step in steps
        if curve.count(start, start + step) >= _LEAST_BADGED
        and curve.share(start, start + step) <= UNFOUND_SHARE
        and unfound(start + step) <= UNFOUND_SHARE / 2
    ]
    return above[-1] if above else start


def _unfound(samples: Sequence[Sample]) -> Callable[[float], float]:
    """threshold → the share of the answerable that would be told there is nothing."""
    answerable = [s for s in samples if s.answerable]

    def unfound(threshold: float) -> float:
        hidden = sum(not (s.precise or s.exact) and s.similarity < threshold for s in answerable)
        return hidden / len(answerable) if answerable else 0.0

    return unfound


def _badged(samples: Sequence[Sample]) -> Callable[[float], tuple[float, int]]:
    """threshold → the share of the answerable that would be HIGHLY_RELEVANT or PRECISE, and of how many."""
    answerable = [s for s in samples if s.answerable]

    def badged(threshold: float) -> tuple[float, int]:
        count = sum(s.precise or (s.trusted and s.similarity >= threshold) for s in answerable)
        return (count / len(answerable) if answerable else 0.0), len(answerable)

    return badged


class _Curve:
    """How likely an answer is right by its similarity: logistic curves, weighed by how well they explain the votes."""

    def __init__(self, samples: Sequence[Sample], threshold: float) -> None:
        import numpy as np

        # Cells begin at the threshold, so that every candidate lies between two of them.
        self._start = threshold % _GRAIN
        self._cells = round(1 / _GRAIN) + 2
        at = (np.arange(self._cells) - 0.5) * _GRAIN + self._start
        judged = [s for s in samples if s.trusted and not s.precise]
        self._counts = np.zeros(self._cells)
        good, bad = np.zeros(self._cells), np.zeros(self._cells)
        for sample in judged:
            cell = self._cell(sample.similarity)
            self._counts[cell] += 1
            if not sample.exact:
                (good if sample.right else bad)[cell] += 1
        slopes, middles, noises = np.meshgrid(
            np.geomspace(3, 60, 12), np.linspace(-0.2, 1.0, 49), np.linspace(0, _MOST_NOISE, 11), indexing="ij"
        )
        slope, middle, noise = (values.reshape(-1, 1) for values in (slopes, middles, noises))
        self._right = _BEST / (1 + np.exp(-slope * (at - middle)))
        self._sums = np.concatenate((np.zeros((len(slope), 1)), np.cumsum(self._right * self._counts, axis=1)), axis=1)
        voted = noise + (1 - 2 * noise) * self._right
        voted_precise = (noise + (1 - 2 * noise) * _BEST)[:, 0]
        precise = [s.right for s in samples if s.precise]
        fit = np.log(voted) @ good + np.log1p(-voted) @ bad
        fit += np.log(voted_precise) * sum(precise) + np.log1p(-voted_precise) * (len(precise) - sum(precise))
        fit -= ((noise[:, 0] - _LIKELY_NOISE) / _NOISE_SPREAD) ** 2 / 2
        weights = np.exp(fit - fit.max())
        self._weights: Numbers = weights / weights.sum()

    def _cell(self, similarity: float) -> int:
        return min(max(int((similarity - self._start) / _GRAIN + 1 + 1e-6), 0), self._cells - 1)

    def _between(self, low: float, high: float) -> slice:
        return slice(self._cell(low), self._cell(high) if high <= 1 else self._cells)

    def count(self, low: float, high: float = 2.0) -> float:
        """How many votes lie there."""
        return float(self._counts[self._between(low, high)].sum())

    def _shares(self, low: float, high: float) -> Numbers:
        """By each curve, the share of right answers there; where no vote lies, the curve's own value at `low`."""
        cells = self._between(low, high)
        total = self._counts[cells].sum()
        if not total:
            return self._right[:, cells.start]
        shares: Numbers = (self._sums[:, cells.stop] - self._sums[:, cells.start]) / total
        return shares

    def share(self, low: float, high: float = 2.0) -> float:
        """The share of right answers from `low` up (to `high`), as expected."""
        return float(self._shares(low, high) @ self._weights)

    def sureness(self, low: float) -> float:
        """How sure it is that the share of right answers from `low` up keeps the promise, 0 … 1."""
        return float((self._shares(low, 2.0) >= RIGHT_SHARE) @ self._weights)
