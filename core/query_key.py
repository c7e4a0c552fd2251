"""The key of a question: what near-equal questions share, so that a confirmed article is found again. Pure.

Near-equal: the same informative words whatever their order, synonyms alike, and the very same identifiers, numbers and
quoted phrases. A question that differs in one number has another key (0x80070005 confirms nothing of 0x80070057).
"""

from __future__ import annotations

import hashlib
import re

from core.identifiers import identifier_key
from core.lexicon import Lexicon
from core.query import read_query

# Part of the fingerprint: another rule makes other keys.
_RULE = "1"
_RUN = re.compile(r"(?P<sign>(?<![a-z0-9])[-+])?(?P<run>[a-z0-9_]+(?:[-.:/#][a-z0-9_]+)*(?:%|#)?|[*#]+\d[\d*#]*)")
_TELLING = re.compile(r"[0-9#]")
_COUNTED = re.compile(r"第?[〇零一二两三四五六七八九十百千]+(?:楼|层|号|栋|区|期|级|代|版|班|组|部|科|室|厅|季|次|台)")
_LEAST_WORDS = 2


def query_key(text: str, lexicon: Lexicon) -> str:
    """The key of a text as it was asked; empty for one that says nothing, which nothing is near-equal to."""
    query = read_query(text, lexicon)
    runs = [run for run in _RUN.finditer(query.folded) if _TELLING.search(run["run"])]
    written = {run["run"] for run in runs}
    codes = sorted((run["sign"] or "") + identifier_key(run["run"]) for run in runs)
    codes += sorted(_COUNTED.findall(query.folded))
    words = query.informative
    if len(words) < _LEAST_WORDS and not codes:
        words = query.asked  # one word alone is a subject, no question: what is wrong with it counts too
    if not words and not codes:
        return ""
    meant = {_sense(word, lexicon) for word in words if word not in written}
    return "\n".join((" ".join(sorted(meant)), " ".join(codes), " ".join(sorted(query.phrases))))


def keys_fingerprint(lexicon: Lexicon) -> str:
    """Another one whenever the same text may have another key: the word lists, or the rule above."""
    lists = (lexicon.stop, lexicon.generic, lexicon.courtesy)
    parts = [_RULE, lexicon.fingerprint, repr(lexicon.groups), *(" ".join(sorted(words)) for words in lists)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _sense(word: str, lexicon: Lexicon) -> str:
    """One word for all of a group of synonyms: the first by order of characters. Groups are not chained: of a word that
    stands in several, the first listed counts."""
    if not lexicon.synonyms(word):
        return word
    return next(min(group) for group in lexicon.groups if word in group)
