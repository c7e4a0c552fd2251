"""Coverage: what of a question an article holds, weighed by how much each word tells. Pure (contract §4)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.identifiers import find_identifiers
from core.lexicon import Lexicon
from core.query import Query

Information = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a question an article holds: in its title, keywords and best section.

    `share`: of the question's information, 0 … 1; `held`: that information itself (nats); `missing`: informative words
    and identifiers that are not there.
    """

    share: float
    missing: tuple[str, ...]
    held: float = 0.0


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an article: its heading path and its text, both folded and squeezed."""

    heading: str
    text: str


def coverage_of(
    readings: Sequence[Query],
    head: str,
    sections: Iterable[Section],
    lexicon: Lexicon,
    information: Information,
    *,
    known: Callable[[str], bool] = bool,
    matched: Collection[str] = (),
) -> Coverage:
    """How much of a question an article answers, by that of its readings (as it was asked, in the mainland's words)
    that it holds most of. `head`: title and keywords, folded and squeezed.

    Words count by `information` (≥ 0); generic ones count only when nothing else was asked. A word is present as a
    substring or by a listed synonym, an identifier by equality only; `matched` words are what L0 found the article
    by, in whatever form it is written there. A long word that is missing everywhere (`known` denies it) and here as a
    whole is still missing, but counts by
    the share of its pairs of characters that are here (of 数据库连接池 the 连接池).
    """
    sections = list(sections) or [Section("", "")]
    covered = [
        _coverage(reading, head, sections, lexicon, information, known=known, matched=matched) for reading in readings
    ]
    return max(covered, key=lambda coverage: coverage.share)


def _coverage(
    query: Query,
    head: str,
    sections: Sequence[Section],
    lexicon: Lexicon,
    information: Information,
    *,
    known: Callable[[str], bool],
    matched: Collection[str],
) -> Coverage:
    weighed = {word: information(word) for word in (query.informative or query.asked)}
    total = sum(weighed.values())
    codes_asked = {word: code for word in weighed if (code := _code(word))}
    pairs = {word: _pairs(word) for word in weighed if word not in codes_asked and len(word) > 2 and not known(word)}
    best = Coverage(0.0, query.informative)
    best_held = -1.0
    for section in sections:
        text = f"{head}\n{section.heading}\n{section.text}"
        codes = {identifier.key for identifier in find_identifiers(text)} if codes_asked else set()
        present = {
            word
            for word in weighed
            if word in matched or (codes_asked[word] in codes if word in codes_asked else _present(word, text, lexicon))
        }
        # In the order of the question: the order of a set differs from process to process, and with it the rounding.
        held = sum(weight for word, weight in weighed.items() if word in present)
        held += sum(weighed[word] * _share(of, text) for word, of in pairs.items() if word not in present)
        if held > best_held:
            best_held = held
            share = held / total if total > 0 else float(bool(present))
            best = Coverage(share, tuple(word for word in query.informative if word not in present), held)
    return best


def title_asked(title: Sequence[str], readings: Sequence[Query], lexicon: Lexicon, information: Information) -> float:
    """The share, 0 … 1, of a title's information that the question holds: 1 when it says all that the title says.
    `title`: its words."""
    telling = {word: information(word) for word in title if not lexicon.says_nothing(word)}
    total = sum(telling.values())
    if total <= 0:
        return 0.0
    asked = {word for reading in readings for word in reading.words}
    return sum(weight for word, weight in telling.items() if word in asked) / total


def title_says(title: str, readings: Sequence[Query], lexicon: Lexicon) -> bool:
    """Whether the title says all that the question does, in any of its readings. `title`: folded and squeezed."""
    return any(all(_present(word, title, lexicon) for word in reading.asked) for reading in readings)


@lru_cache(maxsize=1024)
def _code(word: str) -> str:
    """The key of a word that is an identifier; else empty."""
    identifiers = find_identifiers(word)
    return identifiers[0].key if len(identifiers) == 1 and identifiers[0].text == word else ""


def _present(word: str, text: str, lexicon: Lexicon) -> bool:
    return word in text or any(other in text for other in lexicon.synonyms(word))


def _pairs(word: str) -> tuple[str, ...]:
    return () if word.isascii() else tuple(map(str.__add__, word, word[1:]))


def _share(pairs: Sequence[str], text: str) -> float:
    return sum(pair in text for pair in pairs) / len(pairs) if pairs else 0.0
