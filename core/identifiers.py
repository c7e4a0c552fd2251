"""Identifiers: which runs of characters are codes, when two of them are the same, and what an article's L0 terms are.

The rules are contract §4's. All functions take folded text (core.text.fold) and are pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from core.text import fold, squeeze

# Letters of other Latin alphabets bound a run too: the digits in "café691" are no code of their own.
_RUN = re.compile(r"[*#]*[*#]\d+(?:[*#]\d+)*#(?![\w#])|[a-z0-9_]+(?:[-.:/#][a-z0-9_]+)*")
_TELLING = re.compile(r"[0-9_]")  # without one of these no run is a code; most are plain words
_SYMBOL_CODE = re.compile(r"[*#]+\d[\d*#]*#")
_DATE = re.compile(
    r"(?:19|20)\d\d([-/.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?:t\d.*)?"
    r"|(?:19|20)\d\d[-/](?:0?[1-9]|1[0-2])"
    r"|(?:0?[1-9]|1[0-2])([-/.])(?:0?[1-9]|[12]\d|3[01])\2(?:19|20)\d\d"
    r"|(?:0?[1-9]|[12]\d|3[01])([-/.])(?:0?[1-9]|1[0-2])\3(?:19|20)\d\d"
    r"|[0-2]?\d:[0-5]\d(?::[0-5]\d)?(?:\.\d+)?"
)
_GLUED_UNIT = (
    r"ms|us|ns|s|sec|secs|min|mins|h|hr|hrs|kb|mb|gb|tb|pb|kib|mib|gib|tib|k|bit|bits|byte|bytes|px|pt|dpi|mm|cm|km|"
    r"kg|hz|khz|mhz|ghz|kbps|mbps|gbps|fps|rpm|kw|mah|v|w|m"
)
_MEASURE = re.compile(rf"\d+(?:[.:]\d+)?(?:{_GLUED_UNIT})")
_UNIT_AFTER = re.compile(
    rf"\s*(?:个?(?:分钟|秒钟|毫秒|秒|小时|时(?!\w)|天|日|周|星期|个?月|年|次|台|人|位|份|页|条|张|字符|字节|字|元|块|米|层|楼|倍|度|兆|步|项|点|种"
    rf"|行|列|篇|组|名|家|岁|万|千|百)(?!口)|%|℃|(?:{_GLUED_UNIT}|seconds?|minutes?|hours?|days?|weeks?|months?|years?|times|users|people|items|pages|"
    rf"characters|percent|g)(?![a-z0-9_]))"
)
# Words that only introduce a code; `code:691` is the code 691.
CODE_WORDS = frozenset(
    "error err code event id errorcode errcode eventid no number num "  # noqa: SIM905
    "错误 错误码 错误代码 错误号 代码 事件 编号 故障码 状态码 返回码".split()
)
_INTRODUCED = re.compile(r"(?:error|err|code|event|id|errorcode|errcode|eventid|no)[:#/](?=.*\d)")
_HEXADECIMAL = re.compile(r"0x[0-9a-f]+")
_LEAST_DIGITS = 3
_SEPARATORS = re.compile(r"[-_\s]+")
_NEIGHBOUR = re.compile(r"[a-z0-9_.:/#+]+")


@dataclass(frozen=True, slots=True)
class Identifier:
    """A code where it stands in folded text: `text == folded[start:end]`. `key` is what equality goes by."""

    text: str
    key: str
    start: int
    end: int

    @property
    def bare_number(self) -> bool:
        """Digits alone."""
        return self.text.isdigit()


@dataclass(frozen=True, slots=True)
class Term:
    """Something L0 can look up. `kind`: declared, mentioned, or part (the digits of a mentioned or declared code).

    Identifiers stand under their key, words under their squeezed folded form.
    """

    term: str
    kind: str
    identifier: bool


def identifier_key(text: str) -> str:
    """What two spellings of one code share: dash, underscore, blank and nothing are alike. Zeros and length count."""
    return _SEPARATORS.sub("", text)


def find_identifiers(folded: str) -> list[Identifier]:
    """The identifiers in folded text, in order."""
    found = []
    for run in _RUN.finditer(folded):
        text = run.group()
        if not _TELLING.search(text):
            continue
        start = run.start()
        if start and _accented(folded[start - 1]):
            continue
        introduced = _INTRODUCED.match(text)
        if introduced:
            start += introduced.end()
            text = text[introduced.end() :]
        stripped = text.strip("_")
        start += len(text) - len(text.lstrip("_"))
        if stripped and _is_identifier(stripped, folded[start + len(stripped) : start + len(stripped) + 12]):
            found.append(Identifier(stripped, identifier_key(stripped), start, start + len(stripped)))
    return found


def _accented(character: str) -> bool:
    return "\u00c0" <= character <= "\u024f"


def _is_identifier(text: str, after: str) -> bool:
    if _SYMBOL_CODE.fullmatch(text):
        return True
    if _DATE.fullmatch(text) or _MEASURE.fullmatch(text):
        return False
    digits = sum(character.isdigit() for character in text)
    if digits and any(character.isalpha() for character in text):
        return True
    if "_" in text:
        return digits > 0 or any(character.isalpha() for character in text)
    return digits >= _LEAST_DIGITS and not _UNIT_AFTER.match(after)


def hexadecimal_aliases(key: str) -> Iterator[str]:
    """The other ways to write a `0x…` term: without leading zeros, and without 0x where that is unmistakable."""
    if not _HEXADECIMAL.fullmatch(key):
        return
    digits = key[2:]
    short = digits.lstrip("0")
    if short and short != digits:
        yield "0x" + short
    for form in {digits, short}:
        if len(form) >= 6 or any(character in "abcdef" for character in form):
            yield form


def digit_parts(identifier: Identifier) -> Iterator[str]:
    """The delimited digit part of a letter–digit code (9087 of PPR-9087); none of dotted or hexadecimal numbers."""
    text = identifier.text
    if _HEXADECIMAL.fullmatch(text) or not any(character.isalpha() for character in text):
        return
    pieces = re.split(r"[-_:/#]", text)
    if len(pieces) > 1:
        yield from (piece for piece in pieces if piece.isdigit() and len(piece) >= 3)


# ------------------------------------------------------------- of an article


def article_terms(title: str, keywords: Iterable[str], body: str) -> list[Term]:
    """The L0 terms of an article: declared by title and keywords, mentioned in headings and body; each once a kind.

    Text as written; it is folded here.
    """
    terms: dict[tuple[str, str], Term] = {}

    def add(term: str, kind: str, *, identifier: bool) -> None:
        if term:
            terms.setdefault((term, kind), Term(term, kind, identifier))

    def add_identifier(identifier: Identifier, kind: str) -> None:
        add(identifier.key, kind, identifier=True)
        for alias in hexadecimal_aliases(identifier.key):
            add(alias, kind, identifier=True)
        for part in digit_parts(identifier):
            add(part, "part", identifier=True)

    folded_title = fold(title)
    declared_word = word_term(folded_title)
    if declared_word:
        add(declared_word, "declared", identifier=False)
    for identifier in find_identifiers(folded_title):
        add_identifier(identifier, "declared")
    for keyword in keywords:
        folded = fold(keyword).strip()
        for identifier in find_identifiers(folded):
            number_among_words = identifier.bare_number and not _only_introduced(folded, identifier)
            add_identifier(identifier, "mentioned" if number_among_words else "declared")
        word = word_term(folded)
        if word:
            add(word, "declared", identifier=False)
        elif _is_joined_code(folded):
            add(identifier_key(folded), "declared", identifier=True)
    for identifier in find_identifiers(fold(body)):
        add_identifier(identifier, "mentioned")
    return list(terms.values())


def word_term(folded: str) -> str:
    """The squeezed form under which a keyword or title is a word term; empty when it is nothing but codes."""
    squeezed = squeeze(folded).strip()
    return "" if not squeezed or _is_joined_code(folded) else squeezed


def _is_joined_code(folded: str) -> bool:
    """Whether a keyword is one code as a whole: a single identifier, or Latin words with a number (`UDP 500`)."""
    text = folded.strip()
    found = find_identifiers(text)
    if len(found) == 1 and found[0].text == text.strip("_"):
        return True
    words = text.split()
    return bool(found) and len(words) <= 4 and all(_NEIGHBOUR.fullmatch(word.replace("-", "")) for word in words)


def _only_introduced(folded: str, identifier: Identifier) -> bool:
    """Whether nothing but code words stands beside a number in a keyword."""
    rest = squeeze(folded[: identifier.start] + " " + folded[identifier.end :]).strip(" :#-()[]号")
    return not rest or all(word in CODE_WORDS for word in rest.split())


def holding_text(title: str, body: str) -> str:
    """What `folded substring in title, headings or body` is looked up in (contract §4, word terms)."""
    return squeeze(fold(title + "\n" + body))


# ---------------------------------------------------------------- of a query


def neighbour_joins(folded: str, most: int = 4) -> list[Identifier]:
    """Up to `most` neighbouring Latin words of a query tried as one code, longest first; also each word alone.

    Neighbours are parted by blanks, dashes or underscores only. Whether a join is a code depends on the base; pieces
    of dates, measures and bare numbers are none: what is a number's to decide, find_identifiers decides.
    """
    dates = [run.span() for run in _RUN.finditer(folded) if _DATE.fullmatch(run.group())]
    words = [match.span() for match in _NEIGHBOUR.finditer(folded)]
    joins = []
    for size in range(min(most, len(words)), 0, -1):
        for first in range(len(words) - size + 1):
            group = words[first : first + size]
            gaps = (folded[left[1] : right[0]] for left, right in pairwise(group))
            if all(_SEPARATORS.fullmatch(gap) for gap in gaps):
                start, end = group[0][0], group[-1][1]
                text = folded[start:end].strip(".:/#+")
                key = identifier_key(text)
                start += folded[start:end].find(text)
                end = start + len(text)
                dated = any(start < date_end and date_start < end for date_start, date_end in dates)
                if len(text) > 1 and not dated and not text.isdigit() and not _MEASURE.fullmatch(key):
                    joins.append(Identifier(text, key, start, end))
    return joins
