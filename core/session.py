"""RetrievedDocTracker: what each session has retrieved, in two layers, session → domain → doc keys (contract §5)."""

from __future__ import annotations

from dataclasses import dataclass

from core.clock import Clock, iso
from core.model import RelevanceLevel
from core.store.database import Database

# Best first. Only an answer of one of the first two closes its domain.
_RANKED = (RelevanceLevel.PRECISE, RelevanceLevel.HIGHLY_RELEVANT, RelevanceLevel.REFERENCE)
_CLOSING = frozenset(_RANKED[:2])
# The first mark keeps its time and query; the text is the one handed over last; answers add up.
_COLUMNS = "domain, doc_key, content_hash, first_at, query, invocation_id, answers, best_rank"
_MARK = f"""
    INSERT INTO retrieved (session_id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (session_id, domain, doc_key) DO UPDATE SET
        content_hash = excluded.content_hash,
        answers = answers + excluded.answers,
        best_rank = min(ifnull(best_rank, excluded.best_rank), ifnull(excluded.best_rank, best_rank))
"""


@dataclass(frozen=True, slots=True)
class Held:
    """An article that a session holds: when it was first handed over, by which query, and which text was last."""

    doc_key: str
    domain: str
    first_at: str
    query: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class DomainAnswers:
    """The answers with content that a session had from one domain: how many, and the best of their levels."""

    count: int = 0
    best: RelevanceLevel | None = None

    @property
    def closed(self) -> bool:
        """True when one of them was PRECISE or HIGHLY_RELEVANT."""
        return self.best in _CLOSING


class RetrievedDocTracker:
    """Session memory, kept in the database: safe under threads and processes, there again after a restart.

    Nothing is held in this object, so every reading shows what any thread or process has marked before it. Each
    method is one transaction; to decide and mark without anybody in between, call several inside
    `Database.transaction()`.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def mark_retrieved(
        self,
        session_id: str,
        domain: str,
        doc_key: str,
        *,
        content_hash: str = "",
        query: str = "",
        invocation_id: int | None = None,
        answered: RelevanceLevel | None = None,
    ) -> bool:
        """An article's content was handed over. Returns True when the session did not hold it in this domain.

        `content_hash` says which text it was: other text is unread. `query` and the time of the first mark stay.
        `answered` is the evidence level of the answer whose primary this is; it counts towards answers(). None for
        supplements and for articles opened by hand. An unknown session is created.
        """
        now = iso(self._clock.now())
        rank = None if answered is None else _RANKED.index(answered)
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO session (id, created_at, last_used_at) VALUES (?, ?, ?)", (session_id, now, now)
            )
            known = connection.execute(
                "SELECT 1 FROM retrieved WHERE session_id = ? AND domain = ? AND doc_key = ?",
                (session_id, domain, doc_key),
            ).fetchone()
            connection.execute(
                _MARK,
                (session_id, domain, doc_key, content_hash, now, query, invocation_id, int(rank is not None), rank),
            )
        return known is None

    def is_doc_retrieved(self, session_id: str, doc_key: str, content_hash: str | None = None) -> bool:
        """Whether the session holds the article; with `content_hash`, whether it holds this very text of it. A mark
        that did not say which text it was holds for every text."""
        rows = self._database.connection().execute(
            "SELECT content_hash FROM retrieved WHERE session_id = ? AND doc_key = ?", (session_id, doc_key)
        )
        return any(content_hash is None or row["content_hash"] in ("", content_hash) for row in rows)

    def is_domain_retrieved(self, session_id: str, domain: str) -> bool:
        """Whether the session holds an article of the domain."""
        query = "SELECT 1 FROM retrieved WHERE session_id = ? AND domain = ? LIMIT 1"
        return self._database.connection().execute(query, (session_id, domain)).fetchone() is not None

    def get_retrieved_domains(self, session_id: str) -> tuple[str, ...]:
        """The session's domains, in order of first retrieval."""
        rows = self._database.connection().execute(
            "SELECT domain FROM retrieved WHERE session_id = ? GROUP BY domain ORDER BY min(id)", (session_id,)
        )
        return tuple(row["domain"] for row in rows)

    def clear_session(self, session_id: str) -> int:
        """Forget what the session retrieved, its answers too; returns how many articles that were."""
        with self._database.transaction() as connection:
            query = "SELECT count(DISTINCT doc_key) FROM retrieved WHERE session_id = ?"
            count = int(connection.execute(query, (session_id,)).fetchone()[0])
            connection.execute("DELETE FROM retrieved WHERE session_id = ?", (session_id,))
        return count

    def held(self, session_id: str) -> dict[str, Held]:
        """All articles that the session holds, by doc key, in order of first retrieval. An article stands here also
        when its text has changed since: compare `content_hash` ("" = any text)."""
        rows = self._database.connection().execute(
            "SELECT doc_key, domain, first_at, query, content_hash FROM retrieved WHERE session_id = ? ORDER BY id",
            (session_id,),
        )
        return {row["doc_key"]: Held(*row) for row in rows}

    def answers(self, session_id: str) -> dict[str, DomainAnswers]:
        """The session's answers with content by the domain of their primary; domains without any are left out."""
        rows = self._database.connection().execute(
            "SELECT domain, sum(answers) AS count, min(best_rank) AS best FROM retrieved "
            "WHERE session_id = ? AND answers > 0 GROUP BY domain",
            (session_id,),
        )
        return {row["domain"]: DomainAnswers(row["count"], _RANKED[row["best"]]) for row in rows}

    def earlier_queries(self, session_id: str) -> tuple[str, ...]:
        """The session's queries since it holds anything, oldest first; superseded ones are left out."""
        self._database.log.catch_up()
        rows = self._database.connection().execute(
            "SELECT query FROM tool_invocation WHERE session_id = ? AND superseded = 0 AND id >= "
            "(SELECT min(invocation_id) FROM retrieved WHERE session_id = ?) ORDER BY id",
            (session_id, session_id),
        )
        return tuple(row["query"] for row in rows)

    def merge(self, session_id: str, into: str) -> None:
        """Move all marks of one session into another, in order of time; what both hold counts once."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM retrieved WHERE session_id IN (?, ?) ORDER BY first_at, id", (session_id, into)
            ).fetchall()
            connection.execute("DELETE FROM retrieved WHERE session_id IN (?, ?)", (session_id, into))
            connection.executemany(_MARK, [(into, *row) for row in rows])
