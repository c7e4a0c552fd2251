"""SimulatedEngine: the real engine, whose instances do what a script says and which searches for each text once.

Routing, breakers, deadlines, cache, judging, session memory, log and monitor are the real ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.asking import Asking
from core.engine import Engine
from core.made_once import made_once
from core.model import LookupResult, Mode
from core.request import said
from core.retrieval import Served, Serving
from core.simulation.calls import SimulatedCalls, SimulatedFailure
from core.simulation.virtual_clock import VirtualClock
from core.store.log_writer import LogWriter, Write

if TYPE_CHECKING:
    from core.agents.pool import Assignment
    from core.index.recall import Nearness
    from core.indexing import IndexKeeper
    from core.job import Job
    from core.lookup import Begun, Search, Searcher
    from core.query import Query
    from core.request import Prepared, Request
    from core.simulation.script import Day
    from core.store.database import Database


_TELLING = 5  # the places of a list that decide what the log says of it


class SimulatedEngine(Engine):
    """`Engine.open(…, clock=VirtualClock(…))`, then `play` before the first lookup."""

    def play(self, script: Day, chance: random.Random) -> None:
        """What happens from now on. One thread writes everything."""
        self._script = script
        self._chance = chance
        self._database.log = _AtOnce(self._database)

    def in_one_go(self) -> AbstractContextManager[object]:
        """Commit once for all that is done inside."""
        return self._database.transaction()

    @property
    def calls(self) -> SimulatedCalls:
        """The calls under way; time passes by them."""
        calls = self._serving.calls
        assert isinstance(calls, SimulatedCalls)
        return calls

    @made_once
    def _serving(self) -> Serving:
        assert isinstance(self._clock, VirtualClock)
        serving = super()._serving
        deadline_s = self.settings.number("engine_deadline_ms") / 1000
        serving.calls = SimulatedCalls(serving.calls.pool, self._clock, deadline_s=deadline_s, weather=self._weather)
        return serving

    def _asking_over(self, database: Database, keeper: IndexKeeper, serving: Serving | None = None) -> Asking:
        return _Remembering(
            database, keeper, settings=self.settings, clock=self._clock, serving=serving, before=self._search_by_words
        )

    def _weather(self, assignment: Assignment, at: float) -> tuple[float, bool]:
        return self._script.call(assignment.agent, assignment.tier, at, self._chance)

    def _search_by_words(self) -> None:
        """Takes its time, if it can be done at all."""
        now = self.calls.moment
        if self._script.stalls(now):
            raise SimulatedFailure("nothing can be searched")
        self.calls.pass_until(now + self._script.words_ms(self._chance) / 1000)


class _AtOnce(LogWriter):
    """Writes where it is asked to."""

    def put(self, write: Write) -> None:
        with self._database.transaction() as connection:
            write(connection)


class _Remembering(Asking):
    """Asking that does for each text once what is the same each time. The day's votes lift nothing."""

    def __init__(self, *parts: Any, before: Callable[[], None], **named: Any) -> None:
        super().__init__(*parts, **named)
        self._answers: dict[tuple[object, ...], tuple[Search, Prepared]] = {}
        if self._retrieval is not None:
            self._retrieval._searcher = _RememberingSearcher(self.searcher, before)  # type: ignore[assignment]

    def _prepared(self, search: Search, request: Request) -> Prepared:
        session = request.session_id
        if request.mode is Mode.HARD or session is None:
            return super()._prepared(search, request)
        first = (search.heads[article.article_id].doc_key for article in search.ranked[:_TELLING])
        held = frozenset(self._tracker.held(session)).intersection(first)
        key = (id(search.recall), search.missing_legs, held)
        if key not in self._answers:
            self._answers[key] = (search, super()._prepared(search, request))
        prepared = self._answers[key][1]
        result = replace(prepared.answer.result, retrieved_domains_this_session=self._domains(session))
        answer = replace(prepared.answer, result=result, details={**prepared.answer.details, **said(result)})
        return replace(prepared, answer=answer)

    def _lifted(self, search: Search) -> Search:
        return search

    def _suggestion(self, served: Served | None, result: LookupResult) -> str | None:  # noqa: ARG002
        return None


class _RememberingSearcher:
    """A Searcher as Retrieval needs it; the knowledge stays as it is meanwhile."""

    def __init__(self, searcher: Searcher, before: Callable[[], None]) -> None:
        self._searcher = searcher
        self._before = before
        self._queries: dict[str, Query] = {}
        self._begun: dict[tuple[str, str | None], Begun] = {}
        self._domains: dict[int, dict[str, float]] = {}
        self._found: dict[tuple[int, bool, str], Search] = {}

    def open(self) -> None:
        self._searcher.open()

    def read(self, text: str) -> Query:
        if text not in self._queries:
            self._queries[text] = self._searcher.read(text)
        return self._queries[text]

    def begin(self, query: Query, *, domain: str | None = None, job: Job | None = None) -> Begun:
        self._before()
        key = (query.folded, domain)
        if key not in self._begun:
            self._begun[key] = self._searcher.begin(query, domain=domain, job=job)
        return self._begun[key]

    def domains(self, begun: Begun) -> dict[str, float]:
        if id(begun) not in self._domains:
            self._domains[id(begun)] = self._searcher.domains(begun)
        return self._domains[id(begun)]

    @property
    def reranker(self) -> str:
        return self._searcher.reranker

    def finish(
        self, begun: Begun, near: Nearness | None, embedder: str = "", *, seconds: float | None = None
    ) -> Search:
        key = (id(begun), near is None, embedder)
        if key not in self._found:
            self._found[key] = self._searcher.finish(begun, near, embedder, seconds=seconds)
        return self._found[key]
