"""Articles in the database: reading them, their chunks and L0 terms, and replacing a file's articles as one step."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from core.identifiers import Term
from core.model import Article, ArticleState, Chunk, ChunkDraft
from core.reasons import Reason, as_json
from core.store.many import marks, portions, rows_in

if TYPE_CHECKING:
    from core.store.database import Database

_COLUMNS = (
    "id, doc_key, title, domain, body, keywords, updated, state, superseded_by, review_by, content_hash, text_hash"
)
_FOR_INDEX = "chunk.id, article_id, heading, text, CASE WHEN named THEN title ELSE '' END AS title, keywords"


@dataclass(frozen=True, slots=True)
class ArticleDraft:
    """An article ready to be written. `folded` is core.identifiers.holding_text of title and body."""

    doc_key: str
    title: str
    named: bool
    domain: str
    body: str
    keywords: tuple[str, ...]
    updated: str | None
    state: ArticleState
    superseded_by: str | None
    review_by: str | None
    content_hash: str
    text_hash: str
    folded: str
    notes: tuple[Reason, ...]
    chunks: tuple[ChunkDraft, ...]
    terms: tuple[Term, ...]


class ChunkForIndex(NamedTuple):
    """A chunk with what is indexed beside its text; `title` is empty where it names nothing."""

    id: int
    article_id: int
    heading: str
    text: str
    title: str
    keywords: tuple[str, ...]


class Articles:
    """All knowledge of one data folder. Reading is safe from any thread and sees only committed articles."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, query: str, values: Collection[int] | Collection[str]) -> list[sqlite3.Row]:
        return rows_in(self._database.connection(), query, values)

    # ------------------------------------------------------------- reading
    def get(self, doc_key: str) -> Article | None:
        """The article of that key, with its copies."""
        row = self._database.connection().execute("SELECT id FROM article WHERE doc_key = ?", (doc_key,)).fetchone()
        return self.by_ids([row["id"]]).get(row["id"]) if row else None

    def by_ids(self, article_ids: Collection[int]) -> dict[int, Article]:
        """Articles by id, with `copies`: the other keys of the same text, in order. Unknown ids are left out."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM article WHERE id IN (?)", article_ids)
        keys = self._keys_by_text({row["text_hash"] for row in rows})
        return {row["id"]: _article(row, keys[row["text_hash"]]) for row in rows}

    def chunks(self, chunk_ids: Collection[int]) -> dict[int, Chunk]:
        """Chunks by id; unknown ids are left out."""
        rows = self._rows("SELECT * FROM chunk WHERE id IN (?)", chunk_ids)
        return {row["id"]: _chunk(row) for row in rows}

    def all_chunks(self) -> Iterator[ChunkForIndex]:
        """Every chunk in order of id, as one consistent view. Read to the end or close() it: it holds a snapshot."""
        query = f"SELECT {_FOR_INDEX} FROM chunk JOIN article ON article.id = chunk.article_id ORDER BY chunk.id"
        return (_for_index(row) for row in self._database.connection().execute(query))

    def chunks_for_index(self, article_ids: Collection[int]) -> list[ChunkForIndex]:
        """The chunks of some articles in order of id, as all_chunks() gives them."""
        query = f"SELECT {_FOR_INDEX} FROM chunk JOIN article ON article.id = chunk.article_id WHERE article_id IN (?)"
        return sorted(_for_index(row) for row in self._rows(query, article_ids))

    def version(self) -> int:
        """The knowledge version: the number of the last change, 0 for an empty base."""
        row = self._database.connection().execute("SELECT max(no) FROM change").fetchone()
        return int(row[0] or 0)

    def changes_since(self, no: int) -> tuple[list[int], list[int], int]:
        """(ids added, ids removed, version) after change `no`; what came and went in between is in neither."""
        rows = self._database.connection().execute(
            "SELECT no, kind, article_id FROM change WHERE no > ? ORDER BY no", (no,)
        )
        added: dict[int, None] = {}
        removed: list[int] = []
        for row in rows:
            no = row["no"]
            if row["kind"] == "added":
                added[row["article_id"]] = None
            elif row["article_id"] in added:
                del added[row["article_id"]]
            else:
                removed.append(row["article_id"])
        return list(added), removed, no

    def domains(self) -> list[tuple[str, int]]:
        """(domain, articles in it), in order of name."""
        rows = self._database.connection().execute("SELECT domain, count(*) FROM article GROUP BY domain ORDER BY 1")
        return [(row[0], row[1]) for row in rows]

    def ids_in_domain(self, domain: str) -> list[int]:
        """The articles of a domain, ids in order."""
        rows = self._database.connection().execute("SELECT id FROM article WHERE domain = ? ORDER BY id", (domain,))
        return [row[0] for row in rows]

    def doc_keys(self) -> list[str]:
        """The keys of all articles, oldest first."""
        return [row[0] for row in self._database.connection().execute("SELECT doc_key FROM article ORDER BY id")]

    def counts(self) -> tuple[int, int]:
        """(articles, chunks)."""
        row = self._database.connection().execute("SELECT (SELECT count(*) FROM article), (SELECT count(*) FROM chunk)")
        articles, chunks = row.fetchone()
        return int(articles), int(chunks)

    def failed_files(self) -> int:
        """How many files the last imports could not read."""
        row = self._database.connection().execute("SELECT count(*) FROM file WHERE outcome = 'failed'").fetchone()
        return int(row[0])

    # ------------------------------------------------------------------ L0
    def term_articles(self, terms: Sequence[str]) -> dict[str, list[tuple[int, str, bool]]]:
        """For each known term: (article id, kind, is an identifier), in order of id."""
        found: dict[str, list[tuple[int, str, bool]]] = {}
        for row in rows_in(
            self._database.connection(), "SELECT term, article_id, kind, identifier FROM term WHERE term IN (?)", terms
        ):
            found.setdefault(row["term"], []).append((row["article_id"], row["kind"], bool(row["identifier"])))
        return found

    def identifiers_between(self, low: str, high: str, limit: int) -> list[str]:
        """The keys of identifiers from `low` up to, without, `high`, in order, `limit` at most."""
        rows = self._database.connection().execute(
            "SELECT DISTINCT term FROM term WHERE term >= ? AND term < ? AND identifier = 1 AND kind != 'part' LIMIT ?",
            (low, high, limit),
        )
        return [row[0] for row in rows]

    def holders_of(self, squeezed: str, limit: int) -> list[int]:
        """Articles whose title, headings or body hold the squeezed text, `limit` at most; stops at the last one."""
        rows = self._database.connection().execute(
            "SELECT id FROM article WHERE instr(folded, ?) > 0 LIMIT ?", (squeezed, limit)
        )
        return [row[0] for row in rows]

    def unreviewed(self) -> frozenset[int]:
        """The articles that nobody has approved: drafts and field notes."""
        rows = self._database.connection().execute("SELECT id FROM article WHERE state IN ('draft', 'unreviewed')")
        return frozenset(row[0] for row in rows)

    def text_hashes(self, article_ids: Collection[int]) -> dict[int, str]:
        """The text hash of each article; exact copies share one."""
        rows = self._rows("SELECT id, text_hash FROM article WHERE id IN (?)", article_ids)
        return {row["id"]: row["text_hash"] for row in rows}

    # ------------------------------------------------------------- writing
    def owner(self, doc_key: str) -> tuple[int, int] | None:
        """(source id, file id) of the article that has this key."""
        row = (
            self._database.connection()
            .execute("SELECT source_id, file_id FROM article WHERE doc_key = ?", (doc_key,))
            .fetchone()
        )
        return (row["source_id"], row["file_id"]) if row else None

    def add(self, connection: sqlite3.Connection, source_id: int, file_id: int, draft: ArticleDraft) -> int:
        """Write one article inside a transaction; returns its id. An article of the same key must be gone."""
        cursor = connection.execute(
            "INSERT INTO article (doc_key, source_id, file_id, title, named, domain, keywords, body, folded, "
            "updated, state, superseded_by, review_by, content_hash, text_hash, notes) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(draft.doc_key, source_id, file_id, draft.title, draft.named, draft.domain),
                *(_list(draft.keywords), draft.body),
                *(draft.folded, draft.updated, draft.state.value, draft.superseded_by, draft.review_by),
                *(draft.content_hash, draft.text_hash, as_json(draft.notes)),
            ),
        )
        article_id = int(cursor.lastrowid or 0)
        connection.executemany(
            "INSERT INTO chunk (article_id, position, start, heading, text) VALUES (?, ?, ?, ?, ?)",
            [
                (article_id, position, chunk.start, chunk.heading, chunk.text)
                for position, chunk in enumerate(draft.chunks)
            ],
        )
        connection.executemany(
            "INSERT OR IGNORE INTO term (term, article_id, kind, identifier) VALUES (?, ?, ?, ?)",
            sorted((term.term, article_id, term.kind, int(term.identifier)) for term in draft.terms),
        )
        connection.execute("INSERT INTO change (kind, article_id) VALUES ('added', ?)", (article_id,))
        return article_id

    def remove(self, connection: sqlite3.Connection, doc_keys: Collection[str]) -> None:
        """Remove articles, with their chunks and terms, inside a transaction. Unknown keys are no error."""
        for keys in portions(doc_keys):
            where = f"doc_key IN ({marks(keys)})"
            connection.execute(
                f"INSERT INTO change (kind, article_id) SELECT 'removed', id FROM article WHERE {where} ORDER BY id",
                keys,
            )
            connection.execute(f"DELETE FROM article WHERE {where}", keys)

    # -------------------------------------------------------------- inside
    def _keys_by_text(self, text_hashes: Collection[str]) -> Mapping[str, list[str]]:
        keys: dict[str, list[str]] = {}
        query = "SELECT text_hash, doc_key FROM article WHERE text_hash IN (?)"
        for row in self._rows(query, text_hashes):
            keys.setdefault(row["text_hash"], []).append(row["doc_key"])
        return keys


def _list(values: Sequence[str]) -> str:
    return json.dumps(values, ensure_ascii=False)


def _article(row: sqlite3.Row, keys_of_text: Sequence[str]) -> Article:
    values = {name: row[name] for name in row.keys()}  # noqa: SIM118 - iterating a Row gives its values
    values["keywords"] = tuple(json.loads(row["keywords"]))
    values["state"] = ArticleState(row["state"])
    return Article(**values, copies=tuple(sorted(key for key in keys_of_text if key != row["doc_key"])))


def _chunk(row: sqlite3.Row) -> Chunk:
    return Chunk(row["id"], row["article_id"], row["position"], row["start"], row["heading"], row["text"])


def _for_index(row: sqlite3.Row) -> ChunkForIndex:
    keywords = tuple(json.loads(row["keywords"])) if row["keywords"] != "[]" else ()
    return ChunkForIndex(row["id"], row["article_id"], row["heading"], row["text"], row["title"], keywords)
