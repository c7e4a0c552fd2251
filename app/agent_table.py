"""agentTable: every retrieval agent over its sliding window, sortable; each number leads to the lookups behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.export_button import ExportButton
from app.figure_card import FigureCard
from app.figure_table import Column, FigureTable
from app.figure_text import count_text, duration_text, share_text, short_moment_text
from app.i18n import Language
from app.monitor_feed import Question
from core.figures import ENOUGH, AgentFigures, BreakerState, Layer, Selection

PENALISED = 0.10  # from here on others of the type answer first (contract §8)
_BREAKER = {
    BreakerState.CLOSED: "monitor.breaker_closed",
    BreakerState.OPEN: "monitor.breaker_open",
    BreakerState.HALF_OPEN: "monitor.breaker_half_open",
}
_TITLES = {
    "all": "monitor.lookups_of_agent",
    "failed": "monitor.failed_of_agent",
    "slow": "monitor.slowest_of_agent",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Below which success rate, and above which average, an instance is penalised: the settings `monitor.*`."""

    success_rate: float
    latency_ms: float


class AgentCard(FigureCard):
    """`behind(Question)`: the lookups behind a number are wanted."""

    behind = Signal(object)

    def __init__(self, language: Language, limits: Limits, parent: QWidget | None = None) -> None:
        self._limits = limits
        self._types: Mapping[str, str] = {}
        self.table = FigureTable(language, self._columns(language), lambda agent: agent.id, wide=1, least=5, spare=True)
        self.table.setObjectName("agentTable")
        self.table.show_all_rows(24)
        self.table.led.connect(self._led)
        super().__init__(
            language,
            self.table,
            title="monitor.agents",
            tip="monitor.agents_counts",
            empty="monitor.agents_none",
            layer=Layer.AGENT,
            export=ExportButton(language, self.table, "monitor.agents"),
            parent=parent,
        )
        language.changed.connect(self._redraw)
        self._redraw()

    def show_agents(self, agents: Sequence[AgentFigures], types: Mapping[str, str], selection: Selection) -> None:
        """Those of the type and the instance that are looked at."""
        self._types = types
        chosen = [
            agent for agent in agents if selection.type in {None, agent.type} and selection.agent in {None, agent.id}
        ]
        self.table.show_rows(chosen)
        self.show_body(shown=bool(chosen))

    def choose(self, agent: str) -> bool:
        """Make that instance the current one; False when it is not there."""
        self.table.setFocus()
        return self.table.choose(agent)

    def _redraw(self) -> None:
        self.say(self._language("monitor.agents_window"))

    def _led(self, agent: AgentFigures, leads: str) -> None:
        say, title = self._language, _TITLES[leads]
        self.behind.emit(
            Question(
                lambda: say(title, agent=agent.id),
                Selection(agent=agent.id),
                failed=leads == "failed",
                slowest=leads == "slow",
            )
        )

    def _columns(self, say: Language) -> list[Column]:
        def number(word: str, name: str, told: Callable[[Any], str], leads: str = "all", **more: Any) -> Column:
            return Column(word, lambda a: told(getattr(a, name)), attrgetter(name), number=True, leads=leads, **more)

        def ms(word: str, name: str, **more: Any) -> Column:
            def value(agent: AgentFigures) -> float | None:
                return float(getattr(agent, name)) if agent.total else None

            return Column(word, lambda a: duration_text(value(a)), value, number=True, leads="slow", unit="ms", **more)

        penalised: dict[str, Any] = {"warns": lambda a: a.monitor_penalty >= PENALISED, "tip": "monitor.penalty_counts"}
        open_breaker: dict[str, Any] = {
            "warns": lambda a: a.breaker is not BreakerState.CLOSED,
            "tip": "monitor.breaker_counts",
        }
        return [
            Column("monitor.agent", attrgetter("id"), leads="all"),
            Column("monitor.type", lambda a: self._types.get(a.type, a.type)),
            number("monitor.calls", "total", count_text),
            Column(
                *("monitor.success_rate", self._rate_text, _rate),
                number=True,
                leads="failed",
                unit="share",
                warns=lambda a: a.total >= ENOUGH and a.success_rate < self._limits.success_rate,
            ),
            number("monitor.degraded_calls", "degraded", count_text, "failed", tip="monitor.degraded_calls_counts"),
            ms("monitor.average", "avg_ms", warns=lambda a: a.total >= ENOUGH and a.avg_ms > self._limits.latency_ms),
            ms("monitor.median", "p50_ms"),
            ms("monitor.slow_end", "p95_ms"),
            number("monitor.penalty", "monitor_penalty", "{:.2f}".format, **penalised),
            number("monitor.routing_score", "routing_score", "{:.3f}".format, tip="monitor.routing_score_counts"),
            Column("monitor.breaker", lambda a: _breaker_text(a, say), **open_breaker),
        ]

    def _rate_text(self, agent: AgentFigures) -> str:
        told = _rate(agent)
        return self._language("figure.too_few") if agent.total and told is None else share_text(told)


def _rate(agent: AgentFigures) -> float | None:
    """None where there are too few to conclude anything: it is neither sorted by nor exported."""
    return agent.success_rate if agent.total >= ENOUGH else None


def _breaker_text(agent: AgentFigures, say: Language) -> str:
    text = say(_BREAKER[agent.breaker])
    if agent.breaker is BreakerState.CLOSED or agent.breaker_since is None:
        return text
    return say("monitor.breaker_since", state=text, time=short_moment_text(agent.breaker_since))
