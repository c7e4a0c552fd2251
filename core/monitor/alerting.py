"""Alerting: what of the agents' figures and of the questions asked is worth an alert. Pure (contract §8)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.figures import ENOUGH, AgentFigures
from core.store.surges import Surge

SUCCESS_RATE = "agent_success_rate"
AVG_MS = "agent_avg_ms"
OUTAGE = "suspected_outage"  # 疑似故障
OUTAGE_MINUTES = 15
OUTAGE_SESSIONS = 5
# An open alert stays until fewer ask: at four, five, four, five sessions it is still the same outage.
CALM_SESSIONS = 3


@dataclass(frozen=True, slots=True)
class Condition:
    """Something to warn of for as long as it holds; the fields are those of an Alert."""

    name: str
    value: float
    threshold: float
    detail: str = ""


def agent_conditions(
    agents: Iterable[AgentFigures], *, success_rate_threshold: float, latency_ms_threshold: float
) -> list[Condition]:
    """`agent_success_rate:<id>` below its threshold, `agent_avg_ms:<id>` above its own; both only from ENOUGH calls on.
    At the threshold itself all is well."""
    found = []
    for agent in agents:
        if agent.total < ENOUGH:
            continue
        if agent.success_rate < success_rate_threshold:
            found.append(Condition(f"{SUCCESS_RATE}:{agent.id}", agent.success_rate, success_rate_threshold))
        if agent.avg_ms > latency_ms_threshold:
            found.append(Condition(f"{AVG_MS}:{agent.id}", agent.avg_ms, latency_ms_threshold))
    return found


def outage_conditions(surges: Iterable[Surge], open_names: Collection[str]) -> list[Condition]:
    """`suspected_outage:<key>` for what is asked in OUTAGE_SESSIONS sessions within OUTAGE_MINUTES; for one that is
    open (`open_names`) already, in CALM_SESSIONS."""
    found = []
    for surge in surges:
        name = f"{OUTAGE}:{surge.key}"
        if surge.sessions >= (CALM_SESSIONS if name in open_names else OUTAGE_SESSIONS):
            found.append(Condition(name, surge.sessions, OUTAGE_SESSIONS, surge.query))
    return found


def is_outage(name: str) -> bool:
    """Whether an alert of that name is about a question, not about an agent."""
    return name.startswith(f"{OUTAGE}:")
