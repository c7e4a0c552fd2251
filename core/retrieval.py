"""Retrieval: one lookup's search, out of the cache or by the instance that serves its type (contract §3, §8)."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from core.agents.agent_types import GENERAL, AgentTypes
from core.agents.cache import CacheKey, SearchCache, Versions
from core.agents.calls import EngineCall, EngineCalls, Wait, wait_for
from core.agents.pool import Pool
from core.agents.tier import Tier, tiers
from core.embedding.profile import HASHED
from core.errors import Cancelled
from core.late_legs import LateLegs
from core.model import LegState

if TYPE_CHECKING:
    from concurrent.futures import Future
    from datetime import datetime

    from core.agents.window import Call
    from core.clock import Clock
    from core.index.recall import Nearness
    from core.job import Job
    from core.lookup import Begun, Search, Searcher
    from core.paths import DataFolder
    from core.query import Query
    from core.request import Request
    from core.settings import Settings

log = logging.getLogger(__name__)
Slot = tuple[CacheKey, Versions]


class RetrievalFailed(Exception):
    """Nothing could answer as asked: `reason` timeout, circuit_open or error (contract §6), with whom it was asked."""

    def __init__(self, reason: str, detail: str, source: Source) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.source = source


@dataclass(frozen=True, slots=True)
class Source:
    """Who made a search (None: nobody could), of which type the lookup is, and the domain that recall points to."""

    agent: str | None = None
    type: str | None = None
    domain: str | None = None


class LateLeg:
    """The vector leg of an answer that was given without it. `served`: the whole search, once it is there."""

    def __init__(self, give_up_overdue: Callable[[], None]) -> None:
        self._give_up_overdue = give_up_overdue
        self._lock = threading.Lock()
        self._state = LegState.COMING
        self._served: Served | None = None

    def state(self) -> LegState:
        """Whether it is still coming. Microseconds."""
        self._give_up_overdue()
        return self._state

    @property
    def served(self) -> Served | None:
        """The search with all its legs, when ARRIVED."""
        return self._served

    def end(self, served: Served | None) -> None:
        """It has arrived, or (None) never will."""
        with self._lock:
            if self._state is LegState.COMING:
                self._served = served
                self._state = LegState.LOST if served is None else LegState.ARRIVED


@dataclass(frozen=True, slots=True)
class Served:
    """A search, and where it came from. `call`: the engine call behind it, to be ended when the answer is made;
    `begun`: what a probe can repeat; `late`: its vector leg is still coming; `slot`: where the cache may keep it."""

    search: Search
    source: Source = Source()
    cached: bool = False
    call: EngineCall | None = None
    begun: Begun | None = None
    late: LateLeg | None = None
    slot: Slot | None = None

    @property
    def missing_legs(self) -> tuple[str, ...]:
        """What the cache refuses it for."""
        return self.search.missing_legs


class Serving:
    """What all lookups of an open engine share: types, calls, cache, late legs. `embedders`: names, the best first."""

    def __init__(
        self, types: AgentTypes, calls: EngineCalls, cache: SearchCache[Served], embedders: tuple[str, ...]
    ) -> None:
        self.types = types
        self.calls = calls
        self.cache = cache
        self.late_legs = LateLegs()
        self.embedders = embedders
        self._before: list[EngineCalls] = []  # of who served earlier; a lookup may be under way there

    @classmethod
    def over(
        cls,
        folder: DataFolder,
        settings: Settings,
        clock: Clock,
        *,
        models: tuple[str, ...],
        wait: Wait | None,
        on_call: Callable[[Call], None],
        on_recovery: Callable[[str, datetime], None] | None = None,
    ) -> Serving:
        """`models`: the embedder that stands above the hashed one, if there is any. `on_call` and `on_recovery` are the
        pool's."""
        types = AgentTypes.load(folder.user_agent_types)
        pool = Pool(
            types.types, tiers(with_model=bool(models)), settings, clock, on_call=on_call, on_recovery=on_recovery
        )
        deadline_s = settings.number("engine_deadline_ms") / 1000
        calls = EngineCalls(pool, clock, deadline_s=deadline_s, wait=wait or wait_for)
        return cls(types, calls, SearchCache(settings.number("cache.ttl_s"), clock), (*models, HASHED))

    def embedder(self, tier: str) -> str | None:
        """Whose vectors an instance of that tier asks; None: nobody's."""
        return {Tier.SEMANTIC: self.embedders[0], Tier.HYBRID_HASHED: HASHED}.get(Tier(tier))

    @property
    def model(self) -> str | None:
        """The embedder that stands above the hashed one."""
        return self.embedders[0] if len(self.embedders) > 1 else None

    def after(self, earlier: Serving) -> Serving:
        """This one, going on where `earlier` stops: with its late legs, which still come, and its cache, whose keys
        name the embedders. Who served before that has answered long ago, and ends."""
        self.late_legs, self.cache = earlier.late_legs, earlier.cache
        self._before = [earlier.calls]
        for calls in earlier._before:
            calls.close()
        return self

    def close(self) -> None:
        """End the instances' threads; one that hangs is left to itself."""
        for calls in (*self._before, self.calls):
            calls.close()


