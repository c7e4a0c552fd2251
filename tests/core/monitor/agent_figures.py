"""Figures of an instance as a test wants them."""

from __future__ import annotations

from core.figures import AgentFigures


def agent(
    name: str = "network/semantic-1",
    *,
    total: int = 100,
    success_rate: float = 1.0,
    avg_ms: float = 100.0,
    penalty: float = 0.0,
    degraded: int = 0,
) -> AgentFigures:
    """One instance; type and tier follow from its name."""
    kind, _, rest = name.partition("/")
    return AgentFigures(
        id=name,
        type=kind,
        tier=rest.rpartition("-")[0],
        total=total,
        success_rate=success_rate,
        degraded=degraded,
        avg_ms=avg_ms,
        p95_ms=avg_ms * 2,
        monitor_penalty=penalty,
        routing_score=1.0,
    )
