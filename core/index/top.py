"""The best few of many scores, in a time that hardly depends on how many are zero."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

_BLOCK = 1024
_SMALL_BLOCK = 16


def top_slots(scores: npt.NDArray[np.float64], k: int, *, above: float = 0.0) -> npt.NDArray[np.int64]:
    """Slots of the `k` largest scores that are greater than `above`, best first, equal ones in slot order.

    The k-th largest maximum of 1,024-wide blocks is a bound that the answer cannot fall below, so only what reaches
    it is sorted; `np.argpartition` over scores that are mostly equal costs more than the scoring itself.
    """
    if k <= 0:
        return np.empty(0, dtype=np.int64)
    blocks = len(scores) // _BLOCK
    candidates = None
    if blocks >= k:
        maxima = scores[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
        bound = np.partition(maxima, blocks - k)[blocks - k]
        if bound > above:
            candidates = np.flatnonzero(scores >= bound)
    if candidates is None:
        candidates = np.flatnonzero(scores > above)
        if len(candidates) > 4 * max(k, _BLOCK):
            values = scores[candidates]
            bound = np.partition(values, len(values) - k)[len(values) - k]
            candidates = candidates[values >= bound]
    order = np.argsort(-scores[candidates], kind="stable")[:k]
    return candidates[order]


def distinct(ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The different ids, ascending. Chunks stand in order of adding, so mostly they are in order already."""
    changes = np.flatnonzero(np.diff(ids, prepend=-1))
    found = ids[changes]
    return found if bool(np.all(np.diff(found) > 0)) else np.unique(found)


def strongest(legs: Sequence[npt.NDArray[np.float64]], most: int) -> npt.NDArray[np.int64]:
    """Where the `most` largest sums of the legs stand, each leg a share of its maximum; in order. The best of each leg
    is always among them, so that what is kept has the maxima of all that was found."""
    strength = np.zeros(len(legs[0]))
    firsts = [int(leg.argmax()) for leg in legs]
    for leg, first in zip(legs, firsts, strict=True):
        if leg[first] > 0:
            strength += leg * (1 / leg[first])
    strength[[first for leg, first in zip(legs, firsts, strict=True) if leg[first] > 0]] = np.inf
    places = _at_least(strength, most)
    values = strength[places]
    bound = np.partition(values, len(values) - most)[len(values) - most]
    places, values = places[values >= bound], values[values >= bound]
    spare = len(places) - most
    return np.delete(places, np.flatnonzero(values == bound)[-spare:]) if spare else places


def _at_least(values: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.int64]:
    """Places, in order, among which are the `most` largest values, and not many others: the bound is the `most`-th
    largest maximum of small blocks. Sorting all of them apart would cost more than scoring them."""
    blocks = len(values) // _SMALL_BLOCK
    if blocks < most:
        return np.arange(len(values))
    maxima = values[: blocks * _SMALL_BLOCK].reshape(_SMALL_BLOCK, blocks).max(axis=0)
    maxima.partition(blocks - most)
    return np.flatnonzero(values >= maxima[blocks - most])
