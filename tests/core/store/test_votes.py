"""core.store.votes: one vote a lookup and article, under the key of its question; thresholds with a way back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlite_utils

from core.model import Actor, EventKind, Outcome, RelevanceLevel
from core.store.activity import Activity
from core.store.database import Database
from core.store.migrations import migrations
from core.store.votes import VoteRow, Votes
from tests.manual_clock import ManualClock

SCALE = "scale"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database.open(tmp_path / "deskside.sqlite3")
    yield opened
    opened.close()


@pytest.fixture
def votes(database: Database) -> Votes:
    return Votes(database, ManualClock())


@pytest.fixture
def activity(database: Database) -> Activity:
    return Activity(database, ManualClock())


def looked_up(activity: Activity, session: str = "T-1", *, actor: Actor = Actor.PERSON, query: str = "打印机") -> int:
    return activity.record_lookup(
        session,
        query,
        outcome=Outcome.FOUND,
        details={"evidence": {"similarity": 0.7}},
        duration_ms=1,
        actor=actor,
        relevance_level=RelevanceLevel.DEDUPED,
        evidence_level=RelevanceLevel.REFERENCE,
    )


def test_the_last_vote_of_a_lookup_on_an_article_counts_and_nought_takes_it_back(
    votes: Votes, activity: Activity
) -> None:
    row = looked_up(activity)
    for value in (1, -1, 2):
        votes.record(row, "a", key="k", scale=SCALE, value=value)
        assert votes.on_query("k") == [VoteRow("T-1", "a", value, copied=False)]
    votes.record(row, "a", key="k", scale=SCALE, copied=True)
    assert votes.on_query("k") == [VoteRow("T-1", "a", 2, copied=True)]
    votes.record(row, "a", key="k", scale=SCALE, value=0)
    assert votes.on_query("k") == [VoteRow("T-1", "a", 0, copied=True)]


def test_votes_stand_under_their_question_in_order(votes: Votes, activity: Activity) -> None:
    first, second = looked_up(activity), looked_up(activity, "T-2")
    votes.record(second, "b", key="k", scale=SCALE, value=1)
    votes.record(first, "a", key="k", scale=SCALE, value=-1)
    votes.record(first, "c", key="other", scale=SCALE, value=1)
    assert [(row.session_id, row.doc_key) for row in votes.on_query("k")] == [("T-1", "a"), ("T-2", "b")]
    assert votes.on_query("nobody asked") == []


def test_looking_votes_up_is_a_step_in_an_index(votes: Votes, database: Database) -> None:
    plan = database.connection().execute(
        "EXPLAIN QUERY PLAN SELECT doc_key FROM vote WHERE query_key = ? ORDER BY invocation_id DESC", ("k",)
    )
    assert any("vote_by_query" in row["detail"] for row in plan)


def test_an_executor_confirms_nothing(votes: Votes, activity: Activity) -> None:
    row = looked_up(activity, actor=Actor.EXECUTOR)
    votes.record(row, "a", key="k", scale=SCALE, value=2)
    assert votes.on_query("k") == []
    assert list(votes.lookups(SCALE, 10)) == []


def test_votes_follow_their_lookups_into_another_session(votes: Votes, activity: Activity) -> None:
    row = looked_up(activity, "T-1")
    looked_up(activity, "T-2")
    votes.record(row, "a", key="k", scale=SCALE, value=2)
    activity.merge_session("T-1", "T-2")
    assert [found.session_id for found in votes.on_query("k")] == ["T-2"]


def test_lookups_with_votes_come_newest_first_of_one_scale_only(votes: Votes, activity: Activity) -> None:
    rows = [looked_up(activity) for _ in range(3)]
    for row, scale in zip(rows, (SCALE, "other", SCALE), strict=True):
        votes.record(row, "a", key="k", scale=scale, value=1)
        votes.record(row, "b", key="k", scale=scale, value=0)
    found = list(votes.lookups(SCALE, 10))
    assert [lookup.invocation_id for lookup in found] == [rows[2], rows[0]]
    assert found[0].votes == {"a": 1}
    assert found[0].details["evidence"] == {"similarity": 0.7}
    assert found[0].evidence_level == "REFERENCE"
    assert len(list(votes.lookups(SCALE, 1))) == 1


def test_a_superseded_lookup_says_nothing_about_levels(votes: Votes, database: Database, activity: Activity) -> None:
    row = looked_up(activity)
    votes.record(row, "a", key="k", scale=SCALE, value=1)
    database.connection().execute("UPDATE tool_invocation SET superseded = 1")
    assert list(votes.lookups(SCALE, 10)) == []


def test_the_version_differs_after_every_change(votes: Votes, activity: Activity) -> None:
    row = looked_up(activity)
    seen = [votes.version()]
    votes.record(row, "a", key="k", scale=SCALE, value=1)
    seen.append(votes.version())
    votes.record(row, "a", key="k", scale=SCALE, value=0)
    seen.append(votes.version())
    votes.tune("hashed", SCALE, 200, (0.8, 0.5), (0.75, 0.5))
    seen.append(votes.version())
    votes.undo(SCALE)
    seen.append(votes.version())
    assert len(set(seen)) == len(seen)
    votes.undo(SCALE)
    assert votes.version() == seen[-1], "nothing was there to undo"


def test_tunings_are_undone_one_by_one(votes: Votes) -> None:
    assert votes.tuning(SCALE) is None
    votes.tune("hashed", SCALE, 150, (0.78, 0.5), (0.75, 0.5))
    votes.tune("hashed", SCALE, 300, (0.8, 0.48), (0.78, 0.5))
    holds = votes.tuning(SCALE)
    assert holds is not None
    assert (holds.thresholds, holds.previous, holds.votes) == ((0.8, 0.48), (0.78, 0.5), 300)
    assert votes.tuning("other") is None
    assert votes.undo(SCALE) == holds
    back = votes.tuning(SCALE)
    assert back is not None
    assert back.thresholds == (0.78, 0.5)
    votes.undo(SCALE)
    assert votes.tuning(SCALE) is None
    assert votes.undo(SCALE) is None


def test_a_step_uses_votes_up_and_an_undo_gives_them_back(votes: Votes, activity: Activity) -> None:
    first = looked_up(activity)
    votes.tune("hashed", SCALE, 0, (0.7, 0.5), (0.75, 0.5))
    votes.tune("hashed", SCALE, 100, (0.72, 0.5), (0.7, 0.5))
    looked_up(activity)
    votes.tune("hashed", SCALE, 0, (0.6, 0.5), (0.72, 0.5))
    used_up = []
    while (holds := votes.tuning(SCALE)) is not None:
        used_up.append(holds.up_to)
        votes.undo(SCALE)
    assert used_up == [first, first, 0]


def test_what_was_taken_back_is_known_until_something_else_holds(votes: Votes) -> None:
    assert votes.undone(SCALE) == frozenset()
    votes.tune("hashed", SCALE, 100, (0.78, 0.5), (0.75, 0.5))
    assert votes.undone(SCALE) == frozenset()
    votes.undo(SCALE)
    assert votes.undone(SCALE) == {(0.78, 0.5)}
    assert votes.undone("other") == frozenset()
    votes.tune("hashed", SCALE, 200, (0.77, 0.5), (0.75, 0.5))
    assert votes.undone(SCALE) == frozenset()


def test_keys_are_worked_out_anew_when_the_words_change(votes: Votes, activity: Activity) -> None:
    row = looked_up(activity, query="打印机 脱机")
    votes.record(row, "a", key="old", scale=SCALE, value=1)
    votes.keep_keys("words 1", str.upper)
    votes.keep_keys("words 2", lambda query: f"new {query}")
    assert votes.on_query("new 打印机 脱机") != []
    version = votes.version()
    votes.keep_keys("words 2", lambda _: pytest.fail("they are up to date"))
    assert votes.version() == version


def test_what_was_voted_before_there_was_a_table_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "deskside.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        migrations.apply(sqlite_utils.Database(connection), stop_before="m008_votes")
        connection.executemany(
            "INSERT INTO session_event (session_id, at, kind, doc_key, invocation_id, value) "
            "VALUES ('T', '', ?, ?, ?, ?)",
            [
                (EventKind.VOTED, "a", 1, 1),
                (EventKind.COPIED, "a", 1, None),
                (EventKind.VOTED, "a", 1, -1),
                (EventKind.COPIED, "b", 1, None),
                (EventKind.OPENED, "c", 1, None),
                (EventKind.VOTED, "d", None, 1),
            ],
        )
        connection.commit()
    opened = Database.open(path)
    rows = opened.connection().execute("SELECT invocation_id, doc_key, value, copied, scale FROM vote").fetchall()
    opened.close()
    assert [tuple(row) for row in rows] == [(1, "a", -1, 1, ""), (1, "b", 0, 1, "")]


def test_earlier_steps_used_up_the_votes_before_them(tmp_path: Path) -> None:
    path = tmp_path / "deskside.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        migrations.apply(sqlite_utils.Database(connection), stop_before="m011_votes_used_up")
        for day in (1, 2, 3):
            connection.execute(
                "INSERT INTO tool_invocation (session_id, query, outcome, success, created_at) "
                "VALUES ('T', 'q', 'found', 1, ?)",
                (f"2026-11-0{day}T08:00:00.000Z",),
            )
        connection.execute(
            "INSERT INTO tuning (at, profile, scale, votes, highly_relevant_threshold, reference_threshold, "
            "previous_highly_relevant, previous_reference) VALUES ('2026-11-02T09:00:00.000Z', 'hashed', ?, 100, "
            "0.8, 0.5, 0.75, 0.5)",
            (SCALE,),
        )
        connection.commit()
    with closing(Database.open(path)) as opened:
        holds = Votes(opened, ManualClock()).tuning(SCALE)
    assert holds is not None
    assert holds.up_to == 2
