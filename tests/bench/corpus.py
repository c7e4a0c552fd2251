"""The bench's corpus: made-up chunks with the word frequencies of real text.

Chinese words at the frequencies of jieba's dictionary (68 %), English ones at those of the standard library's sources
(30 %), the rest identifiers; 131 words and some 400 characters a chunk. The same seed gives the same corpus.
"""

from __future__ import annotations

import re
import sysconfig
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jieba
import numpy as np

SEED = 20_240
WORDS_A_CHUNK = 131
_SHARES = (0.68, 0.30, 0.02)
# What a person leaves out of a short query: the most frequent words of each language.
_FREQUENT = 300


@dataclass(frozen=True)
class Corpus:
    """`chunks[i]` are the words of chunk i."""

    chunks: list[tuple[str, ...]]
    frequent: frozenset[str]

    def text(self, number: int) -> str:
        """The chunk as one would read it: no blank between Chinese words."""
        return re.sub(r"(?<=[^\x00-\x7f]) | (?=[^\x00-\x7f])", "", " ".join(self.chunks[number]))

    def queries(self, words: int, count: int) -> list[tuple[str, ...]]:
        """Up to 5 words: content words of one chunk, chosen at random. More: consecutive words, stop words and all."""
        random = np.random.default_rng(SEED + words)
        found: list[tuple[str, ...]] = []
        while len(found) < count:
            chunk = self.chunks[random.integers(len(self.chunks))]
            if words > 5:
                start = int(random.integers(len(chunk) - words))
                found.append(chunk[start : start + words])
            else:
                content = sorted({word for word in chunk if word not in self.frequent and len(word) > 1})
                found.append(tuple(str(word) for word in random.choice(content, words, replace=False)))
        return found


def make_corpus(count: int) -> Corpus:
    """`count` chunks."""
    random = np.random.default_rng(SEED)
    chinese, chinese_shares = _chinese()
    english, english_shares = _english()
    codes = np.array(_codes(random), dtype=object)
    size = count * WORDS_A_CHUNK
    kinds = random.choice(3, size, p=_SHARES)
    words = np.empty(size, dtype=object)
    for kind, (source, shares) in enumerate(((chinese, chinese_shares), (english, english_shares), (codes, None))):
        places = np.flatnonzero(kinds == kind)
        words[places] = source[random.choice(len(source), len(places), p=shares)]
    listed = words.tolist()
    chunks = [tuple(listed[start : start + WORDS_A_CHUNK]) for start in range(0, size, WORDS_A_CHUNK)]
    frequent = {*chinese[np.argsort(-chinese_shares)[:_FREQUENT]], *english[np.argsort(-english_shares)[:_FREQUENT]]}
    return Corpus(chunks, frozenset(frequent))


@cache
def _chinese() -> tuple[np.ndarray, np.ndarray]:
    lines = (Path(jieba.__file__).parent / "dict.txt").read_text(encoding="utf-8").splitlines()
    return _shares({word: int(number) for word, number in (line.split(" ")[:2] for line in lines)})


@cache
def _english() -> tuple[np.ndarray, np.ndarray]:
    counts: Counter[str] = Counter()
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        counts.update(re.findall(r"[a-z]{2,}", path.read_text(encoding="utf-8", errors="replace").lower()))
    return _shares(counts)


def _codes(random: np.random.Generator) -> list[str]:
    numbers = random.integers(0, 2**32, 20_000)
    forms = ("0x{:08x}", "err_{:05d}", "kb{:07d}", "{:04d}")
    limits = (2**32, 100_000, 10_000_000, 10_000)
    return [forms[n % 4].format(int(value) % limits[n % 4]) for n, value in enumerate(numbers)]


def _shares(counts: dict[str, int]) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.array(list(counts.values()), dtype=float)
    return np.array(list(counts), dtype=object), numbers / numbers.sum()