class Retrieval:
    """Searches for lookups that count. Thread-safe."""

    def __init__(
        self,
        searcher: Searcher,
        serving: Serving,
        *,
        lifted: Callable[[Search], Search],
        versions: Callable[[], Versions],
        profile: Callable[[], str],
    ) -> None:
        self._searcher = searcher
        self._serving = serving
        self._calls = serving.calls
        self._lifted = lifted
        self._versions = versions
        self._profile = profile

    def search(
        self, request: Request, *, domain: str | None, started: float, deadline_s: float, job: Job | None
    ) -> Served:
        """What the text finds. `started` (monotonic): the beginning of the lookup. Its `deadline_s`, and its instance's
        call, count from when the text is read and the cache asked: opening the database and the index, or building it
        after an import, and loading word lists say nothing of any leg. End it by `end`. Raises RetrievalFailed,
        Cancelled; its call has ended then."""
        try:
            self._searcher.open()
            query = self._searcher.read(request.text)
            slot = self._slot(query, request, domain)
            kept = self._serving.cache.get(*slot) if query.is_business else None
            if kept is not None:
                readings = (query, *kept.search.readings[1:])  # as it was typed this time
                return replace(kept, search=replace(kept.search, query=query, readings=readings), cached=True)
            started = self._calls.clock.monotonic()
            begun = self._searcher.begin(query, domain=domain, job=job)
            if begun.words is None:
                return Served(self._searcher.finish(begun, None))
            weights = self._searcher.domains(begun)
        except Cancelled:
            raise
        except Exception as error:
            raise self._failed_early(error, started) from error
        return self._by_instance(begun, weights, slot, started=started, by=started + deadline_s)

    def explained(self, request: Request, *, domain: str | None, deadline_s: float) -> Search:
        """What a lookup of this text finds, for who asks why: the very search that the cache still holds, else one by
        the best embedder, without vectors where these are not there in time. Counts as nothing."""
        query = self._searcher.read(request.text)
        kept = self._serving.cache.peek(*self._slot(query, request, domain))
        if kept is not None:
            return kept.search
        begun = self._searcher.begin(query, domain=domain)
        near = None
        if begun.words is not None:
            best = self._serving.embedders[0]
            try:
                near = self._calls.aside(partial(begun.index.by_vectors, begun.words, best), deadline_s)
            except Exception as error:
                log.warning("explained without vectors", exc_info=error)
        return self._lifted(self._searcher.finish(begun, near, self._serving.embedders[0]))

    def end(self, served: Served | None, *, ok: bool) -> None:
        """The answer is made, or could not be (`ok` False): its engine call counts, up to when the search was found;
        the search is kept, and the probes that are due are made."""
        if served is None or served.call is None:
            return
        self._calls.end(served.call, ok=ok)
        if ok and not served.missing_legs:
            self._keep(served)
        begun, assignment = served.begun, served.call.assignment
        if begun is not None:
            self._calls.probe(assignment.type, assignment.agent, lambda tier: self._leg(begun, tier))

    # ---------------------------------------------------------------- inside
    def _by_instance(
        self, begun: Begun, weights: Mapping[str, float], slot: Slot, *, started: float, by: float
    ) -> Served:
        type_, domain = self._serving.types.of(weights), next(iter(weights), None)
        call = self._calls.begin(type_, started)
        if call is None:
            raise RetrievalFailed("circuit_open", type_, Source(None, type_, domain))
        source = Source(call.assignment.agent, type_, domain)
        call.leg_failed = begun.words is not None and not begun.words.lexical
        try:
            near, late = self._nearness(begun, call, by)
            if near is None and begun.words is not None and not begun.words.lexical:
                reason = "error" if late is None else "timeout"
                raise RetrievalFailed(reason, "bm25, vector", source)
            search = self._found(begun, near, call, by)
            if late is None:
                self._calls.found(call)
        except RetrievalFailed:
            self._calls.end(call, ok=False)
            raise
        except Exception as error:
            self._calls.end(call, ok=False)
            raise RetrievalFailed("error", f"{type(error).__name__}: {error}", source) from error
        except BaseException:
            self._calls.release(call)
            raise
        served = Served(search, source, call=call, begun=begun, late=late, slot=slot)
        if late is not None:
            self._calls.leave(call, lambda leg, in_time: self._arrived(served, leg, in_time))
        return served

    def _nearness(self, begun: Begun, call: EngineCall, by: float) -> tuple[Nearness | None, LateLeg | None]:
        """What the instance's vectors say; None without, and the leg when it is still coming."""
        tier = call.assignment.tier
        if self._serving.embedder(tier) is None:
            return None, None
        try:
            self._calls.run(call, lambda: self._leg(begun, tier))
            assert call.leg is not None
            if not self._calls.is_ready(call, by):
                return None, LateLeg(self._calls.give_up_overdue)
            near: Nearness = call.leg.result()
        except Exception as error:
            log.warning("the vector leg of %s failed", call.assignment.agent, exc_info=error)
            call.leg_failed = True
            return None, None
        return near, None

    def _leg(self, begun: Begun, tier: str) -> Nearness | None:
        """What an instance of that tier does, on its own thread."""
        embedder = self._serving.embedder(tier)
        assert begun.words is not None
        if embedder is None:
            begun.index.by_words(begun.words.queries)
            return None
        return begun.index.by_vectors(begun.words, embedder)

    def _found(self, begun: Begun, near: Nearness | None, call: EngineCall, by: float | None = None) -> Search:
        embedder = self._serving.embedder(call.assignment.tier)
        seconds = None if by is None else by - self._calls.clock.monotonic()
        return self._lifted(self._searcher.finish(begun, near, embedder or HASHED, seconds=seconds))

    def _arrived(self, served: Served, leg: Future[Nearness], in_time: bool) -> None:
        """The late leg has ended; on the thread that ended it."""
        assert served.late is not None
        whole = None
        try:
            if in_time and served.begun is not None and served.call is not None:
                search = self._found(served.begun, leg.result(), served.call)
                whole = replace(served, search=search, late=None, call=None, begun=None)
                if not whole.missing_legs:
                    self._keep(whole)
        finally:
            served.late.end(whole)

    def _keep(self, served: Served) -> None:
        """What a lower tier than the best answered is not kept: the best may be back any time. Nor is what a reranker
        was late for."""
        is_best = served.search.embedder == self._serving.embedders[0] and served.search.places is not None
        if served.slot is not None and is_best:
            self._serving.cache.put(*served.slot, replace(served, call=None, begun=None, late=None, slot=None))

    def _failed_early(self, error: Exception, started: float) -> RetrievalFailed:
        """A failure before the type was known counts against whoever serves `general`."""
        call = self._calls.begin(GENERAL, started)
        if call is not None:
            self._calls.end(call, ok=False)
        agent = None if call is None else call.assignment.agent
        return RetrievalFailed("error", f"{type(error).__name__}: {error}", Source(agent, GENERAL))

    def _slot(self, query: Query, request: Request, domain: str | None) -> Slot:
        filters = ("" if domain is None else f"domain={domain}", f"ranked={request.ranked}")
        engine = "+".join(filter(None, (*self._serving.embedders, self._searcher.reranker)))
        return CacheKey(query.folded, request.top_k, filters, engine, self._profile()), self._versions()
