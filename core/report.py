"""What long work tells: progress, import reports, checks, the state of the knowledge, how reliable its levels are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path

from core.reasons import Reason


class ImportOutcome(StrEnum):
    """What became of one article or file of an import."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    REMOVED = "removed"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ImportItem:
    """One line of an import report; `reason` is `why` as one plain sentence in the engine's language, or None."""

    path: str
    doc_key: str | None
    outcome: ImportOutcome
    reason: str | None = None
    why: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did; the counts are those of `items`."""

    items: tuple[ImportItem, ...]
    cancelled: bool
    knowledge_version: int

    @property
    def counts(self) -> dict[str, int]:
        """Items by outcome, every outcome named."""
        counted = Counter(item.outcome for item in self.items)
        return {outcome.value: counted[outcome] for outcome in ImportOutcome}


@dataclass(frozen=True, slots=True)
class SavedNote:
    """A field note that was written: the key under which it is, or will be, an article, its title and its file."""

    doc_key: str
    title: str
    path: Path


@dataclass(frozen=True, slots=True)
class UnfinishedImport:
    """An import that was cut off: of which path, with which `--domain`, and how many of its articles are there."""

    path: str
    domain: str | None
    articles: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is. `total` 0 = not known yet. Rates and times left are the front end's to work out."""

    done: int
    total: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One line of `doctor`: status ok, repaired or failed."""

    name: str
    status: str
    detail: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class KnowledgeStatus:
    """The foot line: how much knowledge there is, how new it is, which engine answers, what is pending, and which
    imports were cut off. `overdue`: articles past their review date; `today`: the day it was counted. Days are
    ISO 8601."""

    articles: int
    chunks: int
    domains: tuple[tuple[str, int], ...]
    newest_update: str | None
    failed_files: int
    knowledge_version: int
    embedder: str
    pending: bool = False
    unfinished: tuple[UnfinishedImport, ...] = ()
    overdue: int = 0
    today: str = ""

    @property
    def age_days(self) -> int | None:
        """Days since the newest article's date; None when no article has one."""
        if not self.newest_update or not self.today:
            return None
        return (date.fromisoformat(self.today) - date.fromisoformat(self.newest_update)).days


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which similarity on an answer is HIGHLY_RELEVANT, and REFERENCE (contract §4)."""

    highly_relevant: float
    reference: float


@dataclass(frozen=True, slots=True)
class LevelShare:
    """How often the answers of a level were right by the votes: of `count`, with the 95 % Wilson interval; None where
    nothing was voted on."""

    count: int
    right: int
    share: float | None
    wilson_low: float | None
    wilson_high: float | None


@dataclass(frozen=True, slots=True)
class TooFewVotes:
    """Why thresholds are not tuned: votes there are and votes needed, in all and near the threshold."""

    votes: int
    votes_needed: int
    near: int
    near_needed: int


@dataclass(frozen=True, slots=True)
class Reliability:
    """How often each level (by name) was right, with the thresholds that hold and with those the votes speak for.
    `votes`: lookups that were voted on; `fresh`: those of them after the last step, which alone count for another (also
    in `refused`); `holds`: they say clearly that the thresholds are fine; `undoable`: thresholds that were applied
    before can be taken back; `undone_before`: the proposed ones were, already."""

    votes: int
    refused: TooFewVotes | None
    before: Mapping[str, LevelShare]
    after: Mapping[str, LevelShare]
    thresholds: Thresholds
    proposed: Thresholds
    fresh: int
    holds: bool
    undoable: bool = False
    undone_before: bool = False

    @property
    def changes(self) -> bool:
        """Whether the votes speak for other thresholds."""
        return self.refused is None and self.proposed != self.thresholds
