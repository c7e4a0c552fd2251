"""Decision 3 of the contract as lines: a share over a pool of queries, its floor or ceiling, met or missed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.evaluation import Judged, nothing_found, wilson_low
from core.model import RelevanceLevel

PRECISE, HIGHLY = RelevanceLevel.PRECISE, RelevanceLevel.HIGHLY_RELEVANT
# No part of the pools: the question is in another language than the articles.
NOT_PLAIN = {"xquad-zh-en", "xquad-en-zh", "m365-en-slug"}
_ENOUGH = 100  # HIGHLY_RELEVANT answers of a bench that its own floor is held to

Results = Mapping[str, Sequence[Judged]]
"""Bench → its judged queries."""


@dataclass(frozen=True, slots=True)
class Line:
    """`count` of `n` queries, at least or at most `limit` of them; without a limit it is there to be read."""

    name: str
    count: int
    n: int
    limit: float | None = None
    at_most: bool = False

    @property
    def share(self) -> float | None:
        """Of all; None over no queries."""
        return self.count / self.n if self.n else None

    @property
    def bound(self) -> float | None:
        """The end of the 95 % Wilson interval that lies towards the limit."""
        if not self.n:
            return None
        return 1 - wilson_low(self.n - self.count, self.n) if self.at_most else wilson_low(self.count, self.n)

    @property
    def met(self) -> bool | None:
        """Whether the share keeps the limit; None where there is nothing to keep or nothing was asked."""
        if self.limit is None or self.share is None:
            return None
        return self.share <= self.limit if self.at_most else self.share >= self.limit

    def __str__(self) -> str:
        if self.share is None or self.bound is None:
            return f"  -       {self.name}: none asked"
        verdict = {None: "", True: "met", False: "MISSED"}[self.met]
        sign = "≤" if self.at_most else "≥"
        limit = f", {sign} {self.limit:.0%} asked for" if self.limit is not None else ""
        figures = f"{self.count}/{self.n} = {self.share:.1%} (95 %: {sign} {self.bound:.1%})"
        return f"  {verdict:7} {self.name}: {figures}{limit}"


def badged(one: Judged) -> bool:
    """It bears a badge that promises something."""
    return one.level in (PRECISE, HIGHLY)


def line(
    name: str,
    judged: Sequence[Judged],
    holds: Callable[[Judged], bool],
    limit: float | None = None,
    *,
    at_most: bool = False,
) -> Line:
    """How many of the queries `holds` is true for."""
    return Line(name, sum(map(holds, judged)), len(judged), limit, at_most)


def right(name: str, judged: Sequence[Judged], level: RelevanceLevel, floor: float | None) -> Line:
    """How many of the answers that bear the level are right."""
    return line(name, [one for one in judged if one.level is level], lambda one: one.right, floor)


def pooled(results: Results) -> list[Judged]:
    """The queries of all same-language benches."""
    return [one for bench, judged in results.items() if bench not in NOT_PLAIN for one in judged]


def plain(results: Results) -> Iterator[Line]:
    """Decision 3 with all articles there."""
    everything = pooled(results)
    answerable = [one for one in everything if one.answerable]
    others = [one for one in everything if not one.answerable]
    yield right("PRECISE right", everything, PRECISE, 0.98)
    yield right("HIGHLY_RELEVANT right", everything, HIGHLY, 0.95)
    for bench, judged in results.items():
        mine = right(f"HIGHLY_RELEVANT right, {bench}", judged, HIGHLY, 0.90)
        if mine.n >= _ENOUGH and bench not in NOT_PLAIN:
            yield mine
    declared = [one for one in everything if one.query.fields.get("scope") == "title"]
    alone = [one for one in everything if one.query.fields.get("articles_with_code") == 1]
    yield line("PRECISE, code that one article declares", declared, lambda one: one.level is PRECISE, 0.80)
    yield line("PRECISE, code that one article holds", alone, lambda one: one.level is PRECISE, 0.80)
    yield line("HIGHLY_RELEVANT or better, answerable", answerable, badged, 0.55)
    yield line("either badge, other subjects", others, badged, 0.01, at_most=True)
    yield line("nothing found, other subjects", others, nothing_found, 0.90)
    yield line("nothing found, answerable", answerable, nothing_found, 0.05, at_most=True)


def leave_out(results: Results) -> Iterator[Line]:
    """Decision 3 with a fifth of the articles left out."""
    everything = pooled(results)
    answerable = [one for one in everything if one.answerable]
    left_out = [one for one in everything if one.left_out]
    yield right("PRECISE right", everything, PRECISE, None)
    yield right("HIGHLY_RELEVANT right", everything, HIGHLY, 0.92)
    yield right("HIGHLY_RELEVANT right, of the answerable", answerable, HIGHLY, None)
    yield line("HIGHLY_RELEVANT or better, answerable", answerable, badged, 0.40)
    yield line("HIGHLY_RELEVANT, answerable", answerable, lambda one: one.level is HIGHLY)
    yield line("either badge, left out", left_out, badged, 0.08, at_most=True)
    yield line("PRECISE, left out", left_out, lambda one: one.level is PRECISE)
    yield line("HIGHLY_RELEVANT, left out", left_out, lambda one: one.level is HIGHLY)
    yield line("nothing found, left out", left_out, nothing_found)
    yield line("nothing found, answerable", answerable, nothing_found)
