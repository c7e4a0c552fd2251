"""Figures of more than one desk, by what desks report to the folder that they share (request layer, core.figures)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.figures import Bucket, Period, Rate

_NOTHING = Rate(0, 0)


class DeskFolder(StrEnum):
    """How the folder stands that desks report to."""

    OFF = "off"  # none is set
    REACHABLE = "reachable"
    UNREACHABLE = "unreachable"  # gone, refused or too slow; what was read last is shown


class SkippedBecause(StrEnum):
    """Why a file of the report folder counts for nothing."""

    FOREIGN = "foreign"  # no report, or one under another name than its own (a copy)
    HALF_WRITTEN = "half_written"
    BROKEN = "broken"  # not to be read, no JSON, or figures that cannot be
    NEWER = "newer"  # of a newer version of the program


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file of the report folder that was not counted."""

    name: str
    why: SkippedBecause


@dataclass(frozen=True, slots=True)
class DeskReport:
    """What one desk reports. No rates, so that nobody is ranked by them: a desk may be one person. `lookups`: in the
    period. `here`: this very desk; `last_at`: its newest report; `silent`: that is over 24 hours ago;
    `newest_update`: of its knowledge, an ISO 8601 day; `behind`: most other desks have newer knowledge."""

    id: str
    name: str
    here: bool
    last_at: datetime
    silent: bool
    newest_update: str | None
    articles: int
    behind: bool
    lookups: int


@dataclass(frozen=True, slots=True)
class SharedQuestion:
    """A question without an answer, as the desks tell it (masked unless they are set otherwise): how often, and at how
    many desks."""

    query: str
    count: int
    desks: int


@dataclass(frozen=True, slots=True)
class DesksFigures:
    """All desks together, by what they reported; request layer. A session counts in the hour it began, so that sums
    over hours and desks are right. `timeline`: one bucket an hour that any desk reported, in order.
    `untold`: unanswered lookups whose question stays at its desk. `desks` by name."""

    period: Period
    folder: DeskFolder
    path: str
    desks: tuple[DeskReport, ...] = ()
    lookups: int = 0
    sessions: int = 0
    answered: Rate = _NOTHING
    without_result: Rate = _NOTHING
    adopted: Rate = _NOTHING
    repeated: Rate = _NOTHING
    degraded: int = 0
    timeline: tuple[Bucket, ...] = ()
    unanswered: tuple[SharedQuestion, ...] = ()
    untold: int = 0
    skipped: tuple[SkippedFile, ...] = ()
