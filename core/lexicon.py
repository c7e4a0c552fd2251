"""Lexicon: the word lists that ship with the program and the user's own, and what they say of a word."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from core.paths import DataFolder, resources_dir
from core.text import Words, fold, squeeze

_LONGEST_PHRASE = 4


@dataclass(frozen=True)
class Lexicon:
    """Stop, generic and courtesy words, synonyms, and the words Han text is cut into. Everything is folded."""

    words: Words
    stop: frozenset[str]
    generic: frozenset[str]
    courtesy: frozenset[str]
    groups: tuple[tuple[str, ...], ...]
    taiwan: tuple[tuple[str, str], ...] = ()

    @cached_property
    def _synonyms(self) -> dict[str, tuple[str, ...]]:
        table: dict[str, list[str]] = {}
        for group in self.groups:
            for word in group:
                table.setdefault(word, []).extend(other for other in group if other != word)
        return {word: tuple(dict.fromkeys(others)) for word, others in table.items()}

    @cached_property
    def _listed(self) -> frozenset[str]:
        """All listed words that may come in several pieces."""
        listed = self.generic | self.courtesy | self.stop | self._synonyms.keys()
        return frozenset(word for word in listed if not word.isascii())

    def synonyms(self, word: str) -> tuple[str, ...]:
        """The other words of the groups that `word` stands in."""
        return self._synonyms.get(word, ())

    @cached_property
    def fingerprint(self) -> str:
        """Changes when the same text would be indexed otherwise: the user's own words."""
        return hashlib.sha256(self.words.fingerprint.encode()).hexdigest()[:16]

    def grouped(self, tokens: Sequence[str]) -> list[str]:
        """Tokens with neighbours joined where a list holds them as one (没 + 反应 → 没反应), longest first."""
        joined: list[str] = []
        at = 0
        while at < len(tokens):
            for size in range(min(_LONGEST_PHRASE, len(tokens) - at), 1, -1):
                phrase = "".join(tokens[at : at + size])
                if phrase in self._listed:
                    joined.append(phrase)
                    at += size
                    break
            else:
                joined.append(tokens[at])
                at += 1
        return joined

    def says_nothing(self, word: str) -> bool:
        """A courtesy or stop word."""
        return word in self.stop or word in self.courtesy

    def informative(self, word: str) -> bool:
        """A word that an article must hold to answer a query with it (contract §4)."""
        return word not in self.stop and word not in self.generic and word not in self.courtesy

    @classmethod
    def load(cls, folder: DataFolder | None = None) -> Lexicon:
        """The shipped lists and, with a data folder, the user's own words and synonyms."""
        shipped = resources_dir() / "words"
        groups = _groups(shipped / "synonyms.txt")
        own: list[str] = []
        if folder is not None:
            groups += _groups(folder.user_synonyms)
            own = list(_lines(folder.user_dictionary))
        return cls(
            words=Words(own),
            stop=_list(shipped / "stop.txt"),
            generic=_list(shipped / "generic.txt"),
            courtesy=_list(shipped / "courtesy.txt"),
            groups=tuple(groups),
            taiwan=_replacements(shipped / "taiwan.txt"),
        )


def _lines(path: Path) -> Iterable[str]:
    """The lines of a list that hold something; a missing file has none. `#` begins a comment."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _replacements(path: Path) -> tuple[tuple[str, str], ...]:
    """(word, what stands for it), longest words first."""
    pairs = [line.split() for line in _lines(path)]
    return tuple(
        sorted(((fold(word), " ".join(map(fold, others))) for word, *others in pairs), key=lambda p: -len(p[0]))
    )


def _list(path: Path) -> frozenset[str]:
    return frozenset(fold(word) for line in _lines(path) for word in line.split())


def _groups(path: Path) -> list[tuple[str, ...]]:
    groups = []
    for line in _lines(path):
        words = [squeeze(fold(word.replace("_", " "))) for word in re.split(r"[\s,，、;；=]+", line) if word]
        if len(words) > 1:
            groups.append(tuple(dict.fromkeys(words)))
    return groups
