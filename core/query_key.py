"""The key of a question: what near-equal questions share, so that a confirmed article is found again. Pure.

Near-equal: the same informative words whatever their order, synonyms alike, and the very same identifiers, numbers and
quoted phrases. A question that differs in one number has another key (0x80070005 confirms nothing of 0x80070057, nor
两天 of 一天). Where a word says not, from, to, before, after, above, below, inside or outside, order counts as well:
能打印不能扫描 is not 能扫描不能打印. In doubt the keys differ: a confirmation lost costs less than a wrong one.
"""

from __future__ import annotations

import hashlib
import re

from core.identifiers import identifier_key
from core.lexicon import Lexicon
from core.query import Query, read_query

# Part of the fingerprint: another rule makes other keys.
_RULE = "2"
_RUN = re.compile(r"(?P<sign>(?<![a-z0-9])[-+])?(?P<run>[a-z0-9_]+(?:[-.:/#][a-z0-9_]+)*(?:%|#)?|[*#]+\d[\d*#]*)")
_TELLING = re.compile(r"[0-9#]")
_NUMERAL = "〇零一二两兩三四五六七八九十百千万萬亿億几幾"
# Numerals in these count nothing.
_UNCOUNTED = re.compile(
    rf"(?<![第{_NUMERAL}])(?:一(?:下|直|会儿|样|些|起|定|般|点(?!钟)|旦|致|律|共|切|向|边|键)|十分(?!钟)|百度|千兆|万能|万一)"
    r"|[统唯同任之]一"
)
_COUNTED = re.compile(rf"第?[{_NUMERAL}]+[\u4e00-\u9fff]?")
_MARKS = frozenset("不没未无非从到至前后上下左右内外")
_ENGLISH_MARKS = frozenset(
    "no not never without from into before after until cannot can't cant unable won't wont don't doesn't didn't isn't "  # noqa: SIM905
    "aren't couldn't".split()
)
_BARE_COMPLAINTS = frozenset(("不能", "无法", "不了", "不行", "别"))  # of something, which they stand beside
# Beside one of these a complaint is of one thing and not of another.
_CONTRASTS = frozenset("能 能够 可以 但 但是 却 而 只 只有 只能".split())  # noqa: SIM905
# Stop words that hold a mark and say nothing with it.
_UNMARKED = frozenset("一下 是不是 能不能 可不可以 有没有 要不要 需不需要 不过 如下 看到".split())  # noqa: SIM905
_MARKED_ENDS = re.compile(r"[不没未无非从到至前后].+|.+[从到至前后]")
# Words of their own, whatever they begin or end with.
_WHOLE = frozenset("无线 到期 后台 前台 前端 后端 前缀 后缀 未来 未读 不足 不同 无效 无痕 非法 收到".split())  # noqa: SIM905
_LEAST_WORDS = 2


def query_key(text: str, lexicon: Lexicon) -> str:
    """The key of a text as it was asked; empty for one that says nothing, which nothing is near-equal to."""
    query = read_query(text, lexicon)
    runs = [run for run in _RUN.finditer(query.folded) if _TELLING.search(run["run"])]
    written = {run["run"] for run in runs}
    codes = [(run["sign"] or "") + identifier_key(run["run"]) for run in runs]
    codes += _COUNTED.findall(_UNCOUNTED.sub(" ", query.folded))
    words = query.informative
    if len(words) < _LEAST_WORDS and not codes:
        words = query.asked  # one word alone is a subject, no question: what is wrong with it counts too
    if not words and not codes:
        return ""
    marks = _marks(query, lexicon)
    if marks:
        meant = [w if w in marks else _sense(w, lexicon) for w in query.words if w in marks or w in words]
    else:
        meant = sorted({_sense(word, lexicon) for word in words if word not in written})
        codes.sort()
    return "\n".join((" ".join(meant), " ".join(codes), " ".join(sorted(query.phrases))))


def keys_fingerprint(lexicon: Lexicon) -> str:
    """Another one whenever the same text may have another key: the word lists, or the rule above."""
    lists = (lexicon.stop, lexicon.generic, lexicon.courtesy)
    parts = [_RULE, lexicon.fingerprint, repr(lexicon.groups), *(" ".join(sorted(words)) for words in lists)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _marks(query: Query, lexicon: Lexicon) -> set[str]:
    """The words that turn what stands beside them: stop words and bare complaints, and unlisted words that such a mark
    was cut together with. A listed complaint (连不上) says all of it by itself, except in a contrast."""
    marks = set()
    contrast = not _CONTRASTS.isdisjoint(query.words)
    for word in query.words:
        if word in _ENGLISH_MARKS or word in _BARE_COMPLAINTS or (contrast and word in lexicon.generic):
            marks.add(word)
        elif word in lexicon.stop:
            if not _MARKS.isdisjoint(word) and word not in _UNMARKED:
                marks.add(word)
        elif _MARKED_ENDS.fullmatch(word) and word not in _WHOLE and _unlisted(word, lexicon):
            marks.add(word)
    return marks


def _unlisted(word: str, lexicon: Lexicon) -> bool:
    return lexicon.informative(word) and not lexicon.synonyms(word)


def _sense(word: str, lexicon: Lexicon) -> str:
    """One word for all of a group of synonyms: the first by order of characters. Groups are not chained: of a word that
    stands in several, the first listed counts."""
    if not lexicon.synonyms(word):
        return word
    return next(min(group) for group in lexicon.groups if word in group)
