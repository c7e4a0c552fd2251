"""Vectors: exact squared L2 distances of every chunk to a query, for hashed vectors and for dense ones."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.files import replace_file
from core.index.arrays import map_array, save_array
from core.index.scratch import Scratch
from core.protocols import Embedder, Ids, Scores, VectorIndex, Vectors

# From about this many non-zero dimensions on, one matrix product is faster than adding row by row.
_SPARSE_DIMENSIONS = 100
_FIRST_ROOM = 256
# Up to one in so many slots is looked up one by one; more are cheaper to read as they lie.
_FEW = 8
_scratch = Scratch()
_NPY_MAGIC = b"\x93NUMPY"


class HashedIndex:
    """Unit (or zero) vectors of hashed words, stored dimension by dimension.

    A query of a few words has a few non-zero dimensions of 256, and only their rows are read: exact, and a fraction of
    the memory traffic of a full scan. Distances are 2 − 2·cos (contract §7); the cosine with a zero vector is 0.
    Safe under threads: one writer, any number of readers.
    """

    def __init__(self, dimension: int, frozen: Vectors | None = None) -> None:
        self.dimension = dimension
        self._frozen: Vectors = np.empty((dimension, 0), dtype=np.float32) if frozen is None else frozen
        # The delta and how many of its columns count, replaced together: a reader sees the old pair or the new one.
        self._delta: tuple[Vectors, int] = (np.empty((dimension, 0), dtype=np.float32), 0)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Slots, removed ones included."""
        return int(self._frozen.shape[1]) + self._delta[1]

    def add(self, vectors: Vectors) -> None:
        """Append rows, shape (n, dimension)."""
        with self._lock:
            room, used = self._delta
            needed = used + len(vectors)
            if needed > room.shape[1]:
                larger = np.empty((self.dimension, max(_FIRST_ROOM, 2 * needed)), dtype=np.float32)
                larger[:, :used] = room[:, :used]
                room = larger
            room[:, used:needed] = vectors.T
            self._delta = (room, needed)

    def distances(self, query: Vectors, slots: Ids | None = None) -> Scores:
        """2 − 2·cos of every slot (or of these) to the unit vector `query`, float64."""
        room, used = self._delta
        size = int(self._frozen.shape[1])
        if slots is not None:
            return self._distances_of(query, slots)
        distances = np.empty(size + used)
        np.multiply(_products(query, self._frozen), -2.0, out=distances[:size])
        np.multiply(_products(query, room[:, :used]), -2.0, out=distances[size:])
        distances += 2.0
        return distances

    def _distances_of(self, query: Vectors, slots: Ids) -> Scores:
        """The same for some slots: of a few, only their columns are read."""
        size = int(self._frozen.shape[1])
        new = slots >= size
        if not new.any():
            distances: Scores = np.multiply(_products_at(query, self._frozen, slots), -2.0, dtype=np.float64)
            distances += 2.0
            return distances
        distances = np.full(len(slots), 2.0)
        for columns, chosen, places in (
            (self._frozen, ~new, slots[~new]),
            (self._delta[0][:, : self._delta[1]], new, slots[new] - size),
        ):
            distances[chosen] -= 2.0 * _products_at(query, columns, places)
        return distances

    def kept(self, alive: npt.NDArray[np.bool_]) -> HashedIndex:
        """A new index of the slots where `alive` (of length n ≤ len) is true, in order."""
        room, used = self._delta
        size = self._frozen.shape[1]
        slots = np.flatnonzero(alive)
        old, new = slots[slots < size], slots[slots >= size] - size
        columns = np.empty((self.dimension, len(slots)), dtype=np.float32)
        for row in range(self.dimension):  # row by row: one row of a mapped file at a time
            columns[row, : len(old)] = self._frozen[row][old]
            columns[row, len(old) :] = room[row, :used][new]
        return HashedIndex(self.dimension, columns)

    def save(self, path: Path) -> None:
        """Write one .npy of shape (dimension, n), atomically."""
        room, used = self._delta
        save_array(path, np.concatenate((self._frozen, room[:, :used]), axis=1) if used else self._frozen)


