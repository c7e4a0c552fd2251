"""Pinyin: how Han characters are read, without tones, and which readings are easily taken for one another. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice, product

from core.paths import resources_dir

Reading = tuple[str, ...]

_MOST_READINGS = 8  # of a word whose characters are read in several ways
_RETROFLEX = re.compile(r"^([zcs])h")
_BACK_NASAL = re.compile(r"([aei]n)g$")


@cache
def _syllables() -> dict[str, tuple[str, ...]]:
    """The syllables of each character."""
    read: dict[str, tuple[str, ...]] = {}
    text = (resources_dir() / "words" / "pinyin.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            syllable, characters = line.split()
            for character in characters:
                read[character] = (*read.get(character, ()), syllable)
    return read


def readings(word: str) -> tuple[Reading, ...]:
    """The ways to read a word, a syllable a character; none when one of them is in no list."""
    characters = [_syllables().get(character, ()) for character in word]
    return tuple(islice(product(*characters), _MOST_READINGS)) if all(characters) else ()


def sounds(word: str) -> Iterator[Reading]:
    """Its readings with near sounds made one: zh/z, ch/c, sh/s, n/l, ang/an, eng/en, ing/in."""
    return (tuple(map(_sound, reading)) for reading in readings(word))


@cache
def _sound(syllable: str) -> str:
    near = _BACK_NASAL.sub(r"\1", _RETROFLEX.sub(r"\1", syllable))
    return "l" + near[1:] if near.startswith("n") else near
