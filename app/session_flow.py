"""Which session the next lookup belongs to (contract §1): the idle rule, Ctrl+N, and putting one back. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Started:
    """A new session began; `previous` is the one it may be put back into, None at start."""

    session_id: str
    previous: str | None
    by_itself: bool


class SessionFlow:
    """Holds the current session. `current` None: the next lookup starts an unnamed one. `clock` gives seconds."""

    def __init__(self, *, clock: Callable[[], float], idle_minutes: float) -> None:
        self._clock = clock
        self._idle_s = idle_minutes * 60
        self._current: str | None = None
        self._named = False
        self._last_used = clock()
        self._previous: str | None = None
        self._by_itself = False

    @property
    def current(self) -> str | None:
        """The session that previews are marked with."""
        return self._current

    @property
    def previous(self) -> str | None:
        """The session before the current one."""
        return self._previous

    def for_lookup(self) -> str | None:
        """The session for a lookup now; None = start one. An unnamed session that was idle too long has ended."""
        if self._current is not None and not self._named and self._clock() - self._last_used >= self._idle_s:
            self._previous, self._current = self._current, None
            self._by_itself = True
        return self._current

    def used(self, session_id: str) -> Started | None:
        """A lookup was written in that session; what began with it, if something did."""
        self._last_used = self._clock()
        if self._current is not None:
            return None
        self._current, self._named = session_id, False
        started = Started(session_id, self._previous, self._by_itself)
        self._by_itself = False
        return started

    def touched(self) -> None:
        """Something was done in the session: it is not idle."""
        self._last_used = self._clock()

    def new(self) -> None:
        """Ctrl+N, or the ticket was closed: the next lookup starts another session."""
        if self._current is not None:
            self._previous, self._current = self._current, None
        self._named = False
        self._by_itself = False

    def switch(self, session_id: str, *, named: bool) -> None:
        """An earlier or a named session was chosen. Chosen on purpose, it does not end by idling at once."""
        if session_id != self._current:
            self._previous, self._current = self._current, session_id
        self._named = named
        self._by_itself = False
        self._last_used = self._clock()

    def put_back(self) -> tuple[str, str] | None:
        """("from", "into") for "并回上一单", and the earlier one is current again; None when there is none."""
        if self._current is None or self._previous is None:
            return None
        merged, into = self._current, self._previous
        self._current, self._previous, self._named = into, None, False
        self._last_used = self._clock()
        return merged, into
