"""Lexicon: the word lists that ship with the program and the user's own, and what they say of a word."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from core.paths import DataFolder, resources_dir
from core.synonyms import Synonyms
from core.text import Words, fold

_LONGEST_PHRASE = 4


@dataclass(frozen=True, slots=True)
class Wording:
    """A word of Taiwan's and the mainland's words for it, best first, all folded. `ambiguous`: the mainland uses
    the word too."""

    word: str
    others: tuple[str, ...]
    ambiguous: bool


@dataclass(frozen=True)
class Lexicon:
    """Stop, generic and courtesy words, synonyms, and the words Han text is cut into. Everything is folded."""

    words: Words
    stop: frozenset[str]
    generic: frozenset[str]
    courtesy: frozenset[str]
    synonym_list: Synonyms
    taiwan: tuple[Wording, ...] = ()

    @cached_property
    def _listed(self) -> frozenset[str]:
        """All words of the plain lists that may come in several pieces."""
        return frozenset(word for word in self.generic | self.courtesy | self.stop if not word.isascii())

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The groups of synonyms, the user's last."""
        return self.synonym_list.groups

    def synonyms(self, word: str) -> tuple[str, ...]:
        """The other words of the groups that `word` stands in."""
        return self.synonym_list.of(word)

    def keep_up(self) -> None:
        """Read the user's synonyms again when they have changed."""
        self.synonym_list.keep_up()

    @cached_property
    def taiwan_words(self) -> dict[str, Wording]:
        """Taiwan's words that the list holds, by the word."""
        return {wording.word: wording for wording in self.taiwan}

    @cached_property
    def taiwan_pattern(self) -> re.Pattern[str]:
        """Finds Taiwan's words in folded text, the longest at each place."""
        longest_first = sorted(self.taiwan_words, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)) or "(?!)")

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
                if phrase in self._listed or (phrase in self.synonym_list and not phrase.isascii()):
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
        own = [] if folder is None else list(_lines(folder.user_dictionary))
        return cls(
            words=Words(own),
            stop=_list(shipped / "stop.txt"),
            generic=_list(shipped / "generic.txt"),
            courtesy=_list(shipped / "courtesy.txt"),
            synonym_list=Synonyms(shipped / "synonyms.txt", None if folder is None else folder.user_synonyms),
            taiwan=_wordings(shipped / "taiwan.txt"),
        )


def _lines(path: Path) -> Iterable[str]:
    """The lines of a list that hold something; a missing file has none. `#` begins a comment."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return []
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _wordings(path: Path) -> tuple[Wording, ...]:
    """Lines of a word and those that stand for it, `_` for a blank; `~` before a word that is ambiguous."""
    wordings = []
    for line in _lines(path):
        word, *others = (fold(word.replace("_", " ")) for word in line.split())
        wordings.append(Wording(word.removeprefix("~"), tuple(others), word.startswith("~")))
    return tuple(wordings)


def _list(path: Path) -> frozenset[str]:
    return frozenset(fold(word) for line in _lines(path) for word in line.split())
