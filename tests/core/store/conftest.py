"""What the tests of the monitor's tables share: an open database, and somebody who writes its log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.store.database import Database
from tests.core.store.log_maker import LogMaker


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "deskside.sqlite3")
    yield opened
    opened.close()


@pytest.fixture
def log(database: Database) -> LogMaker:
    return LogMaker(database)
