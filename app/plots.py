"""The charts of the monitor: lines over time, stacked bars over time, a histogram, bars by category."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from app.i18n import Language
from app.plot_data import BarLayer, Bins, Category, ChartWords, Series, Threshold, Unit
from app.plot_frame import Chart
from core.figures import Period

__all__ = ["CategoryBars", "Chart", "Histogram", "LineChart", "StackedBars"]


class LineChart(Chart):
    """Lines over time, local, right across clock changes. `bounds`: what the axis never goes beyond (a share: 0, 1);
    a bound of None follows the values. Threshold lines are always in sight."""

    def __init__(
        self,
        language: Language,
        name: str,
        words: ChartWords,
        *,
        unit: Unit = Unit.SHARE,
        thresholds: Sequence[Threshold] = (),
        bounds: tuple[float | None, float | None] = (0.0, None),
    ) -> None:
        super().__init__(language, name, words)
        self._unit, self._thresholds, self._bounds = unit, tuple(thresholds), bounds

    def set_series(self, series: Sequence[Series], period: Period, *, n: int, degraded: int | None = None) -> None:
        """Show these lines over the period; curves are made once and filled again. `n`: how many calls or lookups
        stand behind the chart, `degraded` of them were degraded (None: not told here)."""


class StackedBars(Chart):
    """Counts over time buckets, one colour on the other, as counts or as shares (a switch in the chart)."""

    def __init__(self, language: Language, name: str, words: ChartWords, *, shares: bool = False) -> None:
        super().__init__(language, name, words)
        self._shares = shares

    def set_bars(
        self, edges: Sequence[datetime], layers: Sequence[BarLayer], *, n: int, degraded: int | None = None
    ) -> None:
        """`edges`: n + 1 aware UTC moments for n counts in every layer."""


class Histogram(Chart):
    """Counts over 0 … 1 with thresholds as upright lines; a chooser when there are several."""

    def set_bins(self, bins: Sequence[Bins], *, n: int, degraded: int | None = None) -> None:
        """Show the first, or the one chosen before."""


class CategoryBars(Chart):
    """One bar a category, with name, count and share."""

    def set_categories(self, categories: Sequence[Category], *, n: int, degraded: int | None = None) -> None:
        """Show them in this order."""
