"""The seams that have a second real implementation: Embedder, Reranker, VectorIndex, Reader."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from core.model import Record

Vectors = npt.NDArray[np.float32]
Ids = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


class Unit(StrEnum):
    """What has a vector of its own: each chunk, or each article (its opening; all its chunks share the vector)."""

    CHUNK = "chunk"
    ARTICLE = "article"


class Embedder(Protocol):
    """Turns token lists or texts into unit vectors, shape (n, dimension), float32. Deterministic across processes; the
    instances of a tier ask it from several threads at once. Another `fingerprint` (name, model, dimension, what of a
    text is read) means other vectors: two of them never meet in one index."""

    name: str
    dimension: int
    fingerprint: str
    unit: Unit

    def encode_documents(self, token_lists: Sequence[Sequence[str]], texts: Sequence[str]) -> Vectors:
        """One row a chunk. Hashed embedders read the tokens, models read the texts."""

    def encode_query(self, tokens: Sequence[str], weights: Sequence[float], text: str) -> Vectors:
        """Shape (dimension,). `weights` are the tokens' information (idf), used by hashed embedders."""


class Reranker(Protocol):
    """Scores how well passages answer a query; higher is better, comparable inside one call only."""

    name: str

    def scores(self, query: str, passages: Sequence[str], seconds: float | None = None) -> Scores:
        """One score a passage, float64. Raises TimeoutError where they take longer than `seconds` (None: its own
        limit)."""


class Nearest(Protocol):
    """Vectors by slot that can be asked."""

    def distances(self, query: Vectors, slots: Ids | None = None) -> Scores:
        """As `VectorIndex.distances`."""


class VectorIndex(Protocol):
    """Exact nearest neighbours by slot (0 … n−1 in order of adding); removed slots are the caller's to mask."""

    def __len__(self) -> int:
        """Slots, removed ones included."""

    def add(self, vectors: Vectors) -> None:
        """Append rows, shape (n, dimension)."""

    def distances(self, query: Vectors, slots: Ids | None = None) -> Scores:
        """Squared L2 distance of every slot (or of these) to `query`, as Milvus and FAISS return it (contract §4);
        float64, one for each."""

    def kept(self, alive: npt.NDArray[np.bool_]) -> VectorIndex:
        """A new index of the slots where `alive` (of length n ≤ len) is true, in order."""

    def save(self, path: Path) -> None:
        """Write through Python: temporary file, fsync, os.replace. Paths may hold any characters."""


class Reader(Protocol):
    """Reads one file format. Gets the bytes, so that what is hashed is what is read."""

    suffixes: frozenset[str]

    def read(self, data: bytes, name: str) -> list[Record]:
        """The articles of a file called `name`. Raises NoArticle or BadContent (core.ingest.readers) with a reason."""
