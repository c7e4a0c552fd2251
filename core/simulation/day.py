"""simulate: a data folder as a help desk's day leaves it: log, votes, calls, metrics, alerts.

Everything is written by the parts that write it on a real day; only time is virtual, and how long an instance's call
takes or whether it fails stands in the script.
"""

from __future__ import annotations

import heapq
import itertools
import logging
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from core.job import Job
from core.model import Actor, Answer, EventKind, Mode, Outcome, RelevanceLevel, Trigger
from core.paths import resources_dir
from core.simulation.calls import SimulatedFailure
from core.simulation.script import Act, Ask, Day
from core.simulation.simulated_engine import SimulatedEngine
from core.simulation.virtual_clock import VirtualClock

COLLECT_EVERY_S = 20.0  # in the window it is 10; nobody looks on, and the day is over twice as soon
_AT_A_TIME = 20  # lookups that are committed at once
_RIGHT = {RelevanceLevel.PRECISE: 0.985, RelevanceLevel.HIGHLY_RELEVANT: 0.96, RelevanceLevel.REFERENCE: 0.74}
_KINDS = {Act.OPEN: EventKind.OPENED, Act.COPY: EventKind.COPIED, Act.VOTE: EventKind.VOTED}


def questions() -> dict[str, Any]:
    """The questions that ship with the program."""
    import yaml

    text = (resources_dir() / "simulation" / "questions.yaml").read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.safe_load(text)
    return document


def simulate(
    root: Path,
    script: Day,
    *,
    end: datetime,
    seed: int,
    language: str = "zh_CN",
    job: Job | None = None,
    on_collected: Callable[[SimulatedEngine], None] | None = None,
) -> None:
    """Make a new data folder in which that day has just ended, at `end` (aware). `on_collected` sees the engine after
    every collection. Raises Cancelled."""
    clock = VirtualClock(end - timedelta(seconds=script.length))
    engine = SimulatedEngine.open(root, language=language, clock=clock)
    assert isinstance(engine, SimulatedEngine)
    try:
        engine.play(script, random.Random(seed))
        engine.ingest([resources_dir() / "simulation" / "knowledge"], job=job)
        with _told_nobody():
            _Player(engine, script, on_collected or (lambda _: None), job).play()
    finally:
        engine.close()


@contextmanager
def _told_nobody() -> Iterator[None]:
    """The failures that the script asks for are no faults to be logged."""
    loggers = [logging.getLogger(name) for name in ("core.asking", "core.retrieval")]
    for logger in loggers:
        logger.addFilter(_is_real)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(_is_real)


def _is_real(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    while error is not None and not isinstance(error, SimulatedFailure):
        error = error.__cause__
    return error is None


@dataclass(order=True)
class _Due:
    at: float
    number: int
    act: Callable[[], None] = field(compare=False)


class _Player:
    """Plays the script."""

    def __init__(
        self, engine: SimulatedEngine, script: Day, on_collected: Callable[[SimulatedEngine], None], job: Job | None
    ) -> None:
        self._engine = engine
        self._script = script
        self._on_collected = on_collected
        self._job = job
        self._due: list[_Due] = []
        self._numbers = itertools.count()
        self._next_collection = COLLECT_EVERY_S
        self._standing: dict[int, int] = {}

    def play(self) -> None:
        total = len(self._script.asks)
        for first in range(0, total, _AT_A_TIME):
            if self._job is not None:
                self._job.checkpoint()
                self._job.report(first, total)
            with self._engine.in_one_go():
                for ask in self._script.asks[first : first + _AT_A_TIME]:
                    self._pass_until(ask.at)
                    self._ask(ask)
        with self._engine.in_one_go():
            self._pass_until(self._script.length)

    def _pass_until(self, moment: float) -> None:
        """Time passes; what is due on the way is done when it is."""
        while True:
            act = self._due[0].at if self._due else moment
            upcoming = min(act, self._next_collection)
            if upcoming >= moment:
                break
            self._engine.calls.pass_until(upcoming)
            if upcoming == self._next_collection:
                self._next_collection += COLLECT_EVERY_S
                self._engine.monitor.collect()
                self._on_collected(self._engine)
            else:
                heapq.heappop(self._due).act()
        self._engine.calls.pass_until(moment)

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._due, _Due(self._engine.calls.moment + seconds, next(self._numbers), act))

    def _ask(self, ask: Ask) -> None:
        session = f"T-{ask.session + 1001}"
        if ask.left_standing:
            answer = self._engine.lookup(ask.text, session_id=session, trigger=Trigger.SETTLE)
        elif ask.executor:
            answer = self._engine.lookup(
                ask.text, session_id=session, mode=Mode.HARD, actor=Actor.EXECUTOR, trigger=Trigger.MCP
            )
        else:
            answer = self._engine.lookup(ask.text, session_id=session)
        before = self._standing.pop(ask.session, None)
        if before is not None:
            self._engine.supersede(before)
        if answer.invocation_id is None:
            return
        if ask.left_standing:
            self._standing[ask.session] = answer.invocation_id
        for seconds, act in ask.then:
            self._later(seconds, lambda act=act: self._act(act, ask, answer, session))  # type: ignore[misc]
        if ask.closes:
            self._later(20, lambda: self._engine.close_session(session))

    def _act(self, act: Act, ask: Ask, answer: Answer, session: str) -> None:
        result = answer.result
        if result.primary is None or result.outcome is Outcome.DEGRADED:
            return
        helped = ask.helps and result.evidence_level is not None and ask.luck < _RIGHT[result.evidence_level]
        if act is Act.COPY and not helped:
            return
        value = None
        if act is Act.VOTE:
            value = (2 if ask.luck < 0.5 else 1) if helped else -1
        self._engine.record_event(
            session,
            _KINDS[act],
            doc_key=result.primary.doc_key,
            invocation_id=answer.invocation_id,
            value=value,
        )
