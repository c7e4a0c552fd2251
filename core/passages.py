"""Passages: the texts that a model gets, one an article or one a chunk, by their hashes, in step with what changes."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from core.embedding.opening import opening_of
from core.embedding.shipped import hash_of
from core.protocols import Unit
from core.store.many import rows_in

if TYPE_CHECKING:
    from core.job import Job
    from core.store.articles import Articles
    from core.store.database import Database
    from core.store.vector_store import VectorStore

_AT_ONCE = 2000
_OPENINGS_AT_ONCE = 200  # a millisecond each
# An article with all that an opening leaves out or cuts: what is made of it tells one way of reading from another.
_PROBE = (
    "# 标题\n\n标题\n> 引用 **粗体** `代码` [连接](https://example.com/a) https://example.com/b ![图](c.png)\n"
    "- 项目\n1. one\n| a | b |\n| - | - |\n```sh\nrun --now\n```\n\n___x___ *y*\n" + "全角Ａ half words, 半角。 " * 100
)


@dataclass(frozen=True, slots=True)
class KnownTexts:
    """Of one knowledge version: the hash of each unit's text (unit: id of an article or chunk), the units of each
    article, and the articles that nobody has read yet."""

    version: int
    hashes: Mapping[int, str]
    units: Mapping[int, tuple[int, ...]]
    unread: frozenset[int] = frozenset()


class Passages:
    """Of one open data folder and one kind of unit. All methods may be called from any thread; they raise
    sqlite3.Error."""

    def __init__(self, database: Database, articles: Articles, store: VectorStore, unit: Unit) -> None:
        self._database = database
        self._articles = articles
        self._store = store
        self._unit = unit
        self._known = KnownTexts(0, {}, {})
        self._lock = threading.Lock()

    def known(self, job: Job | None = None, most: int | None = None) -> KnownTexts:
        """All texts as they are now. Only those of articles that came since the last time are read, and at most about
        `most` that nobody ever read. Raises Cancelled: what was read till then is remembered."""
        with self._lock:
            known = self._known
            added, removed, version = self._articles.changes_since(known.version)
            if version < known.version:  # the database was replaced by an older one
                known = KnownTexts(0, {}, {})
                added, removed, version = self._articles.changes_since(0)
            if version != known.version or (known.unread and most is None):
                hashes, units = dict(known.hashes), dict(known.units)
                for article in removed:
                    for unit in units.pop(article, ()):
                        hashes.pop(unit, None)
                before = sorted(known.unread.difference(removed)) if most is None else []
                unread = set() if most is None else set(known.unread.difference(removed))
                for article, unit, text_hash in self._read([*before, *added], job, most):
                    if text_hash:
                        hashes[unit] = text_hash
                        units[article] = (*units.get(article, ()), unit)
                    else:
                        unread.add(article)
                self._known = KnownTexts(version, hashes, units, frozenset(unread))
            return self._known

    def moved_since(self, known: KnownTexts) -> tuple[list[int], int]:
        """The units that are gone since then, and how many there are beside the others: they came, or nobody has read
        them. Reads no text."""
        added, removed, version = self._articles.changes_since(known.version)
        if version < known.version:
            added, removed = self._articles.changes_since(0)[0], [*known.units, *known.unread]
        added += known.unread.difference(removed)
        gone = [unit for article in removed for unit in known.units.get(article, ())]
        if self._unit is Unit.ARTICLE:
            return gone, len(added)
        connection = self._database.connection()
        came = rows_in(connection, "SELECT count(*) FROM chunk WHERE article_id IN (?)", added)
        return gone, sum(row[0] for row in came)

    def texts(self, units: Collection[int]) -> dict[int, str]:
        """Exactly what a model gets of these; those that are gone are left out."""
        if self._unit is Unit.ARTICLE:
            query = "SELECT id, title, named, body FROM article WHERE id IN (?)"
            rows = rows_in(self._database.connection(), query, units)
            return {row["id"]: opening_of(row["title"] if row["named"] else "", row["body"]) for row in rows}
        found = self._articles.chunks(units)
        return {unit: _text_of_chunk(chunk.heading, chunk.text) for unit, chunk in found.items()}

    # ------------------------------------------------------------------ inside
    def _read(self, articles: Sequence[int], job: Job | None, most: int | None) -> Iterator[tuple[int, int, str]]:
        """(article, unit, hash of its text); empty: it was not read."""
        for at in range(0, len(articles), _AT_ONCE):
            if job is not None:
                job.checkpoint()
            part = articles[at : at + _AT_ONCE]
            if self._unit is Unit.CHUNK:
                yield from self._chunks(part)
                continue
            openings, read = self._openings(part, job, most)
            most = None if most is None else most - read
            yield from openings

    def _openings(
        self, articles: Sequence[int], job: Job | None, most: int | None
    ) -> tuple[list[tuple[int, int, str]], int]:
        """And how many were read that nobody ever had."""
        query = "SELECT id, content_hash FROM article WHERE id IN (?)"
        sources = {row["id"]: row["content_hash"] for row in rows_in(self._database.connection(), query, articles)}
        hashes = self._store.texts_of(reading(), set(sources.values()))
        unread = [(source, article) for article, source in sources.items() if source not in hashes]
        left = unread[len(unread) if most is None else max(0, most) :]
        read = len(unread) - len(left)
        for at in range(0, read, _OPENINGS_AT_ONCE):
            if job is not None:
                job.checkpoint()
            part = dict(unread[at : min(read, at + _OPENINGS_AT_ONCE)])
            texts = self.texts(part.values())
            new = {source: hash_of(texts[article]) for source, article in part.items() if article in texts}
            self._store.keep_texts(reading(), new)
            hashes.update(new)
        skipped = {source for source, _ in left}.difference(hashes)
        found = [(article, article, hashes.get(source, "")) for article, source in sources.items()]
        return [one for one in found if one[2] or sources[one[0]] in skipped], read

    def _chunks(self, articles: Sequence[int]) -> Iterable[tuple[int, int, str]]:
        query = "SELECT id, article_id, heading, text FROM chunk WHERE article_id IN (?) ORDER BY id"
        for row in rows_in(self._database.connection(), query, articles):
            yield row["article_id"], row["id"], hash_of(_text_of_chunk(row["heading"], row["text"]))


@cache
def reading() -> str:
    """Tells how openings are made: another way has another name."""
    made = "\n\n".join((opening_of("标题", _PROBE), opening_of("", _PROBE), opening_of("Half ｗｉｄｅ", _PROBE * 2)))
    return hashlib.sha256(made.encode("utf-8")).hexdigest()[:16]


def _text_of_chunk(heading: str, text: str) -> str:
    return f"{heading}\n{text}".strip()
