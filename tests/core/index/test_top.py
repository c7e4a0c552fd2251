"""The best few: the same as sorting everything."""

from __future__ import annotations

import numpy as np
import pytest

from core.index.top import top_slots


@pytest.mark.parametrize("size", [0, 1, 1023, 1024, 5000, 30_000])
@pytest.mark.parametrize("k", [0, 1, 10, 200])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 1.0])
def test_equals_a_stable_sort(size, k, share):
    random = np.random.default_rng(size + k)
    scores = np.where(random.random(size) < share, random.integers(-3, 40, size) / 4, 0.0)
    order = np.argsort(-scores, kind="stable")
    expected = [slot for slot in order if scores[slot] > 0][:k]
    assert top_slots(scores, k).tolist() == expected


def test_a_lower_bound_can_be_given():
    scores = np.array([-2.0, -1.0, -3.0])
    assert top_slots(scores, 2, above=-np.inf).tolist() == [1, 0]
