"""core.store.lookup_list: the lookups behind a number, and a session line by line."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from core.clock import iso
from core.figures import EVERYTHING, LoggedLookup, Period, Selection
from core.model import EventKind
from core.store.database import Database
from core.store.lookup_list import lookups, timeline
from tests.core.store.log_maker import START, LogMaker

PERIOD = Period(START, START + timedelta(hours=1))
MINUTE = timedelta(minutes=1)
ANSWERS = ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE", "DEDUPED", "not_found", "degraded")


def test_a_row_is_shown_as_it_was_logged(database: Database, log: LogMaker) -> None:
    number = log.lookup(answer="DEDUPED", session="T-1", query="=cmd", duration_ms=12.5)
    assert lookups(database, PERIOD) == (
        LoggedLookup(
            id=number,
            session_id="T-1",
            query="=cmd",
            at=START,
            actor="person",
            trigger="settle",
            agent="network/hybrid-hashed-1",
            domain="vpn",
            outcome="deduped",
            level="DEDUPED",
            dedup_reason="doc_retrieved",
            degraded_reason=None,
            duration_ms=12.5,
        ),
    )


def test_each_filter_finds_what_a_walk_over_the_rows_finds(database: Database, log: LogMaker) -> None:
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    with database.transaction():
        for _ in range(150):
            log.lookup(
                START + chance.randrange(120) * MINUTE,
                answer=chance.choice(ANSWERS),
                agent=chance.choice(("network/h-1", "network/h-2", "general/k-1")),
                domain=chance.choice(("vpn", "mail")),
                key=chance.choice(("k1", "k2")),
                superseded=chance.random() < 0.1,
            )
    rows = {row["id"]: row for row in log.connection.execute(
        "SELECT * FROM tool_invocation JOIN lookup_fact ON invocation_id = id WHERE superseded = 0"
    )}  # fmt: skip
    for level in (None, "PRECISE", "DEDUPED", "none", "degraded", "unheard of"):
        for outcome in (None, "found", "not_found", "degraded"):
            for selection in (EVERYTHING, Selection(domain="vpn"), Selection(agent="network/h-1")):
                for reason, key in ((None, None), ("doc_retrieved", None), (None, "k1"), ("domain_retrieved", "k2")):
                    expected = {
                        number
                        for number, row in rows.items()
                        if PERIOD.start <= START and row["created_at"] < iso(PERIOD.end)
                        and (outcome is None or row["outcome"] == outcome)
                        and (reason is None or row["dedup_reason"] == reason)
                        and (key is None or row["query_key"] == key)
                        and (selection.domain or row["domain"]) == row["domain"]
                        and (selection.agent or row["agent"]) == row["agent"]
                        and level in (None, {"not_found": "none", "degraded": "degraded"}.get(
                            row["outcome"], row["relevance_level"]))
                    }  # fmt: skip
                    told = lookups(
                        database, PERIOD, selection, level=level, outcome=outcome, dedup_reason=reason, query_key=key
                    )
                    assert {one.id for one in told} == expected, (seed, level, outcome, selection, reason, key)
                    assert [one.at for one in told] == sorted((one.at for one in told), reverse=True)


@pytest.mark.parametrize("selection", [EVERYTHING, Selection(domain="vpn"), Selection(type="network")])
def test_the_newest_are_shown(database: Database, log: LogMaker, selection: Selection) -> None:
    numbers = [log.lookup(START + n * MINUTE, agent=f"network/h-{n % 3}", key=f"k{n % 2}") for n in range(30)]
    assert [one.id for one in lookups(database, PERIOD, selection, limit=7)] == numbers[:-8:-1]


def test_a_session_is_told_in_order_without_superseded_rows(database: Database, log: LogMaker) -> None:
    log.article("a.md")
    first = log.lookup(START, query="vpn")
    log.lookup(START + MINUTE, query="vp", superseded=True)
    log.event(EventKind.OPENED, START + 2 * MINUTE, lookup=first)
    log.event(EventKind.VOTED, START + 3 * MINUTE, lookup=first, doc_key="gone.md", value=-1)
    log.lookup(START + 4 * MINUTE, query="mail")
    log.lookup(session="other")
    log.event(EventKind.CLOSED, START + 5 * MINUTE, doc_key=None)
    found = timeline(database, "s")
    assert [(one.kind, one.doc_key, one.title, one.value) for one in found] == [
        ("lookup", "", "", None),
        ("opened", "a.md", "《a.md》", None),
        ("voted", "gone.md", "", -1),
        ("lookup", "", "", None),
        ("closed", "", "", None),
    ]
    assert [one.lookup.query for one in found if one.lookup] == ["vpn", "mail"]
    assert timeline(database, "unknown") == ()


def test_the_statements_of_the_first_seed_run_unchanged(database: Database, log: LogMaker) -> None:
    for answer in ("PRECISE", "DEDUPED", "not_found"):
        log.lookup(answer=answer, details='{"l1_top_similarity": 0.8085}')
    connection = log.connection
    assert [tuple(row) for row in connection.execute(
        """
        SELECT relevance_level, COUNT(*) AS cnt
        FROM tool_invocation
        WHERE tool_name = 'lookup_knowledge'
        GROUP BY relevance_level;
        """
    )] == [(None, 1), ("DEDUPED", 1), ("PRECISE", 1)]  # fmt: skip
    assert [tuple(row) for row in connection.execute(
        """
        SELECT dedup_reason, COUNT(*) AS cnt
        FROM tool_invocation
        WHERE tool_name = 'lookup_knowledge'
        GROUP BY dedup_reason;
        """
    )] == [(None, 2), ("doc_retrieved", 1)]  # fmt: skip
    assert [tuple(row) for row in connection.execute(
        """
        SELECT
            JSON_EXTRACT(retrieval_details, '$.l1_top_similarity') AS similarity,
            COUNT(*) AS cnt
        FROM tool_invocation
        WHERE tool_name = 'lookup_knowledge'
          AND retrieval_details IS NOT NULL
        GROUP BY similarity
        ORDER BY similarity;
        """
    )] == [(0.8085, 3)]  # fmt: skip
