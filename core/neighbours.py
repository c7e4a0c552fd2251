"""Neighbours: held codes that are easily taken for one that the base does not hold, and where they differ (§10).

Reads two tables and writes nothing; how near two codes are is pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from core.facets import found_in_body, found_in_name
from core.identifiers import identifier_key
from core.model import Article, Facet, NearCode, Span

if TYPE_CHECKING:
    from core.store.articles import Articles

MOST = 5
_MOST_ASKED = 2
_MOST_READ = 5_000  # codes that begin alike; enough for the largest base seen
_MOST_OF_A_SERIES = 3
_INTRODUCTION = 24
_STEPS = 10  # numbers that far apart are of one series
_HEX = re.compile(r"0x[0-9a-f]+")
_BARE_HEX = re.compile(r"(?=[0-9a-f]*[0-9])(?:[0-9a-f]{8}|(?=[0-9]*[a-f])[0-9a-f]{6,7})")
_LETTERS = re.compile(r"[a-z]*")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SEPARATORS = re.compile(r"[-_\s]")


@dataclass(frozen=True, slots=True)
class _Code:
    """A key taken apart: its kind, what comes before the part that tells it from others, and that part."""

    kind: str
    prefix: str
    rest: str

    @property
    def number(self) -> int | None:
        """What the rest counts, when it is a number."""
        if self.kind == "hex":
            return int(self.rest, 16)
        return int(self.rest) if self.rest.isdigit() else None


class Neighbours:
    """Finds neighbours in one knowledge base. Thread-safe."""

    def __init__(self, articles: Articles) -> None:
        self._articles = articles

    def near(self, unheld: Sequence[str], ranked: Collection[int] = ()) -> tuple[NearCode, ...]:
        """At most five codes that the base holds beside the unheld ones, nearest first, each with an article that is
        about it (of those in `ranked` where one is), as that article writes it."""
        found: dict[str, NearCode] = {}
        for asked in unheld[:_MOST_ASKED]:
            for near in self._near(asked, ranked):
                found.setdefault(near.code, near)
        return tuple(found.values())[:MOST]

    def _near(self, asked: str, ranked: Collection[int]) -> list[NearCode]:
        key = identifier_key(asked)
        order = closest(key, self._held(key))
        known = self._articles.term_articles(order)
        first = {term: _first_holder(known.get(term, ()), ranked) for term in order}
        wanted = {holder[0] for holder in first.values() if holder is not None}
        articles = self._articles.by_ids(wanted) if wanted else {}
        near = []
        for term in order:
            holder = first[term]
            article = articles.get(holder[0]) if holder is not None else None
            if holder is None or article is None or not (holder[1] or _is_meant_as_code(term, article)):
                continue
            code = _as_written(term, article)
            near.append(NearCode(asked, code, differing(asked, code), article.doc_key, article.title))
        return near

    def _held(self, key: str) -> Iterable[str]:
        """The held codes that may be near: for a number those to try, else those that begin alike."""
        code = _taken_apart(key)
        if code.kind == "number":
            return [] if _YEAR.fullmatch(key) else self._articles.term_articles(sorted(_variants(key)))
        low, high = _range(code)
        return self._articles.identifiers_between(low, high, _MOST_READ)


def closest(key: str, held: Iterable[str]) -> list[str]:
    """Of the held codes those of the same kind that differ from `key` in one or two characters, and a few of the same
    series, nearest first. All are keys (identifier_key); `key` itself is none of them."""
    asked = _taken_apart(key)
    near: list[tuple[tuple[int, int, str], str]] = []
    series: list[tuple[tuple[int, int, str], str]] = []
    for other in held:
        code = _taken_apart(other)
        if code.kind != asked.kind or other == key:
            continue
        apart = _distance(asked, code)
        if apart == 0:
            continue
        steps = _steps(asked, code)
        if apart <= _allowed(asked):
            near.append(((apart, steps, other), other))
        elif _is_of_series(asked, code, steps):
            series.append(((_shared_start(asked, code), steps, other), other))
    series.sort()
    if len(near) < _MOST_OF_A_SERIES:
        near_enough = [other for _, other in series[: _MOST_OF_A_SERIES - len(near)]]
    else:
        near_enough = []
    return _distinct([*(other for _, other in sorted(near)), *near_enough])[:MOST]


def differing(asked: str, written: str) -> tuple[Span, ...]:
    """Where `written` differs from `asked`, as spans in `written`; separators and case do not count. Never empty when
    the codes differ: where something is left out, the character before the gap is marked."""
    ours, theirs = _significant(asked), _significant(written)
    if _taken_apart(identifier_key(written.lower())).kind == "hex":
        ours, theirs = _digits_that_count(ours), _digits_that_count(theirs)
    mine, other = _joined(ours), _joined(theirs)
    if len(mine) == len(other):
        places = [at for at, (a, b) in enumerate(zip(mine, other, strict=True)) if a != b]
    else:
        places = []
        for tag, _, _, start, end in SequenceMatcher(None, mine, other, autojunk=False).get_opcodes():
            if tag == "delete" and other:
                places.append(min(max(0, start - 1), len(other) - 1))
            elif tag != "equal":  # of a text that is all separators nothing can be marked
                places.extend(range(start, end))
    return _spans(sorted({theirs[place][1] for place in places}))


def code_of(title: str, keywords: Sequence[str], unheld: Sequence[str]) -> str:
    """The code that an article names and that is of the kind of an unheld one, as it is written; "" when none is."""
    if not unheld:
        return ""
    kinds = {_taken_apart(identifier_key(asked)).kind for asked in unheld}
    for found in found_in_name(" | ".join((title, *keywords))):
        if found.facet is Facet.ERROR_CODE and _taken_apart(identifier_key(found.key)).kind in kinds:
            return found.written
    return ""


# ------------------------------------------------------------------- how near


def _taken_apart(key: str) -> _Code:
    if _HEX.fullmatch(key):
        return _Code("hex", "0x", key[2:].lstrip("0") or "0")
    if _BARE_HEX.fullmatch(key):
        return _Code("hex", "0x", key.lstrip("0") or "0")
    if key.isdigit():
        return _Code("number", "", key)
    letters = _LETTERS.match(key)
    prefix = letters.group() if letters else ""
    rest = key[len(prefix) :]
    return _Code("series", prefix, rest) if prefix and len(rest) > 1 and rest.isdigit() else _Code("name", "", key)


def _distance(asked: _Code, other: _Code) -> int:
    """In how many characters two codes differ; numbers must be equally long, and series begin alike."""
    if asked.kind == "name":
        return _edits(asked.rest, other.rest)
    if asked.kind == "series" and asked.prefix != other.prefix:
        return 99
    ours, theirs = asked.rest, other.rest
    if len(ours) != len(theirs):
        return 99
    return min(sum(a != b for a, b in zip(ours, theirs, strict=True)), _edits(ours, theirs))


def _allowed(asked: _Code) -> int:
    """How many characters may differ: two in a long code, one in a short one; in a name a quarter at most."""
    if asked.kind == "name":
        return min(2, len(asked.rest) // 4)
    return 2 if len(asked.rest) >= 5 else 1


def _is_of_series(asked: _Code, other: _Code, steps: int) -> bool:
    """Numbers close by; hexadecimal codes that begin alike (0x8004…)."""
    if asked.kind == "hex":
        return len(asked.rest) == len(other.rest) and len(asked.rest) >= 6 and asked.rest[:3] == other.rest[:3]
    return asked.kind != "name" and asked.prefix == other.prefix and steps <= _STEPS


def _steps(asked: _Code, other: _Code) -> int:
    ours, theirs = asked.number, other.number
    return abs(ours - theirs) if ours is not None and theirs is not None else 0


def _shared_start(asked: _Code, other: _Code) -> int:
    """The fewer, the longer two codes begin alike."""
    pairs = zip(asked.rest, other.rest, strict=False)
    return -next((at for at, (a, b) in enumerate(pairs) if a != b), len(asked.rest))


def _edits(ours: str, theirs: str) -> int:
    """Characters put in, left out, changed or swapped with their neighbour."""
    from rapidfuzz.distance import OSA

    return int(OSA.distance(ours, theirs))


def _variants(number: str) -> set[str]:
    """Numbers of the same length with one other digit or two swapped, and those close by."""
    other = {number[:at] + digit + number[at + 1 :] for at in range(len(number)) for digit in "0123456789"}
    swapped = {number[:at] + number[at + 1] + number[at] + number[at + 2 :] for at in range(len(number) - 1)}
    value = int(number)
    close = {str(value + step).zfill(len(number)) for step in range(-_STEPS, _STEPS + 1) if value + step >= 0}
    return {text for text in other | swapped | close if len(text) == len(number) and not _YEAR.fullmatch(text)} - {
        number
    }


def _range(code: _Code) -> tuple[str, str]:
    """Where the held codes that begin alike stand in order: from, and up to."""
    if code.kind == "hex":
        return "0x", "0y"
    if code.kind == "series":
        return code.prefix + "0", code.prefix + ":"
    start = code.rest[:3]
    return start, start[:-1] + chr(ord(start[-1]) + 1)


# --------------------------------------------------------------- of an article


def _first_holder(rows: Sequence[tuple[int, str, bool]], ranked: Collection[int]) -> tuple[int, bool] | None:
    """(article, whether it declares the code): one that declares it, and stands in the list, before others."""
    holders = sorted(
        (kind != "declared", article not in ranked, article)
        for article, kind, is_code in rows
        if is_code and kind != "part"
    )
    return (holders[0][2], not holders[0][0]) if holders else None


def _is_meant_as_code(term: str, article: Article) -> bool:
    """Whether a number that an article only mentions is introduced there as a code (错误 721); other codes are."""
    if not term.isdigit():
        return True
    text = f"{article.title}\n{article.body}"
    places = (match.span() for match in re.finditer(rf"(?<!\d){term}(?!\d)", text))
    around = (text[max(0, start - _INTRODUCTION) : end + 1] for start, end in places)
    return any(found.key == term for piece in around for found in found_in_body(piece))


def _as_written(term: str, article: Article) -> str:
    """A code as its article writes it, in the title, a keyword or the body."""
    code = _taken_apart(term)
    if code.kind == "hex":
        pattern = "(?:0x)?0*" + code.rest
    else:
        pattern = r"[-_\s]?".join(re.escape(character) for character in term)
    whole = re.compile(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])", re.IGNORECASE)
    texts = (article.title, *article.keywords, article.body)
    return next((match.group() for match in map(whole.search, texts) if match is not None), term)


# ----------------------------------------------------------------- differences


def _significant(text: str) -> list[tuple[str, int]]:
    """(character, place) of what is no separator, in lower case."""
    return [(character.lower(), at) for at, character in enumerate(text) if not _SEPARATORS.match(character)]


def _digits_that_count(characters: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Of a hexadecimal code those after 0x and leading zeros."""
    digits = characters[2:] if _joined(characters[:2]) == "0x" else characters
    return digits[len(digits) - len(_joined(digits).lstrip("0")) :]


def _joined(characters: Iterable[tuple[str, int]]) -> str:
    return "".join(character for character, _ in characters)


def _spans(places: Sequence[int]) -> tuple[Span, ...]:
    spans: list[Span] = []
    for place in places:
        if spans and spans[-1].end == place:
            spans[-1] = Span(spans[-1].start, place + 1)
        else:
            spans.append(Span(place, place + 1))
    return tuple(spans)


def _distinct(keys: Iterable[str]) -> list[str]:
    """Each code once; a hexadecimal one by its value, as it is written longest."""
    seen: dict[object, str] = {}
    for key in keys:
        code = _taken_apart(key)
        same: object = (code.kind, code.number) if code.kind == "hex" else key
        if len(key) > len(seen.get(same, "")):
            seen[same] = key
    return list(seen.values())
