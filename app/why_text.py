"""What is said of why a hit is there and why an answer has its level, in words and figures. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.article_state import state_mark
from app.hint import Verdict
from core.explanation import Because, Cause, Explanation, Leg, Place, because_of
from core.model import Answer, ArticleState

Say = Callable[..., str]
"""A Language: the words of a name, filled in."""

_CAUSES = {
    Cause.ONLY_ONE: "because.only_one",
    Cause.HOLDS_ALL: "because.holds_all",
    Cause.HOLDS_MOST: "because.holds_most",
    Cause.NEAREST: "because.nearest",
    Cause.OTHER_CODE: "because.other_code",
    Cause.LACKS_WORDS: "because.lacks_words",
    Cause.OTHER_NAME: "because.other_name",
    Cause.NO_LEAD: "because.no_lead",
    Cause.FAR: "because.far",
    Cause.NO_WORDS_HELD: "because.no_words_held",
    Cause.NOTHING: "because.nothing",
}
_STATES = {
    ArticleState.SUPERSEDED: "hint.superseded_alone",
    ArticleState.DRAFT: "hint.draft",
    ArticleState.UNREVIEWED: "hint.unreviewed",
    ArticleState.EXPIRED: "hint.expired",
}
_REWRITES = {
    "taiwan": "why.by_taiwan",
    "synonyms": "why.by_synonyms",
    "part": "why.by_part",
    "identifier": "why.by_identifier",
}
# In this order; a figure that has no name here (a profile's own) is shown under its own.
_FIGURES = {
    "similarity": "why.similarity",
    "highly_relevant_threshold": "why.highly_from",
    "reference_threshold": "why.reference_from",
    "coverage": "why.coverage",
    "margin": "why.margin",
    "title": "why.title_said",
    "information": "why.information",
    "near_lead": "why.near_lead",
    "distance": "why.distance",
    "cosine": "why.cosine",
    "bm25": "why.lexical_score",
}
_MOST_WORDS = 4
_LONGEST_WORD = 40


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and the sentences below it."""

    heading: str
    lines: tuple[str, ...]


def reason(because: Because, say: Say) -> str:
    """The rule that gave a level, as one sentence without its end."""
    name = _STATES[because.state] if because.cause is Cause.NOT_CURRENT else _CAUSES[because.cause]
    return say(name, words=_quoted(because.words, say))


def badge_meaning(said: Verdict, answer: Answer | None, say: Say) -> str:
    """What the badge means for this very answer and what to do, as one sentence; "" without a badge."""
    because = because_of(answer) if answer is not None and said.level else None
    if because is None:
        return ""
    told = say("badge.means", level=say(f"level.{said.level}"), reason=reason(because, say))
    return say("badge.seen", told=told) if said.seen else told


def own_level(why: Explanation, say: Say) -> str:
    """The level of the article by itself, in words."""
    return say(f"level.{why.level}") if why.level is not None else say("why.no_level")


def verdict_line(why: Explanation, say: Say) -> str:
    """The level of the article by itself, and why."""
    return say("badge.means", level=own_level(why, say), reason=reason(why.because, say))


def parts(why: Explanation, say: Say, *, held: str = "") -> list[Part]:
    """All that is told in sentences. `held`: when and by which query the session read it, in words."""
    found = [
        Part(say("why.how"), tuple(_how(why, say))),
        Part(say("why.words"), tuple(_words(why, say))),
        Part(say("why.with_care"), tuple(line for line in (state_mark(why.state, why.review_by, say), held) if line)),
    ]
    return [part for part in found if part.lines]


def figures(why: Explanation, say: Say) -> list[tuple[str, str]]:
    """(name, value), what a person may skip."""
    known = [(say(word), why.figures[name]) for name, word in _FIGURES.items() if name in why.figures]
    others = [(name, value) for name, value in why.figures.items() if name not in _FIGURES]
    profile = why.profile if why.calibrated else say("why.uncalibrated", profile=why.profile)
    return [*((name, f"{value:.4f}") for name, value in (*known, *others)), (say("why.profile"), profile)]


def as_text(why: Explanation, say: Say, *, held: str = "") -> str:
    """All of it, to be copied."""
    lines = [why.title, why.doc_key, "", verdict_line(why, say)]
    for part in parts(why, say, held=held):
        lines += ["", part.heading, *(f"- {line}" for line in part.lines)]
    lines += ["", say("why.figures"), *(f"- {name}: {value}" for name, value in figures(why, say))]
    return "\n".join(lines)


# ------------------------------------------------------------------------ parts
def _how(why: Explanation, say: Say) -> list[str]:
    lines = []
    for term in why.terms:
        name = "why.declared" if term.declared else "why.mentioned"
        if term.articles == 1:
            name = "why.declared_alone" if term.declared else "why.mentioned_alone"
        lines.append(say(name, words=_quoted((term.text,), say), count=f"{term.articles:,}"))
    if not why.terms:
        lines.append(say("why.no_term"))
    if why.selected and why.place == 1:
        lines.append(say("why.above_others"))
    lines.append(_leg(why, say, why.lexical, "bm25", ("why.lexical", "why.lexical_not", "why.lexical_off")))
    lines.append(_leg(why, say, why.semantic, "vector", ("why.semantic", "why.semantic_not", "why.semantic_off")))
    if why.rewrite is not None:
        kind, text = why.rewrite
        lines.append(say(_REWRITES.get(kind, "why.by_rewrite"), words=_quoted((text,), say)))
    lines += [say("why.replaces", title=title) for title in why.replaces]
    if why.confirmed:
        lines.append(say("why.confirmed", count=f"{why.confirmed:,}"))
    return lines


def _leg(why: Explanation, say: Say, leg: Leg, name: str, words: tuple[str, str, str]) -> str:
    if name in why.missing_legs:
        return say(words[2])
    return say(words[1]) if leg.place is None else say(words[0], place=f"{leg.place:,}", of=f"{leg.of:,}")


def _words(why: Explanation, say: Say) -> list[str]:
    def at(place: Place) -> tuple[str, ...]:
        return tuple(word.text for word in why.words if word.place is place)

    lines = [say("why.here", words=_quoted(at(Place.HERE), say, most=20))] if at(Place.HERE) else []
    lines += [
        say("why.otherwise", words=_quoted((word.text,), say), written=_quoted((word.written,), say))
        for word in why.words
        if word.place is Place.SYNONYM
    ]
    if at(Place.ELSEWHERE):
        lines.append(say("why.elsewhere", words=_quoted(at(Place.ELSEWHERE), say, most=20)))
    if at(Place.NOWHERE):
        lines.append(say("why.nowhere", words=_quoted(at(Place.NOWHERE), say, most=20)))
    return lines


def _quoted(words: tuple[str, ...], say: Say, *, most: int = _MOST_WORDS) -> tuple[str, ...]:
    """Each in quotation marks, none endless, not too many."""
    cut = (word[:_LONGEST_WORD] + "…" if len(word) > _LONGEST_WORD else word for word in words[:most])
    shown = tuple(say("because.quoted", word=word) for word in cut)
    return (*shown, "…") if len(words) > most else shown
