"""Lease: which process collects for the monitor, one at a time (contract §8); a row of monitor_state."""

from __future__ import annotations

import json
import secrets
import sqlite3
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from core.clock import Clock, from_iso, iso
from core.store.lock import Holder, has_ended, this_process

if TYPE_CHECKING:
    from core.store.database import Database

# Three collections and a bit: one that was slow, or two left out, lose nothing.
LEASE_S = 35.0


@dataclass(frozen=True, slots=True)
class Term:
    """What the row says: who holds the lease (`token`: which of a process's openings of the folder), until when by its
    clock, and how often it was taken or renewed so far, by anybody."""

    token: str
    holder: Holder
    until: str
    beat: int


class Lease:
    """One applicant. `may_hold` reads; `hold` takes or renews, `release` gives back, both in the caller's transaction.

    Free is a lease that was given back, whose process has ended, whose time is up, or that was not renewed for
    LEASE_S as this process counts seconds. The last holds whatever the clocks on the wall say: a time that lies far
    ahead, because a clock was set back since, is not waited for.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._me = this_process(clock)
        self._token = secrets.token_hex(8)
        self._seen: tuple[int, float] | None = None  # the beat seen last, and when it was first seen (monotonic)

    def may_hold(self) -> bool:
        """Whether `hold` would be granted now. Microseconds."""
        return self._is_free(self._read(self._database.connection()))

    def hold(self, connection: sqlite3.Connection) -> bool:
        """The lease is this applicant's for the next LEASE_S; False: another one's."""
        term = self._read(connection)
        if not self._is_free(term):
            return False
        until = iso(self._clock.now() + timedelta(seconds=LEASE_S))
        self._write(connection, Term(self._token, self._me, until, 1 if term is None else term.beat + 1))
        return True

    def release(self, connection: sqlite3.Connection) -> None:
        """Another one need not wait. Nothing happens unless it is this applicant's."""
        term = self._read(connection)
        if term is not None and term.token == self._token:
            self._write(connection, Term("", self._me, iso(self._clock.now()), term.beat + 1))

    # ---------------------------------------------------------------- inside
    def _is_free(self, term: Term | None) -> bool:
        if term is None or term.token in ("", self._token):
            return True
        moment = self._clock.monotonic()
        if self._seen is None or self._seen[0] != term.beat:
            self._seen = (term.beat, moment)
        unrenewed = moment - self._seen[1] >= LEASE_S
        return unrenewed or from_iso(term.until) <= self._clock.now() or has_ended(term.holder)

    def _read(self, connection: sqlite3.Connection) -> Term | None:
        row = connection.execute("SELECT value FROM monitor_state WHERE name = 'collecting'").fetchone()
        try:
            values = json.loads(row[0])
            return Term(values["token"], Holder(**values["holder"]), iso(from_iso(values["until"])), values["beat"] + 0)
        except (ValueError, TypeError, KeyError):  # nothing written yet, or nothing that we wrote
            return None

    def _write(self, connection: sqlite3.Connection, term: Term) -> None:
        connection.execute(
            "INSERT OR REPLACE INTO monitor_state (name, value) VALUES ('collecting', ?)", (json.dumps(asdict(term)),)
        )
