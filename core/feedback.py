"""Feedback: what people say of answers is kept, lifts what was confirmed and tunes the levels (first seed, phase 2).

`engine.feedback`. Only votes tune: a copy says nothing of the answers that nobody copied, so it lifts its article a
little and counts in no share.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from core.approval import Approval, approvals_of, reordered
from core.clock import Clock, today
from core.embedding.profile import Profile, profile_of
from core.honesty import kept_its_word
from core.model import ArticleState, EventKind, RelevanceLevel
from core.report import Reliability, Thresholds
from core.store.votes import VotedLookup, Votes

if TYPE_CHECKING:
    from core.lexicon import Lexicon
    from core.lookup import Search
    from core.store.database import Database
    from core.tuning import Sample

_NEWEST = 2000  # lookups with a vote that thresholds are taken from
_KEPT = 2  # places that a level rests on: the primary, and what it leads before
# What a profile says beside how its similarity is formed.
_NOT_OF_THE_SCALE = frozenset({"highly_relevant_threshold", "reference_threshold", "calibrated_on", "reached"})


def scale_of(embedder: str, profile: Profile) -> str:
    """Another one whenever the same answer could get another similarity: thresholds and votes do not carry over."""
    parts = [embedder]
    parts += [f"{f.name}={getattr(profile, f.name)!r}" for f in fields(profile) if f.name not in _NOT_OF_THE_SCALE]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


class Feedback:
    """Votes over one data folder. All methods may be called from any thread; what another process votes counts at
    once. `lexicon` is called when the first question has to be read."""

    def __init__(self, database: Database, clock: Clock, lexicon: Callable[[], Lexicon], embedder: str) -> None:
        self._votes = Votes(database, clock)
        self._clock = clock
        self._lexicon = lexicon
        self._embedder = embedder
        self._shipped = profile_of(embedder)
        self._scale = scale_of(embedder, self._shipped)
        self._keys_kept = False

    def version(self) -> int:
        """Another number after every vote, copy, tuning and undo: what was answered before may be answered otherwise
        (contract §3, the cache's key)."""
        return self._votes.version()

    # -------------------------------------------------------------- articles
    def keep_keys(self) -> None:
        """Work the keys of all votes out anew where the word lists changed since. Writes, so no preview asks for it."""
        from core.query_key import keys_fingerprint

        if not self._keys_kept:
            self._votes.keep_keys(keys_fingerprint(self._lexicon()), self._key)
            self._keys_kept = True

    def record(self, kind: EventKind, doc_key: str, invocation_id: int | None, query: str, value: int | None) -> None:
        """Keep a vote (`value` 2 the right article, 1 useful, -1 not useful, 0 taken back) or a copy made under a
        lookup. A second vote on its article replaces the first. Ignored: other kinds, no lookup."""
        if invocation_id is None or kind not in (EventKind.VOTED, EventKind.COPIED):
            return
        self.keep_keys()
        copied, vote = kind is EventKind.COPIED, (value or 0) if kind is EventKind.VOTED else None
        self._votes.record(invocation_id, doc_key, key=self._key(query), scale=self._scale, value=vote, copied=copied)

    def approvals(self, query: str) -> Mapping[str, Approval]:
        """doc_key → what was said of it under near-equal questions (core.query_key)."""
        key = self._key(query)
        return approvals_of(self._votes.on_query(key)) if key else {}

    def lifted(self, search: Search, level: Callable[[Search], RelevanceLevel | None]) -> Search:
        """The search with confirmed articles lifted (core.approval), and what was said of them. `level`: of the answer
        to a search. Votes never change it: where another order would, the first places stay as they were."""
        from core.relevance import state_today

        approvals = self.approvals(search.query.text) if search.ranked else {}
        if not approvals:
            return search
        day = today(self._clock)
        states = {number: state_today(head.state, head.review_by, day) for number, head in search.heads.items()}
        order = reordered(search.ranked, approvals, search.heads, states, search.exact, places=search.places)
        told = replace(search, approvals=approvals)
        if order == search.ranked:
            return told
        wanted = level(search)
        for kept in range(_KEPT + 1):
            first = search.ranked[:kept]
            moved = replace(told, ranked=(*first, *(article for article in order if article not in first)))
            if level(moved) == wanted:
                return moved
        return told

    # ---------------------------------------------------------------- levels
    def profile(self) -> Profile:
        """The embedder's profile, with the thresholds that were applied last. Microseconds."""
        tuning = self._votes.tuning(self._scale)
        if tuning is None:
            return self._shipped
        highly, reference = tuning.thresholds
        return replace(self._shipped, highly_relevant_threshold=highly, reference_threshold=reference)

    def thresholds(self) -> Thresholds:
        """Those that were applied last, else the profile's. Microseconds."""
        profile = self.profile()
        return Thresholds(profile.highly_relevant_threshold, profile.reference_threshold)

    def reliability(self) -> Reliability:
        """How often each level was right by the votes, with the thresholds of now and with those the votes speak for.
        Votes that a step was taken from speak for no other one. Writes nothing. Up to a second."""
        from core.tuning import reliability

        step = self._votes.tuning(self._scale)
        used_up = 0 if step is None else step.up_to
        samples, fresh = [], 0
        for found in self._votes.lookups(self._scale, _NEWEST):  # newest first
            sample = self._sample(found)
            if sample is not None:
                samples.append(sample)
                fresh += found.invocation_id > used_up
        told = reliability(samples, self.thresholds(), fresh=fresh)
        proposed = (told.proposed.highly_relevant, told.proposed.reference)
        before = told.changes and proposed in self._votes.undone(self._scale)
        return replace(told, undoable=step is not None, undone_before=before)

    def apply(self, thresholds: Thresholds, *, votes: int) -> None:
        """These thresholds hold from now on, in this process at once. `votes`: on how many they rest, which uses up
        all votes so far; with 0, none."""
        before = self.thresholds()
        new, old = ((t.highly_relevant, t.reference) for t in (thresholds, before))
        self._votes.tune(self._shipped.name, self._scale, votes, new, old)

    def undo(self) -> Thresholds | None:
        """Take back what was applied last; the thresholds that hold now, or None when nothing was applied."""
        return None if self._votes.undo(self._scale) is None else self.thresholds()

    # ---------------------------------------------------------------- inside
    def _key(self, query: str) -> str:
        from core.query_key import query_key

        return query_key(query, self._lexicon())

    def _sample(self, lookup: VotedLookup) -> Sample | None:
        """What the votes on a lookup say of its level (Decision 3); None when they say nothing."""
        from core.tuning import Sample

        details = lookup.details
        evidence = details.get("evidence") or {}
        keys = [str(judged["doc_key"]) for judged in details.get("judged") or ()]
        # With a leg missing, or by another embedder, similarity was formed from something else.
        other = details.get("missing_legs") or details.get("embedder", self._embedder) != self._embedder
        if "similarity" not in evidence or not keys or other:
            return None
        level = lookup.evidence_level
        right = kept_its_word(level, keys, lookup.votes)
        if right is None:
            return None
        similarity = float(evidence["similarity"])
        return Sample(
            similarity=similarity,
            right=right,
            precise=level == RelevanceLevel.PRECISE,
            trusted=evidence.get("state") == ArticleState.CURRENT and not details.get("unheld"),
            exact=level == RelevanceLevel.REFERENCE and similarity < self.thresholds().reference,
            answerable=any(value > 0 for value in lookup.votes.values()),
        )
