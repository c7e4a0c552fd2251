"""Pool: which instance serves a lookup, and how every instance does (contract §3, §8). Thread-safe.

A lookup takes an `Assignment` by `route` and brings it back once, by `finish` or `release`. Nothing here runs a call.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.agents.breaker import Breaker, Permit
from core.agents.routing import INELIGIBLE_FROM, MOST_PENALTY, penalty, routing_score
from core.agents.window import Call, CallWindow
from core.clock import Clock
from core.figures import AgentFigures, BreakerState
from core.settings import Settings

GOOD_PROBES = 5  # in a row, and an instance is taken for recovered


@dataclass(frozen=True, slots=True)
class Assignment:
    """One call that an instance is to make. `probe`: made to see how the instance does (and, when `route` gave it out,
    to serve the lookup as well)."""

    number: int
    agent: str
    type: str
    tier: str
    permit: Permit

    @property
    def probe(self) -> bool:
        """Whether the call counts as a probe."""
        return self.permit.probe


class _Instance:
    """One instance; the pool's lock guards it."""

    def __init__(self, type_: str, tier: str, number: int, settings: Settings, clock: Clock) -> None:
        self.id = f"{type_}/{tier}-{number}"
        self.type = type_
        self.tier = tier
        self.breaker = Breaker(settings.whole("breaker.failures"), settings.number("breaker.wait_s"), clock)
        self.window = CallWindow(settings.whole("window.calls"), settings.number("window.hours"), clock)
        self.penalty = 0.0
        self.unprobed = 0  # lookups of its type since its last probe, while it is penalised
        self.under_way = 0  # calls
        self.is_probing = False  # one probe at a time, of whatever kind
        self.good_probes = 0
        self.calls_since_first = 0  # calls from the first of these good probes on
        self.first_good_at: datetime | None = None

    @property
    def is_closed(self) -> bool:
        return self.breaker.state is BreakerState.CLOSED

    @property
    def may_probe(self) -> bool:
        return self.breaker.may_probe and not self.is_probing

    @property
    def is_eligible(self) -> bool:
        return self.is_closed and self.penalty < INELIGIBLE_FROM

    @property
    def score(self) -> float:
        _, success_rate, avg_ms = self.window.averages()
        return routing_score(success_rate, avg_ms, self.penalty)

    def set_penalty(self, value: float) -> None:
        value = min(MOST_PENALTY, max(0.0, value))
        if (value > 0) != (self.penalty > 0):
            self.unprobed = 0
        self.penalty = value

    def record(self, call: Call, latency_ms_threshold: float) -> bool:
        """Takes a call in; True when it was the last of the good probes that drop the old window."""
        self.window.add(call)
        if not (call.ok and call.duration_ms <= latency_ms_threshold):
            self.good_probes = 0
            return False
        if self.good_probes:
            self.calls_since_first += 1
        elif call.probe:
            self.calls_since_first, self.first_good_at = 1, call.at
        self.good_probes += call.probe
        if self.good_probes < GOOD_PROBES:
            return False
        self.good_probes = 0
        self.window.keep_last(self.calls_since_first)
        return True


