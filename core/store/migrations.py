"""The schema, as an ordered list of migrations; each runs in one transaction with the record that it ran.

Knowledge: source → file → article → chunk, `term` (what L0 looks up) and `change` (what readers of the index
must catch up with). Activity: session, retrieved, tool_invocation, session_event.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

from core.store import monitor_triggers

migrations = Migrations("deskside")


@migrations()
def m001_tool_invocation(db: Database) -> None:
    """The lookup log as it was before relevance levels (first seed, before V010)."""
    db.execute(
        """
        CREATE TABLE tool_invocation (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session_id TEXT NOT NULL,
            tool_name TEXT NOT NULL DEFAULT 'lookup_knowledge',
            query TEXT NOT NULL,
            actor TEXT NOT NULL DEFAULT 'person',
            "trigger" TEXT NOT NULL DEFAULT 'cli',
            superseded INTEGER NOT NULL DEFAULT 0,
            agent TEXT,
            created_at TEXT NOT NULL,
            duration_ms REAL NOT NULL DEFAULT 0,
            outcome TEXT NOT NULL,
            success INTEGER NOT NULL,
            degraded_reason TEXT,
            evidence_level TEXT,
            retrieval_details TEXT
        )
        """
    )


@migrations()
def m002_relevance_level_and_dedup_reason(db: Database) -> None:
    """The first seed's V010."""
    db.execute("ALTER TABLE tool_invocation ADD COLUMN relevance_level VARCHAR(20)")
    db.execute("ALTER TABLE tool_invocation ADD COLUMN dedup_reason VARCHAR(32)")
    db.execute("CREATE INDEX tool_invocation_by_time ON tool_invocation (created_at)")
    db.execute("CREATE INDEX tool_invocation_by_session ON tool_invocation (session_id, id)")


@migrations()
def m003_sessions(db: Database) -> None:
    """Sessions and what they have retrieved."""
    for statement in (
        """
        CREATE TABLE session (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL DEFAULT '',
            created_at TEXT NOT NULL,
            last_used_at TEXT NOT NULL,
            closed_at TEXT
        )
        """,
        # content_hash: of the text handed over last. answers: with content, that had this article as primary;
        # best_rank: the best of their levels (0 PRECISE, 1 HIGHLY_RELEVANT, 2 REFERENCE).
        """
        CREATE TABLE retrieved (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
            domain TEXT NOT NULL,
            doc_key TEXT NOT NULL,
            content_hash TEXT NOT NULL,
            first_at TEXT NOT NULL,
            query TEXT NOT NULL DEFAULT '',
            invocation_id INTEGER,
            answers INTEGER NOT NULL DEFAULT 0,
            best_rank INTEGER,
            UNIQUE (session_id, domain, doc_key)
        )
        """,
        """
        CREATE TABLE session_event (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            session_id TEXT NOT NULL,
            at TEXT NOT NULL,
            kind TEXT NOT NULL,
            doc_key TEXT,
            invocation_id INTEGER
        )
        """,
        "CREATE INDEX session_event_by_session ON session_event (session_id, id)",
    ):
        db.execute(statement)


