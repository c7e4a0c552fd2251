"""Where L0 looks terms up: the term table, and for "does any other article hold this word" the index first."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from core.index.snapshot import ChunkIndex
from core.text import HAN

if TYPE_CHECKING:
    from core.store.articles import Articles
    from core.store.heads import Heads

_HAN_RUN = re.compile(f"[{HAN}]{{2,}}")
_LATIN_WORD = re.compile(r"[a-z0-9]+")
_INNER_WORD = re.compile(r"(?<= )[a-z0-9]+(?= )")
# So few articles are looked through; where more hold all parts of a word, reading from the start ends soon.
_FEW = 100


class TermLookup:
    """The TermSource of one knowledge base (core.index.keyword)."""

    def __init__(self, articles: Articles, heads: Heads, index: Callable[[], ChunkIndex]) -> None:
        self._articles = articles
        self._heads = heads
        self._index = index

    def term_articles(self, terms: Sequence[str]) -> Mapping[str, Sequence[tuple[int, str, bool]]]:
        """For each known term: (article id, kind, is an identifier). A draft or a field note counts only where no other
        article has the term: what somebody jots down on a code takes nothing from the article about it."""
        known = self._articles.term_articles(terms)
        unreviewed = self._articles.unreviewed() if known else frozenset()
        if not unreviewed:
            return known
        return {term: [row for row in rows if row[0] not in unreviewed] or rows for term, rows in known.items()}

    def reviewed(self, article_ids: Collection[int]) -> frozenset[int]:
        """These articles without drafts and field notes."""
        return frozenset(article_ids) - self._articles.unreviewed() if article_ids else frozenset()

    def text_hashes(self, article_ids: Collection[int]) -> Mapping[int, str]:
        """The text hash of each article; exact copies share one."""
        return self._articles.text_hashes(article_ids)

    def holders_of(self, squeezed: str, limit: int) -> Sequence[int]:
        """Articles whose title, headings or body hold the squeezed text, `limit` at most."""
        index = self._index()
        parts = _parts_any_holder_has(squeezed)
        if parts:
            candidates = index.articles_with_all(parts, enough=_FEW)
            if len(candidates) <= _FEW:
                return sorted(self._heads.holders_among(candidates.tolist(), squeezed))[:limit]
        # Most words stand as words somewhere; only where they do not, all texts have to be looked through.
        likely = index.articles_with_all(_LATIN_WORD.findall(squeezed))[:_FEW].tolist()
        holders = sorted(self._heads.holders_among(likely, squeezed))
        return holders[:limit] if len(holders) >= limit else self._articles.holders_of(squeezed, limit)

    def holds_all(self, article_id: int, words: Sequence[Sequence[str]]) -> bool:
        """Whether an article's title, keywords, headings or body hold one form of every word (substrings)."""
        text = self._heads.text_of(article_id)
        return all(any(form in text for form in forms) for forms in words)

    def quoters_of(self, words: Sequence[str], squeezed: str, limit: int) -> int:
        """How many articles hold the words just as they stand; counted up to `limit`."""
        candidates = self._index().articles_with_all(words)
        count = 0
        for at in range(0, len(candidates), _FEW):
            count += len(self._heads.quoters_among(candidates[at : at + _FEW].tolist(), squeezed))
            if count >= limit:
                return limit
        return count


def _parts_any_holder_has(squeezed: str) -> list[str]:
    """Search tokens that every text with `squeezed` in it has: its pairs of Han characters, and Latin words between
    blanks (those at its ends may be pieces of longer words)."""
    pairs = [run[at : at + 2] for run in _HAN_RUN.findall(squeezed) for at in range(len(run) - 1)]
    return [*pairs, *_INNER_WORD.findall(squeezed)]
