"""Ring: how the agents did at each collection of the last hour, kept in memory only (10 s between two points)."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime, timedelta

from core.figures import AgentFigures, AgentSeries

REACH = timedelta(hours=1)
STEP_S = 10
PERSISTED_S = 60


class Ring:
    """Points in order of time; those of over an hour ago leave. Safe under threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._points: deque[tuple[datetime, tuple[AgentFigures, ...]]] = deque()

    def add(self, at: datetime, agents: Sequence[AgentFigures]) -> None:
        """One collection. After the computer's clock was set back, points later than `at` are forgotten."""
        with self._lock:
            while self._points and self._points[-1][0] >= at:
                self._points.pop()
            self._points.append((at, tuple(agents)))
            while self._points[0][0] < at - REACH:
                self._points.popleft()

    def series(self, start: datetime, end: datetime) -> tuple[AgentSeries, ...]:
        """From `start` up to, not including, `end`, an instance each, in the order they were first seen."""
        with self._lock:
            points = [point for point in self._points if start <= point[0] < end]
        rows: dict[str, list[tuple[datetime, AgentFigures]]] = {}
        for at, agents in points:
            for agent in agents:
                rows.setdefault(agent.id, []).append((at, agent))
        return tuple(_series(found) for found in rows.values())


def refined(kept: Sequence[AgentSeries], newest: Sequence[AgentSeries]) -> tuple[AgentSeries, ...]:
    """`kept` (persisted) with the points of `newest` (the ring) in the place of its own from where these begin. The
    coarser width stays, so that a line is broken where even that is missing. Means of longer stretches than those that
    are persisted (of long periods) stay as they are."""
    finer = {series.agent: series for series in newest}
    joined = [_joined(series, finer.pop(series.agent, None)) for series in kept]
    return (*joined, *finer.values())


def _joined(kept: AgentSeries, newest: AgentSeries | None) -> AgentSeries:
    if newest is None or not newest.at or kept.width_s > PERSISTED_S:
        return kept
    older = sum(at < newest.at[0] for at in kept.at)
    if not older:
        return newest
    columns = {
        field.name: (*getattr(kept, field.name)[:older], *getattr(newest, field.name))
        for field in fields(AgentSeries)
        if field.name not in ("agent", "type", "width_s")
    }
    return AgentSeries(agent=kept.agent, type=kept.type, width_s=kept.width_s, **columns)


def _series(found: Sequence[tuple[datetime, AgentFigures]]) -> AgentSeries:
    agents = [agent for _, agent in found]
    return AgentSeries(
        agent=agents[0].id,
        type=agents[0].type,
        at=tuple(at for at, _ in found),
        success_rate=tuple(agent.success_rate for agent in agents),
        penalty=tuple(agent.monitor_penalty for agent in agents),
        routing_score=tuple(agent.routing_score for agent in agents),
        p50_ms=tuple(agent.p50_ms for agent in agents),
        p95_ms=tuple(agent.p95_ms for agent in agents),
        degraded_share=tuple(agent.degraded / agent.total if agent.total else 0.0 for agent in agents),
        calls=tuple(agent.total for agent in agents),
        width_s=STEP_S,
    )
