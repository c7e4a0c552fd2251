"""The hashed embedder: words folded into a fixed number of signed buckets, no model needed (second seed)."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.protocols import Unit, Vectors
from core.terms import TermIds, Vocabulary, term_ids

_BUCKETS = 1
_CHUNKS_AT_ONCE = 1024


class HashedEmbedder:
    """Each distinct word adds to `_BUCKETS` of `dimension` buckets, with a sign.

    Bucket and sign come from different bits of a hash that is the same in every process (contract, Decision 5), so
    that collisions cancel on average. A document's word weighs 1 + ln(times); a query's word what the caller says
    (its information). Vectors have unit length; without words they are zero.
    """

    name = "hashed"
    unit = Unit.CHUNK

    def __init__(self, dimension: int = 256) -> None:
        self.dimension = dimension
        self.fingerprint = f"hashed-1:{_BUCKETS}x{dimension}"

    def encode_documents(self, token_lists: Sequence[Sequence[str]], texts: Sequence[str]) -> Vectors:  # noqa: ARG002
        """One row a token list, shape (n, dimension), float32. The texts are not read."""
        vectors = np.empty((len(token_lists), self.dimension), dtype=np.float32)
        for start in range(0, len(token_lists), _CHUNKS_AT_ONCE):
            part = token_lists[start : start + _CHUNKS_AT_ONCE]
            vectors[start : start + len(part)] = self._encode(part)
        return vectors

    def encode_query(self, tokens: Sequence[str], weights: Sequence[float], text: str) -> Vectors:  # noqa: ARG002
        """The query's vector, shape (dimension,), float32. A word of weight 0 leaves no trace; the text is not read."""
        buckets, signs = self._places(term_ids(tokens))
        values = np.zeros(self.dimension)
        for bucket, sign in zip(buckets, signs, strict=True):
            np.add.at(values, bucket, sign * np.asarray(weights, dtype=np.float64))
        vector: Vectors = _unit(values[np.newaxis])[0]
        return vector

    def _encode(self, token_lists: Sequence[Sequence[str]]) -> Vectors:
        vocabulary, numbers = Vocabulary(), array("q")
        for tokens in token_lists:
            numbers.extend(map(vocabulary.__getitem__, tokens))
        rows = np.repeat(np.arange(len(token_lists)), [len(tokens) for tokens in token_lists])
        words = max(1, len(vocabulary))
        pairs, times = np.unique(rows * words + np.array(numbers, dtype=np.int64), return_counts=True)
        rows, codes = np.divmod(pairs, words)
        weights = 1 + np.log(times)
        values = np.zeros(len(token_lists) * self.dimension)
        for bucket, sign in zip(*self._places(term_ids(vocabulary)), strict=True):
            values += np.bincount(
                rows * self.dimension + bucket[codes], weights=weights * sign[codes], minlength=len(values)
            )
        return _unit(values.reshape(len(token_lists), self.dimension))

    def _places(self, ids: TermIds) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Bucket and sign of each term, both of shape (_BUCKETS, n): 31 bits of the hash and one more for each."""
        parts = np.stack([(ids >> np.uint64(32 * part)) & np.uint64(0xFFFFFFFF) for part in range(_BUCKETS)])
        buckets = (parts >> np.uint64(1)) % np.uint64(self.dimension)
        return buckets.astype(np.int64), 1.0 - 2.0 * (parts & np.uint64(1)).astype(np.float64)


def _unit(values: npt.NDArray[np.float64]) -> Vectors:
    """Each row divided by its length; zero rows stay."""
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    return (values / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
