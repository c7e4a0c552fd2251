"""One support line under stress: pool, workers and cache, with calls that fail, hang, are slow or come back degraded.

Nothing sleeps and no clock but the test's runs: a call that hangs waits until it was given up. What must hold is
counted while it happens, by a `Ledger` of its own.
"""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from core.agents.cache import CacheKey, SearchCache, Versions
from core.agents.pool import Assignment, Pool
from core.agents.routing import penalty
from core.agents.tier import Tier, tiers
from core.agents.window import Call
from core.agents.worker import Worker, WorkerUnusable
from core.figures import BreakerState
from core.settings import Settings
from tests.manual_clock import START

TYPES = ("network", "workplace", "general")
_PATIENCE_S = 60
_QUESTIONS = 400
_WHOLE_S = 3200  # how long it takes by the clock


class SharedClock:
    """A clock that every thread may advance."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._passed = 0.0

    def now(self) -> datetime:
        return START + timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        return self._passed

    def advance(self, seconds: float) -> None:
        with self._lock:
            self._passed += seconds

    def reach(self, moment: float) -> None:
        """Time passes up to that moment (monotonic), if it is not past already."""
        with self._lock:
            self._passed = max(self._passed, moment)


@dataclass(frozen=True)
class Found:
    """A search: which legs it lacks, and what it rests on."""

    text: str
    knowledge: int
    missing_legs: tuple[str, ...] = ()


@dataclass
class Ledger:
    """What was seen, apart from what the parts say of themselves."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    answers: Counter[str] = field(default_factory=Counter)
    calls: list[Call] = field(default_factory=list)
    finished: int = 0
    late: int = 0
    cancelled: int = 0
    probing: Counter[str] = field(default_factory=Counter)
    eras: dict[tuple[str, int], list[bool]] = field(default_factory=dict)
    probes: int = 0
    broken: list[str] = field(default_factory=list)

    def begun(self, assignment: Assignment, *, half_open: bool) -> None:
        """A call was given out. `half_open`: it is its breaker's one probe."""
        with self.lock:
            era = self.eras.setdefault((assignment.agent, assignment.permit.era), [])
            era.append(half_open)
            if any(era) and len(era) > 1:
                self.broken.append(f"{len(era)} calls of {assignment.agent} while it was half open")
            if assignment.probe:
                self.probes += 1
                self.probing[assignment.agent] += 1
                if self.probing[assignment.agent] > 1:
                    self.broken.append(f"two probes of {assignment.agent} at once")

    def ends(self, assignment: Assignment) -> None:
        """A call is about to be brought back."""
        if assignment.probe:
            with self.lock:
                self.probing[assignment.agent] -= 1


