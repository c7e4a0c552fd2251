"""The knowledge writer lock: one process at a time imports, rebuilds or repairs (contract §9)."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from core.clock import Clock, SystemClock, iso
from core.errors import KnowledgeLocked

WAIT_S = 10.0
_PAUSE_S = 0.1
_UNWRITTEN_S = 5.0  # a lock file still empty after this was left by a crash between creating and writing it


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds the lock. `started` tells a process apart from a later one of the same number, "" when unknown."""

    pid: int
    host: str
    since: str
    started: str


@contextmanager
def write_lock(
    path: Path, *, clock: Clock | None = None, pause: Callable[[float], None] = time.sleep, wait_s: float = WAIT_S
) -> Iterator[None]:
    """Hold the lock for the block. A stale one (dead process of this host) is taken over at once.

    Raises KnowledgeLocked (naming the holder) when another one still holds it after pauses of `wait_s` in all.
    """
    clock = clock or SystemClock()
    me = this_process(clock)
    data = json.dumps({"pid": me.pid, "host": me.host, "since": me.since, "started": me.started}).encode("utf-8")
    waited = 0.0
    while not _create(path, data):
        held = _read(path)
        if _is_stale(path, held):
            _take_away(path)
            continue
        if waited >= wait_s:
            held = held or Holder(0, "", "", "")
            raise KnowledgeLocked(pid=held.pid, host=held.host, since=held.since)
        pause(_PAUSE_S)
        waited += _PAUSE_S
    try:
        yield
    finally:
        if _read(path) == me:
            path.unlink(missing_ok=True)


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock now; a stale one is held by nobody."""
    return not _is_stale(path, _read(path)) and path.exists()


def this_process(clock: Clock) -> Holder:
    """This process as a holder from now on."""
    return Holder(os.getpid(), socket.gethostname(), iso(clock.now()), process_start(os.getpid()))


def has_ended(holder: Holder) -> bool:
    """Whether its process is known to have ended; of one on another host nobody knows."""
    if holder.host != socket.gethostname():
        return False
    return not _is_alive(holder.pid) or (holder.started != "" and process_start(holder.pid) != holder.started)


def process_start(pid: int) -> str:
    """When a process of this host started, in the system's own units; "" where that cannot be told."""
    if sys.platform != "linux":
        return ""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    # the name in brackets may hold blanks and brackets itself; start time is field 22 of all
    return stat.rpartition(")")[2].split()[19]


def _create(path: Path, data: bytes) -> bool:
    """Write the lock file beside and link it into place, so that it is never seen half written."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.{time.monotonic_ns()}")
    beside.write_bytes(data)
    try:
        os.link(beside, path)
    except FileExistsError:
        return False
    except OSError:  # no hard links here (some shares, some memory cards)
        return _create_plainly(path, data)
    finally:
        beside.unlink(missing_ok=True)
    return True


def _create_plainly(path: Path, data: bytes) -> bool:
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        return False
    return True


def _read(path: Path) -> Holder | None:
    """Who holds it; None when the file is gone or not readable as one of ours."""
    try:
        values = json.loads(path.read_bytes())
        return Holder(int(values["pid"]), str(values["host"]), str(values["since"]), str(values["started"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _is_stale(path: Path, held: Holder | None) -> bool:
    if held is None:
        try:
            return time.time() - path.stat().st_mtime > _UNWRITTEN_S
        except OSError:
            return False
    return has_ended(held)


def _is_alive(pid: int) -> bool:
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    """os.kill would end the process there."""
    import ctypes

    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    handle = kernel.OpenProcess(0x1000, False, pid)
    if not handle:
        return False
    code = ctypes.c_ulong()
    kernel.GetExitCodeProcess(handle, ctypes.byref(code))
    kernel.CloseHandle(handle)
    return code.value == 259


def _take_away(path: Path) -> None:
    """Move a stale lock aside; of several takers only one succeeds, and a lock just made is not lost."""
    aside = path.with_name(f"{path.name}.stale.{os.getpid()}.{time.monotonic_ns()}")
    try:
        path.replace(aside)
    except OSError:
        return
    if not _is_stale(aside, _read(aside)):  # another one was quicker and this is its new lock
        with suppress(OSError):
            os.link(aside, path)
    aside.unlink(missing_ok=True)
