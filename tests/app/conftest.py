"""Fixtures of the window's tests: a small knowledge base, a runner that is drained, a window on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from app.tasks import TaskRunner


@pytest.fixture
def tasks(qapp: QApplication) -> Iterator[TaskRunner]:
    """A runner that ends with the test."""
    runner = TaskRunner()
    yield runner
    assert runner.close(), "a lane did not end"
    runner.deleteLater()