@migrations()
def m004_knowledge(db: Database) -> None:
    """Sources, files, articles, chunks, L0 terms and the list of changes."""
    for statement in (
        # kind: folder | library (files given singly) | starter
        "CREATE TABLE source (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, path TEXT NOT NULL UNIQUE, "
        "kind TEXT NOT NULL)",
        """
        CREATE TABLE file (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            mtime_ns INTEGER NOT NULL,
            sha256 TEXT NOT NULL,
            outcome TEXT NOT NULL,
            reason TEXT,
            seen_at TEXT NOT NULL,
            UNIQUE (source_id, path)
        )
        """,
        """
        CREATE TABLE article (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            doc_key TEXT NOT NULL UNIQUE,
            source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
            file_id INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
            title TEXT NOT NULL,
            domain TEXT NOT NULL,
            keywords TEXT NOT NULL DEFAULT '[]',
            body TEXT NOT NULL,
            folded TEXT NOT NULL,
            updated TEXT,
            state TEXT NOT NULL DEFAULT 'current',
            superseded_by TEXT,
            review_by TEXT,
            content_hash TEXT NOT NULL,
            text_hash TEXT NOT NULL,
            notes TEXT NOT NULL DEFAULT '[]'
        )
        """,
        "CREATE INDEX article_by_text ON article (text_hash)",
        "CREATE INDEX article_by_file ON article (file_id)",
        "CREATE INDEX article_by_domain ON article (domain)",
        """
        CREATE TABLE chunk (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            article_id INTEGER NOT NULL REFERENCES article (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            start INTEGER NOT NULL,
            heading TEXT NOT NULL,
            text TEXT NOT NULL
        )
        """,
        "CREATE INDEX chunk_by_article ON chunk (article_id, position)",
        # term: folded, canonical (core.text.identifier_key for identifiers); kind: declared | mentioned | part;
        # identifier: 1 for identifiers, 0 for words.
        """
        CREATE TABLE term (
            term TEXT NOT NULL,
            article_id INTEGER NOT NULL REFERENCES article (id) ON DELETE CASCADE,
            kind TEXT NOT NULL,
            identifier INTEGER NOT NULL,
            PRIMARY KEY (term, article_id, kind)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX term_by_article ON term (article_id)",
        # One row an article added or removed; an update is a removal and an addition in one transaction.
        # max(no) is the knowledge version.
        "CREATE TABLE change (no INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, article_id INTEGER NOT NULL)",
        # name → value: index generation, embedder, knowledge settings that a reader must know
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    ):
        db.execute(statement)


@migrations()
def m005_direction_of_votes(db: Database) -> None:
    """What an event says beside its kind: 1 or -1 for a vote, NULL for all others."""
    db.execute("ALTER TABLE session_event ADD COLUMN value INTEGER")


@migrations()
def m006_reasons_as_codes(db: Database) -> None:
    """file.reason and article.notes hold codes with facts (core.reasons), no longer English sentences. A file that
    has one is read again at the next import, which says it anew."""
    db.execute("UPDATE file SET reason = NULL, size = -1, sha256 = '' WHERE reason IS NOT NULL")
    db.execute("UPDATE article SET notes = '[]'")


@migrations()
def m007_named_articles(db: Database) -> None:
    """Whether somebody gave the title, or a first line or an id stands in its place (told at the next import)."""
    if "named" not in db["article"].columns_dict:
        db.execute("ALTER TABLE article ADD COLUMN named INTEGER NOT NULL DEFAULT 1")


@migrations()
def m008_votes(db: Database) -> None:
    """What people made of each answer's articles, under the key that near-equal queries share, and the thresholds
    that were taken from it."""
    for statement in (
        # One row a lookup and article. value: 2 the right article, 1 useful, -1 not useful, 0 none or taken back.
        # query_key: core.query_key; empty until it is worked out. scale: how the logged similarity was formed.
        """
        CREATE TABLE vote (
            invocation_id INTEGER NOT NULL,
            doc_key TEXT NOT NULL,
            query_key TEXT NOT NULL DEFAULT '',
            value INTEGER NOT NULL DEFAULT 0,
            copied INTEGER NOT NULL DEFAULT 0,
            scale TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (invocation_id, doc_key)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX vote_by_query ON vote (query_key, invocation_id)",
        # The newest row of a scale that is not undone holds; previous_… are what held before it.
        """
        CREATE TABLE tuning (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            at TEXT NOT NULL,
            profile TEXT NOT NULL,
            scale TEXT NOT NULL,
            votes INTEGER NOT NULL,
            highly_relevant_threshold REAL NOT NULL,
            reference_threshold REAL NOT NULL,
            previous_highly_relevant REAL NOT NULL,
            previous_reference REAL NOT NULL,
            undone_at TEXT
        )
        """,
        # What was voted and copied before, the last vote of each lookup and article. Which profile it was made under
        # nobody knows any more: it confirms articles and tunes nothing.
        """
        INSERT INTO vote (invocation_id, doc_key, value, copied)
        SELECT invocation_id, doc_key,
            ifnull((SELECT value FROM session_event AS last WHERE last.kind = 'voted'
                AND last.invocation_id = session_event.invocation_id AND last.doc_key = session_event.doc_key
                ORDER BY last.id DESC LIMIT 1), 0),
            max(kind = 'copied')
        FROM session_event
        WHERE kind IN ('voted', 'copied') AND invocation_id IS NOT NULL AND doc_key IS NOT NULL
        GROUP BY invocation_id, doc_key
        """,
    ):
        db.execute(statement)


@migrations()
def m009_unreviewed_articles(db: Database) -> None:
    """Drafts and field notes are found without reading any other article."""
    db.execute("CREATE INDEX article_unreviewed ON article (state) WHERE state IN ('draft', 'unreviewed')")


@migrations()
def m010_dates_of_articles(db: Database) -> None:
    """How old the knowledge is and what is past its review date, without reading an article."""
    db.execute("CREATE INDEX article_by_state ON article (state, updated, review_by)")


@migrations()
def m011_votes_used_up(db: Database) -> None:
    """Votes that thresholds were taken from speak for no further step: the newest lookup that counted for a step."""
    db.execute("ALTER TABLE tuning ADD COLUMN up_to_invocation INTEGER NOT NULL DEFAULT 0")
    db.execute(
        "UPDATE tuning SET up_to_invocation = "
        "ifnull((SELECT max(id) FROM tool_invocation WHERE created_at <= tuning.at), 0) WHERE votes > 0"
    )


@migrations()
def m012_monitor(db: Database) -> None:
    """Calls of agents, alerts, and sums over the log that triggers keep; those of what was logged before."""
    for statement in monitor_triggers.statements():
        db.execute(statement)
