"""The charts of the monitor, by their names. Importing this loads numpy: do it when the page is first shown."""

from __future__ import annotations

from app.plot_counts import CategoryBars, Histogram
from app.plot_frame import Chart
from app.plot_lines import LineChart
from app.plot_stacks import StackedBars

__all__ = ["CategoryBars", "Chart", "Histogram", "LineChart", "StackedBars"]
