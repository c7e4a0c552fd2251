"""From a search to an answer: memory, result, hits, the log's details (contract §5 to §7). Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from core import texts
from core.clock import Clock, today
from core.dimensions import candidates_of, dimensions_of
from core.embedding.profile import Profile
from core.explanation import as_typed
from core.judging import Judged, Judging, details_of
from core.lexicon import Lexicon
from core.lookup import Search, Searcher, marked_terms
from core.memory_rules import EMPTY, DomainCase, Memory, closing_query, earlier_query, withheld
from core.model import (
    Answer,
    Chunk,
    DedupReason,
    Dimension,
    Hit,
    LookupResult,
    Mode,
    NearCode,
    Outcome,
    Passage,
    RelevanceLevel,
)
from core.neighbours import Neighbours, code_of
from core.ranking import RankedArticle
from core.relevance import state_today
from core.request import Handed, Limits, Prepared, Request, nothing, said
from core.text import spans_of

if TYPE_CHECKING:
    from core.store.articles import Articles
    from core.store.heads import Heads


_LISTED_CHUNKS = 4  # of an article: its passage, and up to three further ones


@dataclass(frozen=True, slots=True)
class _Read:
    """What is shown of articles: the other keys of their texts by article id, their best chunks by id, and the held
    codes beside those of the query that are not held."""

    copies: Mapping[int, tuple[str, ...]]
    chunks: Mapping[int, Chunk]
    near: tuple[NearCode, ...]


class Answering:
    """Builds answers. Thread-safe."""

    def __init__(
        self,
        searcher: Searcher,
        judging: Judging,
        articles: Articles,
        heads: Heads,
        *,
        profile: Callable[[str], Profile],
        limits: Limits,
        lexicon: Lexicon,
        clock: Clock,
    ) -> None:
        self._searcher = searcher
        self._judging = judging
        self._articles = articles
        self._heads = heads
        self._profile_of = profile
        self._limits = limits
        self._lexicon = lexicon
        self._neighbours = Neighbours(articles)
        self._clock = clock

    def level(self, search: Search) -> RelevanceLevel | None:
        """The level of the answer to a search, whatever any session holds."""
        judged = self._judging.judge(search, self._profile_of(search.embedder))
        return judged[0].level if judged else None

    def prepare(self, search: Search, request: Request, memory: Memory, domains: Sequence[str]) -> Prepared:
        """`domains`: what the session holds before this lookup, in order of first retrieval."""
        if search.recall is None:
            return Prepared(self._empty(search, request, domains, Outcome.GATED), ())
        profile = self._profile_of(search.embedder)  # with the thresholds of now: they may be tuned at any time
        full = self._judging.judge(search, profile)
        left, judged = search.ranked, full
        if request.mode is Mode.HARD:
            left = tuple(article for article in search.ranked if not self._held(search, article, memory))
            judged = self._judging.judge(search, profile, left) if len(left) < len(search.ranked) else full
        primary = judged[0] if judged and judged[0].level is not None else None
        found = full[0] if full and full[0].level is not None else None
        if found is None and primary is None:
            return Prepared(self._empty(search, request, domains, Outcome.NOT_FOUND, full), ())
        if primary is None:
            assert found is not None
            message = self._withheld_docs(search, request, memory)
            return Prepared(self._refused(search, request, domains, found, message), ())
        if request.mode is Mode.HARD:
            reason = withheld(self._case(search, request, primary, memory), memory, self._limits.lookups_per_domain)
            if reason is not None:
                domain = primary.head.domain
                message = texts.message(
                    "withheld_domain", request.language, domain=domain, query=closing_query(memory, domain)
                )
                return Prepared(self._refused(search, request, domains, primary, message, reason=reason), ())
        return self._found(search, request, domains, memory, judged)

    # --------------------------------------------------------------- outcomes
    def _found(
        self, search: Search, request: Request, domains: Sequence[str], memory: Memory, judged: Sequence[Judged]
    ) -> Prepared:
        primary = judged[0]
        level = primary.level
        assert level is not None
        further = [] if level is RelevanceLevel.PRECISE else [one for one in judged[1:] if one.level is not None]
        shown = [primary, *further]
        read = self._read(search, request, shown)
        passages = [self._passage(one, read, memory) for one in shown]
        all_held = all(passage.already_retrieved for passage in passages)
        handed = tuple(
            Handed(one.head.doc_key, one.head.domain, one.head.content_hash, level if one is primary else None)
            for one in shown
        )
        now_held = [*domains, *(one.domain for one in handed)] if request.hands_over else domains
        hint = texts.hint(level, request.language)
        details = self._details(search, primary, judged)
        dimensions = self._left_open(search, level, read.chunks)
        result = LookupResult(
            outcome=Outcome.DEDUPED if all_held else Outcome.FOUND,
            found=True,
            session_id=request.session_id,
            query=request.text,
            primary=passages[0],
            supplement=tuple(passages[1:]),
            relevance_level=RelevanceLevel.DEDUPED if all_held else level,
            evidence_level=level,
            completeness_hint=hint,
            retrieved_domains_this_session=tuple(dict.fromkeys(now_held)),
            dedup_reason=DedupReason.DOC_RETRIEVED if all_held else None,
            missing_legs=search.missing_legs,
            missing_dimensions=_names(dimensions, request),
            unknown_words=self._judging.unknown_words(search),
            cached=False,
            degraded=None,
            message=texts.message("all_seen", request.language)
            if all_held
            else self._message(search, request, read, len(shown), hint),
        )
        answer = self._answer(search, request, memory, result, details, read=read)
        return Prepared(replace(answer, dimensions=dimensions), handed)

    def _withheld_docs(self, search: Search, request: Request, memory: Memory) -> str:
        keys = [search.heads[article.article_id].doc_key for article in search.ranked]
        return texts.message("withheld_docs", request.language, query=earlier_query(memory, keys))

    def _refused(
        self,
        search: Search,
        request: Request,
        domains: Sequence[str],
        judged: Judged,
        message: str,
        *,
        reason: DedupReason = DedupReason.DOC_RETRIEVED,
    ) -> Answer:
        """Hard mode: no content; the message names the earlier lookup that holds it."""
        assert judged.level is not None
        result = LookupResult(
            outcome=Outcome.DEDUPED,
            found=False,
            session_id=request.session_id,
            query=request.text,
            primary=None,
            supplement=(),
            relevance_level=RelevanceLevel.DEDUPED,
            evidence_level=judged.level,
            completeness_hint=texts.hint(judged.level, request.language),
            retrieved_domains_this_session=tuple(domains),
            dedup_reason=reason,
            missing_legs=search.missing_legs,
            missing_dimensions=_names(self._left_open(search, judged.level, {}), request),
            unknown_words=(),
            cached=False,
            degraded=None,
            message=message,
        )
        return Answer(
            result,
            (),
            (),
            {**self._details(search, judged, [judged]), **said(result)},
            knowledge_version=search.knowledge_version,
        )

    def _empty(
        self,
        search: Search,
        request: Request,
        domains: Sequence[str],
        outcome: Outcome,
        judged: Sequence[Judged] = (),
    ) -> Answer:
        """Not found or gated. What a weak search ranked still stands in `ranking` and `hits`."""
        if outcome is Outcome.GATED:
            return Answer(nothing(request, domains, outcome, texts.message("gated", request.language)), (), (), {})
        unknown, read = self._judging.unknown_words(search), self._read(search, request, ())
        message = texts.message("not_found", request.language)
        if search.exact.unheld:
            message = self._unheld(search, request, read)
        elif unknown:
            message += texts.message("unknown_words", request.language, words=" ".join(unknown))
        result = nothing(request, domains, outcome, message, missing_legs=search.missing_legs, unknown_words=unknown)
        details = self._details(search, judged[0] if judged else None, judged)
        return self._answer(search, request, EMPTY, result, details, read=read)

    def _message(self, search: Search, request: Request, read: _Read, count: int, hint: str) -> str:
        if search.exact.unheld:
            return self._unheld(search, request, read)
        return texts.message("found", request.language, count=count, hint=hint)

    def _unheld(self, search: Search, request: Request, read: _Read) -> str:
        codes, near = (
            " ".join(as_typed(search.query.text, search.exact.unheld)),
            ", ".join(one.code for one in read.near),
        )
        if near:
            return texts.message("unheld_code_near", request.language, codes=codes, near=near)
        others = any(code_of(head.title, head.keywords, search.exact.unheld) for head in search.heads.values())
        name = "unheld_code_but_others" if others else "unheld_code"
        return texts.message(name, request.language, codes=codes)

    # ------------------------------------------------------------------ parts
    def _left_open(self, search: Search, level: RelevanceLevel, chunks: Mapping[int, Chunk]) -> tuple[Dimension, ...]:
        """With REFERENCE what would tell the articles apart, by their names and what is read of them."""
        if level is not RelevanceLevel.REFERENCE:
            return ()
        return dimensions_of(search.query, candidates_of(search, chunks), self._lexicon)

    def _read(self, search: Search, request: Request, judged: Sequence[Judged]) -> _Read:
        """What the list and the result show of articles, in two statements."""
        ranked = (*search.ranked[: request.top_k], *(one.ranked for one in judged))
        heads = {article.article_id: search.heads[article.article_id] for article in ranked}
        named = [search.heads[article.article_id] for article in search.ranked[request.top_k : request.depth]]
        chunks = self._articles.chunks([chunk for article in ranked for chunk in article.chunks[:_LISTED_CHUNKS]])
        near = self._neighbours.near(search.exact.unheld, heads)
        return _Read(self._heads.copies([*heads.values(), *named]), chunks, near)

    def _answer(
        self,
        search: Search,
        request: Request,
        memory: Memory,
        result: LookupResult,
        details: dict[str, Any],
        *,
        read: _Read,
    ) -> Answer:
        shown = search.ranked[: request.top_k]
        ranking: list[str] = []
        for article in search.ranked[: request.depth]:
            ranking.extend((search.heads[article.article_id].doc_key, *read.copies[article.article_id]))
        return Answer(
            result=result,
            hits=self._hits(search, shown, read, memory),
            ranking=tuple(ranking[: request.depth]),
            details={**details, **said(result)},
            unheld_codes=as_typed(search.query.text, search.exact.unheld),
            neighbours=read.near,
            knowledge_version=search.knowledge_version,
        )

    def _hits(
        self,
        search: Search,
        shown: Sequence[RankedArticle],
        read: _Read,
        memory: Memory,
    ) -> tuple[Hit, ...]:
        terms, day = marked_terms(search.query), today(self._clock)
        hits = []
        for article in shown:
            head, chunk = search.heads[article.article_id], read.chunks.get(article.chunks[0])
            if chunk is None:
                continue
            held = memory.held.get(head.doc_key) if memory.holds(head.doc_key, head.content_hash) else None
            hits.append(
                Hit(
                    article_id=head.id,
                    doc_key=head.doc_key,
                    title=head.title,
                    domain=head.domain,
                    updated=head.updated,
                    state=state_today(head.state, head.review_by, day),
                    superseded_by=head.superseded_by,
                    review_by=head.review_by,
                    copies=read.copies[head.id],
                    heading=chunk.heading,
                    chunk_index=chunk.position,
                    start=chunk.start,
                    content=chunk.text,
                    marks=spans_of(chunk.text, terms),
                    title_marks=spans_of(head.title, terms),
                    other_chunks=tuple(
                        read.chunks[c].position for c in article.chunks[1:_LISTED_CHUNKS] if c in read.chunks
                    ),
                    held_at=held.first_at if held else None,
                    held_query=held.query if held else None,
                    other_code=code_of(head.title, head.keywords, search.exact.unheld),
                    confirmed=approval.confirmed if (approval := search.approvals.get(head.doc_key)) else 0,
                )
            )
        return tuple(hits)

    def _passage(self, judged: Judged, read: _Read, memory: Memory) -> Passage:
        head = judged.head
        chunk = read.chunks[judged.ranked.chunks[0]]
        return Passage(
            doc_key=head.doc_key,
            title=head.title,
            domain=head.domain,
            heading=chunk.heading,
            chunk_index=chunk.position,
            content=chunk.text,
            updated=head.updated,
            state=judged.state.value,
            superseded_by=head.superseded_by,
            copies=read.copies[head.id],
            already_retrieved=memory.holds(head.doc_key, head.content_hash),
        )

    def _held(self, search: Search, article: RankedArticle, memory: Memory) -> bool:
        head = search.heads[article.article_id]
        return memory.holds(head.doc_key, head.content_hash)

    def _case(self, search: Search, request: Request, primary: Judged, memory: Memory) -> DomainCase:
        domains = dict(self._articles.domains())
        earlier = {word for query in memory.earlier_queries for word in self._searcher.informative_words(query)}
        return DomainCase(
            domain=primary.head.domain,
            doc_key=primary.head.doc_key,
            article_id=primary.head.id,
            exact=search.exact,
            domain_articles=domains.get(primary.head.domain, 0),
            all_articles=sum(domains.values()),
            new_words=any(word not in earlier for word in search.query.informative),
            dimension_named=bool((request.missing_dimension or "").strip()),
        )

    def _details(self, search: Search, primary: Judged | None, judged: Sequence[Judged]) -> dict[str, Any]:
        details = details_of(search, primary, self._profile_of(search.embedder))
        details["judged"] = [
            {"doc_key": one.head.doc_key, "similarity": round(one.similarity, 4), "level": one.level} for one in judged
        ]
        details["unheld"] = list(search.exact.unheld)
        details["approvals"] = {
            head.doc_key: {"confirmed": approval.confirmed, "lift": round(approval.lift, 4)}
            for head in search.heads.values()
            if (approval := search.approvals.get(head.doc_key)) is not None
        }
        return details


def _names(dimensions: Sequence[Dimension], request: Request) -> tuple[str, ...]:
    return tuple(texts.facet(one.facet, request.language) for one in dimensions)
