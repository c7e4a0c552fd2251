"""Lines over time, one for each series, with marks, gaps, and a top that a few huge values do not push away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import tzinfo
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsPathItem

from app.i18n import Language
from app.plot_data import ChartWords, Line, Series, Threshold, Unit, group_of
from app.plot_frame import Chart
from app.plot_legend import Entry
from app.plot_reading import Reading
from app.plot_ticks import moment_text, stamp, time_ticks, value_text, value_ticks
from app.plot_values import Curve, Floats, curve, thinned, usual_top, value_range, with_dashes
from app.table_export import Table
from app.theme import series_colour
from core.figures import Period

_COLOURS = 8
_FITTING = 5  # lines of the read-out that always fit
_MARKS = ("o", "s", "t1", "d", "t", "p", "x", "+")
_BETWEEN_MARKS = 96  # pixels
_FEW = 24  # points that are all marked
_SAME_TIME = 0.75  # widths: series are not sampled at the very same moment
_COLUMN, _COARSE = 2, 3  # pixels that share one smallest and one largest value; with many lines
_MANY = 6
_STYLES = {
    (Line.SOLID, False): Qt.PenStyle.SolidLine,
    (Line.DOTTED, False): Qt.PenStyle.DotLine,
    (Line.SOLID, True): Qt.PenStyle.DashLine,
    (Line.DOTTED, True): Qt.PenStyle.DashDotLine,
}


class LineChart(Chart):
    """Lines over time, local, right across clock changes. `bounds`: where the axis ends (a share: at 1); None follows
    the values. Threshold lines are always in sight."""

    _absence = "plot.about_gaps"

    def __init__(
        self,
        language: Language,
        name: str,
        words: ChartWords,
        *,
        unit: Unit = Unit.SHARE,
        thresholds: Sequence[Threshold] = (),
        bounds: tuple[float | None, float | None] = (0.0, None),
        zone: tzinfo | None = None,
    ) -> None:
        self._unit, self._thresholds, self._bounds = unit, tuple(thresholds), bounds
        self._series: tuple[Series, ...] = ()
        self._curves: list[Curve] = []
        self._start, self._end = 0.0, 1.0
        self._lines: list[QGraphicsPathItem] = []
        self._places: dict[str, int] = {}  # group → colour and mark; kept, so that they stay when series come and go
        self._brushes: list[QBrush] = []  # the same ones each time: pyqtgraph keeps a picture of a mark by its brush
        self._all_shown = self._drawing = False
        super().__init__(language, name, words, zone)
        import pyqtgraph

        self._graph = pyqtgraph
        self._marks: Any = pyqtgraph.ScatterPlotItem(pen=None)
        self._marks.setZValue(5)
        self.canvas.add(self._marks)
        self.canvas.set_ticks(
            lambda left, right, most: time_ticks(left, right, most, self._zone),
            lambda low, high, most: value_ticks(low, high, most, self._unit),
        )
        self.canvas.view_changed.connect(self._fill)
        self._outliers.clicked.connect(self._toggle_outliers)

    def set_series(self, series: Sequence[Series], period: Period, *, n: int, degraded: int | None = None) -> None:
        """Show these lines over the period; curves are made once and filled again. `n`: how many calls or lookups
        stand behind the chart, `degraded` of them were degraded (None: not told here)."""
        self._series = tuple(series)
        self._start, self._end = period.start.timestamp(), period.end.timestamp()
        self._curves = [curve(one, self._start, self._end) for one in self._series]
        self.set_period_text(stamp(self._start, self._zone)[:16], stamp(self._end, self._zone)[:16])
        self._show(n, degraded, has_data=any(len(one.x) for one in self._curves))

    # -------------------------------------------------------------- drawing

    def _draw(self) -> None:
        entries = [self._entry(one) for one in self._series]
        # One entry a group: its lines share colour and mark, and are hidden and shown together.
        firsts = {group_of(one): entry for one, entry in zip(reversed(self._series), reversed(entries), strict=True)}
        groups = dict.fromkeys(map(group_of, self._series))
        self.legend.show_entries([replace(firsts[group], name=group) for group in groups])
        while len(self._lines) < len(self._series):
            # Qt's own item: asking pyqtgraph's for its bounds, again and again, costs more than drawing it.
            line = QGraphicsPathItem()
            self._lines.append(line)
            self.canvas.add(line)
        for line, entry in zip(self._lines, entries, strict=False):
            line.setPen(QPen(entry.colour, 0, entry.style))  # 0: one pixel, at any zoom
        self._drawing = True  # what changes the view would fill the curves each time
        self.canvas.set_thresholds([(limit.value, self._label(limit)) for limit in self._thresholds])
        self._go_home()
        self._drawing = False
        self._fill()

    def _restyle(self) -> None:
        self._brushes = [QBrush(series_colour(place, self.palette())) for place in range(_COLOURS)]
        super()._restyle()

    def _entry(self, series: Series) -> Entry:
        place = self._places.setdefault(group_of(series), len(self._places))
        mark = self._graph.graphicsItems.ScatterPlotItem.Symbols[_MARKS[place % _COLOURS]]
        style = _STYLES[series.line, place >= _COLOURS]
        return Entry(series.name, series_colour(place, self.palette()), mark, style)

    def _label(self, limit: Threshold) -> str:
        value = f"{limit.value:.2f}" if self._unit is Unit.SHARE else value_text(limit.value, self._unit)
        return self._language(limit.word, value=value)

    def _go_home(self) -> None:
        """The range of what is shown: thresholds always, a few huge values only when asked for."""
        shown = [one.y for _, one in self._shown()]
        values: Floats = np.concatenate(shown) if shown else np.zeros(1)
        largest = float(values.max())
        limits = [limit.value for limit in self._thresholds]
        top, above = (largest, 0) if self._bounds[1] is not None else usual_top(values, max(limits, default=0.0))
        self._tell_outliers(above, value_text(largest, self._unit), shown=self._all_shown)
        lowest = float(values.min())
        low, high = value_range(lowest, largest if self._all_shown else top, limits, self._bounds)
        highest = max(high, value_range(lowest, largest, limits, self._bounds)[1])
        closest = 3 * min((one.width_s for one in self._series), default=60.0)
        self.canvas.set_home(self._start, self._end, low, high, highest=highest, closest=closest)

    def _toggle_outliers(self) -> None:
        self._all_shown = not self._all_shown
        self.canvas.reset()
        self._draw()

    def _shown(self) -> list[tuple[Series, Curve]]:
        hidden = self.legend.hidden
        pairs = zip(self._series, self._curves, strict=True)
        return [(series, one) for series, one in pairs if group_of(series) not in hidden and len(one.x)]

    def _fill(self) -> None:
        """Give the curves what is in view, thinned to the pixels there are, and put marks on them."""
        if self._drawing:
            return
        left, right, _, _ = self.canvas.ranges()
        columns = max(50, self.canvas.width() // (_COARSE if len(self._series) > _MANY else _COLUMN))
        hidden = self.legend.hidden
        marks = _Marks()
        dash = (right - left) / max(1, self.canvas.width())
        for number, line in enumerate(self._lines):
            is_shown = number < len(self._series) and group_of(self._series[number]) not in hidden
            line.setVisible(is_shown)
            if not is_shown:
                line.setPath(QPainterPath())
                continue
            drawn = thinned(self._curves[number], left, right, columns)
            line.setPath(self._path(with_dashes(drawn, dash)))
            chosen = _marked(drawn, left, right, self.canvas.width(), (number + 0.5) / len(self._series))
            place = self._places[group_of(self._series[number])]
            marks.put(drawn, chosen, _MARKS[place % _COLOURS], self._brushes[place % _COLOURS])
        marks.show(self._marks, size=max(7, self.fontMetrics().height() * 2 // 5))

    def _path(self, drawn: Curve) -> QPainterPath:
        connect = "all" if drawn.joined[:-1].all() else drawn.joined
        path: QPainterPath = self._graph.arrayToQPath(drawn.x, drawn.y, connect, finiteCheck=False)
        return path

    # -------------------------------------------------------------- reading

    def _reading_at(self, x: float, y: float | None) -> Reading | None:
        shown = [(series, one, one.near(x)) for series, one in self._shown()]
        if not shown:
            return None
        at = min((float(one.x[place]) for _, one, place in shown), key=lambda time: abs(time - x))
        lines: list[tuple[float, str]] = []
        for series, one, _ in shown:
            place = one.near(at)
            if abs(float(one.x[place]) - at) > _SAME_TIME * series.width_s:
                continue
            value = float(one.y[place])
            told = {"name": series.name, "value": value_text(value, self._unit)}
            if one.counts is None:
                text = self._language("plot.value", **told)
            else:
                text = self._language("plot.value_n", **told, count=f"{int(one.counts[place]):,}")
            lines.append((abs(value - y) if y is not None else 0.0, text))
        if y is not None and len(lines) > _FITTING:  # not all may fit: those beside the pointer first
            lines.sort(key=lambda line: line[0])
        return Reading(at, at, moment_text(at, self._zone, exact=True), tuple(text for _, text in lines))

    def _next_stop(self, x: float | None, steps: int) -> float | None:
        shown = [one.x for _, one in self._shown()]
        if not shown:
            return None
        stops = np.unique(np.concatenate(shown))
        if x is None:
            left, right, _, _ = self.canvas.ranges()
            place = np.searchsorted(stops, left) if steps > 0 else np.searchsorted(stops, right, "right") - 1
        else:
            place = np.searchsorted(stops, x) + steps
        return float(stops[int(np.clip(place, 0, len(stops) - 1))])

    # --------------------------------------------------------------- export

    def table(self) -> Table:
        """A row for each point of the period: local time with its offset, name, value, n."""
        say = self._language
        value, digits = ("plot.column_ms", 1) if self._unit is Unit.MS else ("plot.column_value", 4)
        header = (say("plot.column_time"), say("plot.column_name"), say(value), say("plot.column_n"))
        rows = [
            (
                stamp(at, self._zone),
                series.name,
                round(number, digits),
                None if one.counts is None else int(one.counts[place]),
            )
            for series, one in zip(self._series, self._curves, strict=True)
            for place, (at, number) in enumerate(zip(one.x.tolist(), one.y.tolist(), strict=True))
        ]
        return Table(say(self._words.title), header, rows)


class _Marks:
    """The marks of all lines, gathered for one item."""

    def __init__(self) -> None:
        self._x: list[Floats] = []
        self._y: list[Floats] = []
        self._symbols: list[str] = []
        self._brushes: list[QBrush] = []

    def put(self, drawn: Curve, chosen: Any, symbol: str, brush: QBrush) -> None:
        self._x.append(drawn.x[chosen])
        self._y.append(drawn.y[chosen])
        self._symbols += [symbol] * len(chosen)
        self._brushes += [brush] * len(chosen)

    def show(self, item: Any, size: int) -> None:
        empty: Floats = np.zeros(0)
        item.setData(
            x=np.concatenate([empty, *self._x]),
            y=np.concatenate([empty, *self._y]),
            symbol=self._symbols or "o",
            brush=self._brushes or None,
            size=size,
        )


def _marked(drawn: Curve, left: float, right: float, pixels: int, shift: float) -> Any:
    """Indices of points to mark: all of a few, else one every so often, each line at places of its own."""
    if len(drawn.x) <= _FEW:
        return np.arange(len(drawn.x))
    count = max(1, pixels // _BETWEEN_MARKS)
    places = left + (np.arange(count) + shift) * (right - left) / count
    inside = places[(places >= drawn.x[0]) & (places <= drawn.x[-1])]
    return np.searchsorted(drawn.x, inside)
