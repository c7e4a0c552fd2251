"""What the store gives back of what was written, and how readers learn of changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.identifiers import Term
from core.model import ArticleState, ChunkDraft
from core.store.articles import ArticleDraft, Articles
from core.store.database import Database
from core.store.sources import Sources


def draft(key: str, *, text: str = "", title: str = "T") -> ArticleDraft:
    return ArticleDraft(
        doc_key=key,
        title=title,
        named=True,
        domain="network",
        body=f"正文 {key}",
        keywords=("VPN", "错误691"),
        updated="2025-01-02",
        state=ArticleState.CURRENT,
        superseded_by=None,
        review_by=None,
        content_hash=f"c:{key}",
        text_hash=text or f"t:{key}",
        folded=f"正文{key}",
        notes=(),
        chunks=(ChunkDraft(0, "A > B", "正文"), ChunkDraft(3, "", key)),
        terms=(Term("vpn", "declared", False), Term("691", "declared", True), Term("691", "part", True)),
    )


class Store:
    def __init__(self, path: Path) -> None:
        self.database = Database.open(path)
        self.articles = Articles(self.database)
        self.sources = Sources(self.database)
        self.source = self.sources.ensure("/kb", "kb", "folder")
        with self.database.transaction() as connection:
            self.file = self.sources.write_file(
                connection,
                self.source.id,
                "a.md",
                size=1,
                mtime_ns=1,
                sha256="",
                outcome="read",
                reason=None,
                seen_at="",
            )

    def add(self, key: str, **changes: str) -> int:
        with self.database.transaction() as connection:
            return self.articles.add(connection, self.source.id, self.file, draft(key, **changes))

    def remove(self, *keys: str) -> None:
        with self.database.transaction() as connection:
            self.articles.remove(connection, keys)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "d.sqlite3")
    yield store
    store.database.close()


def test_an_article_comes_back_whole(store: Store) -> None:
    article_id = store.add("a")
    article = store.articles.get("a")
    assert article is not None and article.id == article_id
    written = draft("a")
    for name in ("doc_key", "title", "domain", "body", "keywords", "updated", "state", "content_hash", "text_hash"):
        assert getattr(article, name) == getattr(written, name)
    ids = [chunk.id for chunk in store.articles.chunks_for_index([article_id])]
    found = store.articles.chunks([*ids, 10**6])
    chunks = [found[chunk_id] for chunk_id in ids]
    assert len(found) == len(ids)
    assert [(chunk.position, chunk.start, chunk.heading, chunk.text) for chunk in chunks] == [
        (0, 0, "A > B", "正文"),
        (1, 3, "", "a"),
    ]
    assert store.articles.get("nothing") is None


def test_copies_share_a_text(store: Store) -> None:
    ids = [store.add(key, text="same") for key in ("b", "a", "c")]
    found = store.articles.by_ids(ids)
    assert [found[article_id].copies for article_id in ids] == [("a", "c"), ("b", "c"), ("a", "b")]
    assert store.articles.text_hashes(ids) == dict.fromkeys(ids, "same")


def test_terms_and_holders(store: Store) -> None:
    first, second = store.add("x1"), store.add("x2")
    assert store.articles.term_articles(["691", "vpn", "none"]) == {
        "691": [(first, "declared", True), (first, "part", True), (second, "declared", True), (second, "part", True)],
        "vpn": [(first, "declared", False), (second, "declared", False)],
    }
    assert store.articles.holders_of("正文x", 1) == [first]
    assert store.articles.holders_of("正文x", 9) == [first, second]
    assert store.articles.holders_of("%", 9) == []


def test_removing_leaves_no_row(store: Store) -> None:
    store.add("a")
    store.remove("a", "unknown")
    count = store.database.connection().execute(
        "SELECT (SELECT count(*) FROM article) + (SELECT count(*) FROM chunk) + (SELECT count(*) FROM term)"
    )
    assert count.fetchone()[0] == 0
    assert list(store.articles.all_chunks()) == []


def test_ids_are_never_used_again(store: Store) -> None:
    first = store.add("a")
    store.remove("a")
    assert store.add("a") > first


@settings(max_examples=25)  # each opens a database of its own
@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=12), st.integers(0, 12))
def test_changes_lead_from_any_version_to_the_present(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, bool]], at: int
) -> None:
    store = Store(tmp_path_factory.mktemp("changes") / "d.sqlite3")
    try:
        live: dict[str, int] = {}
        then, version = set(live.values()), store.articles.version()
        for number, (key, remove) in enumerate(steps):
            if number == at:
                then, version = set(live.values()), store.articles.version()
            if key in live:
                store.remove(key)
                del live[key]
            if not remove:
                live[key] = store.add(key)
        added, removed, now = store.articles.changes_since(version)
        assert (then - set(removed)) | set(added) == set(live.values())
        assert set(removed) <= then and not set(added) & then
        assert now == store.articles.version()
        chunks = list(store.articles.all_chunks())
        assert {chunk.article_id for chunk in chunks} == set(live.values())
        assert store.articles.chunks_for_index(list(live.values())) == chunks
    finally:
        store.database.close()


def test_many_ids_at_once(store: Store) -> None:
    ids = [store.add(f"k{number}") for number in range(3)]
    assert set(store.articles.by_ids([*ids, *range(1000, 4000)])) == set(ids)


def test_counts_and_domains(store: Store) -> None:
    assert (store.articles.counts(), store.articles.version()) == ((0, 0), 0)
    store.add("a")
    assert store.articles.counts() == (1, 2)
    assert store.articles.domains() == [("network", 1)]
    assert store.articles.failed_files() == 0


def test_source_names_are_unique(store: Store) -> None:
    assert store.sources.ensure("/x/kb", "kb", "folder").name == "kb~2"
    assert store.sources.ensure("/y/kb", "kb", "library").name == "kb~3"
    assert store.sources.ensure("/y/kb", "kb", "folder").kind == "folder"
    assert store.sources.ensure("/y/kb", "kb", "library").kind == "folder"
