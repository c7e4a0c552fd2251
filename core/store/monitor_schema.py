"""The tables of the monitor and the triggers that keep their sums (m012): calls, alerts, and what the log adds up to.

`tool_invocation` stays as the contract lists it. Beside each row that counts (not superseded) stands one narrow row of
`counted_lookup`, made by a trigger; triggers on that one add it to, and take it from, sums over quarter-hours, hours
and days of UTC, so that any period is a few thousand small rows. Local midnights of every time zone fall on
quarter-hours.

Distinct sessions do not add up over time, but first lookups do: a row that is its session's first (of all; of its
agent type; of its agent …) is marked so in `firsts`, and a period's sessions are its first lookups, plus the sessions
that were begun before it and went on in it (core.store.lookup_sums.active_sessions). First and before are meant by the
clock on the wall: ids may be in another order.
"""

from __future__ import annotations

MINUTE_S, QUARTER_S, HOUR_S, DAY_S = 60, 900, 3600, 86_400
SUM_WIDTHS = (QUARTER_S, HOUR_S, DAY_S)
HISTOGRAM_WIDTHS = (HOUR_S, DAY_S)

# counted_lookup.answer: what came of it, as outcome and level in one; the place in ANSWERS is the code.
ANSWERS = ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE", "DEDUPED", "not_found", "degraded", "unlevelled")
DEDUP_REASONS = ("doc_retrieved", "domain_retrieved")  # codes 1, 2; 0: none
# counted_lookup.firsts: bit n is set on the first lookup of its session with the same … (lookup_scope's columns).
FIRSTS = ((), ("agent_type",), ("agent",), ("domain",), ("agent_type", "domain"), ("agent", "domain"))

# Ten bins a decade from 1 ms to 31.6 s, one below and one above: a percentile from them is off by a few per cent.
DURATION_EDGES_MS = tuple(round(10 ** (step / 10), 4) for step in range(46))
DURATION_BINS = len(DURATION_EDGES_MS) + 1
SIMILARITY_BINS = 20

COUNTS = (
    *(f"answer_{code}" for code in range(len(ANSWERS))),
    *DEDUP_REASONS,
    "leg_missing",
    "repeated",
    *(f"first_{bit}" for bit in range(len(FIRSTS))),
    *(f"adopted_{bit}" for bit in range(len(FIRSTS))),
)
BINS = (
    *(f"duration_{number:02}" for number in range(DURATION_BINS)),
    *(f"similarity_{number:02}" for number in range(SIMILARITY_BINS)),
)


