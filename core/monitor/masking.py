"""Masking: what of a caller's question may leave its desk. Words that everybody uses stay; whatever may be somebody's
or something's own (names, numbers, addresses, accounts) becomes a star. In doubt it does.

Kept: words of the knowledge base and of the program's lists, Chinese dictionary words that are nobody's name, codes
that the base holds or a code word introduces. A Latin word that the base does not hold may be an account, and goes,
with digits or without. Digits are judged by all that stand together, however they are parted: five and more stay only
as one code of the base.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from core.lexicon import Lexicon
from core.monitor.private_cues import (
    AFTER_NAME,
    CODE_FOLLOWS,
    COMMON_BEGINNINGS,
    FAMILIAR,
    NAME_FOLLOWS,
    NAME_MAY_FOLLOW,
    NO_NAME_BEGINS,
    OWN_NUMBER_FOLLOWS,
    REACH,
    SURNAMES,
    TITLE,
)
from core.text import HAN, fold

STAR = "＊"
_TOKENS = re.compile(
    rf"(?P<address>[^\s@]*\s*@\s*[^\s@]*)|(?P<word>[a-z0-9]+(?:[-.:/#\\+&_][a-z0-9]+)*)|(?P<han>[{HAN}]+)|(?P<other>.)"
)
_HEXADECIMAL = re.compile(r"(?<![a-z0-9])0x[0-9a-f]{1,8}(?![a-z0-9])")
_DIGITS = re.compile(r"[0-9](?:[\W_]*[0-9])*")  # that stand together: no letter between them
_NUMERALS = re.compile(r"[零〇一二三四五六七八九幺](?:[\W_]*[零〇一二三四五六七八九幺]){2,}")
_FEW_DIGITS, _MOST_CODE_DIGITS, _MOST_HELD_DIGITS = 2, 4, 6  # longer ones may be a telephone even if the base has it
_STARS = re.compile(rf"{STAR}(?:\s*{STAR})+")
_PERSONS = "nr"  # jieba's mark of a person's name
_NAMES = frozenset({"ns", "nt", "nz", "j", "x", ""})  # of other names, what is short for one, what it does not know
_LONGEST_NAME = 3
_SURNAME_ALONE = re.compile(rf"(?:^|[^{HAN}])[{''.join(sorted(SURNAMES))}] $")
Tagger = Callable[[str], list[tuple[str, str]]]


class Masking:
    """`held`: whether the knowledge base holds a folded word."""

    def __init__(self, lexicon: Lexicon, held: Callable[[str], bool]) -> None:
        self._lexicon = lexicon
        self._held = held

    def masked(self, query: str) -> str:
        """The question, folded, with stars. Nothing but stars and signs: the star alone."""
        folded = _NUMERALS.sub(STAR, " ".join(fold(query).split()))
        text = _STARS.sub(STAR, "".join(self._parts(folded))).strip()
        return text if any(part not in STAR and part.isalnum() for part in text) else STAR

    def _parts(self, text: str) -> Iterator[str]:
        private = self._private_numbers(text)
        for match in _TOKENS.finditer(text):
            part, kind, start = match.group(), match.lastgroup, match.start()
            if kind == "han":
                yield from self._han(text, part, start)
            elif kind == "other":
                yield part if part.isascii() or not part.isalnum() else STAR
            elif kind == "word" and not any(character.isalpha() for character in part):
                yield STAR if start in private else part
            else:
                yield part if kind == "word" and self._is_public(part, text[max(0, start - REACH) : start]) else STAR

    # ---------------------------------------------------------------- numbers
    def _private_numbers(self, text: str) -> frozenset[int]:
        """Where the numbers without letters start that must not leave."""
        private: set[int] = set()
        for run in _DIGITS.finditer(_HEXADECIMAL.sub(lambda code: "x" * len(code.group()), text)):
            before = text[max(0, run.start() - REACH) : run.start()]
            private.update(
                token.start()
                for token in _TOKENS.finditer(text, run.start(), run.end())
                if token.lastgroup == "word" and not self._is_code(token.group(), run.group(), before)
            )
        return frozenset(private)

    def _is_code(self, number: str, run: str, before: str) -> bool:
        """Whether a number may leave that stands in a run of digits."""
        digits = sum(character.isdigit() for character in run)
        if OWN_NUMBER_FOLLOWS.search(before):
            return False
        if digits <= _FEW_DIGITS:
            return True
        if digits <= _MOST_CODE_DIGITS and number.isdigit() and CODE_FOLLOWS.search(before):
            return True
        return (digits <= _MOST_CODE_DIGITS or (number == run and digits <= _MOST_HELD_DIGITS)) and self._held(number)

    # ------------------------------------------------------------------ words
    def _is_public(self, word: str, before: str) -> bool:
        """A code, or a Latin word that is no one's own."""
        if _HEXADECIMAL.fullmatch(word) or self._is_listed(word):
            return True
        return self._held(word) and not NAME_FOLLOWS.search(before) and not NAME_MAY_FOLLOW.search(before)

    def _han(self, text: str, han: str, start: int) -> Iterator[str]:
        """The words of a stretch of Han characters, or stars for them."""
        words = _tagger()(han)
        # A character on its own that is no word, or after a surname on its own, whatever else it means.
        given = len(han) == 1 and text[max(0, start - 1) : start] == " " and not self._is_known(han)
        given |= len(han) < _LONGEST_NAME and _SURNAME_ALONE.search(text[max(0, start - 3) : start]) is not None
        for (word, tag), (following, _) in zip(words, (*words[1:], ("", "")), strict=True):
            own = given or self._is_own(word, tag, text[max(0, start - REACH) : start], following)
            yield STAR if own else word
            given = own and word in SURNAMES and len(following) < _LONGEST_NAME and not self._is_known(following)
            start += len(word)

    def _is_own(self, word: str, tag: str, before: str, following: str) -> bool:
        """Whether a Chinese word may be somebody's or something's name."""
        if self._is_listed(word) or word[0] in NO_NAME_BEGINS:
            return False
        return tag.startswith(_PERSONS) or self._is_person(word, before, following) or self._is_unknown(word, tag)

    def _is_person(self, word: str, before: str, following: str) -> bool:
        """Whether a word that is none of jieba's names is a person's here."""
        if len(word) > _LONGEST_NAME:
            return False
        surname, unheld = word[0] in SURNAMES, not self._held(word)
        if surname and (TITLE.match(following) if len(word) == 1 else TITLE.fullmatch(word[1:])):
            return True
        if NAME_FOLLOWS.search(before) and (surname or unheld):
            return True
        if surname:
            cue = following in AFTER_NAME or NAME_MAY_FOLLOW.search(before) is not None
            return (cue and unheld) if word[0] in COMMON_BEGINNINGS else (cue or unheld)
        if unheld and word.endswith("说"):
            return True
        return word in FAMILIAR and len(following) == 1 and not self._is_listed(following)

    def _is_unknown(self, word: str, tag: str) -> bool:
        return tag in _NAMES and not self._held(word)

    def _is_known(self, word: str) -> bool:
        return self._is_listed(word) or self._held(word)

    def _is_listed(self, word: str) -> bool:
        """A word of the program's lists."""
        return not self._lexicon.informative(word) or bool(self._lexicon.synonyms(word))


@cache
def _tagger() -> Tagger:
    """Words with jieba's marks."""
    try:
        import rjieba
    except ImportError:
        import jieba.posseg

        return lambda han: [(pair.word, pair.flag) for pair in jieba.posseg.cut(han)]
    return lambda han: list(rjieba.tag(han))
