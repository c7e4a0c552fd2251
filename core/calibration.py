"""Calibration: the lines and thresholds of a profile, found from labelled questions so that Decision 3 holds (§11.3).

Two logistic lines are fitted: whether the base says anything on the subject (answerable questions against questions on
other subjects), and whether a right article stands among the first (all questions, also those whose article was left
out, and those asked of a base that is small). Each is then moved to where the promise of Decision 3 that is nearest to
breaking has most room, in standard errors. What comes of it is judged on bases that had no part in it, one after the
other. Nothing of this looks at a fused score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from core.embedding.profile import Profile
from core.evaluation import wilson_low

Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Line = dict[str, float]

_PENALTY = 1.0
_ITERATIONS = 60
# A base with fewer questions weighs less; what it says is less sure.
_FULL_WEIGHT = 300
# Questions on other subjects are few beside all others: together they weigh this much of them.
_OTHERS_WEIGHT = 0.5
# Questions on the same texts resemble each other: a share over thousands is no surer on other texts than over these.
_INDEPENDENT = 300
_STEPS = 400
_CLOSE = 1e-8


class _LeaveOut(NamedTuple):
    """What is asked for with a fifth of the articles left out: shares of right HIGHLY_RELEVANT answers, of the
    answerable that bear a badge, at most of those left out that do."""

    right: float
    badged: float
    left_out: float


# Its weight is chosen and not learnt: nearly all questions that a small base is asked here have no answer in it, so
# that they cannot say how sure one is. It leaves the promise for a small base much of its room.
_GIVEN = ("few",)
_OF_WORDS = _LeaveOut(0.92, 0.40, 0.08)
_OF_A_MODEL = _LeaveOut(0.95, 0.55, 0.04)


class Run(StrEnum):
    """ALL: every article is there; LEAVE_OUT: a fifth is not; SMALL: hardly any is, as on a new desk."""

    ALL = "all"
    LEAVE_OUT = "leave_out"
    SMALL = "small"


@dataclass(frozen=True, slots=True)
class Sample:
    """A labelled question and the evidence on its primary. `base`: what is left out together when judging; `run`: with
    which articles it was asked; `answerable`, else `left_out` (its article is not there) or
    on another subject; `among_first`: a right article among the first three; `right`: what a PRECISE answer promises;
    `precise`: L0 alone gives the level; `trusted`: it may be HIGHLY_RELEVANT; `exact`: it is REFERENCE by L0;
    `foreign`: asked in another language than the articles, which only a model understands: it shows what is on the
    subject, and no promise is given for it."""

    base: str
    run: Run
    answerable: bool
    left_out: bool
    among_first: bool
    right: bool
    precise: bool
    trusted: bool
    exact: bool
    features: Mapping[str, float]
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Promise:
    """A share of Decision 3: at least (or at most) `limit` of the samples in `of`."""

    name: str
    limit: float
    at_most: bool
    of: Mask
    holds: Mask

    @property
    def room(self) -> float:
        """How far the share is on the right side of its limit, in standard errors (of no more questions than are
        independent of each other); infinite over nothing, and where it cannot be kept better."""
        count = int(self.of.sum())
        if not count or bool((self.holds[self.of] != self.at_most).all()):
            return math.inf
        distance = self.holds[self.of].mean() - self.limit
        return float(-distance if self.at_most else distance) / math.sqrt(
            self.limit * (1 - self.limit) / min(count, _INDEPENDENT)
        )

    def figures(self) -> dict[str, Any]:
        """For the profile's file: how many of how many, and the Wilson bound on the limit's side."""
        n, count = int(self.of.sum()), int((self.holds & self.of).sum())
        if not n:
            return {"n": 0}
        bound = 1 - wilson_low(n - count, n) if self.at_most else wilson_low(count, n)
        side = "at_most" if self.at_most else "at_least"
        return {"n": n, "count": count, "share": round(count / n, 4), "wilson": round(bound, 4), side: self.limit}


class _Table:
    """Samples as columns."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        def column(value: Callable[[Sample], bool]) -> Mask:
            return np.array([value(sample) for sample in samples], dtype=np.bool_)

        self.features = {name: np.array([s.features[name] for s in samples]) for name in samples[0].features}
        self.base = np.array([sample.base for sample in samples])
        self.run = np.array([sample.run for sample in samples])
        self.answerable = column(lambda s: s.answerable)
        self.left_out = column(lambda s: s.left_out)
        self.others = ~self.answerable & ~self.left_out
        self.among_first = column(lambda s: s.among_first)
        self.right = column(lambda s: s.right)
        self.precise = column(lambda s: s.precise)
        self.trusted = column(lambda s: s.trusted and not s.precise)
        self.native = column(lambda s: not s.foreign)
        self.exact = column(lambda s: s.exact or s.precise)

    def matrix(self, names: Sequence[str]) -> Numbers:
        """One row a sample, one column a feature."""
        columns: Numbers = np.column_stack([self.features[name] for name in names])
        return columns

    def heights(self, line: Mapping[str, float]) -> Numbers:
        """The height of a line at every sample."""
        names = [name for name in line if name != "offset"]
        return self.matrix(names) @ np.array([line[name] for name in names], dtype=np.float64) + line["offset"]

    def weights(self, used: Mask) -> Numbers:
        """Each base and run counts alike."""
        weights = np.zeros(len(used))
        for base in np.unique(self.base):
            for run in Run:
                mine = used & (self.base == base) & (self.run == run)
                count = int(mine.sum())
                if count:
                    weights[mine] = min(1.0, count / _FULL_WEIGHT) / count
        total = float(weights.sum())
        return weights * (int(used.sum()) / total) if total else weights


