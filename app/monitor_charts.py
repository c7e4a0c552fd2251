"""The charts of the engines' page: which figures each of them draws, of which layer, against which thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.agent_table import Limits
from app.i18n import Language
from app.period import TimeSpan
from app.plot_data import BarLayer, Bins, Category, ChartWords, Line, Series, Threshold, Unit
from app.plot_frame import Chart
from app.plots import CategoryBars, Histogram, LineChart, StackedBars
from core.figures import AgentSeries, Bucket, EngineFigures, Layer, SimilarityHistogram

# From the bottom of a pile to its top.
_LEVELS = (
    ("PRECISE", "level.PRECISE", "PRECISE"),
    ("HIGHLY_RELEVANT", "level.HIGHLY_RELEVANT", "HIGHLY_RELEVANT"),
    ("REFERENCE", "level.REFERENCE", "REFERENCE"),
    ("DEDUPED", "level.DEDUPED", "DEDUPED"),
    ("none", "monitor.without", "NOT_FOUND"),
    ("degraded", "monitor.degraded", "DEGRADED"),
)
_REASONS = {"doc_retrieved": "monitor.doc_retrieved", "domain_retrieved": "monitor.domain_retrieved"}


class MonitorCharts:
    """Six charts, `all` in the order they stand in. Making them imports pyqtgraph."""

    def __init__(self, language: Language, limits: Limits) -> None:
        self._language = language
        self._drawn: dict[str, tuple[object, ...]] = {}
        agent, empty = Layer.AGENT, "monitor.no_calls"
        self.success = LineChart(
            language,
            "agentSuccessPlot",
            ChartWords("monitor.success_plot", "monitor.success_plot_counts", agent, empty),
            thresholds=[Threshold(limits.success_rate)],
            bounds=(None, 1.0),
        )
        self.penalty = LineChart(
            language,
            "agentPenaltyPlot",
            ChartWords("monitor.penalty_plot", "monitor.penalty_plot_counts", agent, empty),
            bounds=(0.0, 1.0),
        )
        self.latency = LineChart(
            language,
            "agentLatencyPlot",
            ChartWords("monitor.latency_plot", "monitor.latency_plot_counts", agent, empty),
            unit=Unit.MS,
            thresholds=[Threshold(limits.latency_ms)],
        )
        request, tool, none = Layer.REQUEST, Layer.TOOL, "monitor.no_lookups"
        self.levels = StackedBars(
            language,
            "levelDistributionPlot",
            ChartWords("monitor.levels_plot", "monitor.levels_plot_counts", request, none),
        )
        self.dedup = CategoryBars(
            language,
            "dedupReasonPlot",
            ChartWords("monitor.dedup_plot", "monitor.dedup_plot_counts", request, "monitor.no_dedup"),
        )
        self.similarity = Histogram(
            language,
            "similarityHistogram",
            ChartWords("monitor.similarity_plot", "monitor.similarity_plot_counts", tool, none),
        )

    @property
    def all(self) -> Sequence[Chart]:
        """As they stand on the page."""
        return (self.success, self.latency, self.penalty, self.levels, self.similarity, self.dedup)

    def show_figures(self, told: EngineFigures, span: TimeSpan) -> None:
        """New figures in the places of the old; a chart whose figures are the same is left alone."""
        if self._is_new("agents", told.series, span.period):
            self._show_agents(told.series, span)
        if self._is_new("levels", told.levels, span.edges, told.lookups, told.degraded):
            self._show_levels(told.levels, span, told)
        if self._is_new("dedup", told.dedup_reasons):
            categories = [Category(self._reason(reason), count) for reason, count in told.dedup_reasons.items()]
            self.dedup.set_categories(categories, n=sum(told.dedup_reasons.values()))
        if self._is_new("similarity", told.similarity):
            self._show_similarity(told.similarity)

    def _is_new(self, part: str, *figures: object) -> bool:
        """Not what is drawn already, in these words."""
        told = (self._language.code, *figures)
        if self._drawn.get(part) == told:
            return False
        self._drawn[part] = told
        return True

    def _show_agents(self, series: Sequence[AgentSeries], span: TimeSpan) -> None:
        say = self._language
        called = [one for one in series if any(one.calls)]
        # Windows slide: what stands behind the newest values is what can be added up.
        n = sum(one.calls[-1] for one in called)
        degraded = round(sum(one.degraded_share[-1] * one.calls[-1] for one in called if one.calls[-1]))

        def line(one: AgentSeries, values: Sequence[float], word: str = "", kind: Line = Line.SOLID) -> Series:
            name = say("monitor.line_of", agent=one.agent, what=say(word)) if word else one.agent
            return Series(name, one.at, values, one.calls, one.width_s, group=one.agent, line=kind)

        self.success.set_series([line(one, one.success_rate) for one in called], span.period, n=n, degraded=degraded)
        second = Line.DOTTED
        self.penalty.set_series(
            [
                drawn
                for one in called
                for drawn in (
                    line(one, one.penalty, "monitor.penalty"),
                    line(one, one.routing_score, "monitor.routing_score", second),
                )
            ],
            span.period,
            n=n,
            degraded=degraded,
        )
        self.latency.set_series(
            [
                drawn
                for one in called
                for drawn in (
                    line(one, one.p95_ms, "monitor.slow_end"),
                    line(one, one.p50_ms, "monitor.median", second),
                )
            ],
            span.period,
            n=n,
            degraded=degraded,
        )

    def _show_levels(self, buckets: Sequence[Bucket], span: TimeSpan, told: EngineFigures) -> None:
        layers = [
            BarLayer(self._language(word), tuple(bucket.levels.get(level, 0) for bucket in buckets), colour)
            for level, word, colour in _LEVELS
        ]
        self.levels.set_bars(span.edges, layers, n=told.lookups, degraded=told.degraded)

    def _show_similarity(self, histograms: Sequence[SimilarityHistogram]) -> None:
        bins = [
            Bins(
                one.embedder,
                one.counts,
                [
                    Threshold(one.thresholds.reference, "monitor.reference_from"),
                    Threshold(one.thresholds.highly_relevant, "monitor.highly_from"),
                ],
            )
            for one in histograms
        ]
        self.similarity.set_bins(bins, n=sum(sum(one.counts) for one in histograms))

    def _reason(self, reason: str) -> str:
        names: Mapping[str, str] = _REASONS
        return self._language(names[reason]) if reason in names else reason
