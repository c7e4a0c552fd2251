"""One window a data folder: the second start raises the first and ends (case 40)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QDeadlineTimer, QLockFile, QObject
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from core.errors import ExpectedError

PATIENCE_MS = 5000


class WindowElsewhereError(ExpectedError):
    """facts: pid, host. Another window uses the folder but does not answer."""

    code = "window_elsewhere"


class SingleWindow(QObject):
    """The lock in the data folder decides who is first; the local socket only carries the wish to be raised.

    A lock whose process is gone is taken over, as is the socket file it left.
    """

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lock = QLockFile(str(data_dir / "window.lock"))
        self._lock.setStaleLockTime(0)
        place = hashlib.sha256(str(data_dir.resolve()).encode("utf-8", "surrogatepass")).hexdigest()
        self._name = f"deskside-{place[:24]}"
        self._server: QLocalServer | None = None

    def claim(self) -> bool:
        """True: this is the one window. False: another was, and has been raised. Raises WindowElsewhereError."""
        deadline = QDeadlineTimer(PATIENCE_MS)
        while True:
            if self._lock.tryLock(0):
                return True
            if self._raise_other():
                return False
            # The other one may be just starting or just ending: neither listening nor gone.
            if deadline.hasExpired():
                pid, host, _ = self._lock.getLockInfo()
                raise WindowElsewhereError(pid=pid, host=host)
            self._lock.tryLock(100)
            if self._lock.isLocked():
                return True

    def listen(self, wish: Callable[[], None]) -> None:
        """From now on a second start calls `wish`."""
        QLocalServer.removeServer(self._name)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(lambda: self._answer(wish))
        self._server.listen(self._name)

    def release(self) -> None:
        """The window is gone. Idempotent."""
        if self._server is not None:
            self._server.close()
            self._server = None
        self._lock.unlock()

    def _answer(self, wish: Callable[[], None]) -> None:
        server = self._server
        while server is not None and (socket := server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.write(b"raised\n")
            socket.flush()
            socket.disconnectFromServer()
            wish()

    def _raise_other(self) -> bool:
        socket = QLocalSocket()
        socket.connectToServer(self._name)
        if not socket.waitForConnected(200):
            return False
        answered = socket.bytesAvailable() > 0 or socket.waitForReadyRead(PATIENCE_MS)
        socket.disconnectFromServer()
        return answered
