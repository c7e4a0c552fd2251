"""Suggester: the question as it was perhaps meant ("您是不是要找…"). It is offered, never searched by itself.

A word that no article holds gives way to one that titles and keywords hold: read alike (打印鸡 → 打印机), or one or two
keys away (outlok → outlook). Codes and numbers stay as they are: another number is another question.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from core.index.snapshot import ChunkIndex
from core.lexicon import Lexicon
from core.pinyin import Reading, readings, sounds
from core.query import Query
from core.text import HAN, fold, fold_with_map, word_tokens

if TYPE_CHECKING:
    from core.store.articles import Articles
    from core.store.heads import ArticleHead, Heads

_HAN_RUN = re.compile(f"[{HAN}]+")
_MOST_ARTICLES = 30_000  # whose titles are read
_LONGEST = 6  # characters of a Han word
_MOST_PIECES = 4  # that a mistyped word is cut into
_LEAST_LETTERS = 4
_SURE_LETTERS = 8  # from here on two keys may be wrong
_CANDIDATES = 10
_LEAST_NEAR = 3  # characters of a word that is only read nearly alike
_NEGATION = frozenset("不没无未")


@dataclass(frozen=True, slots=True, order=True)
class _Change:
    """A stretch of the folded text and the word for it; the best change is the smallest. `rarity`: minus how many
    chunks hold the word."""

    distance: int
    size: int
    rarity: int
    start: int
    end: int
    word: str


class Suggester:
    """Words of one knowledge base, read when they are first needed and kept up with it. Thread-safe."""

    def __init__(self, articles: Articles, heads: Heads, index: Callable[[], ChunkIndex], lexicon: Lexicon) -> None:
        self._articles = articles
        self._heads = heads
        self._index = index
        self._lexicon = lexicon
        self._lock = threading.Lock()
        self._version = 0
        self._read = 0
        self._han: dict[Reading, list[str]] = {}
        self._latin: dict[str, str] = {}
        self._known: set[str] = set()

    def suggest(self, query: Query, unknown: Collection[str]) -> str | None:
        """The text of `query` as it was typed but for such words; None when there are none. `unknown`: informative
        words of the query that no article holds. Under 5 ms once the words are read."""
        folded, where = fold_with_map(query.text)
        df = self._index().df
        with self._lock:
            self._keep_up()
            changes = sorted([*self._read_alike(folded, df), *self._spelt_alike(folded, unknown, df)])
        text = query.text
        for change in sorted(_apart(changes), key=lambda one: -one.start):
            text = text[: where[change.start]] + self._written(change, query.text, where) + text[where[change.end] :]
        return text if fold(text) != folded else None

    # ------------------------------------------------------------------- words
    def _keep_up(self) -> None:
        """Take in the words of articles that came since; words of articles that went stay until the next start, and
        no chunk holds them."""
        if not self._known:
            groups = (*self._lexicon.groups, *(wording.others for wording in self._lexicon.taiwan))
            self._add(word for group in groups for word in group if " " not in word)
        if self._read >= _MOST_ARTICLES or self._articles.version() == self._version:
            return
        added, _, self._version = self._articles.changes_since(self._version)
        added = added[: _MOST_ARTICLES - self._read]
        self._read += len(added)
        for head in self._heads.by_ids(added).values():
            self._add_of(head)

    def _add_of(self, head: ArticleHead) -> None:
        for text in (head.title, *head.keywords):
            words = word_tokens(fold(text), self._lexicon.words)
            self._add(words)
            for written in text.split():
                if written.isascii() and written.isalpha() and not written.islower():
                    self._latin[written.lower()] = written

    def _add(self, words: Iterable[str]) -> None:
        for word in words:
            if word in self._known:
                continue
            self._known.add(word)
            if word.isascii():
                if word.isalpha() and len(word) >= _LEAST_LETTERS:
                    self._latin.setdefault(word, word)
            elif 1 < len(word) <= _LONGEST:
                for sound in set(sounds(word)):
                    self._han.setdefault(sound, []).append(word)

    # ------------------------------------------------------------------ changes
    def _read_alike(self, folded: str, df: Callable[[str], int]) -> Iterator[_Change]:
        """Stretches of Han text that stand in no article and sound like a word that does."""
        for run in _HAN_RUN.finditer(folded):
            pieces = self._lexicon.words.cut(run.group())
            # A mistyped word makes its neighbours be cut wrongly too.
            pieces = [part for piece in pieces for part in ([piece] if df(piece) else piece)]
            for start, end, cut in _windows(pieces):
                text = run.group()[start:end]
                if all(map(self._lexicon.says_nothing, cut)) or all(df(a + b) for a, b in pairwise(text)):
                    continue
                if self._lexicon.synonyms(text) or not self._lexicon.informative(text):
                    continue  # a listed word is no mistake
                spoken = set(readings(text))
                for word in {word for sound in sounds(text) for word in self._han.get(sound, ())}:
                    held = self._held(word, df)
                    if held and word != text and _NEGATION.intersection(text) <= _NEGATION.intersection(word):
                        distance = 0 if spoken.intersection(readings(word)) else 1
                        if distance and (len(word) < _LEAST_NEAR or not _one_apart(spoken, readings(word))):
                            continue
                        yield _Change(distance, -len(word), -held, run.start() + start, run.start() + end, word)

    def _spelt_alike(self, folded: str, unknown: Collection[str], df: Callable[[str], int]) -> Iterator[_Change]:
        """Latin words that no article holds, one or two keys away from one that does."""
        typed = [
            word
            for word in unknown
            if word.isascii() and word.isalpha() and len(word) >= _LEAST_LETTERS and not self._lexicon.synonyms(word)
        ]
        if not typed:
            return
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        for text in typed:
            most = 2 if len(text) >= _SURE_LETTERS else 1
            found = process.extract(
                text, self._latin.keys(), scorer=OSA.distance, processor=None, score_cutoff=most, limit=_CANDIDATES
            )
            start = folded.find(text)
            for word, distance, _ in found:
                held = self._held(word, df)
                if held and word != text and word[0] == text[0] and start >= 0:
                    yield _Change(int(distance), -len(word), -held, start, start + len(text), word)

    def _held(self, word: str, df: Callable[[str], int]) -> int:
        """How many chunks hold a word, or one that is searched for in its place."""
        return df(word) or max(map(df, self._lexicon.synonyms(word)), default=0)

    def _written(self, change: _Change, text: str, where: Sequence[int]) -> str:
        """The word as titles write it, in small letters where the person typed small ones."""
        typed = text[where[change.start] : where[change.end]]
        return change.word if typed.islower() else self._latin.get(change.word, change.word)


def _one_apart(spoken: Iterable[Reading], others: Iterable[Reading]) -> bool:
    """Whether some readings differ in one syllable only."""
    others = list(others)
    return any(
        len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) <= 1
        for one in spoken
        for other in others
    )


def _windows(pieces: Sequence[str]) -> Iterator[tuple[int, int, Sequence[str]]]:
    """(start, end, pieces) of neighbouring pieces that may be one mistyped word."""
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + len(piece))
    for first in range(len(pieces)):
        for last in range(first + 1, min(first + _MOST_PIECES, len(pieces)) + 1):
            if 1 < starts[last] - starts[first] <= _LONGEST:
                yield starts[first], starts[last], pieces[first:last]


def _apart(changes: Iterable[_Change]) -> list[_Change]:
    """The best changes that do not overlap."""
    kept: list[_Change] = []
    for change in changes:
        if all(change.end <= other.start or change.start >= other.end for other in kept):
            kept.append(change)
    return kept
