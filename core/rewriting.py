"""Rewriting: the further texts that are recalled beside the question as it was asked (contract §3, step 3)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.identifiers import find_identifiers
from core.lexicon import Lexicon, Wording
from core.query import Query, read_query
from core.text import fold, fold_but_for_script, fold_with_map, word_tokens

TAIWAN, SYNONYMS, PART, IDENTIFIER = "taiwan", "synonyms", "part", "identifier"
ALL_STEPS = frozenset({TAIWAN, SYNONYMS, PART, IDENTIFIER})
NO_STEPS: frozenset[str] = frozenset()
FACTOR = 0.8
MOST = 3
_MOST_SYNONYMS = 2
_MOST_WORDINGS = 2
_LONG = 3  # informative words beside a code
_LONGEST_PHRASE = 3
_CLAUSES = re.compile(r"[?？;；!！\n。]+|另外|还有就是|顺便问")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A sub-query: the step that made it, its folded text and what its scores are multiplied by."""

    kind: str
    folded: str
    factor: float = FACTOR


def rewrites_of(
    query: Query, lexicon: Lexicon, df: Callable[[str], int], steps: frozenset[str] = ALL_STEPS
) -> tuple[Rewrite, ...]:
    """At most three, each other than the question, made by these steps. `df`: how many chunks hold a word."""
    made: list[Rewrite] = []
    words = query.words
    if TAIWAN in steps:
        made += _taiwan(query, lexicon, df)
        if made:
            words = read_query(made[0].folded, lexicon).words
    if SYNONYMS in steps:
        made += _synonyms(words, lexicon, df)
    if IDENTIFIER in steps:
        made += _identifiers(query)
    if PART in steps:
        made += _parts(query, lexicon)
    distinct = {rewrite.folded: rewrite for rewrite in reversed(made) if rewrite.folded != query.folded}
    return tuple(rewrite for rewrite in made if distinct.get(rewrite.folded) is rewrite)[:MOST]


def factor_of_original(rewrites: Iterable[Rewrite]) -> float:
    """What the scores of the text as it was typed are multiplied by: beside the mainland's wording of a text of
    Taiwan's it is the rewrite of the two."""
    return FACTOR if any(rewrite.factor > FACTOR for rewrite in rewrites) else 1.0


@cache
def _taiwan_converter() -> Any:
    import opencc

    return opencc.OpenCC("tw2sp")


def _taiwan(query: Query, lexicon: Lexicon, df: Callable[[str], int]) -> list[Rewrite]:
    """Taiwan's wording in the mainland's words (檔案總管 → 资源管理器), a word only where the base prefers the
    mainland's. A text in traditional characters, or with a word that only Taiwan uses, means these words as surely as
    those it was written in."""
    if query.folded.isascii():
        return []
    folded, where = fold_with_map(query.text)
    matches = [(match, lexicon.taiwan_words[match.group()]) for match in lexicon.taiwan_pattern.finditer(folded)]
    meant = folded != fold_but_for_script(query.text) or any(
        not wording.ambiguous and wording.word not in _wordings(wording, lexicon, df) for _, wording in matches
    )
    if not meant:
        return []
    pieces: list[Sequence[str]] = []
    at = 0
    for match, wording in matches:
        pieces.append(_converted(query.text[where[at] : where[match.start()]], lexicon, df))
        pieces.append(_wordings(wording, lexicon, df))
        at = match.end()
    pieces.append(_converted(query.text[where[at] :], lexicon, df))
    texts = ("".join(piece[min(choice, len(piece) - 1)] for piece in pieces) for choice in range(_MOST_WORDINGS))
    return [Rewrite(TAIWAN, text, 1.0) for text in dict.fromkeys(texts) if text != folded]


def _converted(text: str, lexicon: Lexicon, df: Callable[[str], int]) -> tuple[str]:
    """What OpenCC makes of a text, unless the base rather holds the words as they were."""
    old, new = fold(text), fold(_taiwan_converter().convert(text)) if text else ""
    if old != new:
        old_words, new_words = word_tokens(old, lexicon.words), word_tokens(new, lexicon.words)
        held_old = min((df(word) for word in old_words if word not in new_words), default=0)
        held_new = min((df(word) for word in new_words if word not in old_words), default=0)
        if held_old > held_new:
            return (old,)
    return (new,)


def _wordings(wording: Wording, lexicon: Lexicon, df: Callable[[str], int]) -> Sequence[str]:
    """The mainland's words for one of Taiwan's, what the base holds most first; the word itself where that is it."""

    def held(text: str) -> int:
        return min((df(word) for word in word_tokens(text, lexicon.words)), default=0)

    best_first = sorted(wording.others, key=lambda other: -held(other))
    return best_first if held(wording.word) <= held(best_first[0]) else [wording.word]


def _synonyms(words: Sequence[str], lexicon: Lexicon, df: Callable[[str], int]) -> list[Rewrite]:
    """Each word that the base does not hold replaced by listed synonyms that it does hold, most often held first."""

    def held(word: str) -> int:
        return min(df(part) for part in (word.split() if word.isascii() else [word]))

    texts: list[str] = []
    replaced = False
    for word in _with_phrases(words, lambda text: any(map(held, lexicon.synonyms(text)))):
        others = [] if held(word) else [other for other in lexicon.synonyms(word) if held(other)]
        texts.extend(sorted(others, key=held, reverse=True)[:_MOST_SYNONYMS] or [word])
        replaced = replaced or bool(others)
    return [Rewrite(SYNONYMS, " ".join(texts))] if replaced else []


def _with_phrases(words: Sequence[str], has_synonym: Callable[[str], bool]) -> list[str]:
    """The words, with neighbouring Latin ones joined where synonyms stand for them as one (sign + in)."""
    joined: list[str] = []
    at = 0
    while at < len(words):
        sizes = range(min(_LONGEST_PHRASE, len(words) - at), 1, -1)
        phrases = (" ".join(words[at : at + size]) for size in sizes)
        phrase = next((text for text in phrases if text.isascii() and has_synonym(text)), words[at])
        joined.append(phrase)
        at += phrase.count(" ") + 1
    return joined


def _identifiers(query: Query) -> list[Rewrite]:
    """The codes of a long sentence by themselves; bare numbers (the 365 of Office 365) say too little alone."""
    codes = dict.fromkeys(code.text for code in find_identifiers(query.squeezed) if not code.bare_number)
    others = [word for word in query.informative if word not in codes]
    return [Rewrite(IDENTIFIER, " ".join(codes))] if codes and len(others) >= _LONG else []


def _parts(query: Query, lexicon: Lexicon) -> list[Rewrite]:
    """The parts of a double question, each by itself."""
    parts = [part.strip() for part in _CLAUSES.split(query.folded) if part and part.strip()]
    if len(parts) < 2:
        return []
    return [Rewrite(PART, part) for part in parts if read_query(part, lexicon).informative]
