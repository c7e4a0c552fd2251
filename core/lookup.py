"""Searcher: one text to ranked articles, a straight list of steps (contract §3). Reads, never writes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from core.identifiers import find_identifiers, identifier_key
from core.index.keyword import ExactMatch, MatchedTerm, match_terms
from core.index.recall import BOTH_LEGS, Recall, SubQuery
from core.index.snapshot import ChunkIndex
from core.job import Job
from core.lexicon import Lexicon
from core.protocols import Ids
from core.query import Query, read_query, with_parted_runs
from core.ranking import WHOLE_ARTICLE_WEIGHT, RankedArticle, fuse, less_chance, rank_articles
from core.rewriting import TAIWAN, Rewrite, factor_of_original, rewrites_of
from core.settings import Settings
from core.switches import ALL_ON, L0, Switches
from core.term_source import TermLookup
from core.text import query_tokens

if TYPE_CHECKING:
    from core.approval import Approval
    from core.store.articles import Articles
    from core.store.heads import ArticleHead, Heads

log = logging.getLogger(__name__)

_CANDIDATES = 50
_MOST_HOLDERS = 100_000
_FEW = 100
_LEAST_DIGITS = 3  # of a number that is a code
_VERBATIM_COLUMNS = 30
# Against a score of at most 1 + WHOLE_ARTICLE_WEIGHT; measured on error messages and on former titles.
_VERBATIM_BONUS = 1.5
_EDGES = " .,;:!?。、…\"'“”‘’()[]<>"


@dataclass(frozen=True, slots=True)
class Search:
    """What one text found, before any session is looked at.

    `ranked`: candidates, best first; `recall`, `exact`: what the legs found; `unknown`: words the base does not hold;
    `readings`: the query, and the same in the mainland's words where it was asked in Taiwan's;
    `approvals`: doc_key → what people made of it for near-equal questions.
    """

    query: Query
    exact: ExactMatch
    recall: Recall | None
    ranked: tuple[RankedArticle, ...] = ()
    heads: dict[int, ArticleHead] = field(default_factory=dict)
    rewrites: tuple[Rewrite, ...] = ()
    readings: tuple[Query, ...] = ()
    missing_legs: tuple[str, ...] = ()
    knowledge_version: int = 0
    approvals: Mapping[str, Approval] = field(default_factory=dict)


class Searcher:
    """Searches one knowledge base. Thread-safe; every search reads one state of the index."""

    def __init__(
        self,
        articles: Articles,
        heads: Heads,
        index: Callable[[], ChunkIndex],
        *,
        terms: TermLookup,
        lexicon: Lexicon,
        settings: Settings,
    ) -> None:
        self._articles = articles
        self._heads = heads
        self._index = index
        self._terms = terms
        self._lexicon = lexicon
        self._settings = settings

    def search(
        self,
        text: str,
        *,
        domain: str | None = None,
        switches: Switches = ALL_ON,
        job: Job | None = None,
    ) -> Search:
        """Steps 1 and 3 to 6, those that are switched on. A text that is no business comes back without candidates.
        Raises Cancelled."""
        query = read_query(with_parted_runs(text, self._are_two), self._lexicon)
        needed = [(word, *self._lexicon.synonyms(word)) for word in query.informative if word.isalpha()]
        exact = match_terms(query.squeezed, self._lexicon.words, self._terms, needed)
        if L0 not in switches.legs:
            exact = ExactMatch(identifiers=exact.identifiers)
        if not query.is_business and not exact.identifiers:
            return Search(query, exact, None)
        index = self._index()
        allowed = self._allowed(query, domain)
        rewrites = rewrites_of(query, self._lexicon, index.df, switches.rewriting)
        _checkpoint(job)
        recall, legs = self._recall(
            index,
            [
                self._sub_query(index, query.folded, factor_of_original(rewrites)),
                *(self._sub_query(index, r.folded, r.factor) for r in rewrites),
            ],
            None if allowed is None else np.array(sorted(allowed), dtype=np.int64),
            switches.legs & BOTH_LEGS,
        )
        _checkpoint(job)
        readings = (query, *(read_query(r.folded, self._lexicon) for r in rewrites if r.kind == TAIWAN))
        ranked, heads = self._rank(readings, exact, recall, allowed, switches)
        return Search(
            query=query,
            exact=exact,
            recall=recall,
            ranked=tuple(ranked),
            heads=heads,
            rewrites=rewrites,
            readings=readings,
            missing_legs=tuple(sorted(BOTH_LEGS - legs)),
            knowledge_version=index.version,
        )

    def _are_two(self, letters: str, digits: str) -> bool:
        """No code of the base is both together, and some article holds both: one beside the other, or the digits as a
        code (VPN 错误 691)."""
        known = self._terms.term_articles([identifier_key(letters + digits), digits])
        if identifier_key(letters + digits) in known:
            return False
        together = self._index().articles_with_all([letters, digits]).tolist()
        coded = {article for article, *_ in known.get(digits, ())} if len(digits) >= _LEAST_DIGITS else set()
        return not coded.isdisjoint(together) or bool(
            self._heads.quoters_among(together[:_FEW], f"{letters} {digits}") if together else ()
        )

    def _allowed(self, query: Query, domain: str | None) -> frozenset[int] | None:
        """The articles of the domain that hold every quoted phrase; None: all."""
        filters = [frozenset(self._terms.holders_of(phrase, _MOST_HOLDERS)) for phrase in query.phrases]
        if domain is not None:
            filters.append(frozenset(self._articles.ids_in_domain(domain)))
        return frozenset.intersection(*filters) if filters else None

    def _recall(
        self, index: ChunkIndex, queries: Sequence[SubQuery], allowed: Ids | None, legs: frozenset[str]
    ) -> tuple[Recall, frozenset[str]]:
        """What the legs find, and which of them answered: words go on when the vectors fail."""
        try:
            return index.recall_all(queries, allowed_articles=allowed, legs=legs), legs
        except Exception:
            if legs != BOTH_LEGS:
                raise
            log.exception("the vector leg failed")
            legs = BOTH_LEGS - {"vector"}
            return index.recall_all(queries, allowed_articles=allowed, legs=legs), legs

    def _sub_query(self, index: ChunkIndex, folded: str, factor: float) -> SubQuery:
        tokens = query_tokens(folded, self._lexicon.words, lambda word: index.df(word) > 0)
        return SubQuery(tokens, folded, factor)

    # ---------------------------------------------------------------- ranking
    def _rank(
        self,
        readings: Sequence[Query],
        exact: ExactMatch,
        recall: Recall,
        allowed: Collection[int] | None,
        switches: Switches,
    ) -> tuple[list[RankedArticle], dict[int, ArticleHead]]:
        fused = fuse(
            recall.bm25,
            less_chance(recall.vector, recall.article_ids, self._index().embedder_of()),
            self._settings.number("rag.bm25_weight"),
            self._settings.number("rag.vector_weight"),
        )
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
        weight = WHOLE_ARTICLE_WEIGHT if switches.whole_article else 0.0
        ranked = rank_articles(chunk_ids, article_ids, fused, whole, weight, first=first, limit=most)
        heads = self._heads.by_ids([article.article_id for article in ranked])
        ranked = [article for article in ranked if article.article_id in heads]
        verbatim = self._verbatim(readings[0], heads) if switches.verbatim else frozenset()
        # A pasted message is answered by the article that quotes it, not by one that just holds a code out of it.
        above = first | verbatim if first else first
        on_subject = self._on_subject(readings, heads) | exact.articles
        ranked.sort(
            key=lambda article: (
                article.article_id not in precise,
                article.article_id not in above,
                article.article_id not in on_subject,
                -article.score - (_VERBATIM_BONUS if article.article_id in verbatim else 0.0),
            )
        )
        ranked = self._with_successors(_without_copies(ranked, heads), heads, allowed)
        return _successors_first(ranked, heads), heads

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

    def _verbatim(self, query: Query, candidates: Collection[int]) -> frozenset[int]:
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

    def marked_terms(self, text: str) -> tuple[str, ...]:
        """What of a text is highlighted in an article, folded: its words but stop words, its codes, its phrases."""
        return marked_terms(read_query(text, self._lexicon))

    def informative_words(self, text: str) -> tuple[str, ...]:
        """The informative words of any text."""
        return read_query(text, self._lexicon).informative


def marked_terms(query: Query) -> tuple[str, ...]:
    """What of a query is highlighted in an article, folded: its words but stop words, its codes, its phrases."""
    codes = (code.text for code in find_identifiers(query.squeezed))
    return tuple(dict.fromkeys((*query.phrases, *codes, *query.asked)))


def _is_long(query: Query) -> bool:
    """As long as a pasted message."""
    return sum(1 if character.isascii() else 2 for character in query.squeezed) >= _VERBATIM_COLUMNS


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


def _successors_first(ranked: list[RankedArticle], heads: dict[int, ArticleHead]) -> list[RankedArticle]:
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


def _checkpoint(job: Job | None) -> None:
    if job is not None:
        job.checkpoint()
