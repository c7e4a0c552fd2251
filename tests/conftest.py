"""What holds for every test: no network, a data folder of its own, a screenless Qt, no threads left behind."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_SCRATCH = Path(tempfile.mkdtemp(prefix="deskside-tests-"))
os.environ["DESKSIDE_DATA_DIR"] = str(_SCRATCH / "data")
os.environ["DESKSIDE_EMBEDDER"] = "hashed"  # tests of models say otherwise
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if not os.environ.get("XDG_RUNTIME_DIR"):
    os.environ["XDG_RUNTIME_DIR"] = str(_SCRATCH)

_TOLD = {"deadline": None, "print_blob": True, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("deskside-ci", derandomize=True, **_TOLD)  # type: ignore[arg-type]
settings.register_profile("deskside", **_TOLD)  # type: ignore[arg-type]
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "deskside"))

# A thread that was told to stop gets this long to do so; it is no limit on anything that works.
_PATIENCE_S = 20


class NetworkForbidden(Exception):
    """A test, or what it tests, tried to reach the network."""


def _forbid(*_: object, **__: object) -> None:
    raise NetworkForbidden


def pytest_configure(config: pytest.Config) -> None:
    """Close the network for the whole run, collection included."""
    for name in ("connect", "connect_ex"):
        original = getattr(socket.socket, name)

        def only_local(self: socket.socket, address: object, original: object = original) -> object:
            if self.family != getattr(socket, "AF_UNIX", None):
                raise NetworkForbidden(address)
            return original(self, address)  # type: ignore[operator]

        setattr(socket.socket, name, only_local)
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr", "create_connection"):
        setattr(socket, name, _forbid)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave nothing behind."""
    shutil.rmtree(_SCRATCH, ignore_errors=True)


@pytest.fixture(autouse=True)
def no_threads_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test ends the threads it starts; those of wider fixtures were there before and stay."""
    before = set(threading.enumerate())
    yield
    started = [thread for thread in threading.enumerate() if thread not in before]
    for thread in started:
        thread.join(_PATIENCE_S)
    left = [thread.name for thread in started if thread.is_alive()]
    assert not left, f"threads left behind: {left}"
