"""Fixtures of the window's tests: a small knowledge base, a runner that is drained, a window on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.tasks import TaskRunner
from core.engine import Engine
from tests.app.desk import Desk, write_articles


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[TaskRunner]:
    """A runner that ends with the test."""
    runner = TaskRunner()
    yield runner
    assert runner.close(), "a lane did not end"
    runner.deleteLater()


@pytest.fixture(scope="session")
def stated_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed data folder that holds the stated articles; copied for each test."""
    root = tmp_path_factory.mktemp("base")
    engine = Engine.open(root / "data")
    engine.remove_starter()
    report = engine.ingest([write_articles(root / "kb")])
    assert report.counts["added"] == 6
    engine.close()
    return root / "data"


@pytest.fixture
def data_dir(stated_base: Path, tmp_path: Path) -> Path:
    """A data folder of its own."""
    return Path(shutil.copytree(stated_base, tmp_path / "数据"))


@pytest.fixture
def desk(qapp: QApplication, data_dir: Path) -> Iterator[Desk]:
    """An open window in Chinese."""
    opened = Desk(data_dir)
    opened.open()
    yield opened
    opened.close()
