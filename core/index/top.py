"""The best few of many scores, in a time that hardly depends on how many are zero."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_BLOCK = 1024


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
