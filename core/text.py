"""Folding (with a map back for highlights) and tokens: what makes two spellings of the same thing equal.

Pure functions. Chinese words are jieba's; rjieba computes them where it is installed.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import filterfalse
from operator import add

from core.model import Span

Cut = Callable[[str], list[str]]

_DASHES = dict.fromkeys([*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63], "-")
_INVISIBLE = dict.fromkeys([0x00AD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF])
# Radicals that NFKC leaves alone or turns into a form no one types (Unicode 15, CJK Radicals Supplement).
_RADICALS = {0x2E9F: "母", 0x2EF3: "龟", 0x2EA0: "民", 0x2ED1: "长", 0x2ED3: "长", 0x2EE9: "黄", 0x2EE8: "麦"}
_WIDE_PUNCTUATION = tuple(zip("，：；！？（）", ",:;!?()", strict=True))
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Scripts written without blanks, beside Han: kana, Thai, Lao, Khmer, Burmese; Hangul takes particles as endings.
_UNSPACED = "\u3005\u3007\u3041-\u30ff\u31f0-\u31ff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\uac00-\ud7af"
_ASCII_RUN = r"[a-z0-9_]+(?:[-.:/#+&@][a-z0-9_]+)*\+*"
_RUNS = re.compile(rf"(?P<ascii>{_ASCII_RUN})|(?P<han>[{HAN}]+)|(?P<unspaced>[{_UNSPACED}]+)|(?P<word>[^\W_]+)")
_BESIDE_HAN = re.compile(f"(?<=[{HAN}]) | (?=[{HAN}])")
_PARTS = re.compile(r"[a-z]+|[0-9]+")
_HAN_WORD = re.compile(f"[{HAN}]{{3,}}")  # long enough to have parts
# The short way to the tokens of text that holds, beside Han and folded ASCII, only what never stands in a token.
_HAN_RUNS = re.compile(f"[{HAN}]+")
_ASCII_RUNS = re.compile(_ASCII_RUN)
_SIGNS = (
    "\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2000-\u206f\u2190-\u245f\u2500-\u2775"
    "\u3000-\u3004\u3008-\u3020\U0001f300-\U0001faff"
)
_OTHER_SCRIPT = re.compile(rf"[^\x00-@\[-\x7f{HAN}{_SIGNS}]")
_IN_ASCII_RUNS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-.:/#+&@")
_ASCII_PIECES = bytes(code if code in _IN_ASCII_RUNS else 0x20 for code in range(256))


@cache
def _table() -> dict[int, str | None]:
    """What NFKC and case folding leave: traditional → simplified (OpenCC's t2s), dashes, radicals, invisible ones."""
    import opencc

    characters = [chr(code) for code in (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000))]
    converted = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    table: dict[int, str | None] = {ord(old): new for old, new in zip(characters, converted, strict=True) if old != new}
    table.update(_DASHES)
    table.update(_INVISIBLE)
    table.update(_RADICALS)
    return table


@cache
def _in_table() -> re.Pattern[str]:
    return re.compile("[" + "".join(re.escape(chr(code)) for code in sorted(_table())) + "]")


@cache
def _foldable() -> re.Pattern[str]:
    """Finds whatever folding may change in lower-case text: all but ASCII, kana, simplified Han and their signs."""
    changed = sorted(code for code in _table() if 0x4E00 <= code < 0xA000)
    starts, ends = (0x4E00, *(code + 1 for code in changed)), (*(code - 1 for code in changed), 0x9FFF)
    kept = "".join(f"{chr(a)}-{chr(b)}" for a, b in zip(starts, ends, strict=True) if a <= b)
    return re.compile(f"[^\\x00-\x7f\u2018\u2019\u201c\u201d\u3001\u3002\u3005-\u3011\u3041-\u3094\u30a1-\u30fa{kept}]")


