"""ModelRows: the vectors of one model, a row a text: those of a file, mapped, and those that came after it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from core.index.codes import CodeScan
from core.index.row_file import HASH_BYTES, Hashes, RowFile, hashes_from, keys_of
from core.index.top import top_slots
from core.protocols import Ids, Vectors

RERANKED = 40
_FIRST_ROOM = 256


@dataclass(frozen=True)
class RowsNow:
    """The rows at one moment. Never changed."""

    frozen: Vectors
    scan: CodeScan | None
    newer: Vectors

    def __len__(self) -> int:
        return len(self.frozen) + len(self.newer)

    def scores(self, query: Vectors, wanted: npt.NDArray[np.bool_]) -> Vectors:
        """The inner product of every row with `query`, float32. Where the rows have codes it is approximate (by
        a thousandth or two), and exact of the best `RERANKED` of the `wanted` rows and of all that came after the
        file."""
        scores = np.empty(len(self), dtype=np.float32)
        size = len(self.frozen)
        query = np.ascontiguousarray(query, dtype=np.float32)
        np.dot(self.newer, query, out=scores[size:])
        if self.scan is None:
            np.dot(self.frozen, query, out=scores[:size])
            return scores
        scores[:size] = self.scan.scores(query)
        near = np.where(wanted[:size], scores[:size], -np.inf)
        best = np.sort(top_slots(near, RERANKED, above=-np.inf))
        scores[best] = self.frozen[best] @ query
        return scores

    def exact(self, query: Vectors, rows: Ids) -> Vectors:
        """The inner products of some rows, exact; only these are read."""
        return self.at(rows) @ np.ascontiguousarray(query, dtype=np.float32)

    def at(self, rows: Ids) -> Vectors:
        """A copy of some rows."""
        old = rows < len(self.frozen)
        found = np.empty((len(rows), self.newer.shape[1]), dtype=np.float32)
        found[old] = self.frozen[rows[old]]
        found[~old] = self.newer[rows[~old] - len(self.frozen)]
        return found


class ModelRows:
    """Rows are added and never change; their numbers hold for as long as this object. Safe under threads: one writer at
    a time, any number of readers."""

    def __init__(self, dimension: int, file: RowFile | None = None) -> None:
        self.dimension = dimension
        self.file = file
        self._hashes: Hashes = np.empty((0, HASH_BYTES), dtype=np.uint8) if file is None else file.hashes
        self._frozen: Vectors = np.empty((0, dimension), dtype=np.float32) if file is None else file.vectors
        self._scan = CodeScan(file.coded) if file is not None and file.coded is not None else None
        self._keys = keys_of(self._hashes)
        # What came later and how much of it counts, replaced together: a reader sees the old pair or the new one.
        self._delta: tuple[Vectors, int] = (np.empty((0, dimension), dtype=np.float32), 0)
        self._newer: dict[str, int] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._frozen) + self._delta[1]

    @property
    def newer(self) -> int:
        """How many came after the file."""
        return self._delta[1]

    def now(self) -> RowsNow:
        """What there is to search."""
        room, used = self._delta
        return RowsNow(self._frozen, self._scan, room[:used])

    def rows_of(self, hashes: Sequence[str]) -> Ids:
        """The row of each text; -1: it has none."""
        rows = np.full(len(hashes), -1, dtype=np.int64)
        if not len(hashes):
            return rows
        if len(self._keys):
            wanted = hashes_from(hashes)
            places = np.minimum(np.searchsorted(self._keys, keys_of(wanted)), len(self._keys) - 1)
            same = (self._hashes[places] == wanted).all(axis=1)
            rows[same] = places[same]
        if self._newer:
            newer = self._newer
            for place in np.flatnonzero(rows < 0).tolist():
                rows[place] = newer.get(hashes[place], -1)
        return rows

    def add(self, hashes: Sequence[str], vectors: Vectors) -> None:
        """Append the vectors of texts, shape (n, dimension); a text that has a row keeps that."""
        if vectors.shape != (len(hashes), self.dimension):
            raise ValueError(f"vectors of shape {vectors.shape}, expected {(len(hashes), self.dimension)}")
        with self._lock:
            known = self.rows_of(hashes)
            new = {one: place for place, one in enumerate(hashes) if known[place] < 0}
            room, used = self._delta
            needed = used + len(new)
            if needed > len(room):
                larger = np.empty((max(_FIRST_ROOM, 2 * needed), self.dimension), dtype=np.float32)
                larger[:used] = room[:used]
                room = larger
            room[used:needed] = vectors[list(new.values())]
            self._delta = (room, needed)
            first = len(self._frozen) + used
            self._newer.update((one, first + number) for number, one in enumerate(new))
