"""When a preview becomes a lookup, and when an article is retrieved (contract §2). No Qt: timers are handed in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from core.model import EventKind, Trigger

SUPERSEDE_WITHIN_S = 15.0
DWELL_MS = 3000
_TRIGGERS = {EventKind.OPENED: Trigger.OPEN, EventKind.COPIED: Trigger.COPY, EventKind.VOTED: Trigger.VOTE}


class Timer(Protocol):
    """A single-shot timer; `start` again begins anew."""

    def start(self, milliseconds: int) -> None:
        """Fire once after that time."""

    def stop(self) -> None:
        """Do not fire."""


@dataclass(eq=False, slots=True)
class Recording:
    """One lookup row, from the moment it was asked for. `invocation_id` and `session_id` come with its answer."""

    text: str
    trigger: Trigger
    at: float
    session_id: str | None
    invocation_id: int | None = None
    arrived: bool = False
    superseded: bool = False
    waiting: list[Callable[[Recording], None]] = field(default_factory=list)

    def when_arrived(self, action: Callable[[Recording], None]) -> None:
        """Do it now, or as soon as the row is there. Never, when the lookup fails."""
        if self.arrived:
            action(self)
        else:
            self.waiting.append(action)


class Port(Protocol):
    """What the flow asks for."""

    def record(self, recording: Recording) -> None:
        """Run the lookup in the background; report with `LookupFlow.recorded()` or `failed()`."""

    def act(self, recording: Recording, kind: EventKind, doc_key: str, value: int | None) -> None:
        """A deliberate act on an article; marks it as retrieved. `value` of a vote: app.vote_bar."""

    def retrieved(self, recording: Recording, doc_key: str) -> None:
        """An article stood in the pane for 3 s after Enter."""

    def supersede(self, recording: Recording) -> None:
        """A settle row whose text was only the beginning of the next lookup."""


class LookupFlow:
    """The rule of contract §2 for one search box.

    One text = one row, however many acts happen on it; a second Enter is a new one. `settle` and `dwell` are timers
    whose time-out the owner connects to `settled()` and `dwelt()`; `clock` gives seconds.
    """

    def __init__(
        self, port: Port, *, settle: Timer, dwell: Timer, clock: Callable[[], float], settle_seconds: float
    ) -> None:
        self._port = port
        self._settle = settle
        self._dwell = dwell
        self._clock = clock
        self._settle_ms = int(settle_seconds * 1000)
        self._text = ""
        self._session_id: str | None = None
        self._current: Recording | None = None
        self._previous: Recording | None = None
        self._entered = self._put = False
        self._dwelling: tuple[Recording, str] | None = None

    @property
    def current(self) -> Recording | None:
        """The row of the text that stands in the box, if there is one."""
        return self._current

    @property
    def text(self) -> str:
        """The text that stands in the box."""
        return self._text

    def text_changed(self, text: str) -> None:
        """Another text: nothing of it is recorded yet."""
        if text == self._text:
            return
        self._text, self._put = text, False
        self._forget()

    def text_put(self, text: str) -> None:
        """Another text, which nobody at the desk asks: it does not settle. Acts on its answer are recorded all the
        same."""
        self.text_changed(text)
        self._put = True

    def session_changed(self, session_id: str | None) -> None:
        """Another session is current: the same text is a new question in it."""
        if session_id != self._session_id:
            self._session_id = session_id
            self._forget()

    def session_merged(self, merged: str, into: str) -> None:
        """The current session was put back into an earlier one: its rows live on there."""
        if self._session_id == merged:
            self._session_id = into
        for recording in (self._current, self._previous):
            if recording is not None and recording.session_id == merged:
                recording.session_id = into

    def _forget(self) -> None:
        self._current = None
        self._entered = False
        self._dwelling = None
        self._settle.stop()
        self._dwell.stop()

    # ---------------------------------------------------------------- what happens
    def results_shown(self, has_results: bool) -> None:
        """An answer to the text is visible: from now on it may settle."""
        if has_results and self._current is None and self._settle_ms > 0 and not self._put:
            self._settle.start(self._settle_ms)
        else:
            self._settle.stop()

    def pause(self) -> None:
        """An input method composes: the text does not stand still."""
        self._settle.stop()

    def settled(self) -> None:
        """The settle time is over with the text unchanged."""
        if self._current is None and self._text:
            self._record(Trigger.SETTLE)

    def enter(self) -> Recording | None:
        """Enter in the box. Gives the row to show: a new one, or that of this text when Enter is new to it."""
        if not self._text:
            return None
        if self._current is None or self._entered:
            self._record(Trigger.ENTER)
        self._entered = True
        self._dwelling = None
        self._dwell.stop()
        return self._current

    def article_shown_after_enter(self, doc_key: str) -> None:
        """The primary stands in the pane because of Enter; 3 s there and it counts as retrieved."""
        if self._current is not None and self._entered:
            self._dwelling = (self._current, doc_key)
            self._dwell.start(DWELL_MS)

    def article_left(self) -> None:
        """The pane shows something else."""
        self._dwelling = None
        self._dwell.stop()

    def dwelt(self) -> None:
        """The article stood there long enough."""
        if self._dwelling is not None:
            recording, doc_key = self._dwelling
            self._dwelling = None
            recording.when_arrived(lambda row: self._port.retrieved(row, doc_key))

    def acted(
        self, kind: EventKind, doc_key: str, origin: Recording | None = None, *, value: int | None = None
    ) -> Recording | None:
        """Opened, copied or voted on (`value`). `origin` = the row under which the article in the pane was opened.

        Without one the text in the box becomes a lookup, unless it is one already.
        """
        recording = origin
        if recording is None:
            if self._current is None and self._text:
                self._record(_TRIGGERS[kind])
            recording = self._current
        if recording is not None:
            recording.when_arrived(lambda row: self._port.act(row, kind, doc_key, value))
        return recording

    # ---------------------------------------------------------------- rows
    def _record(self, trigger: Trigger) -> None:
        self._settle.stop()
        recording = Recording(self._text, trigger, self._clock(), self._session_id)
        earlier, self._previous, self._current = self._previous, recording, recording
        if (
            earlier is not None
            and earlier.trigger is Trigger.SETTLE
            and earlier.text != recording.text
            and recording.text.startswith(earlier.text)
            and earlier.session_id == recording.session_id
            and recording.at - earlier.at <= SUPERSEDE_WITHIN_S
        ):
            earlier.superseded = True
            earlier.when_arrived(self._port.supersede)
        self._port.record(recording)

    def recorded(self, recording: Recording, session_id: str | None, invocation_id: int | None) -> None:
        """The lookup's row is written; what waited for it happens now. A gated text has no row, and starts no session:
        None."""
        recording.session_id = session_id
        recording.invocation_id = invocation_id
        recording.arrived = True
        if recording is self._current and self._session_id is None:
            self._session_id = session_id
        waiting, recording.waiting = recording.waiting, []
        for action in waiting:
            action(recording)

    def failed(self, recording: Recording) -> None:
        """The lookup wrote no row: the text may become one again."""
        recording.waiting.clear()
        if recording is self._current:
            self._current = None
            self._entered = False
        if recording is self._previous:
            self._previous = None
