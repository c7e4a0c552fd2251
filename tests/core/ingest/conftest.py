"""An empty knowledge base with a clock in the test's hand, and a folder to import from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from core.ingest.importer import Importer
from core.model import Article
from core.paths import DataFolder
from core.reasons import Reason
from core.report import ImportReport
from core.settings import Settings
from core.store.articles import Articles
from core.store.database import Database
from core.store.sources import Sources
from tests.manual_clock import ManualClock


@dataclass
class Base:
    folder: DataFolder
    database: Database
    clock: ManualClock = field(default_factory=ManualClock)
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        self.articles = Articles(self.database)
        self.sources = Sources(self.database)

    @property
    def importer(self) -> Importer:
        return Importer(self.database, self.articles, self.folder, self.settings, self.clock, pause=self.clock.advance)

    def run(self, *paths: Path, **options: object) -> ImportReport:
        return self.importer.run(paths, **options)  # type: ignore[arg-type]

    def all(self) -> dict[str, Article]:
        ids = [row[0] for row in self.database.connection().execute("SELECT id FROM article")]
        return {article.doc_key: article for article in self.articles.by_ids(ids).values()}

    def keys(self) -> set[str]:
        return set(self.all())

    def count(self, table: str) -> int:
        return int(self.database.connection().execute(f"SELECT count(*) FROM {table}").fetchone()[0])


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Base]:
    folder = DataFolder(tmp_path / "data").create()
    database = Database.open(folder.database)
    yield Base(folder, database)
    database.close()


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    folder = tmp_path / "kb"
    folder.mkdir()
    return folder


def write(path: Path, text: str | bytes, *, age: int = 1000) -> Path:
    """A file written `age` seconds before the clock of the tests starts, so that its time stamp can be trusted."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    moment = ManualClock().now().timestamp() - age
    os.utime(path, (moment, moment))
    return path


def outcomes(report: ImportReport) -> dict[str, str]:
    """doc_key, else file name → outcome."""
    return {item.doc_key or Path(item.path).name: item.outcome.value for item in report.items}


def reasons(report: ImportReport) -> dict[str, Reason | None]:
    """doc_key, else file name → the first reason."""
    return {item.doc_key or Path(item.path).name: next(iter(item.why), None) for item in report.items}
