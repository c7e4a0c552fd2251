"""The plane that a chart draws on: pyqtgraph's plot with our axes, zoom, crosshair, thresholds, colours and keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainterPath, QPalette, QPen, QWheelEvent
from PySide6.QtWidgets import QGraphicsPathItem, QWidget

from app.plot_ticks import Tick
from app.theme import blended

_ROLE = QPalette.ColorRole
_ZOOM = 0.8  # of the width, for a key or a notch of the wheel
_NOTCH = 120  # Qt's units of a notch


class Canvas(QObject):
    """Holds `widget`. x and y are plain numbers; what they mean is up to the ticks. The view starts at home and comes
    back to it on a double click or the key 0; it never leaves the limits."""

    pointed = Signal(float, float)  # the pointer stands at x, y
    stepped = Signal(int)  # the crosshair shall go so many points on
    left = Signal()
    zoomed = Signal(bool)  # away from home, or back
    view_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.has_grid = True
        import pyqtgraph

        self._graph = pyqtgraph
        self.widget: Any = pyqtgraph.PlotWidget(parent)
        self.widget.setObjectName("chartPlot")
        self.widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.widget.setMenuEnabled(False)
        self.widget.hideButtons()
        self.plane: Any = self.widget.getPlotItem()
        self.view: Any = self.plane.getViewBox()
        self.view.setMouseMode(self.view.RectMode)
        self.view.setDefaultPadding(0.0)
        self.view.disableAutoRange()
        self.axes: dict[str, Any] = {side: self.plane.getAxis(side) for side in ("bottom", "left")}
        for axis in self.axes.values():
            axis.enableAutoSIPrefix(False)
            axis.setStyle(autoExpandTextSpace=False, autoReduceTextSpace=False, tickLength=-4)
        self.crosshair: Any = pyqtgraph.InfiniteLine(angle=90, movable=False)
        self.crosshair.setZValue(20)
        self.crosshair.hide()
        self.add(self.crosshair)
        # pyqtgraph's own grid lies above bars, and takes the lowest label away.
        self._grid = QGraphicsPathItem()
        self._grid.setZValue(-10)
        self.add(self._grid)
        self._thresholds: list[tuple[Any, Any]] = []
        self._told: tuple[tuple[float, str], ...] = ()
        self._home: tuple[float, float, float, float] | None = None
        self._drawn: dict[str, Sequence[Tick]] = {}
        self._limits: tuple[float, ...] = ()
        self._shown: tuple[float, ...] = ()
        self._ticks: dict[str, Callable[[float, float, int], Sequence[Tick]]] = {}
        self._away = False
        self.widget.installEventFilter(self)
        self.widget.viewport().installEventFilter(self)
        self.widget.scene().sigMouseMoved.connect(self._moved)
        self.widget.scene().sigMouseClicked.connect(self._clicked)
        self.view.sigRangeChanged.connect(self._view_changed)
        self.view.sigResized.connect(self._view_changed)

    def add(self, item: Any) -> None:
        """Take an item; it has no say in the range."""
        self.plane.addItem(item, ignoreBounds=True)

    # ------------------------------------------------------------- the view

    def ranges(self) -> tuple[float, float, float, float]:
        """left, right, low, high as shown."""
        (left, right), (low, high) = self.view.viewRange()
        return left, right, low, high

    def width(self) -> int:
        """Pixels across."""
        return int(self.view.width())

    def set_ticks(
        self,
        bottom: Callable[[float, float, int], Sequence[Tick]],
        side: Callable[[float, float, int], Sequence[Tick]],
    ) -> None:
        """What makes ticks of a range, given how many there is room for."""
        self._ticks = {"bottom": bottom, "left": side}
        self._draw_ticks()

    def set_home(
        self, left: float, right: float, low: float, high: float, *, highest: float | None = None, closest: float
    ) -> None:
        """The whole. A view that is at home follows it; one that is zoomed stays where it is, if that is still inside.
        `highest`: how far up one can zoom out; `closest`: the smallest width that can be zoomed to."""
        home = (left, right, low, high, max(high, highest or high))
        if home == self._limits:
            return
        self._limits = home
        inside = self._away and self._home is not None and self.ranges()[0] < right and self.ranges()[1] > left
        self._home = (left, right, low, high)
        self.view.setLimits(xMin=left, xMax=right, yMin=low, yMax=home[-1], minXRange=min(closest, right - left))
        if not inside:
            self.reset()

    def reset(self) -> None:
        """Back to the whole."""
        if self._home is not None:
            left, right, low, high = self._home
            self.view.setRange(xRange=(left, right), yRange=(low, high), padding=0)

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Make the stretch that is shown `factor` times as long, x (the middle) staying where it is."""
        left, right, _, _ = self.ranges()
        middle = (left + right) / 2 if x is None else x
        self.view.setXRange(middle - (middle - left) * factor, middle + (right - middle) * factor, padding=0)

    def show_x(self, x: float) -> None:
        """Move the view sideways, as far as it takes to show x."""
        left, right, _, _ = self.ranges()
        if not left <= x <= right:
            half = (right - left) / 2
            self.view.setXRange(x - half, x + half, padding=0)

    def _view_changed(self, *_: object) -> None:
        shown = (*self.ranges(), self.view.width(), self.view.height())
        if shown == self._shown:
            return
        self._shown = shown
        self._draw_ticks()
        self._place_labels()
        if self._home is not None:
            left, right, low, high = self._home
            spans = (right - left, right - left, high - low, high - low)
            near = all(
                abs(now - home) <= 1e-6 * span for now, home, span in zip(shown, self._home, spans, strict=False)
            )
            if near == self._away:
                self._away = not near
                self.zoomed.emit(self._away)
        self.view_changed.emit()

    def _draw_ticks(self) -> None:
        if not self._ticks:
            return
        metrics = self.widget.fontMetrics()
        left, right, low, high = self.ranges()
        wide = 2 * metrics.horizontalAdvance("00-00")
        bottom = self._ticks["bottom"](left, right, max(1, int(self.view.width()) // wide))
        side = self._ticks["left"](low, high, max(1, int(self.view.height()) // (2 * metrics.height())))
        for name, ticks in (("bottom", bottom), ("left", side)):
            if self._drawn.get(name) != ticks:
                self._drawn[name] = ticks
                self.axes[name].setTicks([ticks])
        grid = QPainterPath()
        for value, _ in side if self.has_grid else ():
            grid.moveTo(left, value)
            grid.lineTo(right, value)
        self._grid.setPath(grid)
        widest = max((metrics.horizontalAdvance(text) for _, text in side), default=0)
        width = max(widest, metrics.horizontalAdvance("0.00")) + 10
        if width != self.axes["left"].minimumWidth():
            self.axes["left"].setWidth(width)

    # ------------------------------------------------------------ thresholds

    def set_thresholds(self, thresholds: Sequence[tuple[float, str]], *, upright: bool = False) -> None:
        """Dashed lines across (or upright) with their labels, as plain text."""
        told = tuple(thresholds)
        if told == self._told:
            return
        self._told = told
        while len(self._thresholds) > len(thresholds):
            for item in self._thresholds.pop():
                self.plane.removeItem(item)
        while len(self._thresholds) < len(thresholds):
            line = self._graph.InfiniteLine(angle=90 if upright else 0, movable=False)
            label = self._graph.TextItem("")
            line.setZValue(10)
            label.setZValue(11)
            self.add(line)
            self.add(label)
            self._thresholds.append((line, label))
        for (line, label), (value, text) in zip(self._thresholds, thresholds, strict=True):
            line.setValue(value)
            label.setPlainText(text)
        self.recolour()
        self._place_labels()

    def _place_labels(self) -> None:
        left, right, low, high = self.ranges()
        for number, (line, label) in enumerate(self._thresholds):
            value = line.value()
            if line.angle == 90:  # each label a line lower than the one before, so that they never meet
                label.setAnchor((0 if value < (left + right) / 2 else 1, -number))
                label.setPos(value, high)
            else:
                label.setAnchor((1, 0) if value > low + (high - low) * 0.85 else (1, 1))
                label.setPos(right, value)
            label.setVisible(left <= value <= right if line.angle == 90 else low <= value <= high)

    # --------------------------------------------------------------- colours

    def recolour(self) -> None:
        """Take colours and font from the widget: after a switch of the theme, and once at the start."""
        palette, make_pen = self.widget.palette(), self._graph.mkPen
        ground, letters = palette.color(_ROLE.Base), palette.color(_ROLE.PlaceholderText)
        metrics = self.widget.fontMetrics()
        self.widget.setBackground(ground)
        for axis in self.axes.values():
            axis.setPen(make_pen(palette.color(_ROLE.Mid)))
            axis.setTextPen(make_pen(letters))
            axis.setTickFont(self.widget.font())
            axis.setStyle(hideOverlappingLabels=4 * metrics.height())  # pixels that a label may stand out at the ends
        self._grid.setPen(QPen(palette.color(_ROLE.Midlight), 0))
        self.axes["bottom"].setStyle(tickTextOffset=metrics.height() // 3)
        self.axes["bottom"].setHeight(metrics.height() * 4 // 3 + 4)
        self.plane.layout.setContentsMargins(0, metrics.height() // 2, metrics.horizontalAdvance("00:00"), 0)
        self.crosshair.setPen(
            make_pen(palette.color(_ROLE.Shadow if ground.lightness() > 128 else _ROLE.Text), width=1)
        )
        accent = palette.color(_ROLE.Highlight)
        box = self.view.rbScaleBox
        box.setPen(make_pen(accent, width=1))
        box.setBrush(self._graph.mkBrush(accent.red(), accent.green(), accent.blue(), 60))
        warning = palette.color(_ROLE.BrightText)
        for line, label in self._thresholds:
            line.setPen(make_pen(warning, width=1, style=Qt.PenStyle.DashLine))
            label.setColor(warning)
            label.setFont(self.widget.font())
            label.fill = self._graph.mkBrush(blended(ground, warning, 0.94))
            label.update()
        self._draw_ticks()

    # ---------------------------------------------------------------- events

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Wheel and keys. The wheel zooms only after a click or with Ctrl, so that the page can be scrolled over it."""
        kind = event.type()
        if kind == QEvent.Type.Wheel and isinstance(event, QWheelEvent):
            return self._wheel(event)
        if watched is self.widget and kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(event)
        if kind == QEvent.Type.Leave or (watched is self.widget and kind == QEvent.Type.FocusOut):
            self.left.emit()
        return False

    def _wheel(self, event: QWheelEvent) -> bool:
        held = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        notches = event.angleDelta().y() / _NOTCH
        if not notches or not (held or self.widget.hasFocus()):
            event.ignore()  # goes on to the page
            return True
        place = self.view.mapSceneToView(self.widget.mapToScene(event.position().toPoint()))
        self.zoom(_ZOOM**notches, place.x())
        event.accept()
        return True

    def _key(self, event: QKeyEvent) -> bool:
        key = event.key()
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: -10, Qt.Key.Key_PageDown: 10}
        if key in steps:
            self.stepped.emit(steps[Qt.Key(key)])
        elif key in {Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus}:
            factor = 1 / _ZOOM if key == Qt.Key.Key_Minus else _ZOOM
            self.zoom(factor, self.crosshair.value() if self.crosshair.isVisible() else None)
        elif key == Qt.Key.Key_0:
            self.reset()
        elif key == Qt.Key.Key_Escape and self.crosshair.isVisible():
            self.left.emit()
        else:
            event.ignore()
            return key not in {Qt.Key.Key_Tab, Qt.Key.Key_Backtab}  # pyqtgraph would swallow what it does not use
        return True

    def _moved(self, place: QPointF) -> None:
        if self.view.sceneBoundingRect().contains(place):
            at = self.view.mapSceneToView(place)
            self.pointed.emit(at.x(), at.y())
        else:
            self.left.emit()

    def _clicked(self, event: Any) -> None:
        if event.double():
            self.reset()

    def plane_rect(self) -> QRectF:
        """Where the view lies in the widget, in its pixels."""
        box: QRectF = self.view.sceneBoundingRect()
        return QRectF(self.widget.mapFromScene(box).boundingRect())
