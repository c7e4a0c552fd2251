"""Asking: preview and lookup, from a text to an answer that is written down (contract §2, §3, §7).

Holds what that needs of the data folder: index, searcher, session memory, log.
"""

from __future__ import annotations

import logging
from contextlib import nullcontext
from dataclasses import replace

from core import texts
from core.answering import Answering
from core.clock import Clock
from core.errors import Cancelled
from core.explaining import Explaining
from core.explanation import Explanation
from core.feedback import Feedback
from core.indexing import IndexKeeper
from core.job import Job
from core.judging import Judging
from core.lookup import Search, Searcher
from core.memory_rules import EMPTY, Memory
from core.model import Actor, Answer, Degraded, LookupResult, Outcome, RelevanceLevel, Trigger
from core.request import Limits, Prepared, Request, nothing, said
from core.session import RetrievedDocTracker
from core.settings import Settings
from core.store.activity import Activity
from core.store.articles import Articles
from core.store.database import Database
from core.store.heads import Heads
from core.suggestion import Suggester
from core.switches import ALL_ON, FOR_PREVIEW, Switches
from core.term_source import TermLookup

log = logging.getLogger(__name__)


class Asking:
    """Answers texts over one data folder. All methods may be called from any thread."""

    def __init__(self, database: Database, keeper: IndexKeeper, *, settings: Settings, clock: Clock) -> None:
        articles, heads = Articles(database), Heads(database)
        embedder = keeper.embedders[0].name
        lexicon, terms = keeper.lexicon, TermLookup(articles, heads, keeper.current)
        self.searcher = Searcher(articles, heads, keeper.current, terms=terms, lexicon=lexicon, settings=settings)
        self._feedback = Feedback(database, clock, lambda: lexicon, embedder)
        judging = Judging(articles, terms, keeper.current, lexicon=lexicon, settings=settings, clock=clock)
        self._explaining = Explaining(judging, heads, keeper.current, lexicon=lexicon, embedder=embedder)
        self._answering = Answering(
            self.searcher,
            judging,
            articles,
            heads,
            profile=self._feedback.profile,
            embedder=embedder,
            limits=Limits(settings.whole("max_lookups_per_domain")),
            lexicon=lexicon,
            clock=clock,
        )
        self._suggester = Suggester(articles, heads, keeper.current, lexicon)
        self._database = database
        self._clock = clock
        self._activity = Activity(database, clock)
        self._tracker = RetrievedDocTracker(database, clock)

    def preview(self, request: Request, *, domain: str | None, job: Job | None) -> Answer:
        """Writes nothing; no rewriting. Raises Cancelled."""
        search = self._search(request, domain, FOR_PREVIEW, job)
        return self._prepared(search, request).answer

    def lookup(
        self,
        request: Request,
        *,
        domain: str | None,
        actor: Actor,
        trigger: Trigger,
        job: Job | None,
        switches: Switches = ALL_ON,
    ) -> Answer:
        """One row in the log, none when throw-away or gated. A new session is only there once it has a row. Raises
        Cancelled; any other failure is a degraded answer."""
        started = self._clock.monotonic()
        try:
            found: Search | Exception = self._search(request, domain, switches, job)
        except Cancelled:
            raise
        except Exception as error:
            found = error
        # What the session holds is read and written in one go: of several that ask at once, one gets the content.
        with self._database.transaction() if request.hands_over else nullcontext():
            prepared = self._answer_to(found, request)
            answer = prepared.answer
            if request.throwaway:
                return answer
            if answer.result.outcome is Outcome.GATED:
                if request.session_id is not None:
                    self._activity.touch_session(request.session_id)
                return answer
            duration_ms = (self._clock.monotonic() - started) * 1000
            session_id, invocation = self._write(
                prepared, request, actor=actor, trigger=trigger, duration_ms=duration_ms
            )
        result = replace(answer.result, session_id=session_id)
        return replace(answer, result=result, invocation_id=invocation, suggestion=self._suggestion(found, result))

    def explain(self, request: Request, doc_key: str, *, domain: str | None, preview: bool) -> Explanation | None:
        """Why an article is among the hits of the text; see Engine."""
        search = self._search(request, domain, FOR_PREVIEW if preview else ALL_ON, None)
        return self._explaining.explain(search, doc_key, self._feedback.profile())

    # ---------------------------------------------------------------- inside
    def _suggestion(self, found: Search | Exception, result: LookupResult) -> str | None:
        """The text as it was perhaps meant, where what was found is at best a reference."""
        if isinstance(found, Exception) or result.evidence_level not in (None, RelevanceLevel.REFERENCE):
            return None
        try:
            return self._suggester.suggest(found.query, result.unknown_words)
        except Exception:
            log.exception("no suggestion could be made")
            return None

    def _search(self, request: Request, domain: str | None, switches: Switches, job: Job | None) -> Search:
        """What the text finds, confirmed articles lifted."""
        search = self.searcher.search(request.text, domain=domain, switches=switches, job=job)
        return self._feedback.lifted(search, self._answering.level) if switches.confirmed else search

    def _write(
        self,
        prepared: Prepared,
        request: Request,
        *,
        actor: Actor,
        trigger: Trigger,
        duration_ms: float,
    ) -> tuple[str, int]:
        """One `tool_invocation` row, and a mark for each article handed over, in one transaction; the session, begun
        now where none was given, and the row's id."""
        result = prepared.answer.result
        with self._database.transaction():
            self._feedback.keep_keys()
            session_id = request.session_id or self._activity.create_session()
            invocation = self._activity.record_lookup(
                session_id,
                request.text,
                outcome=result.outcome,
                details=prepared.answer.details,
                duration_ms=duration_ms,
                actor=actor,
                trigger=trigger,
                degraded_reason=result.degraded.reason if result.degraded else None,
                relevance_level=result.relevance_level,
                evidence_level=result.evidence_level,
                dedup_reason=result.dedup_reason,
            )
            for handed in prepared.handed if request.hands_over else ():
                self._tracker.mark_retrieved(
                    session_id,
                    handed.domain,
                    handed.doc_key,
                    content_hash=handed.content_hash,
                    query=request.text,
                    invocation_id=invocation,
                    answered=handed.level,
                )
        return session_id, invocation

    def _answer_to(self, found: Search | Exception, request: Request) -> Prepared:
        """The answer to a search; to one that failed, or cannot be answered, a degraded one."""
        try:
            if isinstance(found, Exception):
                raise found
            return self._prepared(found, request)
        except Exception as error:
            log.exception("a lookup failed")
            degraded = Degraded("error", f"{type(error).__name__}: {error}")
            message = texts.message("degraded", request.language, reason=degraded.reason)
            domains = self._domains(request.session_id)
            result = nothing(request, domains, Outcome.DEGRADED, message, degraded=degraded)
            return Prepared(Answer(result, (), (), said(result)), ())

    def _prepared(self, search: Search, request: Request) -> Prepared:
        session_id = request.session_id
        return self._answering.prepare(search, request, self._memory(session_id), self._domains(session_id))

    def _memory(self, session_id: str | None) -> Memory:
        held = self._tracker.held(session_id) if session_id else {}
        if not session_id or not held:
            return EMPTY
        return Memory(held, self._tracker.answers(session_id), self._tracker.earlier_queries(session_id))

    def _domains(self, session_id: str | None) -> tuple[str, ...]:
        return self._tracker.get_retrieved_domains(session_id) if session_id else ()
