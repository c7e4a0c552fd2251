"""core.store.service_figures, core.store.concerns, core.honesty: how well people were served, by hand-made logs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import pytest

from core.figures import EVERYTHING, Concern, Period, Rate, Selection, ServiceFigures
from core.honesty import honesty, kept_its_word
from core.model import EventKind
from core.report import LevelShare
from core.store.database import Database
from core.store.service_figures import service_figures
from tests.core.store.log_maker import START, LogMaker

HOUR = timedelta(hours=1)
PERIOD = Period(START, START + HOUR)


def figures(
    database: Database, period: Period = PERIOD, selection: Selection = EVERYTHING, today: str = "2026-11-30"
) -> ServiceFigures:
    return service_figures(database, period, (period.start, period.end), selection, today=today, honesty={})


def test_without_a_lookup_nothing_is_said(database: Database) -> None:
    found = figures(database)
    none = Rate(0, 0)
    assert (found.lookups, found.sessions, found.lookups_per_session) == (0, 0, None)
    assert (found.answered, found.without_result, found.adopted, found.repeated) == (none, none, none, none)
    assert (found.unanswered, found.concerns) == ((), ())
    assert set(found.concern_counts.values()) == {0}
    assert sum(found.timeline[0].levels.values()) == found.timeline[0].lookups == 0


def test_rates_say_of_what(database: Database, log: LogMaker) -> None:
    for answer in ("PRECISE", "not_found", "degraded", "DEDUPED", "not_found"):
        log.lookup(session="a", answer=answer, key=answer)
    number = log.lookup(session="b")
    log.event(EventKind.VOTED, session="b", lookup=number, value=2)
    log.lookup(session="b", superseded=True)
    found = figures(database)
    assert (found.lookups, found.sessions, found.degraded) == (6, 2, 1)
    assert found.answered == Rate(5, 6)
    assert found.without_result == Rate(2, 6)
    assert found.repeated == Rate(1, 6)
    assert found.adopted == Rate(1, 2)
    assert found.lookups_per_session == 3
    assert found.timeline[0].levels == {
        "PRECISE": 1, "HIGHLY_RELEVANT": 0, "REFERENCE": 1, "DEDUPED": 1, "none": 2, "degraded": 1
    }  # fmt: skip


def test_a_session_begun_before_the_period_counts_in_it(database: Database, log: LogMaker) -> None:
    log.lookup(START - HOUR)
    log.lookup(START + HOUR / 2)
    log.lookup(START + 2 * HOUR)
    assert [figures(database, Period(START + n * HOUR, START + (n + 1) * HOUR)).sessions for n in range(-2, 4)] == [
        0, 1, 1, 0, 1, 0
    ]  # fmt: skip
    assert figures(database, Period(START - 5 * HOUR, START + 5 * HOUR)).sessions == 1


def test_questions_without_an_answer_are_grouped_and_shown_as_asked_last(database: Database, log: LogMaker) -> None:
    for minute, (session, key, query) in enumerate(
        [
            ("a", "k1", "打印机坏"),
            ("b", "k1", "坏打印机"),
            ("b", "k1", "打印机又坏"),
            ("b", "k2", "门禁"),
            ("c", "", "？"),
        ]
    ):
        log.lookup(START + timedelta(minutes=minute), session=session, key=key, query=query, answer="not_found")
    log.lookup(key="k1", query="answered")
    log.lookup(START - HOUR, key="k2", query="门禁", answer="not_found")
    found = figures(database).unanswered
    assert [(one.query, one.key, one.count, one.sessions) for one in found] == [
        ("打印机又坏", "k1", 3, 2), ("？", "text:？", 1, 1), ("门禁", "k2", 1, 1)
    ]  # fmt: skip
    assert found[0].last_at == START + timedelta(minutes=2)


def test_ten_questions_are_shown_the_most_frequent_first(database: Database, log: LogMaker) -> None:
    for number in range(14):
        for _ in range(number + 1):
            log.lookup(key=f"k{number}", query=f"q{number}", answer="not_found")
    assert [one.query for one in figures(database).unanswered] == [f"q{number}" for number in range(13, 3, -1)]


def test_a_selection_reaches_every_figure(database: Database, log: LogMaker) -> None:
    for domain, agent in (("vpn", "network/h-1"), ("mail", "office/h-1"), ("mail", None)):
        log.lookup(session=domain, domain=domain, agent=agent, key=domain, answer="not_found")
        log.article(f"{domain}{agent}.md", domain=domain)
    for selection, lookups, keys, never in (
        (Selection(domain="mail"), 2, ["mail"], 2),
        (Selection(agent="network/h-1"), 1, ["vpn"], 3),
        (Selection(type="office"), 1, ["mail"], 3),
        (Selection(domain="none"), 0, [], 0),
    ):
        found = figures(database, selection=selection)
        assert (found.lookups, found.timeline[0].lookups) == (lookups, lookups)
        assert [one.key for one in found.unanswered] == keys
        assert found.concern_counts[Concern.NEVER_SHOWN] == never


# ------------------------------------------------------------------ articles


def concern_keys(found: ServiceFigures, concern: Concern) -> list[str]:
    keys = [one.doc_key for one in found.concerns if one.concern is concern]
    assert found.concern_counts[concern] == len(keys)
    return keys


def test_articles_of_concern(database: Database, log: LogMaker) -> None:
    for key, state, review_by in (
        ("old.md", "current", "2026-11-29"),
        ("today.md", "current", "2026-11-30"),
        ("expired.md", "expired", None),
        ("draft.md", "draft", "2020-01-01"),
        ("shown.md", "current", None),
    ):
        log.article(key, state=state, review_by=review_by)
    log.event(EventKind.OPENED, doc_key="shown.md")
    found = figures(database)
    assert sorted(concern_keys(found, Concern.EXPIRED)) == ["expired.md", "old.md"]
    assert concern_keys(found, Concern.NEVER_SHOWN) == ["old.md", "today.md"]
    assert concern_keys(found, Concern.FLAGGED) == []


def test_an_article_is_flagged_by_votes_that_stand(database: Database, log: LogMaker) -> None:
    for key in ("bad.md", "taken back.md", "worse.md"):
        log.article(key)
    first, second = log.lookup(), log.lookup()
    for key, number, value in (
        ("bad.md", first, -1),
        ("taken back.md", first, -1),
        ("taken back.md", first, 0),
        ("worse.md", first, -1),
        ("worse.md", first, 1),
        ("worse.md", first, -1),
        ("worse.md", second, -1),
        ("gone.md", second, -1),
    ):
        log.event(EventKind.VOTED, doc_key=key, lookup=number, value=value)
    found = figures(database)
    assert concern_keys(found, Concern.FLAGGED) == ["worse.md", "bad.md"]
    assert [one.count for one in found.concerns if one.concern is Concern.FLAGGED] == [2, 1]
    assert concern_keys(figures(database, Period(START - HOUR, START)), Concern.FLAGGED) == []


def test_what_was_shown_later_may_have_been_shown_in_the_period_too(database: Database, log: LogMaker) -> None:
    for key in ("then.md", "marked then.md", "later.md"):
        log.article(key)
        log.event(EventKind.COPIED, START + 5 * HOUR, doc_key=key)
    log.event(EventKind.OPENED, doc_key="then.md")
    log.connection.execute("INSERT INTO session (id, created_at, last_used_at) VALUES ('s', '', '')")
    log.connection.execute(
        "INSERT INTO retrieved (session_id, domain, doc_key, content_hash, first_at) "
        "VALUES ('s', 'vpn', 'marked then.md', '', '2026-11-30T20:30:00.000Z')"
    )
    assert concern_keys(figures(database), Concern.NEVER_SHOWN) == ["later.md"]


# ------------------------------------------------------------------- honesty


@pytest.mark.parametrize(
    ("level", "votes", "right"),
    [
        ("PRECISE", {"a": 1}, True),
        ("PRECISE", {"b": 2}, False),
        ("PRECISE", {"b": 1}, None),
        ("HIGHLY_RELEVANT", {"c": 2}, True),
        ("HIGHLY_RELEVANT", {"d": 2}, False),
        ("HIGHLY_RELEVANT", {"a": -1}, False),
        ("HIGHLY_RELEVANT", {"a": -1, "b": 1}, True),
        ("REFERENCE", {"c": -1}, None),
        ("REFERENCE", {}, None),
    ],
)
def test_a_badge_keeps_its_word(level: str, votes: Mapping[str, int], right: bool | None) -> None:
    assert kept_its_word(level, ["a", "b", "c", "d"], votes) is right


def test_badges_are_judged_by_the_votes_of_the_period_and_selection(database: Database, log: LogMaker) -> None:
    for level, domain, hours, value in (
        ("PRECISE", "vpn", 0, 1),
        ("PRECISE", "vpn", 0, -1),
        ("PRECISE", "mail", 0, 2),
        ("HIGHLY_RELEVANT", "vpn", 5, 2),
        ("DEDUPED", "vpn", 0, 1),  # a reference, seen before
    ):
        at = START + hours * HOUR
        number = log.lookup(at, answer=level, domain=domain, judged=("a.md", "b.md"))
        log.event(EventKind.VOTED, at, lookup=number, value=value)
    log.lookup(answer="PRECISE", judged=("a.md",))

    def told(selection: Selection, period: Period = PERIOD) -> dict[str, tuple[int, int]]:
        return {level: (share.right, share.count) for level, share in honesty(database, period, selection).items()}

    assert told(EVERYTHING) == {"PRECISE": (2, 3), "HIGHLY_RELEVANT": (0, 0), "REFERENCE": (1, 1)}
    assert told(Selection(domain="mail")) == {"PRECISE": (1, 1), "HIGHLY_RELEVANT": (0, 0), "REFERENCE": (0, 0)}
    assert told(EVERYTHING, Period(START + 4 * HOUR, START + 6 * HOUR))["HIGHLY_RELEVANT"] == (1, 1)
    assert honesty(database, PERIOD)["HIGHLY_RELEVANT"] == LevelShare(0, 0, None, None, None)
