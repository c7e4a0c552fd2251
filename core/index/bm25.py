"""BM25 over chunks: the scores of rank_bm25's BM25Okapi, with chunks that come and go."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from core.index.postings import Int32s, Int64s, Mask, Segment, merged, segment_of
from core.index.scratch import Scratch
from core.protocols import Scores
from core.terms import term_id

K1 = 1.5
B = 0.75
EPSILON = 0.25

# A delta segment that is less than this many times as large as what follows it is merged with it.
_GROWTH = 4
_REMEMBERED_TERMS = 4096
# A term that more than one in so many chunks holds is scored in whole columns.
_DENSE = 3

_scratch = Scratch()

# Where a term's postings are: segment, start, end, first slot of the segment.
_Range = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Groups:
    """Chunks taken together: the group (0 … count−1) of every slot, and the groups' length norms.

    A group's length is that of its live chunks; the average is over groups that have a length. `starts`: the first
    slot of each group when the slots of every group stand side by side and in order, else None. `single`: each slot
    is a group of its own with the same norm, as in a table of short records.
    """

    of_slot: npt.NDArray[np.intp]
    count: int
    norms: Scores
    starts: npt.NDArray[np.intp] | None
    single: bool

    def sums(self, slots: npt.NDArray[np.intp], values: Scores) -> tuple[npt.NDArray[np.intp], Scores]:
        """Groups that hold some of the slots (ascending, at least one), and the sum of their values for each."""
        groups = self.of_slot[slots]
        if self.starts is None:
            sums = np.bincount(groups, weights=values, minlength=self.count).astype(np.float64, copy=False)
            held = np.flatnonzero(sums)
            return held, sums[held]
        new = np.ones(len(groups), dtype=np.bool_)
        np.not_equal(groups[1:], groups[:-1], out=new[1:])
        if new.all():  # no group holds two of them
            return groups, values
        firsts = np.flatnonzero(new)
        return groups[firsts], _sums_from(firsts, values)


class Bm25:
    """The lexical index as one query sees it: immutable; `with_added` and `without` give the next one.

    Slots number the chunks in order of adding, removed ones included. `scores` equals
    `BM25Okapi(live chunks).get_scores(query)` of rank_bm25 0.2.2 with its defaults (k1 1.5, b 0.75, epsilon 0.25 and
    the floor under negative idf) on the live slots, and is 0 on removed ones. Only (chunk, count) pairs are stored;
    idf, average idf and the length norm come from what is alive at query time, so nothing goes stale.
    """

    def __init__(self, segments: Sequence[Segment], lengths: Int32s, alive: Mask | None = None) -> None:
        self.segments = tuple(segments)
        self.lengths = lengths
        self.alive = np.ones(len(lengths), dtype=np.bool_) if alive is None else alive
        self.count = int(np.count_nonzero(self.alive))
        self._total_length = int(lengths.sum(where=self.alive, dtype=np.int64))
        self._df: dict[str, int] = {}
        self._postings: dict[str, tuple[_Range, ...]] = {}

    @classmethod
    def empty(cls) -> Bm25:
        """An index without chunks."""
        return cls.build(())

    @classmethod
    def build(cls, token_lists: Sequence[Sequence[str]]) -> Bm25:
        """An index of these chunks."""
        segment, lengths = segment_of(token_lists)
        return cls((segment,), lengths)

    # ------------------------------------------------------------- changing
    def with_added(self, token_lists: Sequence[Sequence[str]]) -> Bm25:
        """The index with these chunks in the next slots. Costs what the batch costs, now and then a merge of deltas."""
        if not token_lists:
            return self
        segment, lengths = segment_of(token_lists)
        frozen, deltas = self.segments[0], [*self.segments[1:], segment]
        # Few segments, each posting merged a few times only: a run of small ones at the end becomes one.
        start, size = len(deltas) - 1, segment.size
        while start > 0 and deltas[start - 1].size < _GROWTH * size:
            start -= 1
            size += deltas[start].size
        if start < len(deltas) - 1:
            deltas[start:] = [merged(deltas[start:])]
        return Bm25(
            (frozen, *deltas),
            np.concatenate((self.lengths, lengths)),
            np.concatenate((self.alive, np.ones(len(lengths), dtype=np.bool_))),
        )

    def without(self, slots: Int64s) -> Bm25:
        """The index with these slots removed. No posting is moved."""
        if not len(slots):
            return self
        alive = self.alive.copy()
        alive[slots] = False
        return Bm25(self.segments, self.lengths, alive)

    def compacted(self) -> Bm25:
        """The live chunks alone, in order, in one segment."""
        if len(self.segments) == 1 and self.count == len(self.lengths):
            return self
        alive = None if self.count == len(self.lengths) else self.alive
        return Bm25((merged(self.segments, alive),), self.lengths[self.alive])

    # --------------------------------------------------------------- asking
    def __len__(self) -> int:
        """Slots, removed ones included."""
        return len(self.lengths)

    def df(self, term: str) -> int:
        """Live chunks that hold the term."""
        known = self._df.get(term)
        if known is None:
            ranges = self._ranges(term)
            if self.count == len(self.lengths):
                known = sum(end - start for _, start, end, _ in ranges)
            else:
                known = sum(
                    int(np.count_nonzero(self._alive_in(number, base)[self.segments[number].docs[start:end]]))
                    for number, start, end, base in ranges
                )
            self._df[term] = known
        return known

    def slots_of(self, term: str) -> Int64s:
        """The live slots that hold the term, ascending."""
        parts = [
            self.segments[number].docs[start:end].astype(np.int64) + base
            for number, start, end, base in self._ranges(term)
        ]
        slots = np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)
        return slots if self.count == len(self.lengths) else slots[self.alive[slots]]

    def idf(self, term: str) -> float:
        """rank_bm25's idf: ln(N − df + ½) − ln(df + ½), when that is negative epsilon × average idf; 0 when unknown."""
        df = self.df(term)
        if df == 0:
            return 0.0
        idf = math.log(self.count - df + 0.5) - math.log(df + 0.5)
        return idf if idf >= 0 else EPSILON * self.average_idf

    def information(self, term: str) -> float:
        """ln(1 + (N − df + ½) / (df + ½)): how much the term tells, never negative, largest for unknown terms."""
        df = self.df(term)
        return math.log1p((self.count - df + 0.5) / (df + 0.5))

    def scores(self, query: Sequence[str]) -> Scores:
        """The score of every slot, float64; a term that stands twice in the query counts twice."""
        scores = np.zeros(len(self.lengths))
        self.add_scores(query, scores)
        return scores

    def add_scores(
        self, query: Sequence[str], scores: Scores, groups: Groups | None = None, whole: Scores | None = None
    ) -> None:
        """Write `scores` into an array of zeros, one a slot; with `groups`, into `whole` (one a group) BM25 of every
        group of chunks taken as one text, idf staying that of the chunks."""
        for term, times in Counter(query).items():
            weight = self.idf(term) * times * (K1 + 1)
            ranges = self._ranges(term)
            if weight == 0 or not ranges:
                continue
            held = sum(end - start for _, start, end, _ in ranges)
            if groups is None or whole is None or groups.single:
                self._add_rare(ranges, weight, scores)
            elif groups.starts is not None and held > len(scores) // _DENSE:
                self._add_frequent(ranges, weight, scores, groups, whole)
            else:
                slots, tfs = self._add_rare(ranges, weight, scores)
                if self.count < len(self.lengths):
                    tfs *= self.alive[slots]
                held_by, sums = groups.sums(slots, tfs)
                _saturate(sums, groups.norms[held_by], weight)
                whole[held_by] += sums
        if self.count < len(self.lengths):
            scores *= self.alive
        if groups is not None and whole is not None and groups.single:
            whole[:] = scores

    def _add_rare(self, ranges: Sequence[_Range], weight: float, scores: Scores) -> tuple[npt.NDArray[np.intp], Scores]:
        """Add one term's part, touching only the chunks that hold it; their slots and how often each holds it."""
        all_slots, all_tfs = [], []
        for number, start, end, base in ranges:
            slots = self.segments[number].docs[start:end].astype(np.intp)
            slots += base
            tfs = self.segments[number].tfs[start:end].astype(np.float64)
            part = tfs.copy()
            _saturate(part, self._norms[slots], weight)
            scores[slots] += part
            all_slots.append(slots)
            all_tfs.append(tfs)
        return (slots, tfs) if len(ranges) == 1 else (np.concatenate(all_slots), np.concatenate(all_tfs))

    def _add_frequent(
        self, ranges: Sequence[_Range], weight: float, scores: Scores, groups: Groups, whole: Scores
    ) -> None:
        """The same, groups included, for a term that a good part of all chunks holds: whole columns are faster than
        looking up."""
        assert groups.starts is not None
        column = _scratch.zeros("column", len(scores))
        for number, start, end, base in ranges:
            segment = self.segments[number]
            column[base : base + segment.size][segment.docs[start:end]] = segment.tfs[start:end]
        if self.count < len(self.lengths):
            column *= self.alive
        sums = _sums_from(groups.starts, column)
        _saturate(sums, groups.norms, weight)
        whole += sums
        _saturate(column, self._norms, weight)
        scores += column

    def groups(self, owners: Int64s) -> Groups:
        """The slots grouped by owner (one number a slot), for `add_scores` of this index."""
        starts = None
        if bool(np.all(owners[1:] >= owners[:-1])):  # the usual case: articles are added one after the other
            new = np.ones(len(owners), dtype=np.intp)
            new[1:] = owners[1:] != owners[:-1]
            of_slot = np.cumsum(new) - 1
            starts = np.flatnonzero(new)
        else:
            of_slot = np.unique(owners, return_inverse=True)[1]
        count = int(of_slot.max(initial=-1)) + 1
        lengths = np.bincount(of_slot, weights=self.lengths * self.alive, minlength=count)
        average = self._total_length / max(1, int(np.count_nonzero(lengths)))
        norms = lengths * np.float64(K1 * B / average if average else 0.0)
        norms += K1 * (1 - B)
        single = starts is not None and count == len(owners)
        single = single and np.allclose(norms[self.alive], self._norms[self.alive], rtol=1e-12, atol=0)
        return Groups(of_slot, count, norms, starts, single)

    @cached_property
    def average_idf(self) -> float:
        """The mean idf over the distinct live terms, before any floor (rank_bm25's average_idf); 0 without terms."""
        frequencies = self._frequencies()
        histogram = np.bincount(frequencies)
        histogram[:1] = 0
        df = np.flatnonzero(histogram)
        if not len(df):
            return 0.0
        idf = np.log(self.count - df + 0.5) - np.log(df + 0.5)
        return float(histogram[df] @ idf / histogram.sum())

    # -------------------------------------------------------------- inside
    @cached_property
    def _norms(self) -> Scores:
        """k1 · (1 − b + b · length / average length) of every slot."""
        if not self._total_length:
            return np.full(len(self.lengths), K1)
        norms = self.lengths * np.float64(K1 * B * self.count / self._total_length)
        norms += K1 * (1 - B)
        return norms

    def _ranges(self, term: str) -> tuple[_Range, ...]:
        """Where the term's postings are, in order of slots."""
        known = self._postings.get(term)
        if known is None:
            if len(self._postings) >= _REMEMBERED_TERMS:
                self._postings.clear()
                self._df.clear()
            number = term_id(term)
            found, base = [], 0
            for position, segment in enumerate(self.segments):
                start, end = segment.find(number)
                if start < end:
                    found.append((position, start, end, base))
                base += segment.size
            known = self._postings[term] = tuple(found)
        return known

    def _alive_in(self, number: int, base: int) -> Mask:
        return self.alive[base : base + self.segments[number].size]

    def _frequencies(self) -> Int64s:
        """The live document frequency of every distinct term (0 for those that only removed chunks hold)."""
        first = self.segments[0]
        frequencies = first.live_df(self._alive_in(0, 0)).astype(np.int64)
        ids, counts, base = [], [], first.size
        for number, segment in enumerate(self.segments[1:], start=1):
            live = segment.live_df(self._alive_in(number, base))
            base += segment.size
            if len(first.ids):
                place = np.minimum(np.searchsorted(first.ids, segment.ids), len(first.ids) - 1)
                shared = first.ids[place] == segment.ids
                frequencies[place[shared]] += live[shared]
            else:
                shared = np.zeros(len(segment.ids), dtype=np.bool_)
            ids.append(segment.ids[~shared])
            counts.append(live[~shared])
        if ids:
            distinct, inverse = np.unique(np.concatenate(ids), return_inverse=True)
            others = np.bincount(inverse, weights=np.concatenate(counts), minlength=len(distinct))
            frequencies = np.concatenate((frequencies, others.astype(np.int64)))
        return frequencies


def _sums_from(starts: npt.NDArray[np.intp], counts: Scores) -> Scores:
    """The sum of the counts from each start to before the next one. Whole numbers, so that differences of running sums
    are exact; `np.add.reduceat` takes several times as long for short runs. Valid until the next call."""
    running = np.cumsum(counts, out=_scratch.empty("running", len(counts)))
    sums: Scores = _scratch.empty("sums", len(starts))
    np.take(running, starts[1:] - 1, out=sums[:-1], mode="clip")
    sums[-1:] = running[-1:]
    sums[1:] -= sums[:-1].copy()
    return sums


def _saturate(counts: Scores, norms: Scores, weight: float) -> None:
    """Turn counts into weight · count / (count + norm), in place."""
    divisors = np.add(counts, norms, out=_scratch.empty("divisors", len(counts)))
    counts /= divisors
    counts *= weight
