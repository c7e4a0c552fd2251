"""Attached: a model's vectors beside an index that keeps words and hashed vectors, by chunk or by article."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.index.recall import State
from core.protocols import Embedder, Ids, Scores, Unit, Vectors

# What a text without a vector is: neither near nor far (cosine 0).
_APART = 2.0
_ENOUGH = 0.90


class _Rows(NamedTuple):
    """Of one state: the row of each slot, -1 where it has none."""

    state: State
    of_slot: npt.NDArray[np.int64]
    is_enough: bool


class Attached:
    """Never changed, but for what it remembers of the last state it was asked about. `ids`: of the articles or chunks
    (as the embedder's unit says) that `vectors` are of, row by row."""

    def __init__(self, embedder: Embedder, ids: Sequence[int], vectors: Vectors) -> None:
        self.embedder = embedder
        self.done = len(ids)
        order = np.argsort(np.asarray(ids, dtype=np.int64))
        self._ids = np.asarray(ids, dtype=np.int64)[order]
        self._vectors = np.ascontiguousarray(vectors[order])
        self._rows: _Rows | None = None

    def is_enough(self, state: State) -> bool:
        """Whether nine of ten live slots have a vector."""
        return self._of(state).is_enough

    def at(self, state: State) -> AttachedRows:
        """The vectors by the slots of that state."""
        return AttachedRows(self._of(state).of_slot, self._vectors)

    def _of(self, state: State) -> _Rows:
        rows = self._rows
        if rows is None or rows.state is not state:
            wanted = state.article_ids if self.embedder.unit is Unit.ARTICLE else state.chunk_ids
            of_slot = np.full(len(wanted), -1, dtype=np.int64)
            if len(self._ids):
                at = np.minimum(np.searchsorted(self._ids, wanted), len(self._ids) - 1)
                of_slot = np.where(self._ids[at] == wanted, at, -1)
            alive = state.bm25.alive
            live, having = int(np.count_nonzero(alive)), int(np.count_nonzero(alive & (of_slot >= 0)))
            rows = self._rows = _Rows(state, of_slot, live > 0 and having >= _ENOUGH * live)
        return rows


class AttachedRows:
    """The vectors of one state, asked by slot."""

    def __init__(self, of_slot: npt.NDArray[np.int64], vectors: Vectors) -> None:
        self._of_slot = of_slot
        self._vectors = vectors

    def distances(self, query: Vectors, slots: Ids | None = None) -> Scores:
        """Squared L2 distance of every slot (or of these), as `VectorIndex.distances`; 2 where there is no vector."""
        rows = self._of_slot if slots is None else self._of_slot[slots]
        each = np.append(_APART - 2.0 * (self._vectors @ query).astype(np.float64), _APART)
        distances: Scores = np.maximum(each, 0.0)[rows]  # -1 is the last
        return distances
