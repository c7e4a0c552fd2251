"""Work arrays that a thread uses again and again, instead of fresh ones for every query.

The system hands out large arrays page by page at first touch; for one score a chunk that costs more than the
arithmetic.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import numpy.typing as npt


class Scratch(threading.local):
    """Named arrays, each thread its own. What was taken is valid until the same name is taken again."""

    def __init__(self) -> None:
        self._arrays: dict[str, npt.NDArray[Any]] = {}

    def empty(self, name: str, size: int, dtype: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
        """An array of that size with anything in it. A name keeps to one dtype."""
        array = self._arrays.get(name)
        if array is None or len(array) < size:
            array = self._arrays[name] = np.empty(size + size // 8, dtype=dtype)
        return array[:size]

    def zeros(self, name: str, size: int) -> npt.NDArray[np.float64]:
        """The same, float64, filled with zeros."""
        array = self.empty(name, size)
        array.fill(0.0)
        return array
