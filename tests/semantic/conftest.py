"""These tests need packaging/requirements-semantic.txt; `dev.py test` installs it before its last stage."""

from __future__ import annotations

import importlib.util

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A run of all tests without these packages skips them and says so."""
    if importlib.util.find_spec("FlagEmbedding") is None:
        for item in items:
            if "tests/semantic" in item.path.as_posix():
                item.add_marker(pytest.mark.skip(reason="FlagEmbedding is not installed"))
