"""The tests themselves cannot reach the network."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from tests.conftest import NetworkForbidden


def test_sockets_to_the_network_are_refused() -> None:
    with socket.socket(socket.AF_INET) as sock, pytest.raises(NetworkForbidden):
        sock.connect(("127.0.0.1", 9))
    with pytest.raises(NetworkForbidden):
        socket.getaddrinfo("localhost", 80)


@pytest.mark.skipif(sys.platform == "win32", reason="no AF_UNIX")
def test_local_sockets_work(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "s"))
        server.listen()
        client.connect(str(tmp_path / "s"))
