"""The starter base: there once, gone for good."""

from __future__ import annotations

from core.ingest.starter import has_starter, offer_starter, remove_starter
from tests.core.ingest.conftest import Base


def test_the_starter_base_is_offered_once_and_stays_away(base: Base) -> None:
    assert offer_starter(base.importer, base.sources)
    assert has_starter(base.sources) and base.articles.counts()[0] == 53
    assert len(base.articles.domains()) == 8
    assert not offer_starter(base.importer, base.sources)
    assert remove_starter(base.importer, base.sources) == 53
    assert not has_starter(base.sources)
    assert [base.count(table) for table in ("source", "file", "article", "chunk", "term")] == [0] * 5
    assert not offer_starter(base.importer, base.sources)
    assert remove_starter(base.importer, base.sources) == 0


def test_every_starter_article_is_read_without_a_note(base: Base) -> None:
    offer_starter(base.importer, base.sources)
    rows = base.database.connection().execute("SELECT doc_key, notes, updated, keywords FROM article").fetchall()
    assert all(row["notes"] == "[]" and row["updated"] and row["keywords"] != "[]" for row in rows)
