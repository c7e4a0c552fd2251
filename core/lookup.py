"""Searcher: one text to ranked articles, a straight list of steps (contract §3). Reads, never writes.

In two parts, `begin` and `finish`, because the vector leg between them may run elsewhere and may be late.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from core.embedding.profile import HASHED
from core.identifiers import find_identifiers, identifier_key
from core.index.keyword import ExactMatch, match_terms
from core.index.recall import BM25, BOTH_LEGS, VECTOR, Nearness, Recall, SubQuery, Words, merged
from core.index.snapshot import ChunkIndex
from core.job import Job
from core.lexicon import Lexicon
from core.ordering import Ordering
from core.query import Query, read_query, with_parted_runs
from core.ranking import RankedArticle
from core.reranking import Reranking
from core.rewriting import TAIWAN, Rewrite, factor_of_original, rewrites_of
from core.settings import Settings
from core.switches import ALL_ON, L0, Switches
from core.term_source import TermLookup
from core.text import query_tokens

if TYPE_CHECKING:
    from core.approval import Approval
    from core.protocols import Reranker
    from core.store.articles import Articles
    from core.store.heads import ArticleHead, Heads

log = logging.getLogger(__name__)

_POINTING = 20  # articles that say which domains a query is about
_MOST_HOLDERS = 100_000
_FEW = 100
_LEAST_DIGITS = 3  # of a number that is a code


@dataclass(frozen=True, slots=True)
class Search:
    """What one text found, before any session is looked at.

    `ranked`: candidates, best first; `recall`, `exact`: what the legs found; `unknown`: words the base does not hold;
    `readings`: the query, and the same in the mainland's words where it was asked in Taiwan's; `embedder`: whose
    profile judges it, the hashed one's where no vectors answered (contract §7); `approvals`: doc_key → what people made
    of it for near-equal questions; `places`: article id → the fused score of the place that a reranker gave it, empty
    without one, None where one was in use and not done in time.
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
    embedder: str = HASHED
    approvals: Mapping[str, Approval] = field(default_factory=dict)
    places: Mapping[int, float] | None = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Begun:
    """A search up to its vector leg, all of it of one state of the index. `words` None: the text is no business. Never
    changed: it may be finished without vectors now, and with them later."""

    query: Query
    exact: ExactMatch
    index: ChunkIndex
    switches: Switches
    words: Words | None = None
    allowed: frozenset[int] | None = None
    rewrites: tuple[Rewrite, ...] = ()


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
        reranker: Callable[[], Reranker | None] = lambda: None,
    ) -> None:
        """`reranker`: the one in use now."""
        self._articles = articles
        self._heads = heads
        self._index = index
        self._terms = terms
        self._lexicon = lexicon
        self._ordering = Ordering(heads, index, lexicon, settings)
        self._reranking = Reranking(articles, self._ordering.quoters, reranker)

    def search(
        self,
        text: str,
        *,
        domain: str | None = None,
        switches: Switches = ALL_ON,
        embedder: str = "",
        job: Job | None = None,
    ) -> Search:
        """Steps 1 and 3 to 6, those that are switched on, on this thread; vectors by `embedder` (empty: the first). A
        text that is no business comes back without candidates. Raises Cancelled."""
        begun = self.begin(self.read(text), domain=domain, switches=switches, job=job)
        return self.finish(begun, self._near(begun, embedder), embedder)

    def open(self) -> None:
        """Have the index in memory and caught up; the first time it may have to be built."""
        self._index()

    def read(self, text: str) -> Query:
        """The text as it is searched for."""
        return read_query(with_parted_runs(text, self._are_two), self._lexicon)

    def begin(
        self, query: Query, *, domain: str | None = None, switches: Switches = ALL_ON, job: Job | None = None
    ) -> Begun:
        """Steps 1 and 3, and what L0 and BM25 recall. Where BM25 fails the vectors are left. Raises Cancelled."""
        needed = [(word, *self._lexicon.synonyms(word)) for word in query.informative if word.isalpha()]
        exact = match_terms(query.squeezed, self._lexicon.words, self._terms, needed)
        if L0 not in switches.legs:
            exact = ExactMatch(identifiers=exact.identifiers)
        index = self._index().as_now()
        if not query.is_business and not exact.identifiers:
            return Begun(query, exact, index, switches)
        allowed = self._allowed(query, domain)
        rewrites = rewrites_of(query, self._lexicon, index.df, switches.rewriting)
        _checkpoint(job)
        queries = [
            self._sub_query(index, query.folded, factor_of_original(rewrites), query.written),
            *(self._sub_query(index, r.folded, r.factor, r.folded) for r in rewrites),
        ]
        words = self._by_words(index, queries, allowed, switches)
        _checkpoint(job)
        return Begun(query, exact, index, switches, words, allowed, rewrites)

    @property
    def reranker(self) -> str:
        """The reranker in use; empty without."""
        return self._reranking.name

    def finish(
        self, begun: Begun, near: Nearness | None, embedder: str = "", *, seconds: float | None = None
    ) -> Search:
        """Steps 5 and 6. `near`: what `embedder` (empty: the first) made of it, None without vectors; `seconds`: how
        long a reranker may take at most, None: its own limit."""
        query, exact = begun.query, begun.exact
        if begun.words is None:
            return Search(query, exact, None)
        taiwan = (read_query(r.folded, self._lexicon) for r in begun.rewrites if r.kind == TAIWAN)
        readings = (query, *taiwan)
        by = begun.index.embedder_of(embedder)
        recall = merged(begun.words, near)
        ranked, heads = self._ordering.rank(readings, exact, recall, by, allowed=begun.allowed, switches=begun.switches)
        places: Mapping[int, float] | None = {}
        if begun.switches.reranker:
            ranked, places = self._reranking.ordered(query, exact, ranked, heads, seconds)
        missing = BOTH_LEGS - ({BM25} if begun.words.lexical else set()) - ({VECTOR} if near is not None else set())
        return Search(
            query=query,
            exact=exact,
            recall=recall,
            ranked=tuple(ranked),
            heads=heads,
            rewrites=begun.rewrites,
            readings=readings,
            missing_legs=tuple(sorted(missing)),
            knowledge_version=begun.index.version,
            embedder=by.name if near is not None else HASHED,
            places=places,
        )

    def domains(self, begun: Begun) -> dict[str, float]:
        """The domains that recall points to before any vectors, domain → weight, heaviest first: each of the best
        articles by words weighs its share of the best score, each that L0 leaves 1."""
        if begun.words is None:
            return {}
        best = begun.words.best_articles(_POINTING)
        top = best[0][1] if best else 0.0
        points = {article: score / top for article, score in best}
        points.update(dict.fromkeys(sorted(begun.exact.articles)[:_POINTING], 1.0))
        weights: dict[str, float] = {}
        for article, domain in self._heads.domains(points).items():
            weights[domain] = weights.get(domain, 0.0) + points[article]
        return dict(sorted(weights.items(), key=lambda one: (-one[1], one[0])))

    @staticmethod
    def _near(begun: Begun, embedder: str) -> Nearness | None:
        """What the vectors say; None where they are off, or fail and words go on without them."""
        if begun.words is None or VECTOR not in begun.switches.legs:
            return None
        try:
            return begun.index.by_vectors(begun.words, embedder)
        except Exception:
            if not begun.words.lexical:
                raise
            log.exception("the vector leg failed")
            return None

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

    def _by_words(
        self, index: ChunkIndex, queries: Sequence[SubQuery], allowed: frozenset[int] | None, switches: Switches
    ) -> Words:
        """What BM25 finds; nothing where it is off, or fails and there are vectors."""
        articles = None if allowed is None else np.array(sorted(allowed), dtype=np.int64)
        try:
            return index.by_words(queries, allowed_articles=articles, lexical=BM25 in switches.legs)
        except Exception:
            if VECTOR not in switches.legs:
                raise
            log.exception("the lexical leg failed")
            return index.by_words(queries, allowed_articles=articles, lexical=False)

    def _sub_query(self, index: ChunkIndex, folded: str, factor: float, written: str) -> SubQuery:
        tokens = query_tokens(folded, self._lexicon.words, lambda word: index.df(word) > 0)
        return SubQuery(tokens, written, factor)

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


def _checkpoint(job: Job | None) -> None:
    if job is not None:
        job.checkpoint()
