"""From key press to answer: previews, lookups and acts run in the background, and come back as signals."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.lookup_flow import LookupFlow, Recording, Timer
from app.lookup_writer import LookupWriter
from app.session_flow import SessionFlow
from app.shown import Shown, read_article, with_surroundings
from app.tasks import Lane, TaskRunner
from core.engine import Engine
from core.errors import DesksideError
from core.job import Job
from core.model import Answer, ArticleView, EventKind, Hit, Outcome

PREVIEW_MS = 120
REVEAL_MS = 400
WAITING_MS = 300

MakeTimer = Callable[[str, Callable[[], Any]], Timer]
"""A single-shot timer of that name which does that; tests hand in their own."""


class SearchControl(QObject):
    """Speaks to the engine for the search page. `clock` gives seconds; `make_timer` None: Qt's single-shot timers;
    both are there for whatever else waits in this window.

    Signals: `stale` the list belongs to an earlier text; `waiting` 0.3 s without an answer; `answered(Shown)`;
    `cleared` the box is empty; `opened(Opened)`; `nothing_to_open` Enter brought no article;
    `retrieved_now(doc_key, at, query)` the session holds it from now on; `looked_up` a row was written;
    `began(Started)` a session began; `session_changed` another one is current.
    """

    stale = Signal()
    waiting = Signal()
    answered = Signal(object)
    cleared = Signal()
    opened = Signal(object)
    nothing_to_open = Signal()
    retrieved_now = Signal(str, str, str)
    looked_up = Signal()
    began = Signal(object)
    session_changed = Signal()

    def __init__(
        self,
        tasks: TaskRunner,
        *,
        clock: Callable[[], float] = time.monotonic,
        make_timer: MakeTimer | None = None,
        settle_seconds: float = 3,
        idle_minutes: float = 10,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._engine: Engine | None = None
        self._domain: str | None = None
        self._composing = False
        self._pending: Shown | None = None
        self._last: Shown | None = None
        self._enter_for: Recording | None = None
        self._pane: tuple[str, Recording | None] | None = None
        self._asked: dict[tuple[str | None, str], tuple[str, tuple[str, ...]]] = {}
        self._stands = self._enter_when_open = False
        self.clock, self.timer = clock, make_timer or self._single_shot
        timer = self.timer
        self._preview_timer = timer("preview", self._preview)
        self._reveal_timer = timer("reveal", self._reveal)
        self._waiting_timer = timer("waiting", self.waiting.emit)
        settle = timer("settle", lambda: self.flow.settled())  # noqa: PLW0108 - the flow is made below
        dwell = timer("dwell", lambda: self.flow.dwelt())  # noqa: PLW0108
        self.sessions = SessionFlow(clock=clock, idle_minutes=idle_minutes)
        self._writer = LookupWriter(tasks, self.sessions, self)
        self._writer.wrote.connect(self._recorded)
        self._writer.failed.connect(self._failed)
        self._writer.holds.connect(self.retrieved_now)
        self.flow = LookupFlow(self._writer, settle=settle, dwell=dwell, clock=clock, settle_seconds=settle_seconds)

    def _single_shot(self, _: str, act: Callable[[], Any]) -> Timer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(act)
        return timer

    @property
    def idle(self) -> bool:
        """Nothing is on its way."""
        return self._tasks.idle

    def set_engine(self, engine: Engine) -> None:
        """The knowledge base is open; what was typed meanwhile is searched now."""
        self._engine = engine
        self._writer.set_engine(engine)
        if self._enter_when_open:
            self.enter()
        elif self.flow.text:
            self._preview_timer.start(PREVIEW_MS)

    # ---------------------------------------------------------------- typing
    def set_text(self, text: str) -> None:
        """What stands in the box, without the text an input method is composing."""
        text = text.strip()
        if text == self.flow.text:
            return
        self.flow.text_changed(text)
        self._pending = self._enter_for = None
        self._stands = self._enter_when_open = False
        self._tasks.cancel("preview")
        self._waiting_timer.stop()
        if not text:
            self._preview_timer.stop()
            self._reveal_timer.stop()
            self._last = None
            self.cleared.emit()
            return
        self.stale.emit()
        self._reveal_timer.start(REVEAL_MS)
        if not self._composing:
            self._preview_timer.start(PREVIEW_MS)

    def set_composing(self, composing: bool) -> None:
        """While an input method composes nothing is searched and nothing settles."""
        if composing == self._composing:
            return
        self._composing = composing
        if composing:
            self._preview_timer.stop()
            self.flow.pause()
        elif self.flow.text and (self._last is None or self._last.text != self.flow.text):
            self._preview_timer.start(PREVIEW_MS)
        elif self._last is not None:
            self.flow.results_shown(bool(self._last.answer.hits))

    @property
    def domain(self) -> str | None:
        """The domain that is searched; None: all."""
        return self._domain

    def set_domain(self, domain: str | None) -> None:
        """Filter; the same text is previewed again."""
        self._domain = self._writer.domain = domain
        self.again()

    def again(self) -> None:
        """Preview the same text anew (filter, session or knowledge changed)."""
        if self.flow.text:
            self._preview()

    def _preview(self) -> None:
        if self._engine is None or self._composing or not self.flow.text:
            return
        engine, text, domain, session = self._engine, self.flow.text, self._domain, self.sessions.current

        def work(job: Job) -> Shown:
            answer = engine.preview(text, session_id=session, domain=domain, job=job)
            return with_surroundings(engine, text, answer)

        self._waiting_timer.start(WAITING_MS)
        self._tasks.start(
            self,
            work,
            on_done=self._previewed,
            on_error=self._preview_failed,
            lane=Lane.LOOKUP,
            replaces="preview",
        )

    def _preview_failed(self, error: DesksideError) -> None:
        self._waiting_timer.stop()
        self._tasks.expected.emit(error)

    def _previewed(self, shown: Shown) -> None:
        if shown.text != self.flow.text:
            return
        self._waiting_timer.stop()
        earlier = self._asked.get((self.sessions.current, shown.text)) if self.flow.current is None else None
        self._pending = replace(shown, earlier=earlier)
        if self._stands:
            self._reveal()

    def _reveal(self) -> None:
        """The text stands long enough: what has come may be seen."""
        self._stands = True
        if self._pending is not None:
            shown, self._pending = self._pending, None
            self._show(shown)

    def complete(self, shown: Shown | None) -> None:
        """The whole answer to what is shown, under the same row: a leg of it came late."""
        last = self._last
        if shown is not None and last is not None and last.answer.invocation_id == shown.answer.invocation_id:
            self._asked[shown.answer.result.session_id, shown.text] = (_now(), shown.answer.ranking)
            self._show(replace(shown, earlier=last.earlier))

    def _show(self, shown: Shown) -> None:
        self._last = shown
        self.answered.emit(shown)
        self.flow.results_shown(bool(shown.answer.hits))

    # ---------------------------------------------------------------- acts
    def enter(self) -> None:
        """Enter in the box: at once, and the primary into the pane."""
        if self._composing or not self.flow.text:
            return
        if self._engine is None:
            self._enter_when_open = True
            return
        for timer in (self._preview_timer, self._reveal_timer, self._waiting_timer):
            timer.stop()
        self._tasks.cancel("preview")
        self._pending = None
        self._stands = True
        recording = self.flow.enter()
        self._enter_for = recording
        if recording is not None and recording.arrived and self._last is not None:
            self._open_primary(recording, self._last.answer)
        elif recording is not None:
            self._waiting_timer.start(WAITING_MS)

    def open(self, hit: Hit) -> None:
        """A result was opened on purpose."""
        recording = self.flow.acted(EventKind.OPENED, hit.doc_key)
        self._pane = (hit.doc_key, recording)
        self.flow.article_left()
        self._read(hit.doc_key, hit)

    def open_key(self, doc_key: str) -> None:
        """An article that the answer names, but does not list, was opened on purpose."""
        self._pane = (doc_key, self.flow.acted(EventKind.OPENED, doc_key))
        self.flow.article_left()
        self._read(doc_key, None)

    def enter_with(self, dimension: str) -> None:
        """Enter in the box, after the missing dimension was added to the text."""
        self._writer.dimension = dimension
        self.enter()
        self._writer.dimension = None

    def open_held(self, doc_key: str) -> None:
        """An article that the session holds, or a successor, was opened on purpose; no lookup belongs to it."""
        self._pane = (doc_key, None)
        self.flow.article_left()
        self._read(doc_key, None)
        self._writer.act_without_row(EventKind.OPENED, doc_key)

    def copied(self, doc_key: str) -> None:
        """Text of that article was copied."""
        self._on_article(EventKind.COPIED, doc_key)

    def voted(self, doc_key: str, value: int) -> Recording | None:
        """2 the right article, 1 useful, -1 not useful, 0 taken back; under which lookup, if there is one."""
        return self._on_article(EventKind.VOTED, doc_key, value)

    @property
    def pane_row(self) -> Recording | None:
        """The lookup under which the article in the pane was opened."""
        return self._pane[1] if self._pane is not None else None

    def _on_article(self, kind: EventKind, doc_key: str, value: int | None = None) -> Recording | None:
        in_pane = self._pane is not None and self._pane[0] == doc_key
        origin = self.pane_row if in_pane else None
        if in_pane and origin is None:
            self._writer.act_without_row(kind, doc_key, value)
            return None
        return self.flow.acted(kind, doc_key, origin, value=value)

    def ask_then(self, ask: Callable[[Engine], Any], on_done: Callable[[Any], None]) -> None:
        """Ask the engine something small that writes nothing."""
        if self._engine is not None:
            engine = self._engine
            self._tasks.start(self, lambda _: ask(engine), on_done=on_done, lane=Lane.QUICK)

    def read_then(self, doc_key: str, on_done: Callable[[ArticleView], None]) -> None:
        """Read an article for something else than showing it."""
        text = self.flow.text
        self.ask_then(lambda engine: engine.read(doc_key, query=text), on_done)

    def _read(self, doc_key: str, hit: Hit | None) -> None:
        if self._engine is not None:
            engine, text = self._engine, self.flow.text
            self._tasks.start(
                self,
                lambda _: read_article(engine, doc_key, text, hit),
                on_done=self.opened.emit,
                lane=Lane.QUICK,
                replaces="read",
            )

    def _open_primary(self, recording: Recording, answer: Answer) -> None:
        primary = answer.result.primary
        if primary is None:
            # An article of another question would pass for the answer to this one.
            self.pane_emptied()
            self.nothing_to_open.emit()
            return
        hit = next((hit for hit in answer.hits if hit.doc_key == primary.doc_key), None)
        self._pane = (primary.doc_key, recording)
        self._read(primary.doc_key, hit)
        self.flow.article_shown_after_enter(primary.doc_key)

    def pane_emptied(self) -> None:
        """No article is shown any more, nor is one that is still being read."""
        self._tasks.cancel("read")
        self._pane = None
        self.flow.article_left()

    # ---------------------------------------------------------------- rows
    def _recorded(self, recording: Recording, shown: Shown) -> None:
        answer = shown.answer
        session = answer.result.session_id
        if session is not None:
            started = self.sessions.used(session)
            self._writer.forget_starting()
            if started is not None:
                self.began.emit(started)
        earlier = self._asked.get((session, recording.text))
        if answer.result.outcome not in {Outcome.GATED, Outcome.DEGRADED}:
            self._asked[session, recording.text] = (_now(), answer.ranking)
        self.flow.recorded(recording, session, answer.invocation_id)
        deliberate = recording is self._enter_for
        unseen = self._last is None or self._last.text != recording.text
        if recording is self.flow.current and (deliberate or unseen):
            self._waiting_timer.stop()
            self._pending = None
            self._show(replace(shown, earlier=earlier))
            if deliberate:
                self._open_primary(recording, answer)
        self.looked_up.emit()

    def _failed(self, recording: Recording) -> None:
        self.flow.failed(recording)
        self._waiting_timer.stop()

    # ---------------------------------------------------------------- sessions
    def new_session(self) -> None:
        """Ctrl+N: the next lookup starts another session."""
        self.sessions.new()
        self._session_is(None)

    def switch_session(self, session_id: str, *, named: bool) -> None:
        """An earlier session, or one with a name of its own, is current from now on."""
        self.sessions.switch(session_id, named=named)
        self._session_is(session_id)

    def _session_is(self, session_id: str | None) -> None:
        self._writer.forget_starting()
        self.flow.session_changed(session_id)
        self.session_changed.emit()
        self.again()

    def put_back(self, on_done: Callable[[], None]) -> None:
        """ "并回上一单": the session that just began goes back into the one before."""
        both = self.sessions.put_back()
        if both is None or self._engine is None:
            return
        engine, (merged, into) = self._engine, both
        self.flow.session_merged(merged, into)
        self._asked = {(into if s == merged else s, t): v for (s, t), v in self._asked.items()}

        def done(_: object) -> None:
            self.session_changed.emit()
            on_done()

        self._tasks.start(self, lambda _: engine.merge_session(merged, into), on_done=done, lane=Lane.LOOKUP)


def _now() -> str:
    return datetime.now().astimezone().strftime("%H:%M")
