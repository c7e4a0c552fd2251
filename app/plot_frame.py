"""What all charts share: title, layer, n, explanation, legend, read-out, zoom, export, words for "no data"."""

from __future__ import annotations

from datetime import datetime, tzinfo
from pathlib import Path

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPixmap, QShowEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from app.flow_layout import FlowRow
from app.i18n import Language
from app.plot_canvas import Canvas
from app.plot_data import ChartWords
from app.plot_legend import Legend
from app.plot_reading import Reading, ReadOut
from app.plot_ticks import share_text
from app.table_export import Table, write_tables
from app.tool_tips import plain_tip
from core.figures import Layer

_LAYERS = {
    Layer.REQUEST: ("plot.layer_request", "plot.about_request"),
    Layer.TOOL: ("plot.layer_tool", "plot.about_tool"),
    Layer.AGENT: ("plot.layer_agent", "plot.about_agent"),
}
_NARROWEST = 40  # pixels of a button, so that a long text never widens the page
_SHARPNESS = 2  # pixels of an exported picture for each on the screen
_LINES = 10  # of text, the height of a plot
_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class Chart(QFrame):
    """A card with one chart. Object name `name`; languages and themes are switched live. Making one imports
    pyqtgraph: make it when its page is first shown. `zone`: local time, None for the system's."""

    _outdated = Signal()
    _absence = ""  # the word for what an empty place means

    def __init__(self, language: Language, name: str, words: ChartWords, zone: tzinfo | None = None) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setProperty("card", True)
        self._language, self._words, self._zone = language, words, zone
        self._n = 0
        self._degraded: int | None = None
        self._stop: float | None = None
        self._outworn = False  # colours and sizes are of another theme or font
        self._period: dict[str, str] = {}
        self._title, self._layer, self._context, self._said = (QLabel() for _ in range(4))
        self._empty = QLabel()
        for label in (self._title, self._layer, self._context, self._said, self._empty):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._about, self._export, self._reset, self._outliers = (QToolButton() for _ in range(4))
        self._menu = QMenu(self)
        self._to_image, self._to_table = self._menu.addAction(""), self._menu.addAction("")
        self.canvas = Canvas(self)
        self._reading = ReadOut(language, self.canvas, self)
        self.legend = Legend(language, self)
        self._tools, self._second = QWidget(self), FlowRow(self)
        self._plot_or_words = QStackedWidget(self)
        self._build()
        self._connect()

    # -------------------------------------------------- what each chart has

    def _draw(self) -> None:
        """Draw everything anew: data, theme, language or selection changed."""
        raise NotImplementedError

    def _reading_at(self, x: float, y: float | None) -> Reading | None:
        """What is read out at x; y where the pointer stands, None for the keyboard."""
        raise NotImplementedError

    def _next_stop(self, x: float | None, steps: int) -> float | None:
        """Where the keyboard goes from x (None: from outside)."""
        raise NotImplementedError

    def table(self) -> Table:
        """What the chart shows, as it is exported: the whole period, whatever is zoomed or hidden."""
        raise NotImplementedError

    # ---------------------------------------------------------- for charts

    def _show(self, n: int, degraded: int | None, *, has_data: bool) -> None:
        """Take new figures: fill the texts, and draw, or say that there is nothing."""
        self._n, self._degraded = n, degraded
        self._plot_or_words.setCurrentIndex(0 if has_data else 1)
        self._say("")
        self._retell()
        self._draw()
        if not has_data:
            self._hide_reading()
            self.legend.show_entries(())

    def _add_tool(self, tool: QWidget) -> None:
        """A control of this chart's own, before the others."""
        row = self._tools.layout()
        assert isinstance(row, QHBoxLayout)
        row.insertWidget(0, tool)

    def _add_below_title(self, tool: QWidget) -> None:
        """A control of this chart's own that may be long, in a line that breaks."""
        row = self._second.layout()
        assert row is not None
        row.addWidget(tool)

    def _say(self, text: str) -> None:
        self._said.setText(text)
        self._said.setVisible(bool(text))

    def _tell_outliers(self, count: int, largest: str, *, shown: bool) -> None:
        """Say how many values lie above what is usual; the button shows them, and goes back."""
        self._outliers.setVisible(count > 0)
        told = self._language("plot.above", count=count, largest=largest)
        action = self._language("plot.show_usual" if shown else "plot.show_all")
        self._outliers.setText(action if shown else f"{told} · {action}")
        self._outliers.setAccessibleName(f"{told} · {action}")

    def set_period_text(self, start: str, end: str) -> None:
        """What an exported picture says of its period."""
        self._period = {"start": start, "end": end}

    # ------------------------------------------------------------- building

    def _build(self) -> None:
        self._title.setProperty("role", "title")
        self._title.setWordWrap(True)
        self._layer.setProperty("chip", True)
        self._layer.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for label in (self._context, self._said, self._empty):
            label.setProperty("role", "faint")
            label.setWordWrap(True)
            label.setContentsMargins(0, 3, 0, 3)  # in line with the chip beside them
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        tools = QHBoxLayout(self._tools)
        for button in (self._about, self._export):
            button.setProperty("flat", True)
            tools.addWidget(button)
        self._export.setProperty("opens", "menu")
        for button in (self._reset, self._outliers):
            button.setProperty("link", True)
            button.setMinimumWidth(_NARROWEST)
        self._export.setMenu(self._menu)
        self._export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        tools.setContentsMargins(0, 0, 0, 0)
        tools.setSpacing(4)
        policy = self._tools.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._tools.setSizePolicy(policy)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title, 1)
        head.addWidget(self._tools, 0, Qt.AlignmentFlag.AlignTop)
        self._second.fill((self._layer, self._context, self._outliers, self._reset, self._said))
        for widget in (self._outliers, self._reset, self._said):
            widget.hide()
        plot, words = QWidget(), QWidget()
        for holder, held in ((plot, self.canvas.widget), (words, self._empty)):
            inside = QVBoxLayout(holder)
            inside.setContentsMargins(0, 0, 0, 0)
            inside.addWidget(held)
            self._plot_or_words.addWidget(holder)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 12, 8)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._second)
        column.addWidget(self.legend)
        column.addWidget(self._plot_or_words, 1)
        self._plot_or_words.setCurrentIndex(1)

    def _connect(self) -> None:
        self.canvas.pointed.connect(self._point)
        self.canvas.stepped.connect(self._step)
        self.canvas.left.connect(self._hide_reading)
        self.canvas.zoomed.connect(self._reset.setVisible)
        self.legend.toggled.connect(self._draw)
        self._reset.clicked.connect(self.canvas.reset)
        self._about.clicked.connect(self._tell_about)
        self._to_image.triggered.connect(self._ask_image)
        self._to_table.triggered.connect(self._ask_table)
        self._outdated.connect(self._wear, Qt.ConnectionType.QueuedConnection)
        self._language.changed.connect(self.retranslate)
        self.retranslate()
        self._restyle()

    # ---------------------------------------------------------------- words

    def retranslate(self) -> None:
        """Set all texts again. Names of series are the page's to give again."""
        say = self._language
        title = say(self._words.title)
        layer, about_layer = _LAYERS[self._words.layer]
        self._title.setText(title)
        self._layer.setText(say(layer))
        absent = [say(self._absence)] if self._absence else []
        about = "\n".join((say(self._words.counts), say(about_layer), *absent, say("plot.keys")))
        self.setAccessibleName(title)
        self._about.setText(say("plot.about"))
        self._about.setAccessibleName(say("plot.about_name", title=title))
        self._export.setText(say("plot.export"))
        self._export.setAccessibleName(say("plot.export_name", title=title))
        self._reset.setText(say("plot.reset"))
        self._to_image.setText(say("plot.export_image"))
        self._to_table.setText(say("plot.export_table"))
        for widget in (self._about, self._title, self._layer):
            widget.setToolTip(plain_tip(about))
        self._about.setAccessibleDescription(about)
        self._reset.setToolTip(plain_tip(say("plot.reset_tip")))
        self.canvas.widget.setAccessibleName(title)
        self._retell()
        if self._plot_or_words.currentIndex() == 0:
            self._draw()

    def _retell(self) -> None:
        say = self._language
        parts = [say("plot.n", count=f"{self._n:,}")]
        if self._degraded is not None and self._n:
            share = share_text(self._degraded, self._n)
            parts.append(say("plot.degraded", count=f"{self._degraded:,}", share=share))
        self._context.setText(" · ".join(parts))
        nothing = [say("plot.no_data"), *([say(self._words.empty)] if self._words.empty else [])]
        self._empty.setText("\n".join(nothing))
        told = [self._layer.text(), *parts] if self._has_data else [self._layer.text(), nothing[0]]
        self.setAccessibleDescription(" · ".join([*told, say(self._words.counts)]))
        self.canvas.widget.setAccessibleDescription(" · ".join([*told, say("plot.keys")]))

    @property
    def _has_data(self) -> bool:
        return self._plot_or_words.currentIndex() == 0

    def _tell_about(self) -> None:
        QToolTip.showText(self._about.mapToGlobal(QPoint(0, self._about.height())), self._about.toolTip(), self._about)

    # -------------------------------------------------------------- reading

    def _point(self, x: float, y: float) -> None:
        self._read(self._reading_at(x, y) if self._has_data else None)

    def _step(self, steps: int) -> None:
        stop = self._next_stop(self._stop, steps) if self._has_data else None
        reading = None if stop is None else self._reading_at(stop, None)
        if reading is not None:
            self.canvas.show_x(reading.x)
        self._read(reading)

    def _read(self, reading: Reading | None) -> None:
        if reading is None:
            self._hide_reading()
            return
        self._stop = reading.stop
        self.canvas.crosshair.setValue(reading.x)
        self.canvas.crosshair.show()
        self.canvas.widget.setAccessibleDescription(reading.text)
        self._reading.show_reading(reading)

    def _hide_reading(self) -> None:
        self._stop = None
        self._reading.hide()
        self.canvas.crosshair.hide()

    # --------------------------------------------------------------- export

    def save_image(self, path: Path) -> None:
        """The card as a PNG picture, with its period, without its buttons. Raises OSError."""
        self._hide_reading()
        self._tools.hide()
        foot = 2 * self.fontMetrics().height()
        picture = QPixmap((self.size() + QSize(0, foot)) * _SHARPNESS)
        picture.setDevicePixelRatio(_SHARPNESS)
        picture.fill(self.palette().window().color())
        self.render(picture)
        self._tools.show()
        painter = QPainter(picture)
        painter.setFont(self.font())
        painter.setPen(self.palette().windowText().color())
        told = self._language("plot.period", **self._period) if self._period else ""
        painter.drawText(16, self.height(), self.width() - 32, foot, _MIDDLE, told)
        painter.end()
        if not picture.save(str(path), "PNG"):
            raise OSError(f"{path}: not written")

    def save_table(self, path: Path) -> None:
        """What the chart shows, as CSV. Raises OSError."""
        write_tables(path, [self.table()])

    def _ask_image(self) -> None:
        self._ask(".png", "plot.image_files")

    def _ask_table(self) -> None:
        self._ask(".csv", "plot.table_files")

    def _ask(self, suffix: str, kinds: str) -> None:
        title = self._language("plot.export_name", title=self._title.text())
        suggested = f"{self._title.text()} {datetime.now():%Y-%m-%d}{suffix}"
        chosen, _ = QFileDialog.getSaveFileName(self, title, suggested, self._language(kinds))
        if not chosen:
            return
        path = Path(chosen) if Path(chosen).suffix.lower() == suffix else Path(chosen + suffix)
        try:
            (self.save_image if suffix == ".png" else self.save_table)(path)
        except OSError as error:
            self._say(self._language("plot.not_saved", detail=error.strerror or str(error)))
        else:
            self._say(self._language("plot.saved", name=path.name))

    # --------------------------------------------------------------- styles

    def changeEvent(self, event: QEvent) -> None:
        """Another theme or font: colours and sizes anew, once for the many such events of a switch."""
        super().changeEvent(event)
        looks = {QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange}
        if event.type() in looks and not self._outworn:
            self._outworn = True
            self._outdated.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """What was switched while nobody looked."""
        super().showEvent(event)
        self._wear()

    def _wear(self) -> None:
        if self._outworn and self.isVisible():
            self._restyle()
            self._outworn = False

    def _restyle(self) -> None:
        self.canvas.widget.setMinimumHeight(_LINES * self.fontMetrics().height())
        self.canvas.recolour()
        if self._has_data:
            self._draw()
