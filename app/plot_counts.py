"""Counts that are not over time: a histogram over 0 … 1 with thresholds, and bars by category."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo
from typing import Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QComboBox

from app.i18n import Language
from app.plot_data import Bins, Category, ChartWords, Threshold, Unit
from app.plot_frame import Chart
from app.plot_reading import Reading
from app.plot_ticks import Tick, share_text, value_ticks
from app.plot_values import value_range
from app.table_export import Table
from app.theme import bar_colour, series_colour

_NAMES = 0.4  # of the width, at most, for the names of categories
_LABEL = 8  # pixels around the letters of a threshold's label
_THICK = 0.6  # of the place of a category
_PLACES = 4  # at least; fewer categories leave the rest empty


class Histogram(Chart):
    """Counts over 0 … 1 with thresholds as upright lines; a chooser when there are several."""

    def __init__(self, language: Language, name: str, words: ChartWords, zone: tzinfo | None = None) -> None:
        self._all: tuple[Bins, ...] = ()
        self._chooser = QComboBox()
        self._height = 0.0
        super().__init__(language, name, words, zone)
        import pyqtgraph

        self._graph = pyqtgraph
        self._bars: Any = pyqtgraph.BarGraphItem(x0=[], x1=[], y0=0, height=[])
        self.canvas.add(self._bars)
        self.canvas.set_ticks(
            lambda left, right, most: value_ticks(left, right, min(most, 10), Unit.SHARE),
            lambda low, high, most: value_ticks(low, high, most, Unit.COUNT),
        )
        self._chooser.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._chooser.hide()
        self._add_below_title(self._chooser)
        self._chooser.activated.connect(self._draw)
        self.canvas.view_changed.connect(self._leave_headroom)

    def set_bins(self, bins: Sequence[Bins], *, n: int, degraded: int | None = None) -> None:
        """Show the first, or the one chosen before."""
        chosen = self._chooser.currentText()
        self._all = tuple(bins)
        names = [one.name for one in bins]
        if names != [self._chooser.itemText(place) for place in range(self._chooser.count())]:
            self._chooser.clear()
            self._chooser.addItems(names)
            self._chooser.setCurrentIndex(names.index(chosen) if chosen in names else 0)
        self._chooser.setVisible(len(names) > 1)
        self._show(n, degraded, has_data=any(sum(one.counts) for one in bins))

    def retranslate(self) -> None:
        """The chooser too."""
        super().retranslate()
        self._chooser.setAccessibleName(self._language("plot.choose"))

    @property
    def _bins(self) -> Bins:
        return self._all[self._chooser.currentIndex()] if self._all else Bins("", ())

    def _draw(self) -> None:
        counts = np.asarray(self._bins.counts, np.float64)
        edges = np.linspace(0, 1, len(counts) + 1)
        pen, brush = self._graph.mkPen(self._ground(), width=1), self._graph.mkBrush(series_colour(0, self.palette()))
        self._bars.setOpts(x0=edges[:-1], x1=edges[1:], y0=0, height=counts, pen=pen, brush=brush)
        self.canvas.set_thresholds([(one.value, self._label(one)) for one in self._bins.thresholds], upright=True)
        self._height = 0.0
        self._leave_headroom()

    def _leave_headroom(self) -> None:
        """Room above the highest bar for the label of each threshold: a matter of pixels."""
        height = float(self.canvas.plane_rect().height())
        if height == self._height:
            return
        self._height = height
        labels = len(self._bins.thresholds) * (self.fontMetrics().height() + _LABEL)
        _, high = value_range(0.0, float(max(self._bins.counts, default=0)), (), (0.0, None))
        self.canvas.set_home(0.0, 1.0, 0.0, high / max(0.3, 1 - labels / max(1.0, height)), closest=0.05)

    def _label(self, limit: Threshold) -> str:
        value = f"{limit.value:.2f}"
        text = self._language(limit.word, value=value)
        return text if value in text else f"{text} {value}"

    def _ground(self) -> QColor:
        return self.palette().color(QPalette.ColorRole.Base)

    def _reading_at(self, x: float, _y: float | None) -> Reading | None:
        counts = self._bins.counts
        place = int(x * len(counts)) if x < 1 else len(counts) - 1
        if not 0 <= place < len(counts) or x < 0:
            return None
        width, whole = 1 / len(counts), sum(counts)
        heading = self._language("plot.bin", start=f"{place * width:.2f}", end=f"{(place + 1) * width:.2f}")
        told = {"value": f"{counts[place]:,}", "share": share_text(counts[place], whole)}
        name = self._language("plot.column_count")
        lines = (
            self._language("plot.value_share", name=name, **told),
            self._language("plot.total", value=f"{whole:,}"),
        )
        middle = (place + 0.5) * width
        return Reading(middle, middle, heading, lines)

    def _next_stop(self, x: float | None, steps: int) -> float | None:
        count = len(self._bins.counts)
        place = (0 if steps > 0 else count - 1) if x is None else int(x * count) + steps
        return (min(max(place, 0), count - 1) + 0.5) / count if count else None

    def table(self) -> Table:
        """A row for each bin of each histogram: name, from, to, count."""
        say = self._language
        header = ("plot.column_name", "plot.column_low", "plot.column_high", "plot.column_count")
        rows = [
            (one.name, round(place / len(one.counts), 4), round((place + 1) / len(one.counts), 4), count)
            for one in self._all
            for place, count in enumerate(one.counts)
        ]
        return Table(say(self._words.title), [say(name) for name in header], rows)


class CategoryBars(Chart):
    """One bar a category, lying, with name, count and share."""

    def __init__(self, language: Language, name: str, words: ChartWords, zone: tzinfo | None = None) -> None:
        self._categories: tuple[Category, ...] = ()
        self._labels: list[Any] = []
        self._width = 0
        super().__init__(language, name, words, zone)
        import pyqtgraph

        self._graph = pyqtgraph
        self._bars: Any = pyqtgraph.BarGraphItem(x0=0, width=[], y0=[], y1=[])
        self.canvas.add(self._bars)
        self.canvas.has_grid = False
        self.canvas.set_ticks(lambda left, right, most: value_ticks(left, right, min(most, 8), Unit.COUNT), self._names)
        self.canvas.view_changed.connect(self._make_room)

    def set_categories(self, categories: Sequence[Category], *, n: int, degraded: int | None = None) -> None:
        """Show them in this order."""
        self._categories = tuple(categories)
        self._show(n, degraded, has_data=any(one.count for one in categories))

    def _draw(self) -> None:
        counts = np.array([one.count for one in self._categories], np.float64)
        middles = self._middles()
        palette = self.palette()
        colours = [bar_colour(one.colour, palette) or series_colour(0, palette) for one in self._categories]
        self._bars.setOpts(
            x0=0,
            width=counts,
            y0=middles - _THICK / 2,
            y1=middles + _THICK / 2,
            brushes=[self._graph.mkBrush(colour) for colour in colours],
            pen=self._graph.mkPen(None),
        )
        self._write(counts, middles)
        self._width = 0
        self._make_room()

    def _middles(self) -> Any:
        """Heights of the bars, the first at the top."""
        return self._places() - 0.5 - np.arange(len(self._categories))

    def _places(self) -> int:
        return max(_PLACES, len(self._categories))

    def _make_room(self) -> None:
        """Where bars end, so that the text behind the longest still fits: a matter of pixels."""
        width = self.canvas.width()
        if width == self._width:
            return
        self._width = width
        words = max((label.boundingRect().width() for label in self._labels if label.isVisible()), default=0.0)
        most = float(max((one.count for one in self._categories), default=0)) or 1.0
        self.canvas.set_home(
            0.0, most / max(0.2, 1 - (words + 8) / max(1, width)), 0.0, float(self._places()), closest=1.0
        )

    def _write(self, counts: Any, middles: Any) -> None:
        """Count and share behind each bar."""
        while len(self._labels) < len(counts):
            label = self._graph.TextItem("", anchor=(0, 0.5))
            self._labels.append(label)
            self.canvas.add(label)
        whole = float(counts.sum())
        for number, label in enumerate(self._labels):
            label.setVisible(number < len(counts))
            if number < len(counts):
                label.setPlainText(f"{counts[number]:,.0f}　{share_text(counts[number], whole)}")
                label.setColor(self.palette().color(QPalette.ColorRole.Text))
                label.setFont(self.font())
                label.setPos(counts[number], middles[number])

    def _names(self, low: float, high: float, _most: int) -> Sequence[Tick]:
        metrics, room = self.fontMetrics(), int(_NAMES * self.canvas.widget.width())
        names = [" ".join(one.name.split()) for one in self._categories]
        shown = [metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, room) for name in names]
        return [tick for tick in zip(self._middles().tolist(), shown, strict=True) if low <= tick[0] <= high]

    def _reading_at(self, x: float, y: float | None) -> Reading | None:
        place = int(x) if y is None else self._places() - 1 - int(np.floor(y))
        if not 0 <= place < len(self._categories):
            return None
        one, whole = self._categories[place], sum(one.count for one in self._categories)
        told = self._language(
            "plot.value_share", name=one.name, value=f"{one.count:,}", share=share_text(one.count, whole)
        )
        return Reading(float(one.count), float(place), told, (self._language("plot.total", value=f"{whole:,}"),))

    def _next_stop(self, x: float | None, steps: int) -> float | None:
        last = len(self._categories) - 1
        place = (0 if steps > 0 else last) if x is None else int(x) + steps
        return float(min(max(place, 0), last)) if last >= 0 else None

    def table(self) -> Table:
        """A row for each category."""
        say = self._language
        rows = [(one.name, one.count) for one in self._categories]
        return Table(say(self._words.title), (say("plot.column_name"), say("plot.column_count")), rows)
