"""What a chart is given: series, layers of bars, thresholds, and what it says of itself. No Qt, no pyqtgraph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from core.figures import Layer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Unit(StrEnum):
    """How values are written: a share or score as 0.95, milliseconds as 3,000 ms, a count as 1,234."""

    SHARE = "share"
    MS = "ms"
    COUNT = "count"


class Line(StrEnum):
    """How a line is drawn, beside its colour: the main figure of a group solid, a second one dotted."""

    SOLID = "solid"
    DOTTED = "dotted"


@dataclass(frozen=True, slots=True)
class ChartWords:
    """Names of words (app/words.py), so that a switch of language redraws them. `counts`: what the chart counts and
    what not; `empty`: what is said, below "no data yet", when there is nothing to show."""

    title: str
    counts: str
    layer: Layer
    empty: str = ""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A line across the chart at `value`; `word` names a word that may hold {value}."""

    value: float
    word: str = "plot.threshold"


@dataclass(frozen=True, slots=True)
class Series:
    """One line over time. `name` is shown as text, never as markup. `at` (aware UTC, or an array of POSIX seconds),
    `values` and, when given, `counts` (n behind each value) have one length; None, NaN and infinity are gaps, and so
    is a step longer than 2.5 × `width_s`. Series of one `group` (default: the name) share colour, mark and the one
    entry in the legend, which bears the group's name."""

    name: str
    at: Sequence[datetime] | NDArray[np.float64]
    values: Sequence[float | None]
    counts: Sequence[int] | None = None
    width_s: float = 60.0
    group: str = ""
    line: Line = Line.SOLID


def group_of(series: Series) -> str:
    """The group of a series, by name."""
    return series.group or series.name


@dataclass(frozen=True, slots=True)
class BarLayer:
    """One colour of stacked bars: a count for each bucket, None where nothing is known. `colour`: a relevance level,
    NOT_FOUND, DEGRADED, or "" for the next series colour."""

    name: str
    counts: Sequence[int | None]
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Bins:
    """A histogram over 0 … 1 in `len(counts)` equal bins; `name`: of what (say, an embedder)."""

    name: str
    counts: Sequence[int]
    thresholds: Sequence[Threshold] = ()


@dataclass(frozen=True, slots=True)
class Category:
    """A bar with a name; `colour` as in BarLayer."""

    name: str
    count: int
    colour: str = ""
