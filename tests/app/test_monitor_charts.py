"""The charts of the engines' page: figures that are the same draw nothing anew."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pytestqt.qtbot import QtBot

from app.agent_table import Limits
from app.i18n import Language
from app.monitor_charts import MonitorCharts
from app.period import TimeRange, span_of
from app.plot_frame import Chart
from core.figures import EVERYTHING, EngineFigures
from tests.app.monitor_figures import StatedMonitor


def test_a_refresh_draws_only_the_charts_whose_figures_are_others(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    language, span = Language(), span_of(TimeRange.DAY, datetime.now(UTC))
    charts = MonitorCharts(language, Limits(0.9, 800))
    for chart in charts.all:
        qtbot.addWidget(chart)
    shown: list[Chart] = []
    show = Chart._show

    def counted(chart: Chart, n: int, degraded: int | None, *, has_data: bool) -> None:
        shown.append(chart)
        show(chart, n, degraded, has_data=has_data)

    monkeypatch.setattr(Chart, "_show", counted)

    def told() -> EngineFigures:
        return StatedMonitor().engines(span.period, span.edges, EVERYTHING)

    charts.show_figures(told(), span)
    assert set(shown) == set(charts.all)
    shown.clear()
    charts.show_figures(told(), span)
    assert shown == []
    charts.show_figures(replace(told(), dedup_reasons={"doc_retrieved": 99}), span)
    assert shown == [charts.dedup]
    shown.clear()
    language.set_code("en")
    charts.show_figures(replace(told(), dedup_reasons={"doc_retrieved": 99}), span)
    assert set(shown) == set(charts.all), "names of series are other words"
