"""Charts as they are used: what they show, read out, zoom and export; names, gaps, outliers, clocks, themes, words."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFont, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QScrollArea, QToolButton, QToolTip, QWidget

from app.i18n import Language
from app.period import TimeRange, TimeSpan, custom_span, local_moment, span_of
from app.plot_canvas import Canvas
from app.plot_data import BarLayer, Bins, Category, ChartWords, Line, Series, Threshold, Unit
from app.plots import CategoryBars, Chart, Histogram, LineChart, StackedBars
from app.theme import Theme, bar_colour, series_colour
from core.figures import Layer, Period

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 11, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)
PERIOD = Period(START, START + HOUR)
WORDS = ChartWords("plot.column_value", "plot.column_count", Layer.AGENT, "plot.column_name")
NASTY = 'Agent, "Q" & <b>'


@pytest.fixture
def language() -> Language:
    return Language("en")


@pytest.fixture
def shown(qapp: QApplication) -> Iterator[list[QWidget]]:
    """Charts that were shown; they end with the test."""
    widgets: list[QWidget] = []
    yield widgets
    for widget in widgets:
        widget.close()
        widget.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def letters(qapp: QApplication) -> Iterator[Callable[[int], None]]:
    """Makes all letters so many times as large; they come back."""
    before = qapp.font()

    def enlarge(times: int) -> None:
        font = QFont(before)
        font.setPointSizeF(before.pointSizeF() * times)
        qapp.setFont(font)
        settle()

    yield enlarge
    qapp.setFont(before)


def put(chart: Any, shown: list[QWidget], size: tuple[int, int] = (640, 360)) -> Any:
    chart.resize(*size)
    chart.show()
    shown.append(chart)
    settle()
    return chart


def settle() -> None:
    for _ in range(3):
        QApplication.processEvents()


def lines(language: Language, shown: list[QWidget], **options: Any) -> LineChart:
    chart: LineChart = put(LineChart(language, "agentSuccessPlot", WORDS, zone=UTC, **options), shown)
    return chart


def series(name: str, values: list[float | None], **options: Any) -> Series:
    at = [START + timedelta(minutes=number) for number in range(len(values))]
    return Series(name, at, values, options.pop("counts", None), **options)


def text_of(chart: Chart, name: str) -> str:
    label = chart.findChild(QLabel, name)
    assert label is not None
    return label.text() if label.isVisible() else ""


def reading(chart: Chart) -> list[str]:
    return text_of(chart, "chartReading").splitlines()


def texts(chart: Chart) -> str:
    kinds = (*chart.findChildren(QLabel), *chart.findChildren(QToolButton))
    return "\n".join(widget.text() for widget in kinds if widget.isVisible())


def press(chart: Chart, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(chart.canvas.widget, key)
    settle()


def wheel(chart: Chart, notches: int, *, held: bool = False) -> bool:
    """Turn the wheel over the middle; whether the chart took it."""
    view = chart.canvas.widget.viewport()
    middle = QPointF(view.rect().center())
    keys = Qt.KeyboardModifier.ControlModifier if held else Qt.KeyboardModifier.NoModifier
    turn = QPoint(0, 120 * notches)
    event = QWheelEvent(
        middle, QPointF(view.mapToGlobal(middle.toPoint())), QPoint(), turn, Qt.MouseButton.NoButton, keys,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, event)
    settle()
    return event.isAccepted()


def width_shown(chart: Chart) -> float:
    left, right, _, _ = chart.canvas.ranges()
    return right - left


def drawn(chart: LineChart) -> list[int]:
    """How many pieces each visible line has."""
    counts = []
    for line in chart._lines:
        path = line.path()
        moves = sum(path.elementAt(place).isMoveTo() for place in range(path.elementCount()))
        if line.isVisible():
            counts.append(moves)
    return counts


# --------------------------------------------------------------- what is said


@pytest.mark.parametrize("values", [[], [None, float("nan"), float("inf")]])
def test_without_data_it_says_so_and_shows_no_empty_plot(
    language: Language, shown: list[QWidget], values: list[float | None]
) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", values)], PERIOD, n=0)
    assert language("plot.no_data") in texts(chart)
    assert not chart.canvas.widget.isVisible()
    chart.set_series([series("a", [0.5])], PERIOD, n=1)
    settle()
    assert language("plot.no_data") not in texts(chart)
    assert chart.canvas.widget.isVisible()


def test_layer_n_and_the_degraded_share_are_told(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", [0.5])], PERIOD, n=1_234, degraded=12)
    told = texts(chart)
    assert language("plot.layer_agent") in told
    assert "1,234" in told
    assert "12 (1.0%)" in told
    for part in (language("plot.layer_agent"), "1,234", language("plot.column_count")):
        assert part in chart.accessibleDescription()
    assert chart.accessibleName() == language("plot.column_value")


def test_what_it_counts_can_be_asked_for_with_the_keyboard(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    about = next(button for button in chart.findChildren(QToolButton) if button.text() == language("plot.about"))
    assert language("plot.column_count") in about.accessibleDescription()
    assert language("plot.about_agent") in about.toolTip()
    assert language("plot.about_gaps") in about.accessibleDescription(), "what an empty place means"
    bars = stacked(language, shown)
    assert any(language("plot.about_zero") in tool.accessibleDescription() for tool in bars.findChildren(QToolButton))
    QTest.keyClick(about, Qt.Key.Key_Space)
    assert QToolTip.isVisible()
    QToolTip.hideText()


def test_a_switch_of_language_redraws_all_words(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown, thresholds=[Threshold(0.9)])
    chart.set_series([series("a", [0.5])], PERIOD, n=3, degraded=0)
    before = texts(chart)
    language.set_code("zh_CN")
    settle()
    assert before != texts(chart)
    assert language("plot.layer_agent") == "引擎层"
    assert "引擎层" in texts(chart)
    labels = [label.toPlainText() for _, label in chart.canvas._thresholds]
    assert labels == ["阈值 0.90"]


# ------------------------------------------------------------- names are text


def test_names_are_text_in_legend_and_read_out(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    chart.set_series([series(NASTY, [0.5, 0.6], counts=[30, 40])], PERIOD, n=70)
    settle()
    (button,) = [button for button in chart.legend.findChildren(QToolButton) if button.isVisible()]
    assert button.text().replace("&&", "&") == NASTY
    assert NASTY in button.accessibleName()
    assert "&lt;b&gt;" in button.toolTip()
    press(chart, Qt.Key.Key_Right)
    assert reading(chart) == ["11-30 00:00:00", f"{NASTY}: 0.50 (n = 30)"]
    label = chart.findChild(QLabel, "chartReading")
    assert label is not None
    assert label.textFormat() == Qt.TextFormat.PlainText


def test_names_of_categories_and_labels_are_text(language: Language, shown: list[QWidget]) -> None:
    chart = put(CategoryBars(language, "dedupReasonPlot", WORDS), shown)
    chart.set_categories([Category(NASTY, 3), Category("b", 1)], n=4)
    settle()
    assert [text for _, text in chart._names(0, 9, 9)] == [NASTY, "b"]
    press(chart, Qt.Key.Key_Right)
    assert reading(chart)[0] == f"{NASTY}: 3 (75.0%)"
    chart = lines(language, shown, thresholds=[Threshold(0.9, "plot.threshold")])
    chart.canvas.set_thresholds([(0.9, NASTY + " {value}")])
    assert chart.canvas._thresholds[0][1].toPlainText() == NASTY + " {value}"


def test_pressing_a_name_hides_its_line_also_from_the_range(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown, unit=Unit.MS)
    both = [series("low", [1.0, 2.0]), series("high", [1000.0, 900.0])]
    chart.set_series(both, PERIOD, n=4)
    settle()
    assert chart.canvas.ranges()[3] > 900
    QTest.mouseClick(chart.legend.findChildren(QToolButton)[1], Qt.MouseButton.LeftButton)
    assert drawn(chart) == [1]
    assert chart.canvas.ranges()[3] < 10
    chart.set_series(both, PERIOD, n=4)
    assert drawn(chart) == [1], "it stays hidden when data comes again"
    press(chart, Qt.Key.Key_Right)
    assert len(reading(chart)) == 2
    assert [row[1] for row in chart.table().rows] == ["low", "low", "high", "high"], "exported all the same"


def test_lines_of_one_group_share_their_entry_and_are_hidden_together(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    group = [
        series("one p95", [0.9, 0.8], group="one"),
        series("one p50", [0.5, 0.4], group="one", line=Line.DOTTED),
        series("two", [0.2, 0.2]),
    ]
    chart.set_series(group, PERIOD, n=3)
    settle()
    one, two = (button for button in chart.legend.findChildren(QToolButton) if button.isVisible())
    assert (one.text(), two.text()) == ("one", "two")
    before = drawn(chart)
    QTest.mouseClick(one, Qt.MouseButton.LeftButton)
    assert (len(before), len(drawn(chart))) == (3, 1)


# --------------------------------------------------------------- what is drawn


def test_one_point_can_be_seen(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", [0.5])], PERIOD, n=1)
    settle()
    assert len(chart._marks.data) == 1
    plane = chart.canvas.plane_rect()
    picture = chart.canvas.widget.grab().toImage()
    colour = series_colour(0, chart.palette()).rgb()
    assert any(
        picture.pixel(x, y) == colour
        for x in range(int(plane.left()), int(plane.left()) + 8)
        for y in range(int(plane.top()), int(plane.bottom()))
    )


def test_gaps_stay_gaps(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    nan = float("nan")
    at = [START + timedelta(minutes=minute) for minute in (0, 1, 2, 30, 31)]
    holes = series("holes", [0.1, nan, 0.3, None, 0.5, 0.6])
    chart.set_series([series("whole", [0.1, 0.2, 0.3]), holes, Series("late", at, [1.0] * 5)], PERIOD, n=14)
    assert drawn(chart) == [1, 3, 2]
    press(chart, Qt.Key.Key_Right, Qt.Key.Key_Right)
    assert reading(chart) == ["11-30 00:01:00", "whole: 0.20", "late: 1.00"]


def test_curves_are_made_once(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", [0.5]), series("b", [0.6])], PERIOD, n=2)
    items, buttons = list(chart._lines), chart.legend.findChildren(QToolButton)
    for number in range(3):
        chart.set_series([series("a", [0.1 * number]), series("b", [0.6])], PERIOD, n=2)
    assert chart._lines == items
    assert chart.legend.findChildren(QToolButton) == buttons
    chart.set_series([series("b", [0.6])], PERIOD, n=1)
    assert drawn(chart) == [1]
    assert chart._lines[0].pen().color() == series_colour(1, chart.palette()), "b keeps its colour when a goes"


def test_figures_of_one_group_share_a_colour_and_differ_in_style(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown, unit=Unit.MS)
    names = [f"agent-{number}" for number in range(10)]
    made = [
        series(f"{name} {line}", [1.0, 2.0], group=name, line=line)
        for name in names
        for line in (Line.SOLID, Line.DOTTED)
    ]
    chart.set_series(made, PERIOD, n=40)
    pens = [(line.pen().color().name(), line.pen().style(), place // 2 // 8) for place, line in enumerate(chart._lines)]
    assert len({pen[:2] for pen in pens}) == len(pens), "colour and style together tell every line"
    assert all(pens[place][0] == pens[place + 1][0] for place in range(0, len(pens), 2))


def test_a_huge_value_does_not_flatten_the_rest_and_can_be_reached(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown, unit=Unit.MS, thresholds=[Threshold(3000)])
    chart.set_series([series("a", [100.0, 120.0, 8e3, 90.0] + [110.0] * 40)], PERIOD, n=44)
    settle()
    assert chart.canvas.ranges()[3] > 8e3, "slow, not odd"
    chart.set_series([series("a", [100.0, 120.0, 4e9, 90.0] + [110.0] * 40)], PERIOD, n=44)
    settle()
    assert chart.canvas.ranges()[3] < 5_000
    notice = next(button for button in chart.findChildren(QToolButton) if "4,000,000,000 ms" in button.text())
    assert notice.text().startswith("1 above")
    notice.click()
    settle()
    assert chart.canvas.ranges()[3] > 4e9
    notice.click()
    settle()
    assert chart.canvas.ranges()[3] < 5_000


@pytest.mark.parametrize("values", [[0.99, 1.0], [0.2, 0.3], [1.0]])
def test_threshold_lines_are_always_in_sight(
    language: Language, shown: list[QWidget], values: list[float | None]
) -> None:
    chart = lines(language, shown, thresholds=[Threshold(0.9)], bounds=(None, 1.0))
    chart.set_series([series("a", values)], PERIOD, n=2)
    settle()
    _, _, low, high = chart.canvas.ranges()
    assert low < 0.9 < high
    ((line, label),) = chart.canvas._thresholds
    assert (line.value(), label.toPlainText(), label.isVisible()) == (0.9, "Threshold 0.90", True)


# ------------------------------------------------------------ zoom and reading


def test_the_wheel_scrolls_the_page_until_the_chart_has_the_focus(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", [0.5] * 60)], PERIOD, n=60)
    settle()
    whole = width_shown(chart)
    assert not wheel(chart, 1)
    assert width_shown(chart) == whole
    assert wheel(chart, 1, held=True)
    assert width_shown(chart) < whole
    chart.canvas.widget.setFocus()
    narrower = width_shown(chart)
    assert wheel(chart, 1)
    assert width_shown(chart) < narrower
    wheel(chart, -30, held=True)
    assert width_shown(chart) == pytest.approx(whole), "never beyond the period"


def test_zoom_is_kept_when_data_comes_and_undone_by_button_key_and_double_click(
    language: Language, shown: list[QWidget]
) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", [0.5] * 60)], PERIOD, n=60)
    settle()
    whole = width_shown(chart)
    reset = next(button for button in chart.findChildren(QToolButton) if button.text() == language("plot.reset"))
    assert not reset.isVisible()

    def double_click() -> None:
        view = chart.canvas.widget.viewport()
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.rect().center())
        QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=view.rect().center())
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=view.rect().center())

    for undo in (reset.click, lambda: press(chart, Qt.Key.Key_0), double_click):
        press(chart, Qt.Key.Key_Plus, Qt.Key.Key_Plus)
        narrow = width_shown(chart)
        assert narrow < whole
        assert reset.isVisible()
        later = Period(PERIOD.start + timedelta(minutes=1), PERIOD.end + timedelta(minutes=1))
        chart.set_series([series("a", [0.5] * 61)], later, n=61)
        settle()
        assert width_shown(chart) == pytest.approx(narrow)
        undo()
        settle()
        assert width_shown(chart) == pytest.approx(whole)
        assert not reset.isVisible()
        chart.set_series([series("a", [0.5] * 60)], PERIOD, n=60)
        settle()


def test_dragging_a_box_zooms_into_it(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", [0.5, 0.1] * 30)], PERIOD, n=60)
    settle()
    view, plane = chart.canvas.widget.viewport(), chart.canvas.plane_rect()
    whole = chart.canvas.ranges()
    corner = QPointF(plane.width(), plane.height())
    spots = [(plane.topLeft() + share * corner).toPoint() for share in (0.25, 0.5, 0.75)]
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=spots[0])
    for spot in spots[1:]:
        QTest.mouseMove(view, spot)
        settle()
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=spots[-1])
    settle()
    left, right, low, high = chart.canvas.ranges()
    assert right - left == pytest.approx((whole[1] - whole[0]) / 2, rel=0.05)
    assert high - low == pytest.approx((whole[3] - whole[2]) / 2, rel=0.05)


def test_the_pointer_reads_out_what_is_nearest(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", [0.1, 0.2, 0.3] * 20, counts=list(range(60)))], PERIOD, n=60)
    settle()
    plane = chart.canvas.plane_rect()
    view = chart.canvas.widget.viewport()
    place = QPointF(plane.left() + plane.width() * 30.2 / 60, plane.center().y()).toPoint()
    QTest.mouseMove(view, place)
    settle()
    assert reading(chart) == ["11-30 00:30:00", "a: 0.10 (n = 30)"]
    assert chart.canvas.crosshair.isVisible()
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    settle()
    assert reading(chart) == []


def test_the_keyboard_reads_point_by_point_and_escape_ends_it(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", [0.1, 0.2, 0.3])], PERIOD, n=3)
    settle()
    press(chart, Qt.Key.Key_Right)
    assert reading(chart)[0] == "11-30 00:00:00"
    press(chart, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right)
    assert reading(chart) == ["11-30 00:02:00", "a: 0.30"]
    assert chart.canvas.widget.accessibleDescription() == "11-30 00:02:00\na: 0.30"
    press(chart, Qt.Key.Key_Left)
    assert reading(chart)[0] == "11-30 00:01:00"
    press(chart, Qt.Key.Key_Escape)
    assert reading(chart) == []
    press(chart, Qt.Key.Key_Left)
    assert reading(chart)[0] == "11-30 00:02:00", "from the right"


def test_the_read_out_stays_on_the_plot_and_counts_what_does_not_fit(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    chart.setFixedSize(420, 360)
    many = [series(f"n{number}", [0.1 * number] * 60) for number in range(60)]
    chart.set_series(many, PERIOD, n=60)
    settle()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Left):
        press(chart, Qt.Key.Key_Escape, key)
        label = chart.findChild(QLabel, "chartReading")
        assert label is not None
        plot = chart.canvas.widget
        assert plot.rect().translated(plot.mapTo(chart, QPoint())).contains(label.geometry()), "not on the legend"
        *_, last_shown, more = reading(chart)
        assert last_shown.startswith("n")
        assert more == f"… and {60 - (len(reading(chart)) - 2)} more"


def test_the_read_out_stays_in_what_is_seen_of_a_page_that_scrolls(language: Language, shown: list[QWidget]) -> None:
    chart = lines(language, shown)
    chart.set_series([series(f"n{number}", [0.1 * number] * 60) for number in range(20)], PERIOD, n=60)
    chart.setFixedSize(420, 500)
    page = QScrollArea()
    shown.append(page)
    page.setWidget(chart)
    page.resize(440, 420)
    page.show()
    settle()
    press(chart, Qt.Key.Key_Right)
    label = chart.findChild(QLabel, "chartReading")
    assert label is not None
    assert page.viewport().rect().contains(label.geometry().translated(chart.mapTo(page.viewport(), QPoint())))


# -------------------------------------------------------------- clocks (bars)


LEVELS = ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE", "DEDUPED", "NOT_FOUND", "DEGRADED")


def stacked(language: Language, shown: list[QWidget], zone: ZoneInfo = BERLIN, **options: Any) -> StackedBars:
    chart: StackedBars = put(StackedBars(language, "levelDistributionPlot", WORDS, zone=zone, **options), shown)
    return chart


def layers(rng: np.random.Generator, span: TimeSpan) -> list[BarLayer]:
    return [BarLayer(level, rng.integers(0, 9, len(span.edges) - 1).tolist(), level) for level in LEVELS]


@pytest.mark.parametrize("zone", [BERLIN, ZoneInfo("Asia/Shanghai"), ZoneInfo("UTC")], ids=str)
@pytest.mark.parametrize("chosen", [TimeRange.HOUR, TimeRange.DAY, TimeRange.WEEK, TimeRange.MONTH])
@pytest.mark.parametrize("day", [date(2026, 3, 29), date(2026, 10, 25)])
def test_the_sum_over_badges_is_the_number_of_lookups_in_view_and_export(
    language: Language, shown: list[QWidget], zone: ZoneInfo, chosen: TimeRange, day: date
) -> None:
    chart = stacked(language, shown, zone)
    span = span_of(chosen, local_moment(day, time(20), zone), zone)
    made = layers(np.random.default_rng(43), span)
    n = sum(sum(layer.counts) for layer in made)  # type: ignore[arg-type]
    chart.set_bars(span.edges, made, n=n)
    table = chart.table()
    assert len(table.rows) == len(span.edges) - 1
    assert sum(row[-1] for row in table.rows) == n  # type: ignore[misc]
    assert sum(sum(row[2:-1]) for row in table.rows) == n  # type: ignore[arg-type]
    totals = 0
    for middle in (chart._edges[:-1] + chart._edges[1:]) / 2:
        told = chart._reading_at(float(middle), None)
        assert told is not None
        totals += int(told.lines[-1].rpartition(" ")[2].replace(",", ""))
    assert totals == n
    left, right, _, _ = chart.canvas.ranges()
    assert (left, right) == (span.period.start.timestamp(), span.period.end.timestamp()), "no clock can squeeze it"


def test_the_repeated_hour_is_two_hours(language: Language, shown: list[QWidget]) -> None:
    chart = stacked(language, shown)
    midnight = local_moment(date(2026, 10, 25), time(), BERLIN)
    span = custom_span(midnight, local_moment(date(2026, 10, 26), time(), BERLIN), BERLIN)
    counts = [0] * (len(span.edges) - 1)
    counts[5], counts[7] = 3, 4  # 02:30, before and after the clock is put back
    chart.set_bars(span.edges, [BarLayer("打印慢", counts)], n=7)
    headings = [told.heading for told in map(chart._reading_at, chart._edges[:-1] + 1, [None] * 50) if told]
    assert len(set(headings)) == 50
    assert headings[5] == "10-25 02:30 +02:00 – 02:00 +01:00"
    assert headings[7] == "10-25 02:30 +01:00 – 03:00"
    rows = [row for row in chart.table().rows if row[-1]]
    assert [row[0] for row in rows] == ["2026-10-25 02:30:00+02:00", "2026-10-25 02:30:00+01:00"]


def test_days_are_as_long_as_they_were(language: Language, shown: list[QWidget]) -> None:
    chart = stacked(language, shown)
    span = span_of(TimeRange.MONTH, local_moment(date(2026, 3, 31), time(12), BERLIN), BERLIN)
    chart.set_bars(span.edges, [BarLayer("a", [1] * 30)], n=30)
    left, right = chart._bar_edges()
    lengths = (right - left) / (right - left).max()
    assert lengths.round(3).tolist().count(round(23 / 24, 3)) == 1


def test_nothing_known_and_nothing_there_are_told_apart(language: Language, shown: list[QWidget]) -> None:
    chart = stacked(language, shown)
    edges = [START + number * HOUR for number in range(4)]
    chart.set_bars(edges, [BarLayer("a", [2, 0, None])], n=2)
    told = [chart._reading_at(edge.timestamp() + 60, None) for edge in edges[:3]]
    assert [reading.lines[0] for reading in told if reading] == ["a: 2 (100.0%)", "a: 0", "a: no data"]
    assert [row[2] for row in chart.table().rows] == [2, 0, None]
    assert chart._reading_at(edges[3].timestamp() + 60, None) is None


def test_shares_and_counts_by_a_switch(language: Language, shown: list[QWidget]) -> None:
    chart = stacked(language, shown, shares=True)
    edges = [START + number * HOUR for number in range(3)]
    chart.set_bars(edges, [BarLayer("a", [30, 0]), BarLayer("b", [10, 0])], n=40)
    settle()
    assert 1.0 < chart.canvas.ranges()[3] < 1.2
    assert np.nan_to_num(chart._heights()).T.tolist() == [[0.75, 0.25], [0.0, 0.0]]
    switch = next(button for button in chart.findChildren(QToolButton) if button.isCheckable())
    switch.click()
    settle()
    assert chart.canvas.ranges()[3] > 40
    with pytest.raises(ValueError, match="3 edges"):
        chart.set_bars(edges, [BarLayer("a", [1])], n=1)


def test_the_thresholds_of_a_histogram_stand_upright_with_their_names(language: Language, shown: list[QWidget]) -> None:
    chart = put(Histogram(language, "similarityHistogram", WORDS), shown)
    limits = (Threshold(0.5, "level.REFERENCE"), Threshold(0.75, "level.HIGHLY_RELEVANT"))
    chart.set_bins([Bins("hashed", [1, 2, 3, 4], limits), Bins("bge-m3", [0, 0, 5, 0])], n=15)
    settle()
    labels = [(line.value(), line.angle, label.toPlainText()) for line, label in chart.canvas._thresholds]
    assert labels == [(0.5, 90, "Reference 0.50"), (0.75, 90, "Highly relevant 0.75")]
    assert [row[3] for row in chart.table().rows] == [1, 2, 3, 4, 0, 0, 5, 0]
    press(chart, Qt.Key.Key_Left)
    assert reading(chart) == ["0.75 to 1.00", "Count: 4 (40.0%)", "Total: 10"]
    chart._chooser.setCurrentIndex(1)
    chart._chooser.activated.emit(1)
    settle()
    assert chart.canvas._thresholds == []
    chart.set_bins([Bins("hashed", [9] * 4, limits), Bins("bge-m3", [1] * 4)], n=40)
    assert chart._chooser.currentText() == "bge-m3", "what was chosen stays chosen"


@pytest.mark.parametrize("height", [300, 600])
def test_no_label_of_a_threshold_hides_a_bar(language: Language, shown: list[QWidget], height: int) -> None:
    chart = put(Histogram(language, "similarityHistogram", WORDS), shown)
    chart.setFixedSize(420, height)
    limits = (Threshold(0.5, "level.REFERENCE"), Threshold(0.75, "level.HIGHLY_RELEVANT"))
    chart.set_bins([Bins("hashed", [1, 9, 9, 9], limits)], n=28)
    settle()
    top_of_bars = chart.canvas.view.mapViewToScene(QPointF(0.6, 9)).y()
    for _, label in chart.canvas._thresholds:
        assert label.mapRectToScene(label.boundingRect()).bottom() <= top_of_bars


# -------------------------------------------------------------------- export


def test_a_picture_is_written_at_twice_the_size(language: Language, shown: list[QWidget], tmp_path: Path) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", [0.1, 0.9, 0.4])], PERIOD, n=3)
    settle()
    chart.save_image(tmp_path / "图.png")
    picture = QImage(str(tmp_path / "图.png"))
    assert picture.width() == 2 * chart.width()
    assert picture.height() > 2 * chart.height()
    assert series_colour(0, chart.palette()).rgb() in {
        picture.pixel(x, y) for x in range(0, picture.width(), 2) for y in range(0, picture.height())
    }


def test_a_table_is_written_with_names_neutralised(language: Language, shown: list[QWidget], tmp_path: Path) -> None:
    chart = lines(language, shown)
    chart.set_series([series("=1+2", [-0.5, None, 0.25], counts=[20, 0, 30])], PERIOD, n=50)
    chart.save_table(tmp_path / "表.csv")
    data = (tmp_path / "表.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    assert rows[1:] == [
        ["2026-11-30 00:00:00+00:00", "'=1+2", "-0.5", "20"],
        ["2026-11-30 00:02:00+00:00", "'=1+2", "0.25", "30"],
    ]


@pytest.mark.parametrize(("number", "suffix"), [(0, ".png"), (1, ".csv")])
def test_the_menu_writes_what_is_chosen_and_tells_how_it_went(
    language: Language,
    shown: list[QWidget],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    suffix: str,
) -> None:
    chart = lines(language, shown)
    chart.set_series([series("a", [0.1, 0.9])], PERIOD, n=2)
    chosen = [str(tmp_path / "out"), str(tmp_path / "none" / "out"), ""]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (chosen.pop(0), ""))
    export = next(button for button in chart.findChildren(QToolButton) if button.menu() is not None)
    action = export.menu().actions()[number]
    action.trigger()
    assert (tmp_path / f"out{suffix}").stat().st_size > 0
    assert language("plot.saved", name=f"out{suffix}") in texts(chart)
    action.trigger()
    assert language("plot.not_saved", detail="") in texts(chart)
    action.trigger()
    assert chosen == []


# --------------------------------------------------------------------- looks


def test_a_switch_of_theme_redraws(language: Language, shown: list[QWidget], qapp: QApplication) -> None:
    theme = Theme(qapp, "light")
    try:
        chart, bars = lines(language, shown, thresholds=[Threshold(0.9)]), stacked(language, shown)
        chart.set_series([series("a", [0.5, 0.4])], PERIOD, n=2)
        bars.set_bars([START, START + HOUR], [BarLayer("a", [1], "PRECISE")], n=1)
        for mode in ("dark", "light"):
            theme.set_mode(mode)
            settle()
            palette = qapp.palette()
            assert chart._lines[0].pen().color() == series_colour(0, palette)
            assert bars._bars[0].opts["brush"].color() == bar_colour("PRECISE", palette)
            assert chart.canvas.widget.backgroundBrush().color() == palette.base().color()
            assert chart.canvas._thresholds[0][0].pen.color() == palette.brightText().color()
    finally:
        theme.set_mode("system")


def test_a_switch_of_theme_restyles_a_chart_once_and_one_that_is_not_seen_when_it_is(
    language: Language, shown: list[QWidget], qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    theme = Theme(qapp, "light")
    try:
        seen, hidden = lines(language, shown), lines(language, shown)
        settle()
        hidden.hide()
        restyled: list[Canvas] = []

        def count(canvas: Canvas) -> None:
            restyled.append(canvas)

        monkeypatch.setattr(Canvas, "recolour", count)
        theme.set_mode("dark")
        settle()
        assert restyled == [seen.canvas]
        hidden.show()
        settle()
        assert restyled == [seen.canvas, hidden.canvas]
    finally:
        theme.set_mode("system")


@pytest.mark.parametrize("scale", [1, 2])
@pytest.mark.parametrize("code", ["zh_CN", "en"])
def test_nothing_is_cut_at_large_letters(
    language: Language, shown: list[QWidget], letters: Callable[[int], None], code: str, scale: int
) -> None:
    language.set_code(code)
    letters(scale)
    chart = stacked(language, shown)
    chart.resize(480 * scale, 360 * scale)
    chart.set_bars([START, START + HOUR], [BarLayer(level, [1], level) for level in LEVELS], n=6, degraded=1)
    settle()
    metrics = chart.fontMetrics()
    for widget in (*chart.findChildren(QToolButton), *chart.findChildren(QLabel)):
        if widget.isVisible() and widget.text():
            longest = max(widget.text().replace("&&", "&").splitlines(), key=len)
            assert widget.height() >= metrics.height()
            if isinstance(widget, QToolButton) or not widget.wordWrap():
                assert widget.width() >= widget.fontMetrics().horizontalAdvance(longest), widget.text()
            assert chart.rect().contains(widget.mapTo(chart, widget.rect().bottomRight())), widget.text()
    assert chart.canvas.axes["left"].width() > metrics.horizontalAdvance("0")


def test_importing_charts_loads_no_pyqtgraph() -> None:
    script = "import sys, app.plots; print('pyqtgraph' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