class FaissIndex:
    """Dense vectors in a FAISS IndexFlatL2: exact, squared distances as FAISS returns them, one thread a query."""

    def __init__(self, dimension: int, flat: Any = None) -> None:
        self.dimension = dimension
        self._flat = one_threaded_faiss().IndexFlatL2(dimension) if flat is None else flat
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """Slots, removed ones included."""
        return int(self._flat.ntotal)

    def add(self, vectors: Vectors) -> None:
        """Append rows, shape (n, dimension)."""
        with self._lock:
            self._flat.add(np.ascontiguousarray(vectors, dtype=np.float32))

    def distances(self, query: Vectors, slots: Ids | None = None) -> Scores:
        """Squared L2 distance of every slot (or of these) to `query`, float64."""
        faiss = one_threaded_faiss()
        query = np.ascontiguousarray(query, dtype=np.float32).reshape(1, self.dimension)
        with self._lock:
            # The distance of each slot in turn: a search for all n neighbours would sort them as well.
            labels = np.arange(len(self), dtype=np.int64) if slots is None else np.ascontiguousarray(slots)
            found = np.empty(len(labels), dtype=np.float32)
            if not len(labels):
                return found.astype(np.float64)
            self._flat.compute_distance_subset(
                1, faiss.swig_ptr(query), len(labels), faiss.swig_ptr(found), faiss.swig_ptr(labels)
            )
        return found.astype(np.float64)

    def kept(self, alive: npt.NDArray[np.bool_]) -> FaissIndex:
        """A new index of the slots where `alive` (of length n ≤ len) is true, in order."""
        with self._lock:
            rows = self._flat.reconstruct_n(0, len(alive))[alive] if len(alive) else None
        new = FaissIndex(self.dimension)
        if rows is not None:
            new.add(rows)
        return new

    def save(self, path: Path) -> None:
        """Serialise in memory and write through Python: FAISS itself cannot open every path, nor replace a file."""
        with self._lock:
            data = one_threaded_faiss().serialize_index(self._flat)
        replace_file(path, memoryview(data))


def vectors_for(embedder: Embedder) -> VectorIndex:
    """An empty index of the kind that suits the embedder's vectors."""
    return HashedIndex(embedder.dimension) if embedder.name == "hashed" else FaissIndex(embedder.dimension)


def open_vectors(path: Path, dimension: int, count: int) -> VectorIndex:
    """The index that stands in the file, whichever kind it is; hashed ones are mapped.

    Raises OSError, and ValueError when the file is neither, or has another dimension or count.
    """
    with path.open("rb") as file:
        hashed = file.read(len(_NPY_MAGIC)) == _NPY_MAGIC
    index: VectorIndex
    if hashed:
        columns = map_array(path)
        if columns.dtype != np.float32 or columns.shape != (dimension, count):
            raise ValueError(f"vectors of shape {columns.shape}, expected {(dimension, count)}")
        index = HashedIndex(dimension, columns)
    else:
        try:
            flat = one_threaded_faiss().deserialize_index(np.frombuffer(path.read_bytes(), dtype=np.uint8))
        except RuntimeError as error:
            raise ValueError(f"not a vector index: {error}") from error
        if (flat.d, flat.ntotal) != (dimension, count):
            raise ValueError(f"vectors of shape {(flat.d, flat.ntotal)}, expected {(dimension, count)}")
        index = FaissIndex(dimension, flat)
    return index


def _products_at(query: Vectors, columns: Vectors, places: Ids) -> Vectors:
    """Scalar product of the query with some columns, float32."""
    if len(places) * _FEW > columns.shape[1]:
        return _products(query, columns)[places]
    products = np.zeros(len(places), dtype=np.float32)
    for dimension in np.flatnonzero(query):
        products += columns[dimension][places] * query[dimension]
    return products


def _products(query: Vectors, columns: Vectors) -> Vectors:
    """Scalar product of the query with every column, float32; valid until the next call."""
    dimensions = np.flatnonzero(query)
    if len(dimensions) > _SPARSE_DIMENSIONS:
        full: Vectors = query @ columns
        return full
    products = _scratch.empty("products", columns.shape[1], np.float32)
    products.fill(0.0)
    term = _scratch.empty("term", columns.shape[1], np.float32)
    for dimension in dimensions:
        np.multiply(columns[dimension], query[dimension], out=term)
        products += term
    return products


def one_threaded_faiss() -> Any:
    """FAISS, imported at first need (0.4 s), held to one thread: for single queries more threads only fight."""
    import faiss

    faiss.omp_set_num_threads(1)
    return faiss