def writable(text: str) -> str:
    """`text` as UTF-8 can hold it: a half of a surrogate pair, as broken input may bring it, becomes `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fold(text: str) -> str:
    """`text` without what does not change its meaning: width, case, composition, traditional forms,
    compatibility radicals, dash variants, invisible characters. Idempotent."""
    quick = _quickly_folded(text)
    if quick is not None:
        return quick
    folded = _composed(_composed(text).casefold())
    # Most text holds nothing of the table, and a search is ten times faster than a translation.
    return folded.translate(_table()) if _in_table().search(folded) else folded


def _quickly_folded(text: str) -> str | None:
    """Folded text, character for character, when nothing but case and Chinese punctuation needs it, as in most text;
    else None."""
    if text.isascii():
        return text.lower()
    lower = _narrowed(text).lower()
    return None if _foldable().search(lower) else lower


def fold_but_for_script(text: str) -> str:
    """`fold`, with traditional characters left as they are."""
    folded = _composed(_composed(text).casefold())
    return folded.translate({**_INVISIBLE, **_DASHES, **_RADICALS})


def _narrowed(text: str) -> str:
    """Chinese punctuation alone would send every text the long way."""
    for wide, narrow in _WIDE_PUNCTUATION:
        text = text.replace(wide, narrow)
    return text


def _composed(text: str) -> str:
    text = _narrowed(text)
    return text if unicodedata.is_normalized("NFKC", text) else unicodedata.normalize("NFKC", text)


def fold_with_map(text: str) -> tuple[str, Sequence[int]]:
    """The folded text and, for each of its characters, where in `text` it comes from; one more entry ends the list.

    `text[where[a]:where[b]]` is what `folded[a:b]` was made of.
    """
    quick = _quickly_folded(text)
    if quick is not None:
        return quick, range(len(text) + 1)
    if not _awkward().search(text):
        folded = fold(text)
        if len(folded) == len(text):
            return folded, range(len(text) + 1)
    pieces: list[str] = []
    where: list[int] = []
    start, end = 0, len(text)
    while start < end:
        stop = start + 1
        while stop < end and _continues(text[stop]):
            stop += 1
        piece = _fold_cluster(text[start:stop])
        pieces.append(piece)
        where.extend([start] * len(piece))
        start = stop
    where.append(end)
    return "".join(pieces), where


@cache
def _awkward() -> re.Pattern[str]:
    """Characters that folding turns into none or several, or that belong to the one before them."""
    codes = (code for code in range(0x80, 0x10000) if not 0x3400 <= code < 0xA000 and not 0xAC00 <= code < 0xE000)
    odd = "".join(chr(code) for code in codes if _continues(chr(code)) or len(fold(chr(code))) != 1)
    return re.compile(f"[{re.escape(odd)}]")


@cache
def _fold_character(character: str) -> str:
    return fold(character)


def _fold_cluster(cluster: str) -> str:
    return _fold_character(cluster) if len(cluster) == 1 else fold(cluster)


def _continues(character: str) -> bool:
    """Whether a character belongs to the one before it (combining marks, half-width voicing, conjoining jamo)."""
    if character < "\u0300":
        return False
    return unicodedata.combining(character) != 0 or character in "\uff9e\uff9f" or "\u1160" <= character <= "\u11ff"


def squeeze(folded: str) -> str:
    """Folded text with blanks that carry no meaning taken out: runs become one, those beside a Han character go."""
    collapsed = " ".join(folded.split())
    return _BESIDE_HAN.sub("", collapsed)


# --------------------------------------------------------------------- words


class Words:
    """Cuts Han text into words: jieba's dictionary and rules, and the user's own words.

    Thread-safe. `language` words of other scripts need no dictionary.
    """

    def __init__(self, own_words: Iterable[str] = ()) -> None:
        self._own = tuple(sorted({fold(word) for word in own_words if word.strip()}))
        self._cut: Cut | None = None
        self._lock = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Changes when the same text would be cut otherwise."""
        return "|".join(self._own)

    def cut(self, han: str) -> list[str]:
        """The words of a stretch of folded Han characters, in order, nothing left out."""
        cut = self._cut
        if cut is None:
            with self._lock:
                cut = self._cut = self._cut or _make_cut(self._own)
        return cut(han)


def _make_cut(own_words: tuple[str, ...]) -> Cut:
    try:
        import rjieba
    except ImportError:
        return _make_jieba_cut(own_words)
    if not own_words:
        return rjieba.cut
    cutter = rjieba.Jieba()
    for word in own_words:
        cutter.add_word(word, None, None)
    return cutter.cut


def _make_jieba_cut(own_words: tuple[str, ...]) -> Cut:
    """The same words from jieba itself, where rjieba has no wheel."""
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    cutter = jieba.Tokenizer()
    for word in own_words:
        cutter.add_word(word)
    return lambda han: list(cutter.cut(han))