TABLES = (
    # ------------------------------------------------------------- agents
    # process: a random number of each core.store.agent_log.AgentLog; ids are in order of commit.
    """
    CREATE TABLE agent_call (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at TEXT NOT NULL,
        agent TEXT NOT NULL,
        duration_ms REAL NOT NULL,
        ok INTEGER NOT NULL,
        degraded INTEGER NOT NULL DEFAULT 0,
        probe INTEGER NOT NULL DEFAULT 0,
        process INTEGER NOT NULL
    )
    """,
    "CREATE INDEX agent_call_by_agent ON agent_call (agent, id)",
    "CREATE INDEX agent_call_by_time ON agent_call (at)",
    # window_from: calls before it do not count any more; NULL: all do.
    """
    CREATE TABLE agent_state (
        agent TEXT PRIMARY KEY,
        penalty REAL NOT NULL DEFAULT 0,
        window_from TEXT,
        breaker TEXT NOT NULL DEFAULT 'closed',
        breaker_since TEXT,
        updated_at TEXT NOT NULL
    )
    """,
    # width_s 60: at the moment `at`; 900 and 3600: the mean over the quarter-hour or hour of UTC that begins at `at`.
    """
    CREATE TABLE agent_metric (
        at TEXT NOT NULL,
        agent TEXT NOT NULL,
        width_s INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        success_rate REAL NOT NULL,
        degraded INTEGER NOT NULL,
        avg_ms REAL NOT NULL,
        p50_ms REAL NOT NULL,
        p95_ms REAL NOT NULL,
        penalty REAL NOT NULL,
        routing_score REAL NOT NULL,
        breaker TEXT NOT NULL,
        PRIMARY KEY (width_s, at, agent)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE alert (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        value REAL NOT NULL,
        threshold REAL NOT NULL,
        opened_at TEXT NOT NULL,
        acknowledged_at TEXT,
        resolved_at TEXT,
        state TEXT NOT NULL DEFAULT 'open',
        detail TEXT NOT NULL DEFAULT ''
    )
    """,
    "CREATE UNIQUE INDEX alert_standing ON alert (name) WHERE state IN ('open', 'acknowledged')",
    "CREATE INDEX alert_by_time ON alert (opened_at)",
    # start: seconds since 1970, a quarter-hour of UTC.
    "CREATE TABLE cache_count (start INTEGER PRIMARY KEY, hits INTEGER NOT NULL DEFAULT 0, "
    "misses INTEGER NOT NULL DEFAULT 0, stale INTEGER NOT NULL DEFAULT 0)",
    # name → value: what core.store.lease, collection_log and horizon keep.
    "CREATE TABLE monitor_state (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # ------------------------------------------------------------- lookups
    # What tool_invocation does not say of its row; written before it. query_key: core.query_key.
    """
    CREATE TABLE lookup_fact (
        invocation_id INTEGER PRIMARY KEY,
        agent_type TEXT,
        domain TEXT,
        query_key TEXT
    )
    """,
    "CREATE TABLE asked_key (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE)",
    """
    CREATE TABLE lookup_scope (
        id INTEGER PRIMARY KEY,
        agent TEXT NOT NULL,
        agent_type TEXT NOT NULL,
        domain TEXT NOT NULL,
        embedder TEXT NOT NULL,
        UNIQUE (agent, agent_type, domain, embedder)
    )
    """,
    # Times in whole milliseconds since 1970. adopted: an article was copied, voted useful or named at closing.
    """
    CREATE TABLE counted_session (
        id INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL UNIQUE,
        first_at INTEGER NOT NULL,
        last_at INTEGER NOT NULL,
        adopted INTEGER NOT NULL
    )
    """,
    "CREATE INDEX counted_session_by_beginning ON counted_session (first_at, last_at)",
    "CREATE INDEX counted_session_long ON counted_session (last_at) WHERE last_at - first_at > 86400000",
    # Rows of the log on their way into counted_lookup; empty between two statements.
    """
    CREATE TABLE lookup_reading (
        id INTEGER PRIMARY KEY,
        session_id TEXT NOT NULL,
        at INTEGER NOT NULL,
        agent TEXT NOT NULL,
        agent_type TEXT NOT NULL,
        domain TEXT NOT NULL,
        key TEXT NOT NULL,
        answer INTEGER NOT NULL,
        dedup INTEGER NOT NULL,
        duration_ms REAL NOT NULL,
        duration_bin INTEGER NOT NULL,
        details TEXT,
        embedder TEXT,
        leg_missing INTEGER,
        similarity_bin INTEGER
    )
    """,
    # id: that of tool_invocation.
    """
    CREATE TABLE counted_lookup (
        id INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        session INTEGER NOT NULL,
        key INTEGER NOT NULL,
        scope INTEGER NOT NULL,
        answer INTEGER NOT NULL,
        dedup INTEGER NOT NULL,
        leg_missing INTEGER NOT NULL,
        repeated INTEGER NOT NULL,
        firsts INTEGER NOT NULL,
        duration_ms REAL NOT NULL,
        duration_bin INTEGER NOT NULL,
        similarity_bin INTEGER
    )
    """,
    "CREATE INDEX counted_lookup_by_time ON counted_lookup (at)",
    "CREATE INDEX counted_lookup_by_session ON counted_lookup (session, key, scope)",
    "CREATE INDEX counted_lookup_by_answer ON counted_lookup (scope, answer, at, key)",
    "CREATE INDEX counted_lookup_by_key ON counted_lookup (key, answer, at, session, scope)",
    "CREATE INDEX counted_lookup_by_reason ON counted_lookup (dedup, at, scope, answer) WHERE dedup > 0",
    "CREATE INDEX counted_lookup_by_missing ON counted_lookup (at, scope, answer) WHERE leg_missing",
    # start: seconds since 1970, a whole number of widths.
    f"CREATE TABLE lookup_sum (width INTEGER NOT NULL, start INTEGER NOT NULL, scope INTEGER NOT NULL, "
    f"{', '.join(f'{name} INTEGER NOT NULL' for name in COUNTS)}, PRIMARY KEY (width, start, scope)) WITHOUT ROWID",
    f"CREATE TABLE lookup_histogram (width INTEGER NOT NULL, start INTEGER NOT NULL, scope INTEGER NOT NULL, "
    f"{', '.join(f'{name} INTEGER NOT NULL' for name in BINS)}, PRIMARY KEY (width, start, scope)) WITHOUT ROWID",
    "CREATE TABLE article_shown (doc_key TEXT PRIMARY KEY, last_at TEXT NOT NULL) WITHOUT ROWID",
    "CREATE INDEX article_shown_by_time ON article_shown (last_at)",
    "CREATE INDEX retrieved_by_article ON retrieved (doc_key, first_at)",
    "CREATE INDEX session_event_on_article ON session_event (doc_key, at) WHERE kind IN ('opened', 'copied', 'voted')",
    "CREATE INDEX session_event_votes ON session_event (at, invocation_id) WHERE kind = 'voted'",
    "CREATE INDEX session_event_against ON session_event (at, doc_key, invocation_id) "
    "WHERE kind = 'voted' AND value = -1",
)
