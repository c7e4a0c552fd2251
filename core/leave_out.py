"""Leave-out: the knowledge as if some of its articles had never been imported (contract §11.3). Nothing is changed.

The database is copied to a temporary file, where the articles are removed as an import removes them; the index is a
copy in memory that catches up with that. A file and no in-memory database, because every thread has a connection of
its own, opened by path, and because a large base need not fit into memory twice.
"""

from __future__ import annotations

import hashlib
import tempfile
import unicodedata
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from core.evaluation import Qrels
from core.indexing import IndexKeeper
from core.store.articles import Articles
from core.store.database import Database

LeftOut = Callable[[str], bool]
_ONE_IN = 5


def is_left_out(doc_key: str) -> bool:
    """The contract's fifth of all articles: the SHA-1 of the doc_key (UTF-8, NFC) as a number is divisible by 5."""
    digest = hashlib.sha1(unicodedata.normalize("NFC", doc_key).encode("utf-8"), usedforsecurity=False)
    return int(digest.hexdigest(), 16) % _ONE_IN == 0


@dataclass(frozen=True, slots=True)
class Part:
    """What is left of a knowledge base; `kept` and `gone`: the doc_keys of its articles and of those left out."""

    database: Database
    keeper: IndexKeeper
    kept: tuple[str, ...]
    gone: tuple[str, ...]


@contextmanager
def leaving_out(database: Database, keeper: IndexKeeper, left_out: LeftOut = is_left_out) -> Iterator[Part]:
    """The knowledge without the articles whose doc_key `left_out` names; it lasts as long as the context."""
    index = keeper.current().copy()  # before the database is copied: catching up goes forward only
    with tempfile.TemporaryDirectory(prefix="deskside-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        database.copy_to(folder / database.path.name)
        with closing(Database.open(folder / database.path.name)) as copy:
            articles = Articles(copy)
            keys = articles.doc_keys()
            gone = tuple(key for key in keys if left_out(key))
            with copy.transaction() as connection:
                articles.remove(connection, gone)
            embedder, *further = keeper.embedders
            rest = IndexKeeper(
                copy,
                articles,
                folder / "index",
                embedder=embedder,
                further=further,
                lexicon=keeper.lexicon,
                index=index,
            )
            yield Part(copy, rest, tuple(articles.doc_keys()), gone)


def qrels_left(
    qrels: Qrels, kept: Collection[str], gone: Collection[str]
) -> tuple[dict[str, dict[str, int]], frozenset[str]]:
    """The qrels of what is there, and the ids of the queries whose right articles (those with its highest score) were
    all left out: these have no answer any more. `kept`, `gone`: doc_keys, which qrels may know by the part after `#`.
    """
    missing = names_of(gone) - names_of(kept)
    left: dict[str, dict[str, int]] = {}
    without: set[str] = set()
    for query_id, scores in qrels.items():
        best = max(scores.values(), default=0)
        right = {article for article, score in scores.items() if score == best > 0}
        if right and right <= missing:
            without.add(query_id)
        else:
            left[query_id] = {article: score for article, score in scores.items() if article not in missing}
    return left, frozenset(without)


def names_of(doc_keys: Collection[str]) -> set[str]:
    """All the names under which qrels may know these articles: the doc_key, and each part of it after a `#`."""
    names: set[str] = set()
    for key in doc_keys:
        parts = key.split("#")
        names.update("#".join(parts[at:]) for at in range(len(parts)))
    return names
