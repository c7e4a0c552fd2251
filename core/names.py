"""Names: the short numbers, letters and Latin names of a question that an article on it must bear. Pure.

3 楼, iOS 16, C 盘, Word. An article that bears another number or name is about something else, however much of the
question it holds: it is a reference at most. Longer numbers and codes are identifiers (core.identifiers): L0 looks
after them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from core.lexicon import Lexicon
from core.query import Query
from core.text import HAN

# A Latin word right before it or the character right after it says which number it is.
_NUMBER = re.compile(
    r"(?<![a-z0-9_.:/#-])(?:(?P<before>[a-z]+) ?)?(?P<number>\d{1,2})(?![a-z0-9_]|[.:/#-][a-z0-9]) ?(?P<after>.?)"
)
# How much or how long it took names nothing.
_QUANTITY = re.compile("[分秒时天日周月年次个台人位份页条张元块倍度步项点种行列篇岁万千百%]|小时|星期")
_HAN = re.compile(f"[{HAN}]")
_LEAST_LETTERS = 3
_LETTER = re.compile(rf"(?<![a-z0-9_])[a-z] ?[{HAN}]")


@dataclass(frozen=True, slots=True)
class Names:
    """`numbers`: patterns, of letters too, that each must match an article's text; `words`: each in all its forms."""

    numbers: tuple[re.Pattern[str], ...] = ()
    words: tuple[tuple[str, ...], ...] = ()

    def all_in(self, text: str) -> bool:
        """Whether a text (folded and squeezed) bears them all."""
        return all(number.search(text) for number in self.numbers) and all(
            any(form in text for form in forms) for forms in self.words
        )


def names_of(query: Query, lexicon: Lexicon, matched: Collection[str] = ()) -> Names:
    """What of a question names one thing among several alike. Latin words are names only between Han characters: in an
    English question they are words like any other. `matched`: what L0 found is there in another form."""
    numbers = []
    for found in _NUMBER.finditer(query.squeezed):
        before, number, after = found["before"], found["number"], found["after"]
        sides = [rf"(?<![a-z]){before} ?{number}(?!\d)"] if before else []
        if _HAN.match(after) and not _QUANTITY.match(query.squeezed, found.start("after")):
            sides.append(rf"(?<![\d.]){number} ?{after}")
        if sides:
            numbers.append(re.compile("|".join(sides)))
    numbers += [re.compile(rf"(?<![a-z0-9_]){letter.group()}") for letter in _LETTER.finditer(query.squeezed)]
    words: list[tuple[str, ...]] = []
    if _HAN.search(query.squeezed):
        words = [
            (word, *lexicon.synonyms(word))
            for word in query.informative
            if word.isascii() and word.isalpha() and len(word) >= _LEAST_LETTERS and word not in matched
        ]
    return Names(tuple(numbers), tuple(words))