class Line:
    """Pool, workers and cache, put together as a lookup does."""

    def __init__(self, seed: int, lookups: int) -> None:
        self.ledger = Ledger()
        self.clock = SharedClock()
        self._chance = random.Random(seed)
        self._lookups = lookups
        settings = Settings({"window.calls": 100_000})
        self.pool = Pool(TYPES, tiers(with_model=True), settings, self.clock, on_call=self._on_call)
        self.workers = {one.id: Worker(one.id) for one in self.pool.figures() if one.tier != Tier.KEYWORD}
        self.cache: SearchCache[Found] = SearchCache(settings.number("cache.ttl_s"), self.clock, most=256)
        self.knowledge = 0
        self._done = 0
        self._under_way: list[tuple[int, Callable[[], object]]] = []

    def close(self) -> bool:
        """Ends the workers; True when nothing is left."""
        ended = [worker.close(_PATIENCE_S) for worker in self.workers.values()]
        return all(ended)

    # ------------------------------------------------------------------ asking
    def lookup(self, chance: random.Random) -> None:
        """One lookup; what became of it goes into the ledger, once."""
        self.clock.advance(2 * chance.random() * _WHOLE_S / self._lookups)
        type_, text = chance.choice(TYPES), f"question {chance.randrange(_QUESTIONS)}"
        key = CacheKey(text, 10, (type_,), "scripted", "scripted")
        versions = Versions("", 0, self.knowledge)
        found = self.cache.get(key, versions)
        if found is not None:
            if found.missing_legs or (found.text, found.knowledge) != (text, versions.knowledge):
                self._breaks(f"{found} from the cache for {text!r} at {versions.knowledge}")
            self._answered("cached")
            return
        assignment = self.pool.route(type_)
        if assignment is None:
            self._answered("circuit_open")
            answer: Found | Exception = ConnectionRefusedError()
        else:
            self.ledger.begun(assignment, half_open=assignment.probe)
            answer = self._made(assignment, text, versions.knowledge, chance)
            degraded = isinstance(answer, Exception)
            self._answered("degraded" if degraded else "leg missing" if answer.missing_legs else "complete")  # type: ignore[union-attr]
        self.cache.put(key, versions, answer)
        for probe in self.pool.probes_due(type_, assignment.agent if assignment else None):
            self.ledger.begun(probe, half_open=self._is_half_open(probe))
            ends = self._done + chance.randrange(40)  # while others look up
            with self.ledger.lock:
                self._under_way.append((ends, partial(self._made, probe, text, versions.knowledge, chance)))
        self.end_probes()

    def end_probes(self, *, all_of_them: bool = False) -> None:
        """Makes the calls of background probes that have been out for long enough."""
        with self.ledger.lock:
            ending = [one for one in self._under_way if all_of_them or one[0] <= self._done]
            self._under_way = [one for one in self._under_way if one not in ending]
        for _, make in ending:
            make()

    def change(self) -> None:
        """New knowledge, and a collection of the monitor."""
        self.knowledge += 1
        self.pool.set_penalties(
            {one.id: penalty(one.success_rate, one.avg_ms, n=one.total) for one in self.pool.figures()}
        )

    def _is_half_open(self, probe: Assignment) -> bool:
        """While its probe is out, nobody changes a half-open breaker."""
        states = {one.id: one.breaker for one in self.pool.figures()}
        return states[probe.agent] is BreakerState.HALF_OPEN

    def _made(self, assignment: Assignment, text: str, knowledge: int, chance: random.Random) -> Found | Exception:
        """The call, as the script of this instance has it just now."""
        complete, without = Found(text, knowledge), Found(text, knowledge, ("vector",))
        script = self._script(assignment.agent, chance)
        if assignment.tier == Tier.KEYWORD:
            self._finish(assignment, ok=script != "fails", duration_ms=3)
            return ValueError() if script == "fails" else without
        if script == "is cancelled":
            self.ledger.ends(assignment)
            released = self.pool.release(assignment)
            with self.ledger.lock:
                self.ledger.cancelled += released
            return InterruptedError()
        try:
            if script == "hangs":
                return self._hung(assignment)
            if self.workers[assignment.agent].submit(lambda: script).result(_PATIENCE_S) == "fails":
                raise ValueError
        except (WorkerUnusable, CancelledError, ValueError) as error:  # cancelled: too many calls before it hang
            self._finish(assignment, ok=False, duration_ms=chance.random() * 50)
            return error
        if script == "is degraded":
            self._finish(assignment, ok=True, duration_ms=20, degraded=True)
            return without
        slow = script == "is slow"
        self._finish(assignment, ok=True, duration_ms=chance.uniform(1500, 9000) if slow else chance.random() * 50)
        return without if slow else complete

    def _hung(self, assignment: Assignment) -> Exception:
        """A call that is given up at its deadline and comes back after it."""
        go = threading.Event()
        worker = self.workers[assignment.agent]
        future = worker.submit(lambda: go.wait(_PATIENCE_S))
        worker.give_up(future)
        self._finish(assignment, ok=False, duration_ms=10_000, degraded=True)
        go.set()
        with self.ledger.lock:
            self.ledger.late += 1
        if self.pool.finish(assignment, ok=True, duration_ms=11_000):
            self._breaks("a late result was taken for news")
        return TimeoutError()

    def _script(self, agent: str, chance: random.Random) -> str:
        """Outages and slow spells come and go, another instance's each time; now and then anything happens."""
        spell = int(self._done * 40 / self._lookups)
        trouble = random.Random(f"{spell} {agent}").choice(["fails", "hangs", "is slow", *["is well"] * 4])
        if trouble != "is well" and chance.random() < 0.8:
            return trouble
        others = ("fails", "hangs", "is slow", "is degraded", "is cancelled")
        return chance.choice(others) if chance.random() < 0.06 else "is well"

    def _finish(self, assignment: Assignment, *, ok: bool, duration_ms: float, degraded: bool = False) -> None:
        self.ledger.ends(assignment)
        counted = self.pool.finish(assignment, ok=ok, duration_ms=duration_ms, degraded=degraded)
        with self.ledger.lock:
            self.ledger.finished += 1
            if not counted:
                self.ledger.broken.append("a first word was not heard")

    def _on_call(self, call: Call) -> None:
        with self.ledger.lock:
            self.ledger.calls.append(call)

    def _answered(self, how: str) -> None:
        with self.ledger.lock:
            self.ledger.answers[how] += 1
            self._done += 1

    def _breaks(self, what: str) -> None:
        with self.ledger.lock:
            self.ledger.broken.append(what)


