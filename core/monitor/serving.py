"""Serving: which instance a lookup of each type would go to now, read from the figures. Pure (contract §8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.agents.routing import INELIGIBLE_FROM
from core.figures import AgentFigures, BreakerState


def serving(agents: Sequence[AgentFigures]) -> dict[str, str]:
    """Type → instance, as `Pool.route` would choose; a type whose breakers are all open is left out. `agents`: each
    type's best tier first, as `Pool.figures` gives them."""
    found = {}
    for type_ in dict.fromkeys(agent.type for agent in agents):
        closed = [agent for agent in agents if agent.type == type_ and agent.breaker is BreakerState.CLOSED]
        eligible = [agent for agent in closed if agent.monitor_penalty < INELIGIBLE_FROM]
        if best := _best(eligible) or _best(closed):
            found[type_] = best.id
    return found


def _best(candidates: Iterable[AgentFigures]) -> AgentFigures | None:
    candidates = list(candidates)
    tier = [agent for agent in candidates if agent.tier == candidates[0].tier]
    return max(tier, key=lambda agent: agent.routing_score, default=None)
