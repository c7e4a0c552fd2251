"""Attached: a model's vectors beside an index that keeps words and hashed vectors, by chunk or by article."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from core.index.model_rows import RowsNow
from core.index.recall import State
from core.protocols import Embedder, Ids, Scores, Unit, Vectors

_ENOUGH = 0.90


class _Rows(NamedTuple):
    """Of one state: the row of each slot, -1 where it has none; the rows that a live slot has."""

    state: State
    of_slot: npt.NDArray[np.int64]
    held: npt.NDArray[np.bool_]
    is_enough: bool


class Attached:
    """Never changed, but for what it remembers of the last state it was asked about. `ids`: articles or chunks (as the
    embedder's unit says) that have a vector; `row_of`: which of `rows` it is, for each."""

    def __init__(self, embedder: Embedder, ids: Sequence[int] | Ids, row_of: Ids, rows: RowsNow) -> None:
        self.embedder = embedder
        self.done = len(ids)
        order = np.argsort(np.asarray(ids, dtype=np.int64))
        self._ids = np.asarray(ids, dtype=np.int64)[order]
        self._row_of = row_of[order]
        self._vectors = rows
        self._rows: _Rows | None = None

    def has(self, ids: Sequence[int]) -> int:
        """How many of these articles or chunks have a vector."""
        return int(np.count_nonzero(self._rows_of(np.asarray(ids, dtype=np.int64)) >= 0))

    def is_enough(self, state: State) -> bool:
        """Whether nine of ten live articles (or chunks, as the unit says) have a vector."""
        return self._of(state).is_enough

    def at(self, state: State) -> AttachedRows:
        """The vectors by the slots of that state."""
        rows = self._of(state)
        return AttachedRows(rows.of_slot, rows.held, self._vectors)

    def _of(self, state: State) -> _Rows:
        rows = self._rows
        if rows is None or rows.state is not state:
            wanted = state.article_ids if self.embedder.unit is Unit.ARTICLE else state.chunk_ids
            of_slot, alive = self._rows_of(wanted), state.bm25.alive
            held = np.zeros(len(self._vectors), dtype=np.bool_)
            held[of_slot[alive & (of_slot >= 0)]] = True
            live = np.unique(wanted[alive])
            having = np.count_nonzero(self._rows_of(live) >= 0)
            is_enough = bool(len(live) and having >= _ENOUGH * len(live))
            rows = self._rows = _Rows(state, of_slot, held, is_enough)
        return rows

    def _rows_of(self, wanted: Ids) -> Ids:
        if not len(self._ids):
            return np.full(len(wanted), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._ids, wanted), len(self._ids) - 1)
        return np.where(self._ids[at] == wanted, self._row_of[at], -1)


class AttachedRows:
    """The vectors of one state, asked by slot."""

    def __init__(self, of_slot: npt.NDArray[np.int64], held: npt.NDArray[np.bool_], vectors: RowsNow) -> None:
        self._of_slot = of_slot
        self._held = held
        self._vectors = vectors

    def distances(self, query: Vectors, slots: Ids | None = None) -> Scores:
        """2 − 2 · inner product of every slot (or of these), which for unit vectors is the squared L2 distance; never
        below 0; nan where there is no vector. Of very many vectors (core.index.codes) only the nearest 40 and those of
        given slots are exact, the others some thousandths off."""
        if slots is not None:
            rows = self._of_slot[slots]
            there = rows >= 0
            distances = np.full(len(rows), np.nan)
            distances[there] = 2.0 - 2.0 * self._vectors.exact(query, rows[there]).astype(np.float64)
            np.maximum(distances, 0.0, out=distances)
            return distances
        each = np.empty(len(self._vectors) + 1)
        np.multiply(self._vectors.scores(query, self._held), -2.0, out=each[:-1], dtype=np.float64)
        each[:-1] += 2.0
        np.maximum(each, 0.0, out=each)
        each[-1] = np.nan  # the row -1
        by_slot: Scores = each[self._of_slot]
        return by_slot
