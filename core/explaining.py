"""Explaining: works out, on request, why an article is among the hits of a text. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.embedding.profile import Profile
from core.explanation import AskedWord, Because, Explanation, FoundTerm, Leg, Place, as_typed, because
from core.index.recall import SubQuery
from core.index.snapshot import ChunkIndex
from core.judging import Judged, Judging, details_of
from core.lexicon import Lexicon
from core.lookup import Search
from core.protocols import Ids, Scores
from core.ranking import RankedArticle
from core.text import query_tokens

if TYPE_CHECKING:
    from core.store.heads import Heads


class Explaining:
    """Explains the hits of searches. Thread-safe."""

    def __init__(self, judging: Judging, heads: Heads, index: Callable[[], ChunkIndex], *, lexicon: Lexicon) -> None:
        self._judging = judging
        self._heads = heads
        self._index = index
        self._lexicon = lexicon

    def explain(self, search: Search, doc_key: str, profile: Profile) -> Explanation | None:
        """Why the article is among what was found; None when it is not. Takes as long as a lookup."""
        text = search.query.text
        place = next(
            (n for n, one in enumerate(search.ranked) if search.heads[one.article_id].doc_key == doc_key), None
        )
        if place is None:
            return None
        judged = self._judging.judge(search, profile, search.ranked[place:] if place else None)[0]
        article, head = judged.ranked, judged.head
        return Explanation(
            doc_key=doc_key,
            title=head.title,
            place=place + 1,
            level=judged.level,
            because=self._because(search, judged),
            state=judged.state,
            review_by=head.review_by,
            terms=tuple(
                FoundTerm(as_typed(text, (term.text,))[0], term.declared, len(term.articles))
                for term in search.exact.terms
                if article.article_id in term.articles
            ),
            selected=article.article_id in (search.exact.precise or search.exact.articles),
            lexical=_place(search, article, "bm25"),
            semantic=_place(search, article, "vector"),
            words=self._words(search, judged),
            rewrite=self._rewrite(search, article),
            replaces=tuple(
                search.heads[other.article_id].title
                for other in search.ranked[place + 1 :]
                if search.heads[other.article_id].superseded_by == doc_key
            ),
            figures=self._figures(search, judged, profile),
            profile=profile.name,
            calibrated=bool(profile.calibrated_on),
            confirmed=approval.confirmed if (approval := search.approvals.get(doc_key)) else 0,
            missing_legs=search.missing_legs,
        )

    def _because(self, search: Search, judged: Judged) -> Because:
        text = search.query.text
        mine = [term.text for term in search.exact.terms if judged.ranked.article_id in term.articles]
        return because(
            judged.level,
            terms=as_typed(text, mine),
            missing=as_typed(text, judged.evidence.coverage.missing),
            state=judged.state,
            unheld=as_typed(text, search.exact.unheld),
            other_name=judged.evidence.other_name,
            margin=judged.evidence.margin,
            coverage=judged.evidence.coverage.share,
        )

    def _words(self, search: Search, judged: Judged) -> tuple[AskedWord, ...]:
        missing, whole = judged.evidence.coverage.missing, self._heads.text_of(judged.head.id)
        words = []
        for word in self._reading(search, missing, whole):
            others = self._synonyms_in(whole, word)
            typed = as_typed(search.query.text, (word,))[0]
            if word in missing:
                words.append(AskedWord(typed, Place.ELSEWHERE if word in whole or others else Place.NOWHERE))
            elif word not in whole and others:
                words.append(AskedWord(typed, Place.SYNONYM, others[0]))
            else:
                words.append(AskedWord(typed, Place.HERE))
        return tuple(words)

    def _reading(self, search: Search, missing: Sequence[str], whole: str) -> Sequence[str]:
        """The informative words of the reading by which the article was judged: the one that lacks just these."""
        readings = [query.informative for query in search.readings or (search.query,)]
        fitting = [words for words in readings if set(missing) <= set(words)] or readings
        return max(
            fitting, key=lambda words: sum(word in whole or bool(self._synonyms_in(whole, word)) for word in words)
        )

    def _synonyms_in(self, whole: str, word: str) -> list[str]:
        return [other for other in self._lexicon.synonyms(word) if other in whole]

    def _rewrite(self, search: Search, article: RankedArticle) -> tuple[str, str] | None:
        """The sub-query by which the article scores best; None for the question itself, and without any rewriting."""
        index, best, found = self._index(), 0.0, None
        allowed = np.array([article.article_id], dtype=np.int64)
        for kind, folded, factor in (
            ("", search.query.folded, 1.0),
            *((rewrite.kind, rewrite.folded, rewrite.factor) for rewrite in search.rewrites),
        ):
            tokens = query_tokens(folded, self._lexicon.words, lambda word: index.df(word) > 0)
            words = index.by_words([SubQuery(tokens, folded, factor)], allowed_articles=allowed)
            score = float(words.bm25.max(initial=0.0))
            if score > best:
                best, found = score, (kind, folded)
        return found if found is not None and found[0] else None

    def _figures(self, search: Search, judged: Judged, profile: Profile) -> dict[str, float]:
        logged = details_of(search, judged, profile)["evidence"]
        figures = {
            name: float(value)
            for name, value in logged.items()
            if isinstance(value, int | float) and not isinstance(value, bool)
        }
        figures["highly_relevant_threshold"] = profile.highly_relevant_threshold
        figures["reference_threshold"] = profile.reference_threshold
        if judged.evidence.distance is not None:
            figures["distance"] = judged.evidence.distance
            figures["cosine"] = max(0.0, 1.0 - 0.5 * judged.evidence.distance)
        recall = search.recall
        if recall is not None:
            mine = recall.article_ids == judged.ranked.article_id
            figures["bm25"] = float(recall.bm25[mine].max(initial=0.0))
        return figures


def _place(search: Search, article: RankedArticle, leg: str) -> Leg:
    """Where an article stands by the best score that any of its chunks has on that leg."""
    recall = search.recall
    if recall is None or leg in search.missing_legs:
        return Leg(None, 0)
    best = _best_by_article(recall.article_ids, recall.bm25 if leg == "bm25" else recall.vector)
    mine = best.get(article.article_id, 0.0)
    found = [score for score in best.values() if score > 0]
    return Leg(1 + sum(score > mine for score in found) if mine > 0 else None, len(found))


def _best_by_article(article_ids: Ids, scores: Scores) -> dict[int, float]:
    best: dict[int, float] = {}
    for article_id, score in zip(article_ids.tolist(), scores.tolist(), strict=True):
        best[article_id] = max(score, best.get(article_id, 0.0))
    return best