def stress(threads: int, lookups: int, seed: int, say: Callable[[str], object] = str) -> list[str]:
    """`threads` × `lookups` on one line; what did not hold, empty when all did. Raises what a thread raised."""
    line = Line(seed, threads * lookups)
    ready = threading.Barrier(threads)

    def ask(number: int) -> None:
        chance = random.Random(seed * 1000 + number)
        ready.wait()
        for count in range(lookups):
            line.lookup(chance)
            if count % 50 == 0 and number == 0:
                line.change()

    with ThreadPoolExecutor(threads) as running:
        list(running.map(ask, range(threads)))
    line.end_probes(all_of_them=True)
    ended = line.close()
    return [*line.ledger.broken, *verdict(line, threads * lookups, say)] + ([] if ended else ["a thread hangs"])


def verdict(line: Line, lookups: int, say: Callable[[str], object]) -> list[str]:
    """What the parts say of themselves, against the ledger."""
    ledger, figures, cache = line.ledger, line.pool.figures(), line.cache.figures()
    calls = Counter(call.agent for call in ledger.calls)
    good = Counter(call.agent for call in ledger.calls if call.ok)
    degraded = Counter(call.agent for call in ledger.calls if call.degraded)
    say(f"{lookups} lookups: {dict(sorted(ledger.answers.items()))}")
    say(f"{len(ledger.calls)} calls: {sum(good.values())} good, {len(ledger.calls) - sum(good.values())} failed,")
    say(f"  {sum(degraded.values())} of these degraded; {ledger.probes} probes, {ledger.late} late results ignored,")
    say(f"  {ledger.cancelled} cancelled; cache {cache}")
    half_open = sum(any(era) for era in ledger.eras.values())
    say(f"breakers were half open {half_open} times, each with one call")
    claims = {
        "every lookup has one answer": sum(ledger.answers.values()) == lookups,
        "every call that ended is told once": ledger.finished == len(ledger.calls),
        "the cache counts every lookup": cache.hits + cache.misses == lookups,
        "a hit is a cached answer": cache.hits == ledger.answers["cached"],
        "something of everything happened": all(
            (
                *(ledger.answers[how] for how in ("cached", "complete", "degraded", "leg missing")),
                half_open,
                ledger.late,
            )
        ),
    }
    broken = [claim for claim, holds in claims.items() if not holds]
    for one in figures:
        failed = sum(not call.ok for call in ledger.calls if call.agent == one.id)
        if good[one.id] + failed != calls[one.id]:
            broken.append(f"{one.id}: success + failure is not total")
        if degraded[one.id] > failed:
            broken.append(f"{one.id}: more degraded than failed")
        if one.total > calls[one.id] or one.degraded > degraded[one.id]:
            broken.append(f"{one.id}: its window holds more than its calls")
    return broken
