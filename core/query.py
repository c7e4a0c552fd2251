"""Query: a text that was asked, read once: folded, cut into words, its phrases and what is informative in it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from core.lexicon import Lexicon
from core.text import fold, fold_but_for_script, squeeze, word_tokens

# A pasted page asks no more than its beginning does, and takes no longer.
_LONGEST = 2_000
_GLUED = re.compile(
    r"(?<![^\W\u2e80-\uffff])(?<![-.:/#])([a-z]{2,})(\d{1,6})(?![a-z0-9_]|[-.:/#][a-z0-9])", re.IGNORECASE | re.ASCII
)
_PHRASE = re.compile(r'"([^"]*)"')


@dataclass(frozen=True, slots=True)
class Query:
    """`folded` is what is searched for, `squeezed` what exact terms are looked up in, `phrases` what must stand in an
    article word for word (squeezed), `words` all words in order, `asked` those that are not stop or courtesy words,
    `informative` those that an article must hold to answer it."""

    text: str
    folded: str
    squeezed: str
    phrases: tuple[str, ...]
    words: tuple[str, ...]
    asked: tuple[str, ...]
    informative: tuple[str, ...]

    @property
    def written(self) -> str:
        """The text as a model reads it: as it was written, names and all, but traditional characters folded."""
        return self.text if fold_but_for_script(self.text) == self.folded else self.folded

    @property
    def is_business(self) -> bool:
        """False for a text of nothing but courtesy and stop words (the intent gate, contract §3)."""
        return bool(self.asked)


def read_query(text: str, lexicon: Lexicon) -> Query:
    """User text is always literal; only a pair of double quotes means something: an exact phrase."""
    lexicon.keep_up()
    text = text[:_LONGEST]
    folded = fold(text)
    phrases = tuple(phrase for phrase in (squeeze(match).strip() for match in _PHRASE.findall(folded)) if phrase)
    words = tuple(lexicon.grouped(word_tokens(folded, lexicon.words)))
    asked = tuple(dict.fromkeys(word for word in words if not lexicon.says_nothing(word)))
    return Query(
        text=text,
        folded=folded,
        squeezed=squeeze(folded),
        phrases=phrases,
        words=words,
        asked=asked,
        informative=tuple(word for word in asked if lexicon.informative(word)),
    )


def with_parted_runs(text: str, are_two: Callable[[str, str], bool]) -> str:
    """The text with a blank between letters and digits that were written together (VPN691) where they `are_two`."""
    return _GLUED.sub(lambda run: " ".join(run.groups()) if are_two(run[1].lower(), run[2]) else run.group(), text)