def calibrated(shape: Profile, samples: Sequence[Sample], description: str) -> Profile:
    """`shape` with its two lines found anew, of the features that it weighs. `reached` holds the figures of Decision 3
    over all samples, and those of each base judged by lines that were found without it, pooled. Raises ValueError
    without samples of every kind."""
    table = _Table(samples)
    everything = np.ones(len(samples), dtype=np.bool_)
    subject, answer = _lines(table, everything, shape)
    on_subject, sure = np.empty(len(samples)), np.empty(len(samples))
    for base in np.unique(table.base):
        held_out = table.base == base
        without = _lines(table, ~held_out, shape)
        on_subject[held_out] = table.heights(without[0])[held_out]
        sure[held_out] = table.heights(without[1])[held_out]
    heights = table.heights(subject), table.heights(answer)
    reached = {
        "all": {p.name: p.figures() for p in _promises(table, table.native, *heights, shape)},
        "cross_validated": {p.name: p.figures() for p in _promises(table, table.native, on_subject, sure, shape)},
    }
    return replace(
        shape, subject=_rounded(subject), answer=_rounded(answer), calibrated_on=description, reached=reached
    )


def _lines(table: _Table, among: Mask, shape: Profile) -> tuple[Line, Line]:
    plain = among & (table.run == Run.ALL) & (table.answerable | table.others)
    if not (plain & table.others).any() or not (plain & table.answerable).any():
        raise ValueError("calibration needs answerable questions and questions on other subjects")
    weights = table.weights(plain)
    others = plain & table.others
    weights[others] *= _OTHERS_WEIGHT * weights[plain & table.answerable].sum() / weights[others].sum()
    subject = _fitted(table, shape.subject, table.answerable, weights, plain)
    used = among & table.native
    subject = _moved(subject, table, used & plain, lambda height: _subject_promises(table, used, height))
    on_subject = table.heights(subject)
    answer = _fitted(table, shape.answer, table.among_first, table.weights(used), used)
    answer = _moved(answer, table, used, lambda height: _answer_promises(table, used, on_subject, height, shape))
    return subject, answer


def _fitted(table: _Table, shape: Mapping[str, float], holds: Mask, weights: Numbers, used: Mask) -> Line:
    """The line with no weight below 0, for nothing that speaks for an article may count against it: what would have one
    is left out, the worst first."""
    names = [name for name in shape if name not in ("offset", *_GIVEN)]
    given = {name: weight for name, weight in shape.items() if name in _GIVEN}
    while True:
        line = _regression(table, names, holds, weights, used) | given
        spread = {name: float(table.features[name][used].std()) for name in names}
        worst = min(names, key=lambda name: line[name] * spread[name])
        if line[worst] >= 0 or len(names) == 1:
            return line
        names.remove(worst)


