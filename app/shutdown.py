"""SIGTERM, SIGINT and log-off reach the event loop: the window then stops its work and closes."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QSocketNotifier


class _Watch:
    """Held while signals are watched."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._read, self._write = socket.socketpair()
        for end in (self._read, self._write):
            end.setblocking(False)
        # Python runs a handler only when its interpreter runs; the byte that a signal writes wakes Qt, and so Python.
        self._before = signal.set_wakeup_fd(self._write.fileno())
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._woken)
        self._act = act
        self._handlers = {kind: signal.signal(kind, self._caught) for kind in (signal.SIGTERM, signal.SIGINT)}
        self._wanted = False

    def _caught(self, *_: object) -> None:
        self._wanted = True

    def _woken(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._read.recv(64)
        if self._wanted:
            self._wanted = False
            self._act()

    def release(self) -> None:
        """Signals mean again what they meant before."""
        self._notifier.setEnabled(False)
        for kind, handler in self._handlers.items():
            signal.signal(kind, handler)
        signal.set_wakeup_fd(self._before)
        self._read.close()
        self._write.close()


def stop_on_signals(act: Callable[[], None]) -> _Watch:
    """Call `act` in the event loop when the program is asked to end. Release what is given back."""
    return _Watch(act)
