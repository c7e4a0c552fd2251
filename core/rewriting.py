"""Rewriting: the further texts that are recalled beside the question as it was asked (contract §3, step 3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.lexicon import Lexicon
from core.query import Query, read_query
from core.text import fold, fold_but_for_script

TAIWAN, SYNONYMS, PART, IDENTIFIER = "taiwan", "synonyms", "part", "identifier"
ALL_STEPS = frozenset({TAIWAN, SYNONYMS, PART, IDENTIFIER})
NO_STEPS: frozenset[str] = frozenset()
FACTOR = 0.8
MOST = 3
_MOST_SYNONYMS = 3
_CLAUSES = re.compile(r"[?？;；!！\n。]+|另外|还有就是|顺便问")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A sub-query: the step that made it, its folded text and what its scores are multiplied by."""

    kind: str
    folded: str
    factor: float = FACTOR


def rewrites_of(
    query: Query, lexicon: Lexicon, holds: Callable[[str], bool], steps: frozenset[str] = ALL_STEPS
) -> tuple[Rewrite, ...]:
    """At most three, each other than the question, made by these steps. `holds`: whether any chunk holds a word."""
    made: list[Rewrite] = []
    if TAIWAN in steps:
        made += _taiwan(query, lexicon)
    if SYNONYMS in steps:
        made += _synonyms(query, lexicon, holds)
    if PART in steps:
        made += _parts(query, lexicon)
    distinct = {rewrite.folded: rewrite for rewrite in reversed(made) if rewrite.folded != query.folded}
    return tuple(rewrite for rewrite in made if distinct.get(rewrite.folded) is rewrite)[:MOST]


@cache
def _taiwan_converter() -> Any:
    import opencc

    return opencc.OpenCC("tw2sp")


def _taiwan(query: Query, lexicon: Lexicon) -> list[Rewrite]:
    """Taiwan's wording in the mainland's words (檔案總管 → 资源管理器). A text in traditional characters is taken to
    mean these words as surely as those that it was written in."""
    if query.folded == fold_but_for_script(query.text):
        return []
    text = fold(_taiwan_converter().convert(query.text))
    for taiwan, mainland in lexicon.taiwan:
        text = text.replace(taiwan, f" {mainland} ")
    return [Rewrite(TAIWAN, text, 1.0)]


def _synonyms(query: Query, lexicon: Lexicon, holds: Callable[[str], bool]) -> list[Rewrite]:
    """Each word that the base does not hold replaced by listed synonyms that it does hold."""
    words: list[str] = []
    replaced = False
    for word in query.words:
        others = [] if holds(word) else [other for other in lexicon.synonyms(word) if holds(other)][:_MOST_SYNONYMS]
        words.extend(others or [word])
        replaced = replaced or bool(others)
    return [Rewrite(SYNONYMS, " ".join(words))] if replaced else []


def _parts(query: Query, lexicon: Lexicon) -> list[Rewrite]:
    """The parts of a double question, each by itself."""
    parts = [part.strip() for part in _CLAUSES.split(query.folded) if part and part.strip()]
    if len(parts) < 2:
        return []
    return [Rewrite(PART, part) for part in parts if read_query(part, lexicon).informative]
