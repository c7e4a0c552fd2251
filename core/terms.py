"""Terms as numbers: the 64-bit digest that stands for a term in every index and every hashed vector.

The same in every process and on every machine (Python's own `hash()` of a string is not). An index keeps no term
texts: two of a million different words share a digest with a probability of 3e-8, and then only share a score.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

TermIds = npt.NDArray[np.uint64]


def term_id(term: str) -> np.uint64:
    """The term's BLAKE2b digest of 8 bytes, read as a little-endian number."""
    return np.uint64(int.from_bytes(_digest(term), "little"))


def term_ids(terms: Iterable[str]) -> TermIds:
    """`term_id` of each term, in order."""
    return np.frombuffer(b"".join(map(_digest, terms)), dtype="<u8").astype(np.uint64, copy=False)


class Vocabulary(dict[str, int]):
    """Numbers terms 0, 1, 2 … in order of first appearance: `vocabulary[term]`, unknown ones are added."""

    def __missing__(self, term: str) -> int:
        number = len(self)
        self[term] = number
        return number


@lru_cache(maxsize=1 << 15)  # the words of an import come again and again; 6 MB when full
def _digest(term: str) -> bytes:
    # surrogatepass: a lone surrogate in somebody's file is a character like any other, not a reason to fail.
    return blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest()
