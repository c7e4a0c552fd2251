"""Asking: preview and lookup, from a text to an answer that is written down (contract §2, §3, §7).

Holds what that needs of the data folder: index, searcher, session memory, log.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from core import texts
from core.agents.cache import Versions
from core.answering import Answering
from core.clock import Clock, today
from core.embedding.profile import HASHED, Profile
from core.errors import Cancelled
from core.explaining import Explaining
from core.explanation import Explanation
from core.feedback import Feedback
from core.indexing import IndexKeeper
from core.job import Job
from core.judging import Judging
from core.late_legs import LateLegs
from core.lookup import Search, Searcher
from core.memory_rules import EMPTY, Memory
from core.model import Actor, Answer, Degraded, LookupResult, Outcome, RelevanceLevel, Trigger
from core.protocols import Reranker
from core.query_key import query_key
from core.request import Limits, Prepared, Request, nothing, said
from core.retrieval import Retrieval, RetrievalFailed, Served, Serving, Source
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

    def __init__(
        self,
        database: Database,
        keeper: IndexKeeper,
        *,
        settings: Settings,
        clock: Clock,
        serving: Serving | None = None,
        reranker: Callable[[], Reranker | None] = lambda: None,
    ) -> None:
        """`serving`: who serves the lookups that are written down; without it all are answered by this thread.
        `reranker`: the one in use now."""
        self._articles, heads = Articles(database), Heads(database)
        self._lexicon = lexicon = keeper.lexicon
        terms = TermLookup(self._articles, heads, keeper.current)
        self.searcher = Searcher(
            self._articles,
            heads,
            keeper.current,
            terms=terms,
            lexicon=lexicon,
            settings=settings,
            reranker=reranker,
        )
        names = serving.embedders if serving else tuple(one.name for one in keeper.current().embedders)
        self._feedbacks = {name: Feedback(database, clock, lambda: lexicon, name) for name in names}
        self._feedback = self._feedbacks[names[0]]
        judging = Judging(self._articles, terms, keeper.current, lexicon=lexicon, settings=settings, clock=clock)
        self._explaining = Explaining(judging, heads, keeper.current, lexicon=lexicon)
        self._answering = Answering(
            self.searcher,
            judging,
            self._articles,
            heads,
            profile=self._profile,
            limits=Limits(settings.whole("max_lookups_per_domain")),
            lexicon=lexicon,
            clock=clock,
        )
        self._suggester = Suggester(self._articles, heads, keeper.current, lexicon)
        self._database = database
        self._settings = settings
        self._clock = clock
        self._activity = Activity(database, clock)
        self._tracker = RetrievedDocTracker(database, clock)
        self._retrieval: Retrieval | None = None
        if serving is not None:
            self._retrieval = Retrieval(
                self.searcher,
                serving,
                lifted=self._lifted,
                versions=self._versions,
                profile=lambda: self._feedback.profile().name,
            )
        self._late_legs = serving.late_legs if serving else LateLegs()

    def preview(self, request: Request, *, domain: str | None, job: Job | None) -> Answer:
        """Writes nothing; no rewriting, and no model: by hashed vectors. Raises Cancelled."""
        search = self._search(request, domain, FOR_PREVIEW, job, HASHED if HASHED in self._feedbacks else "")
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
        Cancelled, and sqlite3.Error when the log cannot be written, which is no failure of the instance that searched;
        any other failure is a degraded answer."""
        started = self._clock.monotonic()
        found = self._found(request, domain, actor, started, job=job, switches=switches)
        served = found if isinstance(found, Served) else None
        ok = True
        try:
            # What the session holds is read and written in one go: of several that ask at once, one gets the content.
            with self._database.transaction() if request.hands_over else nullcontext():
                prepared = self._answer_to(found, request)
                answer, outcome = prepared.answer, prepared.answer.result.outcome
                ok = outcome is not Outcome.DEGRADED
                if request.throwaway or outcome is Outcome.GATED:
                    if request.session_id is not None:
                        self._activity.touch_session(request.session_id)
                    return answer
                duration_ms = (self._clock.monotonic() - started) * 1000
                source = served.source if served else found.source if isinstance(found, RetrievalFailed) else Source()
                source = replace(source, domain=_domain_of(served, answer.result) or source.domain)
                session_id, invocation = self._write(
                    prepared, request, source, actor=actor, trigger=trigger, duration_ms=duration_ms
                )
        finally:
            if self._retrieval is not None:
                self._retrieval.end(served, ok=ok)
        late = served.late if served and not request.hands_over else None
        if late is not None:
            asked = replace(request, session_id=session_id)
            self._late_legs.expect(invocation, late, partial(self._late_answer, asked, invocation))
        result = replace(answer.result, session_id=session_id)
        return replace(
            answer,
            result=result,
            invocation_id=invocation,
            suggestion=self._suggestion(served, result),
            leg_is_coming=late is not None,
        )

    def explain(self, request: Request, doc_key: str, *, domain: str | None, preview: bool) -> Explanation | None:
        """Why an article is among the hits of the text; see Engine."""
        model = len(self._feedbacks) > 1
        if preview or not model or self._retrieval is None:
            search = self._search(request, domain, FOR_PREVIEW if preview else ALL_ON, None, HASHED if model else "")
        else:
            deadline_s = self._settings.number("answer_deadline_ms") / 1000
            search = self._retrieval.explained(request, domain=domain, deadline_s=deadline_s)
        return self._explaining.explain(search, doc_key, self._profile(search.embedder))

    # ---------------------------------------------------------------- inside
    def _profile(self, embedder: str) -> Profile:
        """With the thresholds of now: they may be tuned at any time."""
        return self._feedbacks.get(embedder, self._feedback).profile()

    def _suggestion(self, served: Served | None, result: LookupResult) -> str | None:
        """The text as it was perhaps meant, where what was found is at best a reference."""
        if served is None or result.evidence_level not in (None, RelevanceLevel.REFERENCE):
            return None
        try:
            return self._suggester.suggest(served.search.query, result.unknown_words)
        except Exception:
            log.exception("no suggestion could be made")
            return None

    def _found(
        self,
        request: Request,
        domain: str | None,
        actor: Actor,
        started: float,
        *,
        job: Job | None,
        switches: Switches,
    ) -> Served | Exception:
        """What the text finds, or why it could not be searched for. Nobody waits for a throw-away lookup, and it says
        nothing of the instances: this thread makes it."""
        try:
            if request.throwaway or self._retrieval is None:
                return Served(self._search(request, domain, switches, job))
            self._feedback.keep_keys()  # before anything is kept for later: it makes another version of the votes
            name = "answer_deadline_ms" if actor is Actor.PERSON else "executor_answer_deadline_ms"
            deadline_s = self._settings.number(name) / 1000
            return self._retrieval.search(request, domain=domain, started=started, deadline_s=deadline_s, job=job)
        except Cancelled:
            raise
        except Exception as error:
            return error

    def _search(
        self, request: Request, domain: str | None, switches: Switches, job: Job | None, embedder: str = ""
    ) -> Search:
        """What the text finds by this thread alone, confirmed articles lifted."""
        search = self.searcher.search(request.text, domain=domain, switches=switches, embedder=embedder, job=job)
        return self._lifted(search) if switches.confirmed else search

    def _lifted(self, search: Search) -> Search:
        return self._feedback.lifted(search, self._answering.level)

    def _versions(self) -> Versions:
        """All that a search rests on beside its text: the word lists and the day stand with the settings."""
        self._lexicon.keep_up()
        words = (self._lexicon.fingerprint, self._lexicon.synonym_list.version)
        settings = repr((sorted(self._settings.of_answers().items()), words, today(self._clock)))
        return Versions(settings, self._feedback.version(), self._articles.version())

    def _write(
        self,
        prepared: Prepared,
        request: Request,
        source: Source,
        *,
        actor: Actor,
        trigger: Trigger,
        duration_ms: float,
    ) -> tuple[str, int]:
        """One `tool_invocation` row, and a mark for each article handed over, in one transaction; the session, begun
        now where none was given, and the row's id. A row alone may be left to the log's writer."""
        result, later = prepared.answer.result, request.log_later and not request.hands_over
        with self._database.transaction() if not later or request.session_id is None else nullcontext():
            session_id = request.session_id or self._activity.create_session()
            invocation = self._activity.record_lookup(
                session_id,
                request.text,
                outcome=result.outcome,
                details=prepared.answer.details,
                duration_ms=duration_ms,
                actor=actor,
                trigger=trigger,
                agent=source.agent,
                degraded_reason=result.degraded.reason if result.degraded else None,
                relevance_level=result.relevance_level,
                evidence_level=result.evidence_level,
                dedup_reason=result.dedup_reason,
                agent_type=source.type,
                domain=source.domain,
                query_key=query_key(request.text, self._lexicon),
                queued=later,
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

    def _answer_to(self, found: Served | Exception, request: Request) -> Prepared:
        """The answer to a search; to one that failed, or cannot be answered, a degraded one."""
        try:
            if isinstance(found, Exception):
                raise found
            prepared = self._prepared(found.search, request)
            return _from_cache(prepared) if found.cached else prepared
        except Exception as error:
            log.exception("a lookup failed")
            degraded = Degraded("error", f"{type(error).__name__}: {error}")
            if isinstance(error, RetrievalFailed):
                degraded = Degraded(error.reason, error.detail)
            message = texts.message(
                "degraded", request.language, reason=texts.degraded_reason(degraded.reason, request.language)
            )
            domains = self._domains(request.session_id)
            result = nothing(request, domains, Outcome.DEGRADED, message, degraded=degraded)
            return Prepared(Answer(result, (), (), said(result)), ())

    def _late_answer(self, request: Request, invocation_id: int, search: Search) -> Answer:
        """The answer to a search whose leg came late, under the row that was written without it."""
        answer = self._prepared(search, request).answer
        suggestion = self._suggestion(Served(search), answer.result)
        return replace(answer, invocation_id=invocation_id, suggestion=suggestion)

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


def _domain_of(served: Served | None, result: LookupResult) -> str | None:
    """The primary's domain, without one the best recalled article's."""
    if result.primary is not None:
        return result.primary.domain
    if served is None or not served.search.ranked:
        return None
    return served.search.heads[served.search.ranked[0].article_id].domain


def _from_cache(prepared: Prepared) -> Prepared:
    answer = prepared.answer
    result = replace(answer.result, cached=True)
    return replace(prepared, answer=replace(answer, result=result, details={**answer.details, "cache_hit": True}))