class Pool:
    """The instances of every type: `<type>/<tier>-<n>`.

    `tiers`: tier → instances of each type, best first. `on_call` is told every call that this process finished, outside
    the pool's lock, in the thread that finished it; `on_recovery` which instance's old window was dropped, and the
    moment from which calls count (`restore` wants it back at the next start).
    """

    def __init__(
        self,
        types: Sequence[str],
        tiers: Mapping[str, int],
        settings: Settings,
        clock: Clock,
        *,
        on_call: Callable[[Call], None],
        on_recovery: Callable[[str, datetime], None] | None = None,
    ) -> None:
        self._lock = threading.Lock()
        self._clock = clock
        self._on_call = on_call
        self._on_recovery = on_recovery
        self._probe_every = settings.whole("probe_every")
        self._success_rate_threshold = settings.number("monitor.success_rate_threshold")
        self._latency_ms_threshold = settings.number("monitor.latency_ms_threshold")
        self._tiers = tuple(tiers)
        self._types = {
            type_: [
                _Instance(type_, tier, number, settings, clock)
                for tier, count in tiers.items()
                for number in range(1, count + 1)
            ]
            for type_ in types
        }
        self._instances = {one.id: one for instances in self._types.values() for one in instances}
        self._numbers = itertools.count(1)
        self._running: dict[int, _Instance] = {}

    # ---------------------------------------------------------------- routing
    def route(self, type_: str) -> Assignment | None:
        """Who serves a lookup of this type, by the first that holds: the largest routing score (among equal ones: the
        fewest calls under way) among the eligible (breaker closed, penalty < 0.10) of the best tier that has one; the
        same among the merely penalised; one whose breaker's wait is over, the lookup being its half-open probe. None:
        circuit_open. Another type never serves. Raises KeyError for an unknown type."""
        with self._lock:
            instances = self._types[type_]
            chosen = self._best([one for one in instances if one.is_eligible])
            chosen = chosen or self._best([one for one in instances if one.is_closed])
            permit = chosen.breaker.try_call() if chosen else None
            if chosen is None:
                chosen = self._best([one for one in instances if one.may_probe])
                permit = chosen.breaker.try_probe() if chosen else None
            for one in instances:
                if one.penalty > 0 and one is not chosen:
                    one.unprobed += 1
            return self._assign(chosen, permit) if chosen and permit else None

    def probes_due(self, type_: str, served: str | None) -> tuple[Assignment, ...]:
        """Background probes to make now that a lookup of this type was answered by `served` (None: by nobody): each
        penalised instance once in `probe_every` lookups of its type that others served, one probe at a time; each
        breaker whose wait is over its one half-open probe. Raises KeyError for an unknown type."""
        with self._lock:
            due = []
            for one in self._types[type_]:
                permit = None
                if one.id == served or one.is_probing:
                    continue
                if one.is_closed and one.penalty > 0 and one.unprobed >= self._probe_every:
                    permit = one.breaker.try_call(probe=True)
                elif one.may_probe:
                    permit = one.breaker.try_probe()
                if permit is not None:
                    one.unprobed = 0
                    due.append(self._assign(one, permit))
            return tuple(due)

    def finish(self, assignment: Assignment, *, ok: bool, duration_ms: float, degraded: bool = False) -> bool:
        """The call has ended, or was given up. A degraded one is a failure, whatever `ok` says. Only the first word on
        an assignment counts (True); what comes later is ignored (False)."""
        call = Call(assignment.agent, self._clock.now(), duration_ms, ok and not degraded, degraded, assignment.probe)
        with self._lock:
            instance = self._taken_back(assignment)
            if instance is None:
                return False
            (instance.breaker.success if call.ok else instance.breaker.failure)(assignment.permit)
            recovered = instance.record(call, self._latency_ms_threshold)
            if recovered:
                self._recover(instance)
            since = instance.first_good_at
        self._on_call(call)
        if recovered and since is not None and self._on_recovery is not None:
            self._on_recovery(assignment.agent, since)
        return True

    def release(self, assignment: Assignment) -> bool:
        """The call was not made, or was cancelled by whoever asked: it counts as nothing, and a probe may be made
        anew."""
        with self._lock:
            instance = self._taken_back(assignment)
            if instance is None:
                return False
            instance.breaker.abandon(assignment.permit)
            if assignment.probe:
                instance.unprobed = self._probe_every
            return True

    # ------------------------------------------------------------- monitoring
    def set_penalties(self, penalties: Mapping[str, float]) -> None:
        """Penalties by id, as `collect` worked them out; clipped to 0 … 0.9. Ids that are not named keep theirs,
        unknown ones are ignored."""
        with self._lock:
            for agent, value in penalties.items():
                if agent in self._instances:
                    self._instances[agent].set_penalty(value)

    def restore(self, calls: Iterable[Call], windows_from: Mapping[str, datetime] | None = None) -> None:
        """Takes in calls that are in the log already, oldest first: those of earlier runs at the start, those of other
        processes later. `windows_from`: per instance the moment before which calls no longer count. Opens and closes
        no breaker, tells nobody; calls of unknown instances are ignored."""
        since = windows_from or {}
        with self._lock:
            for call in calls:
                instance = self._instances.get(call.agent)
                if instance is None or (call.agent in since and call.at < since[call.agent]):
                    continue
                if instance.record(call, self._latency_ms_threshold):
                    self._recover(instance)

    def forget_before(self, windows_from: Mapping[str, datetime]) -> None:
        """Drops the calls of these instances that ended before the moment: another process saw them recover."""
        with self._lock:
            for agent, moment in windows_from.items():
                if agent in self._instances:
                    self._instances[agent].window.forget_before(moment)

    def figures(self) -> tuple[AgentFigures, ...]:
        """Every instance over its window, by type, best tier first."""
        with self._lock:
            return tuple(_figures(one) for one in self._instances.values())

    # ---------------------------------------------------------------- inside
    def _best(self, candidates: Sequence[_Instance]) -> _Instance | None:
        for tier in self._tiers:
            standing = [one for one in candidates if one.tier == tier]
            if standing:
                return max(standing, key=lambda one: (one.score, -one.under_way))
        return None

    def _assign(self, instance: _Instance, permit: Permit) -> Assignment:
        assignment = Assignment(next(self._numbers), instance.id, instance.type, instance.tier, permit)
        self._running[assignment.number] = instance
        instance.under_way += 1
        instance.is_probing = instance.is_probing or permit.probe
        return assignment

    def _taken_back(self, assignment: Assignment) -> _Instance | None:
        instance = self._running.pop(assignment.number, None)
        if instance is None:
            return None
        instance.under_way -= 1
        if assignment.probe:
            instance.is_probing = False
        return instance

    def _recover(self, instance: _Instance) -> None:
        """The penalty by what is left of the window, without waiting for the next collection."""
        total, success_rate, avg_ms = instance.window.averages()
        instance.set_penalty(
            penalty(
                success_rate,
                avg_ms,
                n=total,
                success_rate_threshold=self._success_rate_threshold,
                latency_ms_threshold=self._latency_ms_threshold,
            )
        )


def _figures(one: _Instance) -> AgentFigures:
    window = one.window.figures()
    return AgentFigures(
        id=one.id,
        type=one.type,
        tier=one.tier,
        total=window.total,
        success_rate=window.success_rate,
        degraded=window.degraded,
        avg_ms=window.avg_ms,
        p95_ms=window.p95_ms,
        monitor_penalty=one.penalty,
        routing_score=routing_score(window.success_rate, window.avg_ms, one.penalty),
        breaker=one.breaker.state,
        breaker_since=one.breaker.since,
        p50_ms=window.p50_ms,
    )
