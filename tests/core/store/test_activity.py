"""core.store.activity: the lookup log, events and sessions."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlite_utils

from core.errors import UnknownSession
from core.model import Actor, DedupReason, EventKind, Outcome, RelevanceLevel, Trigger
from core.session import RetrievedDocTracker
from core.store.activity import Activity
from core.store.database import Database
from core.store.migrations import migrations
from tests.manual_clock import ManualClock

# The first seed's section 8, unchanged.
LEVELS_SQL = """
SELECT relevance_level, COUNT(*) AS cnt
FROM tool_invocation
WHERE tool_name = 'lookup_knowledge'
GROUP BY relevance_level;
"""
REASONS_SQL = """
SELECT dedup_reason, COUNT(*) AS cnt
FROM tool_invocation
WHERE tool_name = 'lookup_knowledge'
GROUP BY dedup_reason;
"""
SIMILARITY_SQL = """
SELECT
    JSON_EXTRACT(retrieval_details, '$.l1_top_similarity') AS similarity,
    COUNT(*) AS cnt
FROM tool_invocation
WHERE tool_name = 'lookup_knowledge'
  AND retrieval_details IS NOT NULL
GROUP BY similarity
ORDER BY similarity;
"""


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "deskside.sqlite3")
    yield opened
    opened.close()


@pytest.fixture
def activity(database: Database, clock: ManualClock) -> Activity:
    return Activity(database, clock)


@pytest.fixture
def tracker(database: Database, clock: ManualClock) -> RetrievedDocTracker:
    return RetrievedDocTracker(database, clock)


def look_up(activity: Activity, session_id: str, query: str, **more: object) -> int:
    values = {"outcome": Outcome.FOUND, "details": {}, "duration_ms": 1.0, **more}
    return activity.record_lookup(session_id, query, **values)  # type: ignore[arg-type]


def table(database: Database, name: str) -> list[dict[str, object]]:
    return [dict(row) for row in database.connection().execute(f"SELECT * FROM {name} ORDER BY id")]


def test_one_row_holds_every_column(activity: Activity, database: Database) -> None:
    details = {"l0_titles": ["数据库连接池"], "l1_top_score": 0.383, "l1_top_similarity": 0.8085}
    number = activity.record_lookup(
        "T-1",
        "数据库连接池配置",
        outcome=Outcome.DEDUPED,
        details=details,
        duration_ms=3.14159,
        actor=Actor.EXECUTOR,
        trigger=Trigger.MCP,
        agent="hybrid-1",
        relevance_level=RelevanceLevel.DEDUPED,
        evidence_level=RelevanceLevel.HIGHLY_RELEVANT,
        dedup_reason=DedupReason.DOMAIN_RETRIEVED,
    )
    (row,) = table(database, "tool_invocation")
    assert json.loads(str(row.pop("retrieval_details"))) == details
    assert row == {
        "id": number,
        "session_id": "T-1",
        "tool_name": "lookup_knowledge",
        "query": "数据库连接池配置",
        "actor": "executor",
        "trigger": "mcp",
        "superseded": 0,
        "agent": "hybrid-1",
        "created_at": "2026-11-30T20:10:00.123Z",
        "duration_ms": 3.142,
        "outcome": "deduped",
        "success": 1,
        "degraded_reason": None,
        "relevance_level": "DEDUPED",
        "evidence_level": "HIGHLY_RELEVANT",
        "dedup_reason": "domain_retrieved",
    }


@pytest.mark.parametrize(
    ("outcome", "reason", "success"),
    [
        (Outcome.FOUND, None, 1),
        (Outcome.NOT_FOUND, None, 1),
        (Outcome.DEDUPED, None, 1),
        (Outcome.DEGRADED, "timeout", 0),
    ],
)
def test_success_means_answered_as_asked(
    activity: Activity, database: Database, outcome: Outcome, reason: str | None, success: int
) -> None:
    look_up(activity, "T-1", "q", outcome=outcome, degraded_reason=reason)
    assert table(database, "tool_invocation")[0]["success"] == success


@pytest.mark.parametrize(
    ("outcome", "reason"), [(Outcome.GATED, None), (Outcome.DEGRADED, None), (Outcome.FOUND, "timeout")]
)
def test_rows_that_may_not_be_are_refused(
    activity: Activity, database: Database, outcome: Outcome, reason: str | None
) -> None:
    with pytest.raises(ValueError, match="no row"):
        look_up(activity, "T-1", "你好", outcome=outcome, degraded_reason=reason)
    assert table(database, "tool_invocation") == []
    assert activity.sessions() == ()


def test_details_that_no_json_reader_would_take_are_refused(activity: Activity, database: Database) -> None:
    with pytest.raises(ValueError, match="JSON"):
        look_up(activity, "T-1", "q", details={"l1_top_score": float("nan")})
    assert table(database, "tool_invocation") == []


def test_the_three_statements_of_the_first_document(activity: Activity, database: Database) -> None:
    for level, reason, similarity in [
        ("HIGHLY_RELEVANT", None, 0.8085),
        ("HIGHLY_RELEVANT", None, 0.8085),
        ("PRECISE", None, None),
        ("DEDUPED", "doc_retrieved", 0.6985),
        ("DEDUPED", "domain_retrieved", 0.8085),
        (None, None, 0.1),
    ]:
        look_up(
            activity,
            "T-1",
            "q",
            details={"l1_top_similarity": similarity},
            relevance_level=level and RelevanceLevel(level),
            dedup_reason=reason and DedupReason(reason),
        )
    run = database.connection().execute
    assert {tuple(row) for row in run(LEVELS_SQL)} == {
        (None, 1),
        ("DEDUPED", 2),
        ("HIGHLY_RELEVANT", 2),
        ("PRECISE", 1),
    }
    assert {tuple(row) for row in run(REASONS_SQL)} == {(None, 4), ("doc_retrieved", 1), ("domain_retrieved", 1)}
    assert [tuple(row) for row in run(SIMILARITY_SQL)] == [(None, 1), (0.1, 1), (0.6985, 1), (0.8085, 3)]


def test_rows_from_before_relevance_levels_are_kept_and_counted(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "deskside.sqlite3"
    with closing(sqlite3.connect(path)) as old:
        migrations.apply(sqlite_utils.Database(old), stop_before="m002_relevance_level_and_dedup_reason")
        old.execute(
            "INSERT INTO tool_invocation (session_id, query, created_at, outcome, success, evidence_level, "
            "retrieval_details) VALUES ('T-0', '旧的', '2025-01-01T00:00:00.000Z', 'found', 1, 'REFERENCE', NULL)"
        )
        old.commit()
    database = Database.open(path)
    look_up(Activity(database, clock), "T-1", "新的", relevance_level=RelevanceLevel.PRECISE)
    run = database.connection().execute
    assert [tuple(row) for row in run("SELECT query, evidence_level FROM tool_invocation ORDER BY id")] == [
        ("旧的", "REFERENCE"),
        ("新的", None),
    ]
    assert {tuple(row) for row in run(LEVELS_SQL)} == {(None, 1), ("PRECISE", 1)}
    database.close()
    copy = path.with_name(path.name + ".before-m002_relevance_level_and_dedup_reason")
    with closing(sqlite3.connect(copy)) as old:
        assert old.execute("SELECT query FROM tool_invocation").fetchall() == [("旧的",)]
        with pytest.raises(sqlite3.OperationalError, match="relevance_level"):
            old.execute("SELECT relevance_level FROM tool_invocation")


def test_only_settle_rows_can_be_superseded(activity: Activity, database: Database) -> None:
    for trigger in (Trigger.SETTLE, Trigger.ENTER):
        activity.supersede(look_up(activity, "T-1", "VPN 6", trigger=trigger))
    assert [row["superseded"] for row in table(database, "tool_invocation")] == [1, 0]
    assert activity.sessions()[0].lookups == 1


def test_a_row_tells_its_query(activity: Activity) -> None:
    assert activity.query_of(look_up(activity, "T-1", "打印机")) == "打印机"
    assert activity.query_of(99) == activity.query_of(None) == ""


def test_events_are_kept(activity: Activity, database: Database) -> None:
    activity.record_event("T-1", EventKind.VOTED, doc_key="a.md", invocation_id=7, value=-1)
    assert table(database, "session_event") == [
        {
            "id": 1,
            "session_id": "T-1",
            "at": "2026-11-30T20:10:00.123Z",
            "kind": "voted",
            "doc_key": "a.md",
            "invocation_id": 7,
            "value": -1,
        }
    ]


def test_made_ids_tell_the_time_and_differ(activity: Activity) -> None:
    made = [activity.create_session() for _ in range(20)]
    assert len(set(made)) == 20
    assert all(re.fullmatch(r"S-20261130-201000-[0-9a-f]{4}", one) for one in made)


def test_creating_an_existing_session_changes_nothing(activity: Activity, clock: ManualClock) -> None:
    activity.create_session("T-1", title="打印机")
    before = activity.sessions()
    clock.advance(60)
    assert activity.create_session("T-1", title="other") == "T-1"
    assert activity.sessions() == before


def test_sessions_come_newest_first_with_their_counts(
    activity: Activity, tracker: RetrievedDocTracker, clock: ManualClock
) -> None:
    for number in range(3):
        activity.create_session(f"T-{number}")
        clock.advance(1)
    look_up(activity, "T-1", "a")
    look_up(activity, "T-1", "b")
    tracker.mark_retrieved("T-1", "z", "1.md")
    tracker.mark_retrieved("T-1", "a", "2.md")
    assert [one.id for one in activity.sessions()] == ["T-2", "T-1", "T-0"]
    assert [one.id for one in activity.sessions(limit=1)] == ["T-2"]
    middle = activity.sessions()[1]
    assert (middle.lookups, middle.domains, middle.closed_at) == (2, ("z", "a"), None)


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("", {"T-1", "t_2", "100%"}),
        ("  ", {"T-1", "t_2", "100%"}),
        ("打印", {"T-1"}),
        ("vpn 691", {"t_2"}),
        ("ｖｐｎ", {"t_2"}),
        ("t-1", {"T-1"}),
        ("%", {"100%"}),
        ("_", {"t_2"}),
        ("*", set()),
        ("'; DROP TABLE session; --", set()),
        ("[a-z]", set()),
        ("VPN  691", set()),
    ],
)
def test_search_is_literal_in_ids_titles_and_queries(activity: Activity, search: str, found: set[str]) -> None:
    activity.create_session("T-1", title="三楼打印机")
    look_up(activity, "t_2", "VPN 691")
    activity.create_session("100%")
    assert {one.id for one in activity.sessions(search=search)} == found


def test_a_closed_session_keeps_its_memory_and_opens_again_with_a_lookup(
    activity: Activity, tracker: RetrievedDocTracker, database: Database, clock: ManualClock
) -> None:
    activity.create_session("T-1")
    tracker.mark_retrieved("T-1", "d", "a.md")
    clock.advance(1)
    activity.close_session("T-1")
    clock.advance(1)
    activity.close_session("T-1")
    assert activity.sessions()[0].closed_at == "2026-11-30T20:10:01.123Z"
    assert [row["kind"] for row in table(database, "session_event")] == ["closed"]
    assert tracker.is_doc_retrieved("T-1", "a.md")
    look_up(activity, "T-1", "noch")
    assert activity.sessions()[0].closed_at is None


def test_unknown_sessions_are_named(activity: Activity) -> None:
    activity.create_session("T-1")
    for use in (
        lambda: activity.close_session("T-9"),
        lambda: activity.memory("T-9"),
        lambda: activity.clear_session("T-9"),
        lambda: activity.merge_session("T-9", "T-1"),
        lambda: activity.merge_session("T-1", "T-9"),
    ):
        with pytest.raises(UnknownSession) as raised:
            use()
        assert raised.value.facts == {"session_id": "T-9"}


def add_article(database: Database, doc_key: str, title: str, content_hash: str) -> None:
    with database.transaction() as connection:
        connection.execute("INSERT OR IGNORE INTO source (id, name, path, kind) VALUES (1, 's', '/s', 'folder')")
        connection.execute(
            "INSERT OR IGNORE INTO file (id, source_id, path, size, mtime_ns, sha256, outcome, seen_at) "
            "VALUES (1, 1, 'f', 0, 0, '', 'added', '')"
        )
        connection.execute(
            "INSERT INTO article (doc_key, source_id, file_id, title, domain, body, folded, content_hash, text_hash) "
            "VALUES (?, 1, 1, ?, 'now elsewhere', '', '', ?, '')",
            (doc_key, title, content_hash),
        )


def test_memory_names_articles_as_they_are_now(
    activity: Activity, tracker: RetrievedDocTracker, database: Database
) -> None:
    add_article(database, "same.md", "同一篇", "1")
    add_article(database, "changed.md", "改过的", "2")
    for domain, doc_key in [("z", "same.md"), ("a", "gone.md"), ("z", "changed.md")]:
        tracker.mark_retrieved("T-1", domain, doc_key, content_hash="1", query=f"q {doc_key}")
    memory = activity.memory("T-1")
    assert [
        (domain, [(doc.doc_key, doc.title, doc.query, doc.current) for doc in docs]) for domain, docs in memory.domains
    ] == [
        ("z", [("same.md", "同一篇", "q same.md", True), ("changed.md", "改过的", "q changed.md", False)]),
        ("a", [("gone.md", "gone.md", "q gone.md", False)]),
    ]


def test_clearing_forgets_the_memory_and_keeps_the_log(activity: Activity, tracker: RetrievedDocTracker) -> None:
    look_up(activity, "T-1", "q")
    for doc_key in ("a.md", "b.md"):
        tracker.mark_retrieved("T-1", "d", doc_key)
    assert activity.clear_session("T-1") == 2
    assert activity.clear_session("T-1") == 0
    assert activity.memory("T-1").domains == ()
    assert activity.sessions()[0].lookups == 1


def test_merging_moves_everything_and_deletes_the_session(
    activity: Activity, tracker: RetrievedDocTracker, database: Database, clock: ManualClock
) -> None:
    look_up(activity, "T-1", "a")
    tracker.mark_retrieved("T-1", "d", "a.md")
    clock.advance(60)
    look_up(activity, "S-2", "b")
    activity.record_event("S-2", EventKind.OPENED, doc_key="b.md")
    tracker.mark_retrieved("S-2", "e", "b.md")
    activity.merge_session("S-2", "T-1")
    assert [(one.id, one.lookups, one.domains) for one in activity.sessions()] == [("T-1", 2, ("d", "e"))]
    assert table(database, "session_event")[0]["session_id"] == "T-1"
    assert database.connection().execute("SELECT last_used_at FROM session").fetchone()[0] == "2026-11-30T20:11:00.123Z"
    before = activity.memory("T-1")
    activity.merge_session("T-1", "T-1")
    assert activity.memory("T-1") == before
