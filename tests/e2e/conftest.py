"""An open engine over the stated knowledge base, in a data folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine
from tests.e2e.planted import PlantedEmbedder, write_articles


@pytest.fixture
def embedder() -> PlantedEmbedder:
    return PlantedEmbedder()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "数据"


@pytest.fixture
def knowledge(tmp_path: Path) -> Path:
    """The folder that the stated articles were imported from."""
    return write_articles(tmp_path / "kb")


@pytest.fixture
def engine(data_dir: Path, knowledge: Path, embedder: PlantedEmbedder) -> Iterator[Engine]:
    opened = Engine.open(data_dir, embedder=embedder)
    opened.remove_starter()
    report = opened.ingest([knowledge])
    assert report.counts["failed"] == 0
    yield opened
    opened.close()
