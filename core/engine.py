"""Engine: what can be asked. Puts the parts together; every front end speaks to this and to nothing below it.

All methods may be called from any thread. None touches Qt. Those that may take long take a Job.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.clock import Clock, SystemClock, today
from core.errors import DatabaseDamaged, ExpectedError, KnowledgeLocked
from core.job import Job
from core.model import Actor, Answer, ArticleView, EventKind, Mode, SessionMemory, SessionSummary, Trigger
from core.parts import Parts
from core.paths import DataFolder
from core.report import Check, ImportReport, KnowledgeStatus, UnfinishedImport
from core.store.database import Database
from core.store.lock import is_held, write_lock

if TYPE_CHECKING:
    from core.agents.calls import Wait
    from core.explanation import Explanation
    from core.late_legs import LateLegs
    from core.protocols import Embedder
    from core.request import Request
    from core.trial import Trial

# Content leaves at once on these; in the window `retrieved()` says so when it was shown (contract §2).
_HANDING_OVER = (Trigger.CLI, Trigger.MCP)
_REMEMBERING = (EventKind.OPENED, EventKind.COPIED, EventKind.VOTED)


class Engine(Parts):
    """One data folder, open. Use `Engine.open()`, then `close()` (idempotent)."""

    @classmethod
    def open(
        cls,
        data_dir: Path,
        *,
        language: str = "zh_CN",
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        wait: Wait | None = None,
    ) -> Engine:
        """Open or create the data folder; an older database is migrated after a copy. Imports the starter knowledge
        base when the folder is new. `embedder` None: the hashed one. `wait` None: legs are waited for by the computer's
        time. Raises DataFolderUnusable, DatabaseTooNew,
        DatabaseDamaged, InvalidSetting, SettingsUnusable."""
        from core.ingest.starter import offer_starter

        folder = DataFolder(data_dir).create()
        if folder.was_emptied:
            raise DatabaseDamaged(path=str(folder.database), detail="the file is empty")
        database = Database.open(folder.database)
        engine = cls(folder, database, language=language, embedder=embedder, clock=clock or SystemClock(), wait=wait)
        try:
            offer_starter(engine._importer, engine._sources)
        except BaseException as error:
            engine.close()
            expected = engine.expected(error)
            if expected is not None:
                raise expected from error
            raise
        return engine

    def close(self) -> None:
        """Finish open writes, end the agents' threads (a call that hangs is left to itself) and release files. An index
        that was built and not written yet is written now, so that the next start need not build it again."""
        self._count_cache()
        if "monitor" in self.__dict__:
            self.monitor.close()
        if "_serving" in self.__dict__:
            self._serving.close()
        if "_keeper" in self.__dict__:
            if self._keeper.is_unwritten:
                self._settle()
            self._keeper.close()
        if "_model_vectors" in self.__dict__:
            self._model_vectors.close()
        if "models" in self.__dict__:
            self.models.close()
        self._database.close()

    def expected(self, error: BaseException) -> ExpectedError | None:
        """What a person can do something about behind an error of SQLite (damage, no rights, a full disk) or None."""
        return self._database.expected(error) if isinstance(error, sqlite3.Error) else None

    # ------------------------------------------------------------ asking
    def preview(
        self, query: str, *, session_id: str | None = None, domain: str | None = None, job: Job | None = None
    ) -> Answer:
        """What the window shows while one types. Writes nothing (contract §2). Marks what `session_id` holds.
        Raises Cancelled."""
        return self._asking.preview(self._request(query, session_id), domain=domain, job=job)

    def lookup(
        self,
        query: str,
        *,
        session_id: str | None = None,
        domain: str | None = None,
        top_k: int | None = None,
        mode: Mode = Mode.SOFT,
        actor: Actor = Actor.PERSON,
        trigger: Trigger = Trigger.ENTER,
        missing_dimension: str | None = None,
        throwaway: bool = False,
        log_later: bool = False,
        job: Job | None = None,
    ) -> Answer:
        """One lookup (contract §3): writes exactly one `tool_invocation` row, none when gated. With `cli` or `mcp`
        as trigger the primary and every supplement count as retrieved; in the window `retrieved()` says so later.
        `session_id` None starts a session with the row (so a gated text starts none: `result.session_id` None);
        unknown ids are created. `throwaway`: no session, nothing written. `log_later`: a thread of its own
        writes the row in a moment, where nothing is handed over and the session is known.
        Raises Cancelled, sqlite3.Error when the row cannot be written (a full disk; a database that another program
        keeps locked for more than ten seconds): an answer that nobody could account for is none."""
        request = self._request(
            query,
            None if throwaway else session_id,
            mode=mode,
            top_k=top_k,
            missing_dimension=missing_dimension,
            hands_over=trigger in _HANDING_OVER and not throwaway,
            throwaway=throwaway,
            log_later=log_later,
        )
        return self._asking.lookup(request, domain=domain, actor=actor, trigger=trigger, job=job)

    def read(self, doc_key: str, *, query: str = "") -> ArticleView:
        """The whole article, with where `query` stands in its body. Writes nothing. Raises UnknownArticle."""
        from core.reading import read

        terms = self._asking.searcher.marked_terms(query) if query.strip() else ()
        return read(self._articles, doc_key, terms, self.domain_names, today(self._clock))

    def explain(
        self, query: str, doc_key: str, *, domain: str | None = None, preview: bool = False
    ) -> Explanation | None:
        """Why an article is among the hits of `query`; None when it is not. `preview`: the list is a preview's. Writes
        nothing; takes as long as a lookup."""
        return self._asking.explain(self._request(query, None), doc_key, domain=domain, preview=preview)

    @property
    def late_legs(self) -> LateLegs:
        """The legs that answers did not wait for (`Answer.leg_is_coming`), and whole answers once they have come."""
        return self._serving.late_legs

    # ---------------------------------------------------------- sessions
    def retrieved(self, session_id: str, doc_key: str, *, query: str = "", invocation_id: int | None = None) -> None:
        """An article's content was handed over in this session (contract §2). An unknown key is ignored."""
        article = self._articles.get(doc_key)
        if article is not None:
            self._tracker.mark_retrieved(
                session_id,
                article.domain,
                doc_key,
                content_hash=article.content_hash,
                query=query,
                invocation_id=invocation_id,
            )

    def record_event(
        self,
        session_id: str,
        kind: EventKind,
        *,
        doc_key: str | None = None,
        invocation_id: int | None = None,
        value: int | None = None,
    ) -> None:
        """Write a `session_event` row; opened, copied and voted also mark the article as retrieved. `value` of a
        vote: 2 the right article, 1 useful, -1 not useful, 0 taken back."""
        with self._database.transaction():
            self._activity.record_event(session_id, kind, doc_key=doc_key, invocation_id=invocation_id, value=value)
            if doc_key is not None and kind in _REMEMBERING:
                query = self._activity.query_of(invocation_id)
                self.feedback.record(kind, doc_key, invocation_id, query, value)
                self.retrieved(session_id, doc_key, query=query, invocation_id=invocation_id)

    def supersede(self, invocation_id: int) -> None:
        """A settle row whose text was only the beginning of the next lookup (contract §2)."""
        self._activity.supersede(invocation_id)

    def new_session(self, session_id: str | None = None, *, title: str = "") -> str:
        """Start a session; the id is made when none is given. An existing id is returned as it is."""
        return self._activity.create_session(session_id, title=title)

    def merge_session(self, session_id: str, into: str) -> None:
        """Move all lookups, marks and events of a session into another and delete it ("并回上一单")."""
        self._activity.merge_session(session_id, into)

    def close_session(self, session_id: str) -> None:
        """Close the ticket; its memory stays."""
        self._activity.close_session(session_id)

    def sessions(self, *, search: str = "", limit: int = 200) -> tuple[SessionSummary, ...]:
        """Sessions, newest first; `search` looks in ids, titles and queries."""
        return self._activity.sessions(search=search, limit=limit)

    def session_memory(self, session_id: str) -> SessionMemory:
        """What a session holds. Raises UnknownSession."""
        return self._activity.memory(session_id)

    def clear_session(self, session_id: str) -> int:
        """Forget what the session retrieved; returns how many articles. Raises UnknownSession."""
        return self._activity.clear_session(session_id)

    def stats(self, since_hours: float) -> dict[str, Any]:
        """The figures of contract §9's `stats` over the last hours."""
        from core.store.statistics import statistics

        self._count_cache()
        return statistics(self._database, self._clock, since_hours, self.monitor)

    def trial(self, left_out: Callable[[str], bool] | None = None) -> AbstractContextManager[Trial]:
        """This knowledge as `evaluate` asks it, writing nothing; `left_out`: doc_keys that are as if never imported."""
        from core.trial import trial

        return trial(self._database, self._keeper, self._asking_over, language=self.language, left_out=left_out)

    # --------------------------------------------------------- knowledge
    def ingest(
        self,
        paths: Sequence[Path],
        *,
        domain: str | None = None,
        allow_removal: bool = False,
        job: Job | None = None,
    ) -> ImportReport:
        """Import files and folders (contract §9). Cancelled: a report of what was committed, `cancelled` True.
        Raises PathMissing, KnowledgeLocked."""
        report = self._importer.run(
            paths,
            domain=domain,
            allow_removal=allow_removal,
            language=self.language,
            job=job,
            on_commit=self._keeper.keep_up,
        )
        self._settle()
        return report

    def remove_starter(self, *, job: Job | None = None) -> int:
        """Remove the starter knowledge base; returns how many articles. It does not come back by itself."""
        from core.ingest.starter import remove_starter

        return remove_starter(self._importer, self._sources, job=job)

    def unfinished_imports(self) -> tuple[UnfinishedImport, ...]:
        """Imports that were cut off (killed, cancelled, broken off); none while any process writes knowledge."""
        from core.ingest.unfinished import unfinished

        return () if self.is_pending() else unfinished(self._sources)

    def forget_unfinished(self, paths: Sequence[str]) -> None:
        """Say no more about these; what they imported stays. Raises KnowledgeLocked."""
        from core.ingest.unfinished import end

        with write_lock(self.folder.write_lock, clock=self._clock):
            end(self._sources, paths)

    def has_starter(self) -> bool:
        """True while the starter knowledge base is imported."""
        from core.ingest.starter import has_starter

        return has_starter(self._sources)

    def status(self) -> KnowledgeStatus:
        """Counts and versions for the foot line; 0.2 s for 100,000 articles."""
        embedder = self.models.serving() or "hashed"
        return self.standing.status(embedder=embedder, pending=self.is_pending(), unfinished=self.unfinished_imports())

    def is_pending(self) -> bool:
        """True while any process imports, rebuilds or repairs in this data folder. Takes microseconds."""
        return is_held(self.folder.write_lock)

    def domain_names(self) -> dict[str, str]:
        """Display name of each domain that has articles, in the engine's language; key → name."""
        from core.ingest.domains import display_names

        names = display_names(self.language, self.folder.user_domains)
        return {domain: names.get(domain, domain) for domain, _ in self._articles.domains()}

    def reindex(self, *, job: Job | None = None) -> KnowledgeStatus:
        """Rebuild every index from the database. Raises KnowledgeLocked, Cancelled."""
        with write_lock(self.folder.write_lock, clock=self._clock):
            self._keeper.rebuild(job)
        return self.status()

    def doctor(self, *, job: Job | None = None) -> tuple[Check, ...]:
        """Check the database and the indexes against each other; repair what can be. Raises KnowledgeLocked."""
        from core.doctor import examine

        def check_index() -> Check:
            with write_lock(self.folder.write_lock, clock=self._clock):
                return self._keeper.check(self.language, job)

        def check_vectors() -> Check:
            return self._model_vectors.check(self.language)

        return examine(self._database, check_index, check_vectors, self.unfinished_imports, self.language)

    # ------------------------------------------------------------ inside
    def _settle(self) -> None:
        """Write the index when that is due, unless another process writes knowledge: it does that itself."""
        with suppress(KnowledgeLocked, OSError), write_lock(self.folder.write_lock, clock=self._clock, wait_s=0):
            self._keeper.settle()

    def _request(self, query: str, session_id: str | None, **values: Any) -> Request:
        from core.request import Request
        from core.text import writable

        values["top_k"] = values.get("top_k") or self.settings.whole("top_k")
        values.setdefault("mode", Mode.SOFT)
        return Request(writable(query), writable(session_id) if session_id else None, language=self.language, **values)
