"""Judging: how good each of the first articles of a search is, and what the log says of it (contract §4, §7)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.clock import Clock, today
from core.coverage import Coverage, Section, coverage_of, title_asked, title_says
from core.embedding.profile import HASHED, Profile
from core.index.keyword import ExactMatch
from core.index.recall import BM25
from core.index.snapshot import ChunkIndex
from core.lead import Lead, Leads
from core.lexicon import Lexicon
from core.lookup import Search
from core.model import ArticleState, Chunk, RelevanceLevel
from core.names import names_of
from core.ranking import RankedArticle
from core.relevance import (
    Evidence,
    level_of,
    similarity_of,
    similarity_of_distance,
    state_today,
)
from core.settings import Settings
from core.term_source import TermLookup
from core.text import fold, squeeze, word_tokens

if TYPE_CHECKING:
    from core.store.articles import Articles
    from core.store.heads import ArticleHead

_JUDGED_CHUNKS = 8
_LOGGED = 10
_ALL = 1.0 - 1e-9  # of a sum of shares
_HEADING_LINE = re.compile(r"^(?=#{1,6}\s)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Judged:
    """A ranked article with its level by itself, and what that rests on."""

    ranked: RankedArticle
    head: ArticleHead
    state: ArticleState
    evidence: Evidence
    similarity: float
    level: RelevanceLevel | None


class Judging:
    """Judges searches. Thread-safe."""

    def __init__(
        self,
        articles: Articles,
        terms: TermLookup,
        index: Callable[[], ChunkIndex],
        *,
        lexicon: Lexicon,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._articles = articles
        self._terms = terms
        self._index = index
        self._lexicon = lexicon
        self._settings = settings
        self._clock = clock

    def judge(self, search: Search, profile: Profile, left: Sequence[RankedArticle] | None = None) -> list[Judged]:
        """Levels of the primary and of possible supplements, among `left` (default: all that was found)."""
        ranked = search.ranked if left is None else left
        wanted = ranked[: 1 + self._settings.whole("supplement_max")]
        leads = Leads(search)
        return [
            self._judge_one(search, article, leads.of(article, ranked[place + 1 :]), profile)
            for place, article in enumerate(wanted)
        ]

    def _judge_one(self, search: Search, article: RankedArticle, lead: Lead, profile: Profile) -> Judged:
        head = search.heads[article.article_id]
        state = state_today(head.state, head.review_by, today(self._clock))
        exact = search.exact
        # What replaced an exact match answers in its place.
        replaced = (search.heads[other].superseded_by for other in exact.articles & search.heads.keys())
        matched = article.article_id in exact.articles or head.doc_key in replaced
        text, sections = self._texts(search, article, head)
        matched_words = self._matched_words(search.exact, article.article_id)
        coverage = self._coverage(search, text, sections, matched_words)
        everything = "\n".join((text, *(f"{section.heading}\n{section.text}" for section in sections)))
        names = [names_of(reading, self._lexicon, matched_words) for reading in search.readings]
        title = self._title_asked(search, head)
        evidence = Evidence(
            state=state,
            coverage=coverage,
            margin=lead.margin,
            title=coverage.share * title,
            information=coverage.held / math.log(max(2, len(self._index()))),
            distance=lead.distance,
            exact=exact.more_than_a_number and matched,
            precise=article.article_id in exact.precise,
            unheld=bool(exact.unheld),
            other_name=not any(named.all_in(everything) for named in names),
            near_lead=lead.near_lead,
            nearest=lead.nearest,
            first_by_words=lead.first_by_words,
            same_title=title >= _ALL and title_says(squeeze(fold(head.title)), search.readings, self._lexicon),
            untitled=not head.named,
            lexical=BM25 not in search.missing_legs,
            articles=self._index().articles if search.embedder != HASHED else 0,
        )
        similarity = similarity_of(evidence, profile)
        return Judged(article, head, state, evidence, similarity, level_of(evidence, similarity, profile))

    def _texts(self, search: Search, article: RankedArticle, head: ArticleHead) -> tuple[str, list[Section]]:
        """Title and keywords, and what the best matching chunks hold, all folded and squeezed."""
        chunks = sorted(self._articles.chunks(article.chunks[:_JUDGED_CHUNKS]).values(), key=lambda c: c.position)
        # The promise of PRECISE needs one section that holds all; otherwise a passage may run over several.
        parts = _sections if article.article_id in search.exact.precise else _passages
        return (
            squeeze(fold("\n".join((head.title, *head.keywords)))),
            [Section(squeeze(fold(heading)), squeeze(fold(text))) for heading, text in parts(chunks).items()],
        )

    def _coverage(
        self, search: Search, text: str, sections: Sequence[Section], matched_words: Collection[str]
    ) -> Coverage:
        """How much of the question the article answers."""
        index = self._index()
        return coverage_of(
            search.readings,
            text,
            sections,
            self._lexicon,
            index.information,
            known=lambda word: index.df(word) > 0,
            matched=matched_words,
        )

    def _title_asked(self, search: Search, head: ArticleHead) -> float:
        """How much of the title the question says; 0 where nobody gave the article one."""
        if not head.named:
            return 0.0
        words = self._lexicon.grouped(word_tokens(fold(head.title), self._lexicon.words))
        return title_asked(words, search.readings, self._lexicon, self._index().information)

    def _matched_words(self, exact: ExactMatch, article_id: int | None = None) -> frozenset[str]:
        """The words of the terms by which L0 found an article (None: any)."""
        words = self._lexicon.words
        return frozenset(
            word
            for term in exact.terms
            if article_id is None or article_id in term.articles
            for word in (term.text, *word_tokens(term.text, words))
        )

    def unknown_words(self, search: Search) -> tuple[str, ...]:
        """Informative words of the query that no article holds in any form: as a listed synonym, or in the mainland's
        wording."""
        index = self._index()
        known = self._matched_words(search.exact)
        meant = search.readings[1:]

        def held(word: str) -> bool:
            return index.df(word) > 0 or bool(self._terms.holders_of(word, 1))

        return tuple(
            word
            for word in search.query.informative
            if word not in known
            and all(word in reading.informative for reading in meant)
            and not any(map(held, (word, *self._lexicon.synonyms(word))))
        )


def details_of(search: Search, judged: Judged | None, profile: Profile) -> dict[str, Any]:
    """The part of `retrieval_details` (contract §7) that the search itself knows."""
    distances: list[float] = []
    if search.recall is not None and "vector" not in search.missing_legs:
        distances = [round(float(d), 4) for d in np.sort(search.recall.distance)[:_LOGGED] if not np.isnan(d)]
    evidence: dict[str, Any] = {}
    if judged is not None:
        evidence = {
            "similarity": round(judged.similarity, 4),
            "coverage": round(judged.evidence.coverage.share, 4),
            "margin": round(judged.evidence.margin, 4),
            "title": round(judged.evidence.title, 4),
            "information": round(judged.evidence.information, 4),
            "exact": judged.evidence.exact,
            "other_name": judged.evidence.other_name,
            "missing": list(judged.evidence.coverage.missing),
            "state": judged.state.value,
        }
        if search.embedder != HASHED:
            evidence |= {
                "near_lead": round(judged.evidence.near_lead, 4),
                "nearest": judged.evidence.nearest,
                "first_by_words": judged.evidence.first_by_words,
                "same_title": judged.evidence.same_title,
                "untitled": judged.evidence.untitled,
                "articles": judged.evidence.articles,
            }
    top = distances[0] if distances else None
    return {
        "l0_titles": [search.heads[a].title for a in sorted(search.exact.articles) if a in search.heads][:_LOGGED],
        "l0_terms": [term.text for term in search.exact.terms],
        "l1_scores": distances or None,
        "l1_top_score": top,
        "l1_top_similarity": None if top is None else round(similarity_of_distance(top, profile.max_l2_distance), 4),
        "embedder": search.embedder,
        "profile": profile.name,
        "evidence": evidence,
        "legs": _leg_counts(search),
        "rewrites": [{"kind": rewrite.kind, "text": rewrite.folded} for rewrite in search.rewrites],
        "missing_legs": list(search.missing_legs),
        "cache_hit": False,
    }


def _leg_counts(search: Search) -> dict[str, int]:
    """Chunks (L0: articles) that each leg found."""
    recall = search.recall
    return {
        "l0": len(search.exact.articles),
        "bm25": 0 if recall is None else int(np.count_nonzero(recall.bm25)),
        "vector": 0 if recall is None else int(np.count_nonzero(recall.vector)),
    }


def _passages(chunks: Sequence[Chunk]) -> dict[str, str]:
    """Heading path → the texts of the chunks that begin below it."""
    texts: dict[str, str] = {}
    for chunk in chunks:
        texts[chunk.heading] = f"{texts.get(chunk.heading, '')}\n{chunk.text}"
    return texts


def _sections(chunks: Sequence[Chunk]) -> dict[str, str]:
    """Heading → the text right below it, also where a chunk runs over several headings."""
    texts: dict[str, str] = {}
    for chunk in chunks:
        heading = chunk.heading.rpartition(" > ")[2]
        for piece in _HEADING_LINE.split(chunk.text):
            if piece.startswith("#"):
                heading = piece.partition("\n")[0].strip("# \t")
            texts[heading] = f"{texts.get(heading, '')}\n{piece}"
    return texts
