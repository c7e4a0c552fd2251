"""Postings: which chunk holds which term how often, as immutable arrays sorted by term."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from core.terms import TermIds, Vocabulary, term_ids

Mask = npt.NDArray[np.bool_]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

_MOST_OCCURRENCES = 65_535
_SCANNED = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """The postings of `size` chunks, numbered 0 … size−1.

    `ids` are the distinct terms' numbers, ascending; term i stands in the chunks `docs[ptr[i]:ptr[i + 1]]` (ascending),
    `tfs` times each (a count over 65,535 is kept as 65,535). Every term has at least one posting. The arrays may be
    mapped from a file and are never written to.
    """

    ids: TermIds
    ptr: Int64s
    docs: Int32s
    tfs: npt.NDArray[np.uint16]
    size: int
    # (which chunks were alive, df of each term among them): grown when deletions need it, see live_df
    _counted: list[tuple[Mask, Int32s]] = field(default_factory=list)

    def find(self, term: np.uint64) -> tuple[int, int]:
        """The term's postings as a range of `docs` and `tfs`; (0, 0) when no chunk holds it."""
        place = int(self.ids.searchsorted(term))
        if place == len(self.ids) or self.ids[place] != term:
            return 0, 0
        return int(self.ptr[place]), int(self.ptr[place + 1])

    def live_df(self, alive: Mask) -> Int32s:
        """For each term the number of chunks that hold it and are alive, int32; not to be written to.

        Remembers its last answer, so that a further deletion costs one pass over `docs` (some 10 ms for 100,000 chunks)
        and no deletion costs nothing. Safe under threads: what is remembered is replaced whole.
        """
        counted = self._counted[0] if self._counted else None
        if counted is None or bool(np.any(alive & ~counted[0])):
            counted = (np.ones(self.size, dtype=np.bool_), np.diff(self.ptr).astype(np.int32))
        gone = counted[0] & ~alive
        if gone.any():
            places = self._places_of(gone)
            terms = np.searchsorted(self.ptr, places, side="right") - 1
            lost = np.bincount(terms, minlength=len(self.ids)).astype(np.int32)
            counted = (alive.copy(), counted[1] - lost)
        self._counted[:] = [counted]
        return counted[1]

    def _places_of(self, chosen: Mask) -> Int64s:
        """Where in `docs` the chosen chunks stand."""
        slots = np.flatnonzero(chosen)
        low, high = np.int32(slots[0]), np.int32(slots[-1])  # int32 as `docs`, so that nothing is widened
        close = high - low < self.size // 8
        found = [np.empty(0, dtype=np.int64)]
        for start in range(0, len(self.docs), _SCANNED):  # in pieces that stay in the processor's cache
            docs = self.docs[start : start + _SCANNED]
            if close:  # the chunks of an article stand side by side: two comparisons leave little to look up
                places = np.flatnonzero((docs >= low) & (docs <= high))
                places = places[chosen[docs[places]]]
            else:
                places = np.flatnonzero(chosen[docs])
            found.append(places + start)
        return np.concatenate(found)


class SegmentBuilder:
    """Collects token lists, one a chunk, and turns them into one Segment."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._codes = array("I")
        self._lengths = array("i")

    def add(self, tokens: Sequence[str]) -> None:
        """Append a chunk."""
        self._codes.extend(map(self._vocabulary.__getitem__, tokens))
        self._lengths.append(len(tokens))

    def finish(self) -> tuple[Segment, Int32s]:
        """The segment and the chunks' lengths in tokens."""
        lengths = np.array(self._lengths, dtype=np.int32)
        codes = np.frombuffer(self._codes, dtype=np.uint32) if self._codes else np.empty(0, dtype=np.uint32)
        ids, rank = np.unique(term_ids(self._vocabulary), return_inverse=True)
        # One sort of (term, chunk) pairs packed into one number: equal neighbours are the occurrences of one posting.
        keys = rank.astype(np.uint64)[codes] << np.uint64(32)
        keys |= np.repeat(np.arange(len(lengths), dtype=np.uint64), lengths)
        keys.sort()
        first = np.ones(len(keys), dtype=np.bool_)
        np.not_equal(keys[1:], keys[:-1], out=first[1:])
        starts = np.flatnonzero(first)
        tfs = np.diff(starts, append=len(keys)).clip(max=_MOST_OCCURRENCES).astype(np.uint16)
        keys = keys[starts]
        docs = (keys & np.uint64(0xFFFFFFFF)).astype(np.int32)
        counts = np.bincount((keys >> np.uint64(32)).astype(np.int64), minlength=len(ids))
        return Segment(ids, _pointers(counts), docs, tfs, len(lengths)), lengths


def segment_of(token_lists: Iterable[Sequence[str]]) -> tuple[Segment, Int32s]:
    """The segment of these chunks and their lengths."""
    builder = SegmentBuilder()
    for tokens in token_lists:
        builder.add(tokens)
    return builder.finish()


def merged(parts: Sequence[Segment], alive: Mask | None = None) -> Segment:
    """One segment that holds the chunks of all parts, in order. With `alive` (over all chunks) the others are left out
    and the rest numbered anew. Linear in the postings: nothing is sorted but the terms."""
    ids, inverse = np.unique(np.concatenate([part.ids for part in parts]), return_inverse=True)
    places = np.split(inverse, np.cumsum([len(part.ids) for part in parts])[:-1])
    size = sum(part.size for part in parts)
    numbers = np.arange(size, dtype=np.int32) if alive is None else np.cumsum(alive, dtype=np.int32) - np.int32(1)
    kept: list[tuple[Int32s, npt.NDArray[np.uint16], Int64s]] = []
    base = 0
    for part in parts:
        docs, tfs, counts = part.docs, part.tfs, np.diff(part.ptr)
        if alive is not None:
            live = alive[base : base + part.size][docs]
            counts = np.add.reduceat(live, part.ptr[:-1], dtype=np.int64) if len(docs) else counts
            docs, tfs = docs[live], tfs[live]
        kept.append((numbers[base : base + part.size][docs], tfs, counts))
        base += part.size
    totals = np.zeros(len(ids), dtype=np.int64)
    for (_, _, counts), place in zip(kept, places, strict=True):
        totals[place] += counts
    ptr = _pointers(totals)
    docs_out = np.empty(int(ptr[-1]), dtype=np.int32)
    tfs_out = np.empty(int(ptr[-1]), dtype=np.uint16)
    free = ptr[:-1].copy()
    for (docs, tfs, counts), place in zip(kept, places, strict=True):
        target = np.repeat(free[place] - _pointers(counts)[:-1], counts)
        target += np.arange(len(docs))
        docs_out[target] = docs
        tfs_out[target] = tfs
        free[place] += counts
    used = totals > 0
    return Segment(ids[used], _pointers(totals[used]), docs_out, tfs_out, size if alive is None else int(alive.sum()))


def _pointers(counts: Int64s) -> Int64s:
    """0, then the running sums of the counts."""
    pointers = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=pointers[1:])
    return pointers