def _regression(table: _Table, names: Sequence[str], holds: Mask, weights: Numbers, used: Mask) -> Line:
    """A logistic regression by Newton's method, on standardised features, with a small ridge penalty."""
    x, y, w = table.matrix(names)[used], holds[used].astype(np.float64), weights[used]
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-9
    z = np.column_stack((np.ones(len(x)), (x - mean) / spread))
    ridge = np.array([1e-9, *[_PENALTY] * (z.shape[1] - 1)])
    line = np.zeros(z.shape[1])
    for _ in range(_ITERATIONS):
        share = 1 / (1 + np.exp(-np.clip(z @ line, -30, 30)))
        slope = z.T @ (w * (y - share)) - ridge * line
        curve = (z * (w * share * (1 - share))[:, None]).T @ z + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        line += step
        if float(np.abs(step).max()) < _CLOSE:
            break
    by_feature = line[1:] / spread
    return {"offset": float(line[0] - by_feature @ mean), **dict(zip(names, by_feature.tolist(), strict=True))}


def _moved(line: Line, table: _Table, used: Mask, promises: Callable[[Numbers], Sequence[Promise]]) -> Line:
    """The line with that offset at which the promise with least room has most. Its 0 is the threshold."""
    heights = table.heights(line)
    candidates = np.quantile(heights[used], np.linspace(0.002, 0.998, _STEPS))
    rooms = [min(promise.room for promise in promises(heights - at)) for at in candidates]
    return {**line, "offset": line["offset"] - float(candidates[int(np.argmax(rooms))])}


def _subject_promises(table: _Table, used: Mask, on_subject: Numbers) -> list[Promise]:
    nothing = (on_subject < 0) & ~table.exact
    plain = used & (table.run == Run.ALL)
    return [
        Promise("nothing found, other subjects", 0.90, False, plain & table.others, nothing),
        Promise("nothing found, answerable", 0.05, True, plain & table.answerable, nothing),
    ]


def _answer_promises(table: _Table, used: Mask, on_subject: Numbers, sure: Numbers, shape: Profile) -> list[Promise]:
    threshold = shape.highly_relevant_threshold
    highly = table.trusted & (sure >= _logit(2 * threshold - 1)) & (on_subject >= _logit(threshold))
    badge = highly | table.precise
    asked = _OF_A_MODEL if "clear" in shape.answer else _OF_WORDS
    plain, without, small = (used & (table.run == run) for run in Run)
    return [
        Promise("HIGHLY_RELEVANT right", 0.95, False, plain & highly, table.among_first),
        Promise("HIGHLY_RELEVANT or better, answerable", 0.55, False, plain & table.answerable, badge),
        Promise("either badge, other subjects", 0.01, True, plain & table.others, badge),
        Promise("HIGHLY_RELEVANT right, leave-out", asked.right, False, without & highly, table.among_first),
        Promise(
            "HIGHLY_RELEVANT or better, answerable, leave-out", asked.badged, False, without & table.answerable, badge
        ),
        Promise("either badge, left out", asked.left_out, True, without & table.left_out, badge),
        Promise("either badge, not there, small base", 0.08, True, small & table.left_out, badge),
    ]


def _promises(table: _Table, used: Mask, on_subject: Numbers, sure: Numbers, shape: Profile) -> list[Promise]:
    plain = used & (table.run == Run.ALL)
    precise = Promise("PRECISE right", 0.98, False, plain & table.precise, table.right)
    return [
        precise,
        *_answer_promises(table, used, on_subject, sure, shape),
        *_subject_promises(table, used, on_subject),
    ]


def _logit(share: float) -> float:
    """The height of a line at which its logistic is `share`."""
    share = min(max(share, 1e-9), 1 - 1e-9)
    return math.log(share / (1 - share))


def _rounded(line: Mapping[str, float]) -> Line:
    return {name: round(weight, 4) for name, weight in line.items()}
