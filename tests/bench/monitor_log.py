"""A log to measure the monitor on: a month of a busy desk."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from core.clock import iso
from core.store.database import Database
from core.store.monitor_triggers import filling

END = datetime(2026, 11, 30, 15, 40, tzinfo=UTC)
DAYS = 30
DOMAINS = tuple("network vpn mail printer account office hardware phone intranet erp security general".split())  # noqa: SIM905
_TYPES = {"network": "network", "vpn": "network", "phone": "network", "general": "general", "erp": "general"}
_TIERS = ("hybrid-hashed-1",) * 60 + ("hybrid-hashed-2",) * 30 + ("keyword-1",) * 8 + ("semantic-1",) * 2
_QUESTIONS, _ARTICLES = 60_000, 6_775
_HOURS = (1, 1, 1, 1, 1, 2, 5, 20, 60, 90, 90, 70, 50, 80, 90, 90, 80, 50, 20, 8, 5, 3, 2, 1)  # local, UTC+8
_COPIES = 20
_OUTCOMES = (
    ("found", "PRECISE"),
    ("found", "HIGHLY_RELEVANT"),
    ("found", "REFERENCE"),
    ("deduped", "DEDUPED"),
    ("not_found", None),
    ("degraded", None),
)
_DETAILS = {
    "l0_titles": ["打印机无法打印", "共享打印机报错 0x0000011b"],
    "l0_terms": ["0x0000011b"],
    "l1_scores": [round(0.6 + step / 50, 4) for step in range(20)],
    "l1_top_score": 0.6,
    "l1_top_similarity": 0.7,
    "completeness_hint": "当前结果已高度相关，继续检索不太可能找到更精准的文档",
    "retrieved_domains": ["printer", "network"],
    "profile": "hashed",
    "legs": {"l0": 2, "bm25": 180, "vector": 400},
    "rewrites": [{"kind": "synonym", "text": "打印机 报错"}],
    "cache_hit": False,
    "unheld": [],
}


def add_articles(connection: sqlite3.Connection) -> None:
    """As many as a middle-sized base has."""
    connection.execute("INSERT INTO source (id, name, path, kind) VALUES (1, 's', '/s', 'folder')")
    connection.execute(
        "INSERT INTO file (id, source_id, path, size, mtime_ns, sha256, outcome, seen_at) "
        "VALUES (1, 1, 'f', 1, 1, '', 'added', '')"
    )
    connection.executemany(
        "INSERT INTO article (doc_key, source_id, file_id, title, domain, body, folded, review_by, content_hash, "
        "text_hash) VALUES (?, 1, 1, ?, ?, ?, ?, ?, '', ?)",
        [
            (f"a/{n}.md", f"文章 {n}", DOMAINS[n % len(DOMAINS)], "正文" * 400, "正文" * 400, _review(n), str(n))
            for n in range(_ARTICLES)
        ],
    )


def _review(number: int) -> str:
    return "2026-01-01" if number % 50 == 0 else "2027-12-31"


def add_lookups(database: Database, count: int, seed: int) -> Iterator[int]:
    """Write so many lookups, with votes and marks; yields how many there are after each portion. A twentieth of them is
    made one by one; the others are copies of these by other sessions, some seconds later. They are counted at the end,
    as a migration counts them: row by row the triggers would take many minutes."""
    chance, connection = random.Random(seed), database.connection()
    made = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchall()
    for row in sorted(made, key=lambda row: str(row["type"])):
        connection.execute(f"DROP {row['type']} IF EXISTS {row['name']}")
    moments = sorted(_moment(chance) for _ in range(count // _COPIES))
    running: list[str] = []
    with database.transaction():
        for number, at in enumerate(moments, 1):
            _add(connection, chance, number, at, _session(chance, number, running))
    yield len(moments)
    for copy in range(1, _COPIES):
        with database.transaction():
            for table, columns in _COPIED.items():
                connection.execute(
                    f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) SELECT {', '.join(columns.values())} "
                    f"FROM {table} WHERE {_ORIGINAL[table]}",
                    {"copy": copy, "rows": len(moments)},
                )
        yield len(moments) * (copy + 1)
    with database.transaction():
        for statement in filling():
            connection.execute(statement)
    for row in sorted(made, key=lambda row: str(row["type"]), reverse=True):
        connection.execute(row["sql"])


def _later(column: str) -> str:
    return f"strftime('%Y-%m-%dT%H:%M:%fZ', {column}, '+' || (:copy * 13) || ' seconds')"


_SESSION = "session_id || '-' || :copy"
_COPIED = {
    "session": {"id": "id || '-' || :copy", "created_at": _later("created_at"), "last_used_at": _later("last_used_at")},
    "lookup_fact": {
        "invocation_id": "invocation_id + :copy * :rows",
        **{name: name for name in ("agent_type", "domain", "query_key")},
    },
    "tool_invocation": {
        "id": "id + :copy * :rows",
        "session_id": _SESSION,
        "created_at": _later("created_at"),
        "duration_ms": "duration_ms * (1 + :copy / 50.0)",
        **{name: name for name in ("query", "agent", "outcome", "success", "degraded_reason", "relevance_level")},
        **{name: name for name in ("evidence_level", "dedup_reason", "retrieval_details", '"trigger"')},
    },
    "session_event": {
        "session_id": _SESSION,
        "at": _later("at"),
        "invocation_id": "invocation_id + :copy * :rows",
        **{name: name for name in ("kind", "doc_key", "value")},
    },
    "vote": {"invocation_id": "invocation_id + :copy * :rows", "doc_key": "doc_key", "value": "value"},
    "retrieved": {
        "session_id": _SESSION,
        "first_at": _later("first_at"),
        **{name: name for name in ("domain", "doc_key", "content_hash")},
    },
}
_ORIGINAL = {
    "session": "id NOT LIKE '%-%-%'",
    "lookup_fact": "invocation_id <= :rows",
    "tool_invocation": "id <= :rows",
    "session_event": "session_id NOT LIKE '%-%-%'",
    "vote": "invocation_id <= :rows",
    "retrieved": "session_id NOT LIKE '%-%-%'",
}


def _moment(chance: random.Random) -> datetime:
    day = chance.choices(range(DAYS), [1 if day % 7 in (5, 6) else 9 for day in range(DAYS)])[0]
    hour = chance.choices(range(24), _HOURS)[0]
    start = END.replace(hour=16, minute=0) - timedelta(days=DAYS - day)
    return min(start + timedelta(hours=hour, seconds=chance.random() * 3600), END)


def _session(chance: random.Random, number: int, running: list[str]) -> str:
    """About four lookups a session, of a dozen sessions at a time; some come back days later."""
    if len(running) < 12 or chance.random() < 0.25:
        running.append(f"S-{number}")
        if len(running) > 12 and chance.random() < 0.98:
            running.pop(chance.randrange(12))
    return running[-chance.randint(1, min(12, len(running)))]


def _add(connection: sqlite3.Connection, chance: random.Random, number: int, at: datetime, session: str) -> None:
    question = min(int(chance.paretovariate(0.7)), _QUESTIONS)
    domain = DOMAINS[min(int(chance.expovariate(0.35)), len(DOMAINS) - 1)]
    outcome, level = chance.choices(_OUTCOMES, [25, 35, 20, 10, 9, 1])[0]
    type_ = _TYPES.get(domain, "workplace")
    details = _DETAILS | {
        "embedder": "hashed",
        "evidence": {} if outcome == "degraded" else {"similarity": round(chance.betavariate(4, 2), 4)},
        "missing_legs": ["vector"] if chance.random() < 0.02 else [],
        "judged": [{"doc_key": f"a/{question % _ARTICLES}.md", "similarity": 0.7, "level": level}],
    }
    connection.execute(
        "INSERT OR IGNORE INTO session (id, created_at, last_used_at) VALUES (?, ?, ?)", (session, iso(at), iso(at))
    )
    connection.execute("INSERT INTO lookup_fact VALUES (?, ?, ?, ?)", (number, type_, domain, f"词{question} 报错\n\n"))
    connection.execute(
        "INSERT INTO tool_invocation (id, session_id, query, agent, created_at, duration_ms, outcome, success, "
        'degraded_reason, relevance_level, evidence_level, dedup_reason, retrieval_details, "trigger") '
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'enter')",
        (
            *(number, session, f"词{question} 报错怎么办", f"{type_}/{chance.choice(_TIERS)}", iso(at)),
            *(
                chance.lognormvariate(4, 1),
                outcome,
                outcome != "degraded",
                None if outcome != "degraded" else "timeout",
            ),
            *(level, "REFERENCE" if level == "DEDUPED" else level, "doc_retrieved" if level == "DEDUPED" else None),
            json.dumps(details, ensure_ascii=False),
        ),
    )
    if outcome == "found" and chance.random() < 0.4:
        _handle(connection, chance, number, at, session)


def _handle(connection: sqlite3.Connection, chance: random.Random, number: int, at: datetime, session: str) -> None:
    """The article is opened; some are copied, some voted on."""
    key = f"a/{int(chance.paretovariate(0.7)) % _ARTICLES}.md"
    value = chance.choices([None, 1, 2, -1], [70, 15, 8, 7])[0]
    connection.execute(
        "INSERT OR IGNORE INTO retrieved (session_id, domain, doc_key, content_hash, first_at) "
        "VALUES (?, '', ?, '', ?)",
        (session, key, iso(at)),
    )
    kind = "voted" if value is not None else chance.choice(("opened", "copied"))
    connection.execute(
        "INSERT INTO session_event (session_id, at, kind, doc_key, invocation_id, value) VALUES (?, ?, ?, ?, ?, ?)",
        (session, iso(at), kind, key, number, value),
    )
    if value is not None:
        connection.execute("INSERT OR REPLACE INTO vote VALUES (?, ?, '', ?, 0, '')", (number, key, value))
