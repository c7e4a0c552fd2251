"""The script of a simulated day: who asks what when, and how the instances do. Pure; the same for the same seed.

Moments are seconds from the beginning of the day. An outage, a slow spell and two suspected outages stand at fixed
parts of the day, so that each alert has the time to open and to be resolved, but for the last, which is still on.
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Any

HOURS = 9
SESSIONS = 780
_MINUTE = 60.0
# How much is asked in each tenth of the day: the rush of the morning, noon, the afternoon.
_BUSY = (6, 11, 13, 10, 6, 8, 12, 13, 12, 9)
_EXECUTORS = 0.08
_KNOWN = 0.90  # of the questions, those with an answer in the base
_LOOKUPS = ((1, 0.42), (2, 0.32), (3, 0.16), (4, 0.10))


class Act(StrEnum):
    """What a person does with the first article of an answer."""

    OPEN = "open"
    COPY = "copy"
    VOTE = "vote"


@dataclass(frozen=True, slots=True)
class Ask:
    """A lookup. `session`: a number of its own for each; `then`: (seconds later, act); `helps`: whether the base knows
    the answer; `luck` (0 … 1) decides what a vote says; `left_standing`: half-typed, and replaced by the next one;
    `closes`: the ticket is done with it."""

    at: float
    session: int
    text: str
    executor: bool = False
    then: tuple[tuple[float, Act], ...] = ()
    helps: bool = True
    luck: float = 0.0
    left_standing: bool = False
    closes: bool = False


@dataclass(frozen=True, slots=True)
class Spell:
    """What befalls instances (by id) between two parts (0 … 1) of the day: their calls take so many milliseconds, and
    this share of them fails."""

    agents: tuple[str, ...]
    start: float
    end: float
    ms: tuple[float, float]
    failing: float = 0.0


SPELLS = (
    Spell(("workplace/hybrid-hashed-1", "workplace/hybrid-hashed-2"), 0.10, 0.28, (7200, 9300)),
    Spell(("network/hybrid-hashed-1", "network/hybrid-hashed-2"), 0.42, 0.52, (200, 900), failing=1.0),
)
STALL = (0.70, 0.704)  # of the day: nothing can be searched
_USUAL_MS: Mapping[str, tuple[float, float]] = {
    "semantic": (240, 620),
    "hybrid-hashed": (60, 260),
    "keyword": (8, 30),  # of a probe; a lookup has searched by words already
}
_WORDS_MS = (6, 28)
_USUALLY_FAILING = 0.004
_USUALLY_TARDY = 0.008  # beyond a person's patience
_TARDY_MS = (1600, 2600)


@dataclass(frozen=True, slots=True)
class Day:
    """What happens: the lookups in order of time, and how calls go."""

    length: float
    asks: tuple[Ask, ...]
    spells: tuple[Spell, ...] = SPELLS

    def stalls(self, at: float) -> bool:
        """Whether nothing at all can be searched at a moment."""
        return STALL[0] <= at / self.length < STALL[1]

    def words_ms(self, chance: random.Random) -> float:
        """Milliseconds that a search by words alone takes."""
        return chance.uniform(*_WORDS_MS)

    def call(self, agent: str, tier: str, at: float, chance: random.Random) -> tuple[float, bool]:
        """(milliseconds, whether it succeeds) of a call that an instance begins at a moment."""
        part = at / self.length
        for spell in self.spells:
            if agent in spell.agents and spell.start <= part < spell.end:
                return chance.uniform(*spell.ms), chance.random() >= spell.failing
        if chance.random() < _USUALLY_TARDY:
            return chance.uniform(*_TARDY_MS), True
        return chance.uniform(*_USUAL_MS[tier]), chance.random() >= _USUALLY_FAILING


def day(questions: Mapping[str, Any], seed: int, *, hours: float = HOURS, sessions: int = SESSIONS) -> Day:
    """A day of so many hours and sessions. `questions`: the document of resources/simulation/questions.yaml."""
    length = hours * 3600
    writer = _Writer(questions, random.Random(seed), length)
    asks = [ask for number in range(sessions) for ask in writer.session(number)]
    asks += writer.outage(sessions, 0, start=0.62 * length, minutes=9, callers=13)
    asks += writer.outage(sessions + 13, 1, start=length - 7.5 * _MINUTE, minutes=6, callers=8)
    return Day(length, tuple(sorted((ask for ask in asks if ask.at < length), key=lambda ask: (ask.at, ask.session))))


class _Writer:
    """Makes up sessions."""

    def __init__(self, questions: Mapping[str, Any], chance: random.Random, length: float) -> None:
        self._chance = chance
        self._length = length
        self._answered = _Weighted(questions["answered"])
        self._unanswered = _Weighted(questions["unanswered"])
        self._outages: Sequence[Sequence[str]] = questions["outages"]
        self._executor: Sequence[Sequence[str]] = questions["executor"]
        self._busy = list(accumulate(_BUSY))

    def session(self, number: int) -> Iterator[Ask]:
        """One ticket from its first lookup on."""
        at = self._moment()
        if self._chance.random() < _EXECUTORS:
            yield from self._executor_session(number, at)
            return
        count = self._chance.choices([n for n, _ in _LOOKUPS], [weight for _, weight in _LOOKUPS])[0]
        helps, wordings = self._question()
        closes = self._chance.random() < 0.7
        for place in range(count):
            text = self._chance.choice(wordings)
            if len(text) > 5 and self._chance.random() < 0.05:
                yield Ask(at, number, text[: len(text) // 2], helps=helps, left_standing=True)
                at += 4 + 6 * self._chance.random()
            then, luck = tuple(self._acts()), self._chance.random()
            last = closes and place == count - 1
            yield Ask(at, number, text, then=then, helps=helps, luck=luck, closes=last)
            at += 25 + 130 * self._chance.random()
            if self._chance.random() < 0.6:
                helps, wordings = self._question()

    def outage(self, number: int, which: int, *, start: float, minutes: float, callers: int) -> Iterator[Ask]:
        """Many callers with one question, within minutes."""
        wordings = self._outages[which]
        for caller in range(callers):
            at = start + minutes * _MINUTE * self._chance.random()
            yield Ask(at, number + caller, self._chance.choice(wordings), helps=False)

    def _executor_session(self, number: int, at: float) -> Iterator[Ask]:
        for text in self._chance.choice(self._executor)[: self._chance.randint(2, 4)]:
            yield Ask(at, number, text, executor=True)
            at += 4 + 10 * self._chance.random()

    def _acts(self) -> Iterator[tuple[float, Act]]:
        after = 2 + 6 * self._chance.random()
        for act, share in ((Act.OPEN, 0.55), (Act.COPY, 0.30), (Act.VOTE, 0.22)):
            if self._chance.random() < share:
                yield after, act
                after += 2 + 4 * self._chance.random()

    def _question(self) -> tuple[bool, Sequence[str]]:
        helps = self._chance.random() < _KNOWN
        return helps, (self._answered if helps else self._unanswered).pick(self._chance)

    def _moment(self) -> float:
        """A moment of the day, more often where it is busy."""
        x = self._chance.random() * self._busy[-1]
        tenth = bisect(self._busy, x)
        before = self._busy[tenth - 1] if tenth else 0
        return (tenth + (x - before) / _BUSY[tenth]) / len(_BUSY) * self._length


class _Weighted:
    """Questions, each as often as it says."""

    def __init__(self, questions: Sequence[Mapping[str, Any]]) -> None:
        self._wordings = [[str(text) for text in one["as"]] for one in questions]
        self._weights = list(accumulate(float(one["asked"]) for one in questions))

    def pick(self, chance: random.Random) -> Sequence[str]:
        return self._wordings[bisect(self._weights, chance.random() * self._weights[-1])]
