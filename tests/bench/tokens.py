"""Tokenising: what the program does with a text against jieba."""

from __future__ import annotations

import logging

import jieba

from core.text import Words, fold, tokenize
from tests.bench.corpus import Corpus
from tests.bench.timing import Row, interleaved

_TEXTS = 400
_GOAL = 15.0


def tokens(corpus: Corpus) -> list[Row]:
    """Rows per 1,000 characters. `words` alone is the part that jieba does too; tokens add folding, parts and pairs."""
    jieba.setLogLevel(logging.WARNING)
    jieba.initialize()
    texts = [corpus.text(number) for number in range(min(_TEXTS, len(corpus.chunks)))]
    words = Words()
    words.cut("预热")
    characters = sum(map(len, texts)) / len(texts)
    medians = interleaved(
        {
            "words": words.cut,
            "fold and tokens": lambda text: tokenize(fold(text), words),
            "jieba": lambda text: list(jieba.cut(text)),
        },
        texts,
    )
    rows = []
    for name, value in medians.items():
        ratio = None if name == "jieba" else medians["jieba"] / value
        goal = f">= {_GOAL:.0f} x" if name != "jieba" else ""
        scaled = 1000 * value / characters
        rows.append(
            Row("Tokenising 1,000 characters", name, scaled, "ms", ratio, goal, ratio >= _GOAL if ratio else None)
        )
    return rows