# --------------------------------------------------------------------- tokens


def tokenize(folded: str, words: Words) -> list[str]:
    """The search tokens of an article's folded text, with repetitions, in no order that means anything.

    Han: jieba's words, and every pair of neighbouring characters (so that words no dictionary knows are found).
    ASCII: an identifier as a whole and in its parts. Other scripts: whole words, or pairs where no blanks are written.
    """
    tokens: list[str] = []
    if _OTHER_SCRIPT.search(folded):
        for match in _RUNS.finditer(folded):
            if match.lastgroup == "han":
                _add_han(match.group(), words, tokens)
            else:
                _add_other(match.group(), match.lastgroup, tokens)
        return tokens
    # Most pieces between blanks are plain words; only the others need the pattern.
    pieces = folded.encode("ascii", "replace").translate(_ASCII_PIECES).decode("ascii").split()
    tokens += filter(str.isalpha, pieces)
    for piece in filterfalse(str.isalpha, pieces):
        for text in _ASCII_RUNS.findall(piece):
            _add_other(text, "ascii", tokens)
    for run in _HAN_RUNS.findall(folded):
        _add_han(run, words, tokens)
    return tokens


def word_tokens(folded: str, words: Words) -> list[str]:
    """The words of folded text, in order: as `tokenize`, without the pairs of Han characters and parts of codes."""
    tokens: list[str] = []
    for run in _RUNS.finditer(folded):
        text = run.group()
        kind = run.lastgroup
        if kind == "han":
            tokens.extend(words.cut(text))
        elif kind == "ascii":
            if text.strip("_"):
                tokens.append(text.strip("_"))
        else:
            _add_other(text, kind, tokens)
    return tokens


def query_tokens(folded: str, words: Words, is_known: Callable[[str], bool]) -> list[str]:
    """The search tokens of a query: as `tokenize`, but pairs only where words fail, that is over neighbouring single
    characters and words that `is_known` denies."""
    tokens: list[str] = []
    for run in _RUNS.finditer(folded):
        text = run.group()
        kind = run.lastgroup
        if kind != "han":
            _add_other(text, kind, tokens)
            continue
        failing = ""
        for word in words.cut(text):
            tokens.append(word)
            if len(word) == 1 or not is_known(word):
                failing += word
            else:
                tokens.extend(_pairs(failing))
                failing = ""
        tokens.extend(_pairs(failing))
    return tokens


def _pairs(text: str) -> Iterable[str]:
    return map(add, text, text[1:])


def _add_han(run: str, words: Words, tokens: list[str]) -> None:
    """The tokens of a run of Han characters: its words, and the pairs that are none of them."""
    if len(run) == 1:
        tokens.append(run)
        return
    cut = words.cut(run)
    tokens += cut
    if len(run) > 2 or len(cut) > 1:
        tokens += filterfalse(set(cut).__contains__, _pairs(run))


def _add_other(text: str, kind: str | None, tokens: list[str]) -> None:
    """The tokens of a run that is not Han."""
    if kind == "unspaced":
        tokens.extend(_pairs(text) if len(text) > 1 else (text,))
    elif kind == "ascii":
        text = text.strip("_")
        if text:
            tokens.append(text)
            if not text.isalpha() and not text.isdigit():
                tokens.extend(part for part in _PARTS.findall(text) if len(part) > 1 and part != text)
    else:
        tokens.append(text)


def spans_of(text: str, folded_terms: Iterable[str]) -> tuple[Span, ...]:
    """Where folded terms stand in `text`, as spans of the original characters, merged and in order. Of a Han word
    that does not stand there as a whole its parts are marked (of 数据库连接池 the 连接池)."""
    folded, where = fold_with_map(text)
    found: list[tuple[int, int]] = []
    for term in folded_terms:
        places = _places(folded, term)
        if not places and _HAN_WORD.fullmatch(term):
            places = [place for pair in _pairs(term) for place in _places(folded, pair)]
        found += places
    merged: list[list[int]] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return tuple(Span(where[start], where[end] if end < len(where) else len(text)) for start, end in merged)


def _places(folded: str, term: str) -> list[tuple[int, int]]:
    """Where a term stands, one place after the other."""
    found: list[tuple[int, int]] = []
    at = folded.find(term) if term else -1
    while at >= 0:
        found.append((at, at + len(term)))
        at = folded.find(term, at + len(term))
    return found
