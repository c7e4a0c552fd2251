"""Ordering: what the legs recalled as articles in the order of an answer (contract §3, steps 5 and 6). Reads only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from core.embedding.profile import HASHED
from core.identifiers import find_identifiers
from core.index.keyword import ExactMatch, MatchedTerm
from core.index.recall import Recall
from core.index.snapshot import ChunkIndex
from core.lexicon import Lexicon
from core.protocols import Embedder, Ids
from core.query import Query
from core.ranking import WHOLE_ARTICLE_WEIGHT, RankedArticle, Weights, fuse, less_chance, rank_articles, weights_of
from core.settings import Settings
from core.switches import Switches
from core.text import query_tokens

if TYPE_CHECKING:
    from core.store.heads import ArticleHead, Heads

_CANDIDATES = 50
_COMMON = 3000  # chunks
_QUOTERS_AMONG = 4
_VERBATIM_COLUMNS = 30
# Against a score of at most 1 + WHOLE_ARTICLE_WEIGHT; measured on error messages and on former titles.
_VERBATIM_BONUS = 1.5
_EDGES = " .,;:!?。、…\"'“”‘’()[]<>"


class Ordering:
    """Orders what was recalled. Thread-safe."""

    def __init__(self, heads: Heads, index: Callable[[], ChunkIndex], lexicon: Lexicon, settings: Settings) -> None:
        self._heads = heads
        self._index = index
        self._lexicon = lexicon
        self._settings = settings

    def rank(
        self,
        readings: Sequence[Query],
        exact: ExactMatch,
        recall: Recall,
        embedder: Embedder,
        *,
        allowed: Collection[int] | None,
        switches: Switches,
    ) -> tuple[list[RankedArticle], dict[int, ArticleHead]]:
        """The articles, best first, and the heads of them. `embedder`: whose vectors those of `recall` are;
        `allowed`: the articles that may be found, None: all."""
        weights = self._weights(readings, recall, embedder, switches)
        near = less_chance(recall.vector, recall.article_ids, embedder)
        fused = fuse(recall.bm25, near, weights.bm25, weights.vector)
        exact_first = switches.exact_first and not (_is_long(readings[0]) and _is_in_passing(exact))
        first = _selected(exact) if exact_first else frozenset()
        precise = exact.precise if exact_first else frozenset()
        chunk_ids, article_ids, whole = recall.chunk_ids, recall.article_ids, recall.whole
        unfound = self._unfound(first, article_ids, allowed)
        if unfound:
            chunk_ids = np.concatenate((chunk_ids, [chunk for _, chunk in unfound]))
            article_ids = np.concatenate((article_ids, [article for article, _ in unfound]))
            fused, whole = (np.concatenate((scores, np.zeros(len(unfound)))) for scores in (fused, whole))
        most = max(_CANDIDATES, 3 * self._settings.whole("top_k"))
        # What quotes a message may be far from it in meaning: it is looked for among more than are kept.
        looked_at = most if embedder.name == HASHED or not _is_long(readings[0]) else _QUOTERS_AMONG * most
        ranked = rank_articles(
            chunk_ids, article_ids, fused, whole, weights.whole, first=first, kept=exact.articles, limit=looked_at
        )
        heads = self._heads.by_ids([article.article_id for article in ranked])
        ranked = [article for article in ranked if article.article_id in heads]
        verbatim = self.quoters(readings[0], heads) if switches.verbatim else frozenset()
        # A pasted message is answered by the article that quotes it, not by one that just holds a code out of it.
        above = first | verbatim if first else first
        # A model finds by meaning what has none of the question's words.
        on_subject = self._on_subject(readings, heads) | exact.articles if embedder.name == HASHED else heads.keys()
        ranked.sort(
            key=lambda article: (
                article.article_id not in precise,
                article.article_id not in above,
                article.article_id not in on_subject,
                -article.score - (_VERBATIM_BONUS if article.article_id in verbatim else 0.0),
            )
        )
        del ranked[most:]
        ranked = self._with_successors(_without_copies(ranked, heads), heads, allowed)
        return successors_first(ranked, heads), heads

    def _weights(self, readings: Sequence[Query], recall: Recall, embedder: Embedder, switches: Switches) -> Weights:
        bm25, vector = (self._settings.number(f"rag.{leg}_weight") for leg in ("bm25", "vector"))
        whole = WHOLE_ARTICLE_WEIGHT if switches.whole_article else 0.0
        heard = None
        if embedder.name != HASHED and not _is_code(readings[0]) and len(recall) and bool(recall.vector.any()):
            words = fuse(recall.bm25, recall.whole, bm25, WHOLE_ARTICLE_WEIGHT)
            best = int(np.argmax(words))
            heard = self._held_by(int(recall.article_ids[best]), readings) if words[best] > 0 else 0.0
        return weights_of(bm25, vector, whole, heard=heard)

    def _held_by(self, article: int, readings: Sequence[Query]) -> float:
        """How much of the question's information an article holds, 0 … 1; of several readings the best. A word that
        very many chunks hold is not looked for."""
        index = self._index()
        most = 0.0
        for reading in readings:
            words = reading.informative or reading.asked
            told = {word: index.information(word) for word in words}
            held = (
                told[word]
                for word in words
                if (df := index.df(word)) and (df > _COMMON or article in index.articles_with_all([word]))
            )
            total = sum(told.values())
            most = max(most, sum(held) / total if total else 1.0)
        return most

    def _on_subject(self, readings: Sequence[Query], candidates: Collection[int]) -> frozenset[int]:
        """The candidates that hold an informative word of the question: one that just shares its complaint (连不上,
        broken) stands below them."""
        index = self._index()
        words = {word for reading in readings for word in reading.informative}
        complaints = any(len(set(reading.words)) > len(reading.informative) for reading in readings)
        if not complaints and all(map(index.df, words)):
            return frozenset(candidates)
        forms = words.union(*(self._lexicon.synonyms(word) for word in words))
        held: set[int] = set()
        for form in forms:
            tokens = [form] if index.df(form) else query_tokens(form, self._lexicon.words, bool)
            held.update(index.articles_with_all(tokens).tolist())
            if not index.df(form):  # a listed phrase that stands nowhere as a whole
                for piece in self._lexicon.words.cut(form) if not form.isascii() else ():
                    if len(piece) > 1 and self._lexicon.informative(piece):
                        held.update(index.articles_with_all([piece]).tolist())
        return frozenset(held.intersection(candidates))

    def _with_successors(
        self, ranked: list[RankedArticle], heads: dict[int, ArticleHead], allowed: Collection[int] | None
    ) -> list[RankedArticle]:
        """With what replaces a found article, where no leg found that too, right behind it; adds to `heads`."""
        last = list(ranked)
        while last:
            known = {head.doc_key for head in heads.values()}
            wanted = {key: one for one in last if (key := heads[one.article_id].superseded_by) and key not in known}
            successors = self._heads.by_keys(sorted(wanted))
            heads.update(successors)
            last = []
            for article_id, chunk in self._heads.first_chunks(sorted(successors)):
                if allowed is None or article_id in allowed:
                    replaced = wanted[successors[article_id].doc_key]
                    last.append(RankedArticle(article_id, replaced.score, 0.0, (chunk,)))
                    ranked.insert(ranked.index(replaced) + 1, last[-1])
        return ranked

    def quoters(self, query: Query, candidates: Collection[int]) -> frozenset[int]:
        """The candidates that hold the whole of a long question word for word, as a pasted message stands in the
        article about it; shorter texts also stand in links and titles."""
        if not _is_long(query):
            return frozenset()
        return self._heads.quoters_among(candidates, query.squeezed.strip(_EDGES))

    def _unfound(self, first: Collection[int], found: Ids, allowed: Collection[int] | None) -> list[tuple[int, int]]:
        """(article, first chunk) of L0 hits that no leg found; they are kept all the same."""
        if not first:
            return []
        lacking = set(first) - set(np.unique(found).tolist())
        if allowed is not None:
            lacking &= set(allowed)
        return self._heads.first_chunks(sorted(lacking)[:_CANDIDATES])


def _is_long(query: Query) -> bool:
    """As long as a pasted message."""
    return sum(1 if character.isascii() else 2 for character in query.squeezed) >= _VERBATIM_COLUMNS


def _is_code(query: Query) -> bool:
    """It asks for nothing but identifiers: there is no meaning in them that a model could find."""
    return bool(query.informative) and all(map(find_identifiers, query.informative))


def _is_in_passing(exact: ExactMatch) -> bool:
    """L0 found nothing but plain words of the text that are a name somewhere (query string: query_string), and that no
    article declares. In a long text they are a few words of many."""
    return all(term.identifier and not term.declared and term.text.replace(" ", "").isalpha() for term in exact.terms)


def _selected(exact: ExactMatch) -> frozenset[int]:
    """The articles that stand above all others: those that L0 leaves through an identifier.

    Not when they are more than a list can show, nor through a number (the 365 of Office 365, a year) or a code that
    several articles just mention.
    """
    codes = [term for term in exact.terms if term.identifier]
    most = max((_selected_most(code) for code in codes), default=0)
    return exact.articles if exact.through_identifier and len(exact.articles) <= most else exact.precise


def _selected_most(code: MatchedTerm) -> int:
    """How many articles a code may leave and still select them."""
    if code.text.isdigit():
        return 3 if code.declared or code.part else 1
    return _CANDIDATES if code.declared else 5


def _without_copies(ranked: Sequence[RankedArticle], heads: dict[int, ArticleHead]) -> list[RankedArticle]:
    """Equal texts are one result: the best placed stands for its copies."""
    seen: set[str] = set()
    kept = []
    for article in ranked:
        text_hash = heads[article.article_id].text_hash
        if text_hash not in seen:
            seen.add(text_hash)
            kept.append(article)
    return kept


def successors_first(ranked: list[RankedArticle], heads: dict[int, ArticleHead]) -> list[RankedArticle]:
    """A successor ranks above what it replaces, along a whole chain of them."""
    articles = {article.article_id: article for article in ranked}
    ids = {heads[article_id].doc_key: article_id for article_id in articles}
    order = list(articles)
    for article_id in tuple(articles):
        successor = ids.get(heads[article_id].superseded_by or "")
        if successor is not None and order.index(successor) > order.index(article_id):
            order.remove(successor)
            order.insert(order.index(article_id), successor)
            best = max(articles[successor].score, articles[article_id].score)
            articles[successor] = replace(articles[successor], score=best)
    return [articles[article_id] for article_id in order]
