"""Masking: what of a caller's question may leave its desk. Words that everybody uses stay; whatever may be somebody's
or something's own (names, numbers, addresses, accounts) becomes a star.

Kept: words of the knowledge base and of the program's lists, Chinese dictionary words that are no person's name,
error codes. A Latin word that the base does not hold may be an account, and goes, with digits or without.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from core.lexicon import Lexicon
from core.text import HAN, fold

STAR = "＊"
_TOKENS = re.compile(
    rf"(?P<address>\S*@\S+)|(?P<ascii>[a-z0-9_]+(?:[-.:/#\\+&][a-z0-9_]+)*)|(?P<han>[{HAN}]+)|(?P<other>.)"
)
_CODE = re.compile(r"0x[0-9a-f]{1,8}|\d{1,4}")  # too short to be a telephone, an identity or an order
_DIGITS = re.compile(r"[\d.:/+-]+")
_STARS = re.compile(rf"{STAR}(?:\s*{STAR})+")
_PERSONS = "nr"  # jieba's mark of a person's name; the next: of places, organisations, and of what it does not know
_NAMES = frozenset({"ns", "nt", "x", ""})
Tagger = Callable[[str], list[tuple[str, str]]]


class Masking:
    """`held`: whether the knowledge base holds a folded word."""

    def __init__(self, lexicon: Lexicon, held: Callable[[str], bool]) -> None:
        self._lexicon = lexicon
        self._held = held

    def masked(self, query: str) -> str:
        """The question, folded, with stars. Nothing but stars and signs: the star alone."""
        text = _STARS.sub(STAR, "".join(self._parts(fold(query)))).strip()
        return text if any(part not in STAR and part.isalnum() for part in text) else STAR

    def _parts(self, folded: str) -> Iterator[str]:
        for match in _TOKENS.finditer(folded):
            part, kind = match.group(), match.lastgroup
            if kind == "han":
                yield from (word if self._is_common(word, tag) else STAR for word, tag in _tagger()(part))
            elif kind == "other":
                yield part if part.isascii() or not part.isalnum() else STAR
            else:
                yield part if kind == "ascii" and self._is_public(part) else STAR

    def _is_public(self, word: str) -> bool:
        """A code, or a word that is no one's own. A long number stays here even where the base holds it."""
        return _CODE.fullmatch(word) is not None or (not _DIGITS.fullmatch(word) and self._is_known(word))

    def _is_common(self, word: str, tag: str) -> bool:
        return not tag.startswith(_PERSONS) and (tag not in _NAMES or self._is_known(word))

    def _is_known(self, word: str) -> bool:
        return not self._lexicon.informative(word) or bool(self._lexicon.synonyms(word)) or self._held(word)


@cache
def _tagger() -> Tagger:
    """Words with jieba's marks."""
    try:
        import rjieba
    except ImportError:
        import jieba.posseg

        return lambda han: [(pair.word, pair.flag) for pair in jieba.posseg.cut(han)]
    return lambda han: list(rjieba.tag(han))
