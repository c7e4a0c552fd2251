"""A real engine under stress: lookups of many threads, by a model that fails, hangs and is late, in a base of its own.

Time is the test's own. A call that hangs waits until its deadline has long passed, one that is late until somebody has
waited for it in vain; nothing sleeps. What the engine gives out and takes back is counted by a ledger beside it.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import sqlite3
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.agents.calls import EngineCall, EngineCalls
from core.agents.pool import Assignment
from core.agents.window import Call
from core.engine import Engine
from core.model import Answer, EventKind, LegState, Outcome
from core.paths import DataFolder
from core.protocols import Unit, Vectors
from core.settings import Settings
from tests.stress_parts import Ledger, SharedClock

_PATIENCE_S = 60  # after which a thread that waits is taken for lost
_GRACE_S = 0.05  # that a leg gets to end in, while another one is stuck, before its time is taken for over
_STEP_S = 0.1  # by which time passes with a lookup, about
_SPELLS = 40
_MANY = 10_000
_HUNG_S = 15  # longer than the deadline of a call
_CIRCUMSTANCES = "早上 下午 三楼 新员工 换电脑 加班 出差 全部门 重启 升级 搬家 会议 假期 账号 电话 机房".split()  # noqa: SIM905
_SUBJECTS = {
    "network": ("VPN 连不上", "无线掉线", "网线不通", "代理设置"),
    "printing": ("打印机卡纸", "打印机脱机", "扫描发不出", "墨粉不足"),
    "general": ("会议室预订", "工牌补办", "班车时刻", "报销流程"),
}


@dataclass
class _Stuck:
    """A call in the model that does not come back by itself. `until`: when it may; None: once somebody gave up."""

    until: float | None
    go: threading.Event


class Model:
    """An embedder whose queries go wrong by script, and the way to wait for it that fits."""

    name = "scripted"
    dimension = 16
    fingerprint = "scripted-16-1"
    unit = Unit.CHUNK

    def __init__(self, clock: SharedClock, seed: int) -> None:
        self._clock = clock
        self._chance = random.Random(seed)
        self._changed = threading.Condition()
        self._stuck: list[_Stuck] = []
        self.spell = 0
        self.is_down = True  # until the base is built, and again once the lookups are over: it answers well
        self.made: Counter[str] = Counter()

    def encode_documents(self, token_lists: Sequence[Sequence[str]], texts: Sequence[str]) -> Vectors:
        return np.stack([self._vector(text) for text in texts])

    def encode_query(self, tokens: Sequence[str], weights: Sequence[float], text: str) -> Vectors:
        stuck = None
        with self._changed:
            what = "answers" if self.is_down else self._script(threading.current_thread().name)
            self.made[what] += 1
            if what in {"hangs", "is late"}:
                until = self._clock.monotonic() + _HUNG_S if what == "hangs" else None
                stuck = _Stuck(until, threading.Event())
                self._stuck.append(stuck)
                self._changed.notify_all()
        if stuck is not None:
            assert stuck.go.wait(_PATIENCE_S)
        if what == "fails":
            raise RuntimeError("as the script says")
        return self._vector(text)

    def wait(self, future: Future[Any], seconds: float) -> bool:
        """core.agents.calls.Wait: until it is done, or, while a call is stuck, until its time must be over."""
        until = self._clock.monotonic() + seconds
        future.add_done_callback(lambda _: self._notify())
        with self._changed:
            assert self._changed.wait_for(lambda: future.done() or self._stuck, _PATIENCE_S)
            if self._changed.wait_for(future.done, _GRACE_S):
                return True
        self._clock.reach(until)
        self.let_go()
        return future.done()

    def let_go(self, *, all_of_them: bool = False) -> None:
        """Calls that were waited for in vain come back now, and those that hung for long enough."""
        now = self._clock.monotonic()
        with self._changed:
            free = [one for one in self._stuck if all_of_them or one.until is None or one.until <= now]
            self._stuck = [one for one in self._stuck if one not in free]
        for one in free:
            one.go.set()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _script(self, thread: str) -> str:
        """Each instance has its bad spells; now and then anything happens."""
        trouble = random.Random(f"{self.spell} {thread}").choice(["fails", "hangs", "is late", *["answers"] * 4])
        if trouble != "answers" and self._chance.random() < 0.7:
            return trouble
        chances = ("fails", "hangs", "is late")
        return self._chance.choice(chances) if self._chance.random() < 0.03 else "answers"

    def _vector(self, text: str) -> Vectors:
        digest = hashlib.blake2b(text.encode(), digest_size=self.dimension).digest()
        vector = np.frombuffer(digest, dtype=np.uint8).astype(np.float32) - 127.5
        return vector / np.linalg.norm(vector)


class Watch:
    """Sees every call that a pool gives out and takes back, and writes it into a ledger; and which legs run."""

    def __init__(self, calls: EngineCalls) -> None:
        pool = calls.pool
        self.ledger = Ledger()
        self.routed = 0
        self.ran, self.released = set[int](), set[int]()
        self._run, calls.run = calls.run, self.run  # type: ignore[method-assign]
        self.out: dict[int, Assignment] = {}
        self._pool = pool
        self._route, self._probes_due = pool.route, pool.probes_due
        self._finish, self._release = pool.finish, pool.release
        pool.route, pool.probes_due = self.route, self.probes_due  # type: ignore[method-assign]
        pool.finish, pool.release = self.finish, self.release  # type: ignore[method-assign]
        tell = pool._on_call
        pool._on_call = lambda call: (self._told(call), tell(call))

    def route(self, type_: str) -> Assignment | None:
        assignment = self._route(type_)
        if assignment is not None:
            self._given(assignment, half_open=assignment.probe)
            with self.ledger.lock:
                self.routed += 1
        return assignment

    def probes_due(self, type_: str, served: str | None) -> tuple[Assignment, ...]:
        probes = self._probes_due(type_, served)
        for probe in probes:
            states = {one.id: one.breaker for one in self._pool.figures()}
            self._given(probe, half_open=states[probe.agent] == "half_open")
        return probes

    def run(self, call: EngineCall, leg: Callable[[], Any]) -> None:
        self._run(call, lambda: (self.ran.add(call.assignment.number), leg())[1])

    def finish(self, assignment: Assignment, **said: Any) -> bool:
        self._back(assignment)
        counted = self._finish(assignment, **said)
        with self.ledger.lock:
            self.ledger.finished += counted
            self.ledger.late += not counted
        return counted

    def release(self, assignment: Assignment) -> bool:
        self._back(assignment)
        counted = self._release(assignment)
        if counted:
            self.released.add(assignment.number)
        return counted

    def _told(self, call: Call) -> None:
        with self.ledger.lock:
            self.ledger.calls.append(call)

    def _given(self, assignment: Assignment, *, half_open: bool) -> None:
        with self.ledger.lock:
            self.out[assignment.number] = assignment
        self.ledger.begun(assignment, half_open=half_open)

    def _back(self, assignment: Assignment) -> None:
        with self.ledger.lock:
            first = self.out.pop(assignment.number, None)
        if first is not None:
            self.ledger.ends(assignment)


class Desk:
    """An engine on a base of its own, with the model above and faults in making answers."""

    def __init__(self, folder: Path, seed: int, lookups: int) -> None:
        self._lookups = lookups
        self._words = 2 if lookups > _MANY else 1  # so that a question comes again now and then
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._done = 0
        self.clock = SharedClock()
        self.model = Model(self.clock, seed)
        # A base of a few hundred lookups sees breakers come and go as well.
        Settings({"breaker.wait_s": 30 if lookups > _MANY else 2}).save(DataFolder(folder).create().settings)
        self.engine = Engine.open(folder, embedder=self.model, clock=self.clock, wait=self.model.wait)
        self.engine.remove_starter()
        self.engine.ingest([_written(folder / "knowledge")])
        self.engine.lookup("VPN", throwaway=True)
        self.watch = Watch(self.engine._serving.calls)
        self.answers: Counter[str] = Counter()
        self.broken: list[str] = []
        self.late: list[int] = []
        self.hits = 0
        self._plant_faults()
        self.model.is_down = False

    def lookup(self, chance: random.Random, number: int, count: int) -> None:
        """One lookup as the window makes it, and what else goes on meanwhile."""
        self.clock.advance(2 * chance.random() * _STEP_S)
        self.model.let_go()
        text = " ".join(
            (chance.choice(_SUBJECTS[chance.choice(list(_SUBJECTS))]), *chance.sample(_CIRCUMSTANCES, self._words))
        )
        session = f"T-{number}-{count // 20}"
        answer = self.engine.lookup(text, session_id=session, top_k=3, log_later=True)
        self._count(answer)
        if count % 40 == 0:
            self.engine.monitor.collect()
        if count % 60 == number and answer.result.primary is not None:
            self.engine.record_event(
                session,
                EventKind.VOTED,
                doc_key=answer.result.primary.doc_key,
                invocation_id=answer.invocation_id,
                value=1,
            )

    def close(self) -> None:
        """Lets everything come back, and the engine write what it has to."""
        self.model.is_down = True
        self.model.let_go(all_of_them=True)
        for worker in self.engine._serving.calls._workers.values():
            with worker._lock:
                assert worker._lock.wait_for(lambda w=worker: w._hung == 0, _PATIENCE_S), "a call never ended"
            worker.submit(lambda: None).result(_PATIENCE_S)  # after whatever it had to do
        self._check_late_legs()
        self.engine.close()

    # ------------------------------------------------------------------ inside
    def _plant_faults(self) -> None:
        """Making an answer fails now and then, and for whole spells: then it is nobody's model's fault."""
        prepare = self.engine._asking._answering.prepare

        def faulty(*args: Any) -> Any:
            share = 1.0 if self.model.spell % 10 == 7 else 0.002
            with self._lock:
                fails = self._chance.random() < share
            if fails:
                raise ValueError("as the script says")
            return prepare(*args)

        self.engine._asking._answering.prepare = faulty  # type: ignore[method-assign]

    def _count(self, answer: Answer) -> None:
        result = answer.result
        how = "complete"
        if result.degraded is not None:
            how = f"degraded: {result.degraded.reason}"
        elif result.cached:
            how = "cached"
        elif result.missing_legs:
            how = "without a leg"
        with self._lock:
            self._done += 1
            self.model.spell = self._done * _SPELLS // self._lookups
            self.answers[how] += 1
            if result.cached and (result.missing_legs or result.outcome is Outcome.DEGRADED):
                self.broken.append(f"out of the cache: {result}")
            if answer.leg_is_coming and answer.invocation_id is not None:
                self.late.append(answer.invocation_id)

    def _check_late_legs(self) -> None:
        """No leg is still said to be coming when all have ended."""
        coming = [one for one in self.late if self.engine.late_legs.state(one) is LegState.COMING]
        if coming:
            self.broken.append(f"{len(coming)} legs are still said to be coming")


def stress(threads: int, lookups: int, seed: int, say: Callable[[str], object] = str) -> list[str]:
    """`threads` × `lookups` on one engine; what did not hold, empty when all did. Raises what a thread raised."""
    folder = Path(tempfile.mkdtemp(prefix="deskside-stress-"))
    try:
        desk = Desk(folder, seed, threads * lookups)
        ready = threading.Barrier(threads)

        def ask(number: int) -> None:
            chance = random.Random(seed * 1000 + number)
            ready.wait()
            for count in range(lookups):
                desk.lookup(chance, number, count)

        with ThreadPoolExecutor(threads) as running:
            list(running.map(ask, range(threads)))
        kept = [served for _, served in desk.engine._serving.cache._entries.values()]
        figures, cache = desk.engine.monitor.agents(), desk.engine._serving.cache.figures()
        desk.hits = cache.hits  # some of these could not be made an answer
        desk.close()
        say(f"{threads * lookups} lookups: {dict(sorted(desk.answers.items()))}")
        say(f"the model: {dict(sorted(desk.model.made.items()))}; cache: {cache}, {len(kept)} kept")
        broken = [*desk.broken, *desk.watch.ledger.broken]
        broken += [f"in the cache: {one.search.missing_legs}" for one in kept if one.search.missing_legs]
        broken += [f"{one.id}: {one}" for one in figures if one.degraded > round(one.total * (1 - one.success_rate))]
        with sqlite3.connect(DataFolder(folder).database) as connection:
            broken += _verdict(connection, desk, threads * lookups, say)
        connection.close()
        return broken
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _verdict(connection: sqlite3.Connection, desk: Desk, lookups: int, say: Callable[[str], object]) -> list[str]:
    """What stands in the database, against what was seen."""

    def count(sql: str) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {sql}").fetchone()[0])

    watch, answers = desk.watch, desk.answers
    ledger = watch.ledger
    half_open = sum(any(era) for era in ledger.eras.values())
    rows, calls = count("tool_invocation"), len(ledger.calls)
    good, failed = (sum(call.ok is ok for call in ledger.calls) for ok in (True, False))
    # Calls that left every window are dropped now and then, the oldest first: the newest number tells how many it were.
    written = int(connection.execute("SELECT max(id) FROM agent_call").fetchone()[0])
    hits = "tool_invocation WHERE json_extract(retrieval_details, '$.cache_hit') = 1"
    degraded = sum(number for how, number in answers.items() if how.startswith("degraded"))
    say(f"{rows} rows, {degraded} of them degraded; {calls} calls: {good} good, {failed} failed")
    say(f"{ledger.probes} probes, {ledger.late} late results ignored, {len(watch.released)} calls never ran")
    say(f"half open {half_open} times, one call each")
    claims = {
        "one row a lookup": rows == lookups == sum(answers.values()),
        "success + failure = rows": count("tool_invocation WHERE success = 1") + degraded == rows,
        "a degraded row has its reason and no success": degraded
        == count("tool_invocation WHERE success = 0 AND degraded_reason IS NOT NULL AND outcome = 'degraded'"),
        "a fact for every row": count("lookup_fact") == rows,
        "cached rows are the cached answers": count(hits) == answers["cached"],
        "nothing degraded or without a leg came out of the cache": count(
            f"{hits} AND (success = 0 OR json_array_length(retrieval_details, '$.missing_legs') > 0)"
        )
        == 0,
        "every call that ended is told once, and written once": calls == ledger.finished == written,
        "success + failure = calls": good + failed == calls,
        "degraded within failure": count("agent_call WHERE degraded = 1 AND ok = 1") == 0
        and not any(call.degraded and call.ok for call in ledger.calls),
        "every call came back": not watch.out,
        "one call a lookup that was served": watch.routed
        == count("tool_invocation WHERE agent IS NOT NULL") - desk.hits,
        "a call counts as nothing only where its leg never ran": not watch.released & watch.ran,
        "something of everything happened": all((answers["complete"], answers["without a leg"], degraded, ledger.late))
        and (
            lookups <= _MANY
            or all((answers["cached"], answers["degraded: circuit_open"], half_open, ledger.probes, watch.released))
        ),
    }
    return [claim for claim, holds in claims.items() if not holds]


def _written(folder: Path) -> Path:
    """A small base on the subjects of three desks."""
    for domain, subjects in _SUBJECTS.items():
        for number, words in enumerate(subjects):
            path = folder / domain / f"{number}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {words}\n\n{words}：先看指示灯，再重启，仍不行就报修。\n", encoding="utf-8")
    return folder
