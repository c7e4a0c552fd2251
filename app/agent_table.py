"""agentTable: every retrieval agent over its sliding window, sortable; each number leads to the lookups behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.export_button import ExportButton
from app.figure_card import FigureCard
from app.figure_table import Column, FigureTable
from app.figure_text import NONE, count_text, duration_text, share_text, short_moment_text
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
    "degraded": "monitor.degraded_of_agent",
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
        self.table = FigureTable(language, self._columns(language), lambda agent: agent.id, wide=1)
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
        self.table.setAccessibleName(self._language("monitor.agents"))
        self.table.setAccessibleDescription(self._language("figure.table_keys"))

    def _led(self, agent: AgentFigures, leads: str) -> None:
        say, title = self._language, _TITLES[leads]
        self.behind.emit(
            Question(
                lambda: say(title, agent=agent.id),
                Selection(agent=agent.id),
                outcome="degraded" if leads == "degraded" else None,
                slowest=leads == "slow",
            )
        )

    def _columns(self, say: Language) -> list[Column]:
        def rate(agent: AgentFigures) -> str:
            if not agent.total:
                return NONE
            return share_text(agent.success_rate) if agent.total >= ENOUGH else say("figure.too_few")

        def failing(agent: AgentFigures) -> bool:
            return agent.total >= ENOUGH and agent.success_rate < self._limits.success_rate

        def slow(agent: AgentFigures) -> bool:
            return agent.total >= ENOUGH and agent.avg_ms > self._limits.latency_ms

        def breaker(agent: AgentFigures) -> str:
            text = say(_BREAKER[agent.breaker])
            since = agent.breaker is not BreakerState.CLOSED and agent.breaker_since
            return (
                say("monitor.breaker_since", state=text, time=short_moment_text(agent.breaker_since)) if since else text
            )

        def ms(word: str, name: str) -> Column:
            return Column(
                word,
                lambda agent: duration_text(getattr(agent, name) if agent.total else None),
                lambda agent: getattr(agent, name) if agent.total else None,
                number=True,
                leads="slow",
                warns=slow if name == "avg_ms" else None,
            )

        return [
            Column("monitor.agent", lambda agent: agent.id, leads="all"),
            Column("monitor.type", lambda agent: self._types.get(agent.type, agent.type)),
            Column("monitor.calls", lambda a: count_text(a.total), lambda a: a.total, number=True, leads="all"),
            Column(
                "monitor.success_rate", rate, lambda a: a.success_rate, number=True, leads="degraded", warns=failing
            ),
            Column(
                "monitor.degraded",
                lambda a: count_text(a.degraded),
                lambda a: a.degraded,
                number=True,
                leads="degraded",
            ),
            ms("monitor.average", "avg_ms"),
            ms("monitor.median", "p50_ms"),
            ms("monitor.slow_end", "p95_ms"),
            Column(
                "monitor.penalty",
                lambda a: f"{a.monitor_penalty:.2f}",
                lambda a: a.monitor_penalty,
                number=True,
                leads="all",
                warns=lambda a: a.monitor_penalty >= PENALISED,
                tip="monitor.penalty_counts",
            ),
            Column(
                "monitor.routing_score",
                lambda a: f"{a.routing_score:.3f}",
                lambda a: a.routing_score,
                number=True,
                leads="all",
                tip="monitor.routing_score_counts",
            ),
            Column(
                "monitor.breaker",
                breaker,
                warns=lambda a: a.breaker is not BreakerState.CLOSED,
                tip="monitor.breaker_counts",
            ),
        ]
