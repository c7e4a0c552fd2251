"""Writes what the lookup rule decides: rows, acts, retrieved articles, superseded rows; each in the background."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtCore import QObject, Signal

from app.lookup_flow import Recording
from app.session_flow import SessionFlow
from app.shown import Shown, with_surroundings
from app.tasks import Lane, TaskRunner
from core.engine import Engine
from core.errors import DesksideError
from core.job import Job
from core.model import EventKind


class _NewSession:
    """The session that the first of several queued lookups starts; the others join it."""

    id: str | None = None


class LookupWriter(QObject):
    """The port of LookupFlow. `wrote(Recording, Shown)`; `failed(Recording)`; `holds(doc_key, at, query)`: the session
    holds that article from now on."""

    wrote = Signal(object, object)
    failed = Signal(object)
    holds = Signal(str, str, str)

    def __init__(self, tasks: TaskRunner, sessions: SessionFlow, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks, self._sessions = tasks, sessions
        self._engine: Engine | None = None
        self._starting: _NewSession | None = None
        self.domain: str | None = None
        self.dimension: str | None = None

    def set_engine(self, engine: Engine) -> None:
        """The knowledge base is open."""
        self._engine = engine

    def forget_starting(self) -> None:
        """Lookups from now on do not join a session that an earlier one is about to start."""
        self._starting = None

    def record(self, recording: Recording) -> None:
        """Write the lookup's row. Never cancelled: it was asked for."""
        assert self._engine is not None
        engine, domain, dimension = self._engine, self.domain, self.dimension
        recording.session_id = self._sessions.for_lookup()
        if recording.session_id is None and self._starting is None:
            self._starting = _NewSession()
        starting = self._starting if recording.session_id is None else None

        def work(_: Job) -> Shown:
            session = recording.session_id or (starting.id if starting is not None else None)
            answer = engine.lookup(
                recording.text,
                session_id=session,
                domain=domain,
                trigger=recording.trigger,
                missing_dimension=dimension,
                log_later=True,
            )
            if starting is not None and answer.result.session_id is not None:
                starting.id = answer.result.session_id
            return with_surroundings(engine, recording.text, answer)

        self._tasks.start(
            self,
            work,
            on_done=lambda found: self.wrote.emit(recording, found),
            on_error=lambda error: self._failed(recording, error),
            lane=Lane.LOOKUP,
        )

    def _failed(self, recording: Recording, error: DesksideError) -> None:
        self.failed.emit(recording)
        self._tasks.expected.emit(error)

    def act(self, recording: Recording, kind: EventKind, doc_key: str, value: int | None = None) -> None:
        """Write an act on an article; the session holds it from now on."""
        self._write(recording.session_id, kind, doc_key, recording, value)

    def act_without_row(self, kind: EventKind, doc_key: str, value: int | None = None) -> None:
        """An act that belongs to no lookup: an article opened from the session's own list."""
        self._write(self._sessions.current, kind, doc_key, None, value)

    def _write(
        self, session: str | None, kind: EventKind, doc_key: str, recording: Recording | None, value: int | None
    ) -> None:
        if session is None or self._engine is None:
            return
        engine = self._engine
        row = recording.invocation_id if recording is not None else None
        text = recording.text if recording is not None else ""
        self._sessions.touched()
        self._tasks.start(
            self,
            lambda _: engine.record_event(session, kind, doc_key=doc_key, invocation_id=row, value=value),
            on_done=lambda _: self.holds.emit(doc_key, _now(), text),
            lane=Lane.QUICK,
        )

    def retrieved(self, recording: Recording, doc_key: str) -> None:
        """The article stood in the pane for 3 s after Enter."""
        session, engine = recording.session_id, self._engine
        if session is None or engine is None:
            return
        row, text = recording.invocation_id, recording.text
        self._tasks.start(
            self,
            lambda _: engine.retrieved(session, doc_key, query=text, invocation_id=row),
            on_done=lambda _: self.holds.emit(doc_key, _now(), text),
            lane=Lane.QUICK,
        )

    def supersede(self, recording: Recording) -> None:
        """The settle row was only the beginning of the next text."""
        row, engine = recording.invocation_id, self._engine
        if row is not None and engine is not None:
            self._tasks.start(self, lambda _: engine.supersede(row), lane=Lane.QUICK)


def _now() -> str:
    return datetime.now(UTC).isoformat()
