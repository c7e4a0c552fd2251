"""Taking notes in the background: saved in any case, searchable at once or after the import, taken back on request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.i18n import Language
from app.lookup_flow import Recording
from app.notice_bar import NoticeBar
from app.search_control import SearchControl
from app.search_page import SearchPage
from app.tasks import Lane, TaskRunner
from core.engine import Engine
from core.errors import DesksideError, KnowledgeLocked, PathMissing
from core.job import Job
from core.model import EventKind
from core.report import SavedNote

RETRY_MS = 5_000


@dataclass(frozen=True, slots=True)
class _About:
    """What a note answers: the query, the domain that was chosen, the lookup if there was one."""

    query: str
    domain: str | None
    recording: Recording | None


@dataclass(frozen=True, slots=True)
class _Written:
    """A note on the disk. `session_id`: where the event went; `begun`: that session is new."""

    note: SavedNote
    about: _About
    text: str
    here: bool
    session_id: str
    begun: bool


class NoteTaking(QObject):
    """Between the note field and the engine. `changed`: there is other knowledge now."""

    changed = Signal()

    def __init__(
        self, tasks: TaskRunner, control: SearchControl, page: SearchPage, notice: NoticeBar, language: Language
    ) -> None:
        super().__init__(page)
        self._tasks, self._control, self._page = tasks, control, page
        self._field, self._notice, self._language = page.note, notice, language
        self._engine: Engine | None = None
        self._about: _About | None = None
        self._waiting: list[Callable[[], None]] = []
        self._retry_timer = control.timer("notes", self.retry)
        self._field.wanted.connect(self.open)
        self._field.save_wanted.connect(self._save)
        self._field.closed.connect(page.input.setFocus)

    def set_engine(self, engine: Engine) -> None:
        """The knowledge base is open."""
        self._engine = engine

    def open(self) -> None:
        """The button, or Ctrl+Shift+N: a note on the text in the box. One that somebody is writing stays."""
        text = self._control.flow.text
        if self._engine is None or not text or self._page.input.composing:
            return
        if self._field.in_use:
            self._field.text.setFocus()
            return
        self._about = _About(text, self._page.domain.currentData(), self._control.flow.current)
        self._field.open(text)

    def open_on(self, query: str) -> None:
        """A note on a question that others asked: it stands in the box, but nobody asks it now. A note on another one
        that is being written stays, and that is said."""
        field = self._field
        if field.in_use:
            field.text.setFocus()
            if field.query != query:
                title = field.title
                self._notice.say(lambda: self._language("note.unfinished", title=title))
            return
        if self._control.flow.text != query:
            self._page.input.setText(query)
            self._control.flow.text_put(self._control.flow.text)
        self.open()

    def retry(self) -> None:
        """What waited for another writer is tried again."""
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            act()

    # ---------------------------------------------------------------- saving
    def _save(self, text: str, here: bool) -> None:
        engine, about = self._engine, self._about
        if engine is None or about is None:
            return
        if not text.strip():
            self._field.refuse_empty()
            return
        row = about.recording if about.recording is not None and about.recording.session_id else None
        session = row.session_id if row is not None else self._control.sessions.for_lookup()
        invocation = row.invocation_id if row is not None else None

        def work(_: Job) -> _Written | None:
            note = engine.notes.write(about.query, text, domain=about.domain, here=here)
            if note is None:
                return None
            chosen = session or engine.new_session()
            engine.record_event(chosen, EventKind.NOTED, doc_key=note.doc_key, invocation_id=invocation)
            return _Written(note, about, text, here, chosen, session is None)

        self._field.set_busy(True)
        self._tasks.start(
            self,
            work,
            on_done=self._written,
            on_error=self._field.show_problem,
            on_end=lambda: self._field.set_busy(False),
            lane=Lane.QUICK,
        )

    def _written(self, written: _Written | None) -> None:
        self._field.set_busy(False)
        if written is None:
            self._field.refuse_empty()
            return
        self._field.saved()
        if written.begun:
            self._control.switch_session(written.session_id, named=False)
        self._tell("note.saving", written)
        self._take_in(written)

    def _take_in(self, written: _Written) -> None:
        engine = self._engine
        assert engine is not None
        if engine.is_pending():  # an import of this window holds the lane as well
            self._tell("note.saved_later", written)
        self._tasks.start(
            self,
            lambda job: engine.notes.take_in(written.note, job=job),
            on_done=lambda _: self._taken_in(written),
            on_error=lambda error: self._not_taken_in(error, written),
            lane=Lane.LONG,
        )

    def _taken_in(self, written: _Written) -> None:
        self._tell("note.saved_here" if written.here else "note.saved", written)
        self._knowledge_changed()

    def _not_taken_in(self, error: DesksideError, written: _Written) -> None:
        if isinstance(error, KnowledgeLocked):
            self._tell("note.saved_later", written)
            self._later(lambda: self._take_in(written))
        elif not isinstance(error, PathMissing):  # it was taken back before it came in
            self._tasks.expected.emit(error)

    # ---------------------------------------------------------------- taking back
    def _take_back(self, written: _Written, *, again: bool = False) -> None:
        engine = self._engine
        assert engine is not None
        # Not behind an import: the file goes at once, the article as soon as it may.
        self._tasks.start(
            self,
            lambda job: engine.notes.take_back(written.note, job=job),
            on_done=lambda _: self._taken_back("note.undone", None if again else written),
            on_error=lambda error: self._not_taken_back(error, written, again=again),
            lane=Lane.QUICK,
        )

    def _taken_back(self, word: str, written: _Written | None) -> None:
        if written is not None:
            self._notice.say(lambda: self._language(word))
            if not self._field.in_use:
                self._about = written.about
                self._field.open(written.about.query, written.text)
        self._knowledge_changed()

    def _not_taken_back(self, error: DesksideError, written: _Written, *, again: bool) -> None:
        if isinstance(error, KnowledgeLocked):
            if not again:
                self._taken_back("note.undone_later", written)
            self._later(lambda: self._take_back(written, again=True))
        else:
            self._tasks.expected.emit(error)

    # ---------------------------------------------------------------- inside
    def _tell(self, word: str, written: _Written) -> None:
        self._notice.say(
            lambda: self._language(word, path=str(written.note.path.parent)),
            action=lambda: self._language("note.undo"),
            act=lambda: self._take_back(written),
        )

    def _later(self, act: Callable[[], None]) -> None:
        self._waiting.append(act)
        self._retry_timer.start(RETRY_MS)

    def _knowledge_changed(self) -> None:
        self._control.again()
        self.changed.emit()
