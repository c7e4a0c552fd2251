"""`python -m tests.bench.plots`: what new data for a chart costs, against redrawing it as it is. Runs without a screen.

CPU time of the process, from handing the data in to the last pixel of the plot; median of several. The data are new
each time; arrays of seconds and values, as the page's background work hands them over.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtWidgets import QApplication

from app.i18n import Language
from app.plot_data import ChartWords, Series, Threshold, Unit
from app.plot_values import Floats
from app.plots import LineChart
from app.theme import Theme
from core.figures import Layer, Period

CURVES, POINTS, STEP_S = 10, 8_640, 10
ROUNDS, WARM = 15, 3
SIZE = (900, 420)
GOAL_MS = 30.0
START = datetime(2026, 11, 30, tzinfo=UTC)
PERIOD = Period(START, START + timedelta(seconds=POINTS * STEP_S))
AT: Floats = START.timestamp() + STEP_S * np.arange(POINTS, dtype=np.float64)


def walk(rng: np.random.Generator, number: int) -> Floats:
    """Latency as it is: it drifts."""
    return np.abs(400 + 250 * number + np.cumsum(rng.normal(0, 4, POINTS)))


def noise(rng: np.random.Generator, number: int) -> Floats:
    """Every point on its own, spread around a middle."""
    return np.abs(rng.normal(400 + 250 * number, 120, POINTS))


def storm(rng: np.random.Generator, _: int) -> Floats:
    """The worst: every point anywhere, all over the plot."""
    return rng.uniform(0, 3_000, POINTS)


def with_gaps(rng: np.random.Generator, number: int) -> Floats:
    """Noise with a twentieth of the values missing."""
    values = noise(rng, number)
    values[rng.random(POINTS) < 0.05] = np.nan
    return values


def main() -> int:
    """Print a line for each kind of data; 1 when the goal is missed for other than the worst."""
    application = QApplication(sys.argv[:1])
    Theme(application, "light")
    words = ChartWords("plot.value", "plot.keys", Layer.AGENT)
    chart = LineChart(Language("en"), "plot", words, unit=Unit.MS, thresholds=[Threshold(3_000)])
    chart.resize(*SIZE)
    chart.show()
    print(f"{CURVES} curves x {POINTS:,} points, {SIZE[0]} x {SIZE[1]}, pen width 1; goal {GOAL_MS:.0f} ms CPU")
    met = True
    for make in (walk, noise, with_gaps, storm):
        new, redraw = _measured(application, chart, make)
        if make is not storm:
            met = met and new <= GOAL_MS
        print(f"{make.__name__:10} new data {new:6.1f} ms   redraw {redraw:6.1f} ms   ratio {new / redraw:4.1f}")
    return 0 if met else 1


def _measured(
    application: QApplication, chart: LineChart, make: Callable[[np.random.Generator, int], Floats]
) -> tuple[float, float]:
    """Median CPU milliseconds of new data and of a mere redraw, taking turns."""
    rng = np.random.default_rng(4)
    times: dict[str, list[float]] = {"new": [], "redraw": []}
    for turn in range(ROUNDS + WARM):
        series = [Series(f"agent-{n}", AT, make(rng, n), np.full(POINTS, 30), STEP_S) for n in range(CURVES)]
        for name, measured in times.items():
            start = time.process_time_ns()
            if name == "new":
                chart.set_series(series, PERIOD, n=CURVES * POINTS, degraded=turn)
            else:
                chart.canvas.widget.viewport().update()
            application.processEvents()
            if turn >= WARM:
                measured.append((time.process_time_ns() - start) / 1e6)
    return median(times["new"]), median(times["redraw"])


if __name__ == "__main__":
    sys.exit(main())
