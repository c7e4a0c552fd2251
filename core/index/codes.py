"""Codes: vectors in a byte a dimension, for matrices that are too large to read whole at each query.

Every row has a scale of its own: a code is round(127 · value / largest of the row) + 128. The query gets codes as well,
so that FAISS multiplies bytes; measured, that takes two fifths of the time of reading the float32 rows, and FAISS's
trained 8-bit codes over half of it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from core.index.vector import one_threaded_faiss
from core.protocols import Vectors

# From about 100,000 vectors of 1,024 dimensions, or 250,000 of 384, codes with exact scores for the nearest are faster
# than reading all vectors.
CODES_FROM_BYTES = 400_000_000
_HALF = 127.0
_MIDDLE = 128
Bytes = npt.NDArray[np.uint8]


class Coded(NamedTuple):
    """Codes of some vectors, shape (n, dimension), and for each: what one step stands for, the sum of its codes."""

    codes: Bytes
    scales: Vectors
    sums: npt.NDArray[np.int32]


def coded(vectors: Vectors) -> Coded:
    """Of vectors of any length, shape (n, dimension), float32."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    scales = (np.where(largest > 0, largest, 1.0) / _HALF).astype(np.float32)
    codes = (np.rint(vectors / scales[:, np.newaxis]) + _MIDDLE).astype(np.uint8)
    return Coded(codes, scales, codes.sum(axis=1, dtype=np.int32))


class CodeScan:
    """Approximate inner products of a query with all rows: of the small model's vectors two thousandths off at most.
    Never changed; any number of threads may ask."""

    def __init__(self, what: Coded) -> None:
        faiss = one_threaded_faiss()
        self._scales, self._shifts = np.array(what.scales), _MIDDLE * what.sums.astype(np.float32)
        count, self._dimension = what.codes.shape
        # An inverted file of one list: its range search gives the score of every row, in order, at the speed of
        # reading; that of a plain scalar quantizer takes them one by one (fifteen times as long), a search for all
        # neighbours sorts them.
        quantizer = faiss.IndexFlatIP(self._dimension)
        quantizer.add(np.zeros((1, self._dimension), dtype=np.float32))
        index = faiss.IndexIVFScalarQuantizer(
            quantizer,
            self._dimension,
            1,
            faiss.ScalarQuantizer.QT_8bit_direct,
            faiss.METRIC_INNER_PRODUCT,
            False,
        )
        quantizer.this.disown()
        index.own_fields = True
        codes, places = np.ascontiguousarray(what.codes), np.arange(count, dtype=np.int64)
        index.invlists.add_entries(0, count, faiss.swig_ptr(places), faiss.swig_ptr(codes))  # taken as they are
        index.ntotal, index.is_trained = count, True
        self._index: Any = index

    def scores(self, query: Vectors) -> Vectors:
        """Of every row, float32."""
        one_threaded_faiss()
        largest = float(np.abs(query).max(initial=0.0)) or 1.0
        codes = np.rint(query * (_HALF / largest)) + _MIDDLE
        _, products, rows = self._index.range_search(codes[np.newaxis].astype(np.float32), -1.0)
        if len(rows) != len(self._scales):
            raise RuntimeError(f"{len(rows)} scores of {len(self._scales)} rows")
        shift = float(_MIDDLE * codes.sum() - self._dimension * _MIDDLE * _MIDDLE)
        scores: Vectors = products
        scores -= self._shifts
        scores -= np.float32(shift)
        scores *= self._scales
        scores *= np.float32(largest / _HALF)
        return scores
