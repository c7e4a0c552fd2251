"""Article heads: what ranking and the result list need of articles, without reading their texts."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.model import ArticleState
from core.store.many import marks, portions, rows_in

if TYPE_CHECKING:
    import sqlite3

    from core.store.database import Database

_STATES = {state.value: state for state in ArticleState}
# In the order of ArticleHead's fields.
_COLUMNS = (
    "id, doc_key, title, domain, keywords, updated, state, superseded_by, review_by, content_hash, text_hash, named"
)


@dataclass(frozen=True, slots=True)
class ArticleHead:
    """An article without its body."""

    id: int
    doc_key: str
    title: str
    domain: str
    keywords: tuple[str, ...]
    updated: str | None
    state: ArticleState
    superseded_by: str | None
    review_by: str | None
    content_hash: str
    text_hash: str
    named: bool


class Heads:
    """Reads heads; safe from any thread."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, query: str, values: Collection[int] | Collection[str]) -> list[sqlite3.Row]:
        return rows_in(self._database.connection(), query, values)

    def by_ids(self, article_ids: Collection[int]) -> dict[int, ArticleHead]:
        """Heads by article id; unknown ids are left out."""
        return {
            row["id"]: _head(row)
            for row in rows_in(
                self._database.connection(), f"SELECT {_COLUMNS} FROM article WHERE id IN (?)", article_ids
            )
        }

    def domains(self, article_ids: Collection[int]) -> dict[int, str]:
        """Article id → its domain; unknown ids are left out."""
        return {
            row["id"]: row["domain"]
            for row in self._rows("SELECT id, domain FROM article WHERE id IN (?)", article_ids)
        }

    def by_keys(self, doc_keys: Collection[str]) -> dict[int, ArticleHead]:
        """Heads by article id; unknown keys are left out."""
        query = f"SELECT {_COLUMNS} FROM article WHERE doc_key IN (?)"
        return {row["id"]: _head(row) for row in self._rows(query, doc_keys)}

    def copies(self, heads: Collection[ArticleHead]) -> dict[int, tuple[str, ...]]:
        """The other keys of each head's text, in order."""
        keys: dict[str, list[str]] = {}
        query = "SELECT text_hash, doc_key FROM article WHERE text_hash IN (?) ORDER BY doc_key"
        for row in self._rows(query, {head.text_hash for head in heads}):
            keys.setdefault(row["text_hash"], []).append(row["doc_key"])
        return {head.id: tuple(key for key in keys.get(head.text_hash, ()) if key != head.doc_key) for head in heads}

    def text_of(self, article_id: int) -> str:
        """Title, headings, body (squeezed) and keywords (folded) of an article; empty when there is none."""
        from core.text import fold

        query = "SELECT folded, keywords FROM article WHERE id = ?"
        row = self._database.connection().execute(query, (article_id,)).fetchone()
        return "" if row is None else row["folded"] + "\n" + fold("\n".join(json.loads(row["keywords"])))

    def first_chunks(self, article_ids: Collection[int]) -> list[tuple[int, int]]:
        """(article id, id of its first chunk)."""
        query = "SELECT article_id, min(id) AS first FROM chunk WHERE article_id IN (?) GROUP BY article_id"
        return [(row["article_id"], row["first"]) for row in self._rows(query, article_ids)]

    def holders_among(self, article_ids: Collection[int], squeezed: str) -> frozenset[int]:
        """Those of the articles whose title, headings or body hold the squeezed text as a substring."""
        return frozenset(row["id"] for row in self._holding("id", article_ids, squeezed))

    def quoters_among(self, article_ids: Collection[int], squeezed: str) -> frozenset[int]:
        """As holders_among, but no Latin word or number may go on where the text begins or ends, and the text of a
        Markdown link does not count: it names another article."""
        before = r"(?<![a-z0-9\[])" if squeezed[:1].isascii() else r"(?<!\[)"
        after = "(?![a-z0-9])" if squeezed[-1:].isascii() else ""
        whole = re.compile(before + re.escape(squeezed) + after)
        return frozenset(
            row["id"] for row in self._holding("id, folded", article_ids, squeezed) if whole.search(row["folded"])
        )

    def _holding(self, columns: str, article_ids: Collection[int], squeezed: str) -> Iterator[sqlite3.Row]:
        connection = self._database.connection()
        for portion in portions(article_ids):
            query = f"SELECT {columns} FROM article WHERE id IN ({marks(portion)}) AND instr(folded, ?) > 0"
            yield from connection.execute(query, (*portion, squeezed))


def _head(row: sqlite3.Row) -> ArticleHead:
    number, doc_key, title, domain, keywords, updated, state, by, review_by, content_hash, text_hash, named = row
    listed = tuple(json.loads(keywords)) if keywords != "[]" else ()
    return ArticleHead(
        number,
        doc_key,
        title,
        domain,
        listed,
        updated,
        _STATES[state],
        by,
        review_by,
        content_hash,
        text_hash,
        bool(named),
    )
