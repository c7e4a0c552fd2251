"""Counts over time buckets, one colour on the other, as counts or as shares."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Any

import numpy as np
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QToolButton

from app.i18n import Language
from app.plot_data import BarLayer, ChartWords, Unit
from app.plot_frame import Chart
from app.plot_legend import Entry
from app.plot_reading import Reading
from app.plot_ticks import Tick, share_text, span_text, stamp, time_ticks, value_ticks
from app.plot_values import Floats, seconds, usual_top, value_range
from app.table_export import Cell, Table
from app.theme import bar_colour, series_colour
from app.tool_tips import plain_tip

_HOLLOW = "DEGRADED"  # framed only: no answer, so no body
_SLIM = 6  # pixels below which bars touch each other


class StackedBars(Chart):
    """Bars over time. `shares`: at first as shares of each bucket, else as counts; a switch in the chart changes it.
    An empty place is a zero; a bucket of which nothing is known (None) has no bar either, and is read out as such."""

    _absence = "plot.about_zero"

    def __init__(
        self,
        language: Language,
        name: str,
        words: ChartWords,
        *,
        shares: bool = False,
        zone: tzinfo | None = None,
    ) -> None:
        self._edges: Floats = np.array([0.0, 1.0])
        self._layers: tuple[BarLayer, ...] = ()
        self._counts: Floats = np.zeros((0, 1))  # a row for each layer; NaN: not known
        self._bars: list[Any] = []
        self._all_shown = False
        self._as_shares = QToolButton()
        super().__init__(language, name, words, zone)
        import pyqtgraph

        self._graph = pyqtgraph
        self._as_shares.setCheckable(True)
        self._as_shares.setChecked(shares)
        self._as_shares.setProperty("flat", True)
        self._add_tool(self._as_shares)
        self._as_shares.toggled.connect(self._switch)
        self.canvas.set_ticks(lambda left, right, most: time_ticks(left, right, most, self._zone), self._side_ticks)
        self.canvas.view_changed.connect(self._dress)
        self._outliers.clicked.connect(self._toggle_outliers)

    def set_bars(
        self, edges: Sequence[datetime] | Floats, layers: Sequence[BarLayer], *, n: int, degraded: int | None = None
    ) -> None:
        """`edges`: n + 1 aware UTC moments for n counts in every layer. Raises ValueError where they do not fit."""
        self._edges = seconds(edges)
        self._layers = tuple(layers)
        if any(len(layer.counts) != len(self._edges) - 1 for layer in layers):
            raise ValueError(f"{len(self._edges)} edges for {[len(layer.counts) for layer in layers]} counts")
        self._counts = np.array([layer.counts for layer in layers], np.float64).reshape(len(layers), -1)
        self._counts[~np.isfinite(self._counts)] = np.nan
        self.set_period_text(*(stamp(self._edges[place], self._zone)[:16] for place in (0, -1)))
        self._show(n, degraded, has_data=bool(np.nansum(self._counts) > 0))

    def retranslate(self) -> None:
        """The switch too."""
        super().retranslate()
        self._as_shares.setText(self._language("plot.shares"))
        self._as_shares.setAccessibleName(self._language("plot.shares"))
        self._as_shares.setToolTip(plain_tip(self._language("plot.shares_tip")))
        self._as_shares.setAccessibleDescription(self._language("plot.shares_tip"))

    # -------------------------------------------------------------- drawing

    def _draw(self) -> None:
        entries = [self._entry(number) for number in range(len(self._layers))]
        self.legend.show_entries(entries)
        heights = self._heights()
        tops = np.nancumsum(heights, axis=0) if len(heights) else heights
        while len(self._bars) < len(entries):
            bar = self._graph.BarGraphItem(x0=[], x1=[], y0=[], y1=[])
            self._bars.append(bar)
            self.canvas.add(bar)
        left, right = self._bar_edges()
        for number, bar in enumerate(self._bars):
            drawn = np.flatnonzero(heights[number] > 0) if number < len(heights) else np.zeros(0, np.intp)
            high = tops[number][drawn] if len(drawn) else np.zeros(0)
            low = high - heights[number][drawn] if len(drawn) else np.zeros(0)
            bar.setOpts(x0=left[drawn], x1=right[drawn], y0=low, y1=high)
        self._go_home(tops[-1] if len(tops) else np.zeros(1))
        self._dress()

    def _entry(self, number: int) -> Entry:
        layer = self._layers[number]
        colour = bar_colour(layer.colour, self.palette()) or series_colour(number, self.palette())
        return Entry(layer.name, colour, hollow=layer.colour == _HOLLOW)

    def _heights(self) -> Floats:
        """A row for each layer, zero where it is hidden; shares are those of the whole bucket."""
        heights = self._counts.copy()
        if self._as_shares.isChecked():
            whole = np.nansum(self._counts, axis=0)
            heights = np.divide(heights, whole, out=np.full_like(heights, np.nan), where=whole > 0)
        for number, layer in enumerate(self._layers):
            if layer.name in self.legend.hidden:
                heights[number] = 0
        return heights

    def _bar_edges(self) -> tuple[Floats, Floats]:
        space = 0.06 * np.diff(self._edges)
        return self._edges[:-1] + space, self._edges[1:] - space

    def _go_home(self, tops: Floats) -> None:
        largest = float(tops.max(initial=0.0))
        top, above = (1.0, 0) if self._as_shares.isChecked() else usual_top(tops)
        self._tell_outliers(above, f"{largest:,.0f}", shown=self._all_shown)
        bounds = (0.0, 1.0 if self._as_shares.isChecked() else None)
        _, high = value_range(0.0, largest if self._all_shown else top, (), bounds)
        _, highest = value_range(0.0, largest, (), bounds)
        closest = 3 * float(np.diff(self._edges).min())
        self.canvas.set_home(self._edges[0], self._edges[-1], 0.0, high, highest=highest, closest=closest)

    def _dress(self) -> None:
        """Colours; with room, a thin line between bars, and bars that are framed only."""
        left, right, _, _ = self.canvas.ranges()
        pixels = float(np.diff(self._edges).min()) / max(right - left, 1e-9) * self.canvas.width()
        ground = self.palette().color(QPalette.ColorRole.Base)
        for number, bar in enumerate(self._bars[: len(self._layers)]):
            entry = self._entry(number)
            hollow = entry.hollow and pixels >= _SLIM
            edge = entry.colour if hollow else ground
            pen = self._graph.mkPen(edge, width=1) if pixels >= _SLIM else self._graph.mkPen(None)
            brush = ground if hollow else entry.colour
            if (bar.opts.get("pen"), bar.opts.get("brush")) != (pen, self._graph.mkBrush(brush)):
                bar.setOpts(pen=pen, brush=self._graph.mkBrush(brush))

    def _side_ticks(self, low: float, high: float, most: int) -> Sequence[Tick]:
        if not self._as_shares.isChecked():
            return value_ticks(low, high, most, Unit.COUNT)
        return [(value, f"{100 * value:.0f}%") for value, _ in value_ticks(low, high, most, Unit.SHARE)]

    def _switch(self) -> None:
        self.canvas.reset()
        self._draw()

    def _toggle_outliers(self) -> None:
        self._all_shown = not self._all_shown
        self._switch()

    # -------------------------------------------------------------- reading

    def _reading_at(self, x: float, _y: float | None) -> Reading | None:
        place = int(np.searchsorted(self._edges, x, "right")) - 1
        if not 0 <= place < len(self._edges) - 1:
            return None
        start, end = self._edges[place], self._edges[place + 1]
        opened, closed = span_text(start, end, self._zone)
        heading = self._language("plot.span", start=opened, end=closed) if closed else opened
        counts = self._counts[:, place]
        whole = float(np.nansum(counts))
        lines = []
        for layer, count in zip(self._layers, counts.tolist(), strict=True):
            if layer.name in self.legend.hidden:
                continue
            if np.isnan(count):
                lines.append(self._language("plot.no_value", name=layer.name))
            elif whole:
                told = {"name": layer.name, "value": f"{count:,.0f}", "share": share_text(count, whole)}
                lines.append(self._language("plot.value_share", **told))
            else:
                lines.append(self._language("plot.value", name=layer.name, value="0"))
        lines.append(self._language("plot.total", value=f"{whole:,.0f}"))
        middle = float((start + end) / 2)
        return Reading(middle, middle, heading, tuple(lines))

    def _next_stop(self, x: float | None, steps: int) -> float | None:
        middles = (self._edges[1:] + self._edges[:-1]) / 2
        if x is None:
            left, right, _, _ = self.canvas.ranges()
            place = np.searchsorted(middles, left) if steps > 0 else np.searchsorted(middles, right, "right") - 1
        else:
            place = np.searchsorted(middles, x) + steps
        return float(middles[int(np.clip(place, 0, len(middles) - 1))])

    # --------------------------------------------------------------- export

    def table(self) -> Table:
        """A row for each bucket: from, to, a count for each layer (empty: not known), and their sum."""
        say = self._language
        names = [layer.name for layer in self._layers]
        header = (say("plot.column_from"), say("plot.column_to"), *names, say("plot.column_total"))
        rows: list[list[Cell]] = []
        for place in range(len(self._edges) - 1):
            counts = [None if np.isnan(count) else int(count) for count in self._counts[:, place].tolist()]
            bounds = [stamp(at, self._zone) for at in self._edges[place : place + 2].tolist()]
            rows.append([*bounds, *counts, sum(count for count in counts if count is not None)])
        return Table(say(self._words.title), header, rows)
