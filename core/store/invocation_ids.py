"""Ids of lookups, made in the program so that a row has its id before it is written."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from datetime import UTC, datetime

_SINCE = datetime(2020, 1, 1, tzinfo=UTC)
_TOKEN_BITS = 11  # 52 bits of microseconds are left: enough for 142 years


class InvocationIds:
    """Ids in order of time: microseconds, then a token of the process, so that two processes never meet. Below 2^63,
    larger than all ids that stood in the log when the first one was made, whatever the computer's clock says."""

    def __init__(self, newest: Callable[[], int]) -> None:
        self._newest = newest
        self._token = secrets.randbits(_TOKEN_BITS)
        self._lock = threading.Lock()
        self._last: int | None = None

    def next(self, moment: datetime) -> int:
        """A new id for a lookup at an aware moment. Safe under threads."""
        since = moment - _SINCE
        microseconds = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
        with self._lock:
            if self._last is None:
                self._last = self._newest() >> _TOKEN_BITS
            self._last = max(microseconds, self._last + 1)
            return self._last << _TOKEN_BITS | self._token
