"""core.store.lookup_sums: any period, cut in any way, adds up to its rows."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.figures import EVERYTHING, Period, Selection
from core.model import EventKind
from core.store.database import Database
from core.store.lookup_sums import LEVELS, Sums, active_sessions, buckets, pieces, scope_of, sums
from core.store.monitor_schema import SUM_WIDTHS
from tests.core.store.log_maker import START, LogMaker

AGENTS = ("network/h-1", "network/h-2", "general/k-1")
DOMAINS = ("vpn", "mail", "office")
SELECTIONS = (
    EVERYTHING,
    Selection(type="network"),
    Selection(agent="network/h-1"),
    Selection(domain="vpn"),
    Selection(type="general", domain="mail"),
    Selection(agent="network/h-2", domain="mail"),
    Selection(type="network", agent="network/h-2"),
    Selection(type="network", agent="network/h-2", domain="vpn"),
    Selection(type="general", agent="network/h-1"),
    Selection(domain="unheard of"),
)


@given(st.integers(0, 10**13), st.integers(0, 10**11))
def test_pieces_are_the_whole_period_in_order_and_whole_widths(start: int, length: int) -> None:
    found = list(pieces(start, start + length))
    assert [first for _, first, _ in found] == sorted(first for _, first, _ in found)
    edge = start
    for width, first, last in found:
        assert first == edge
        assert first < last
        assert width == 0 or (first % (width * 1000) == 0 and last % (width * 1000) == 0)
        edge = last
    assert edge == start + length
    assert sum(width == 0 for width, *_ in found) <= 2
    assert sum(last - first for width, first, last in found if width == 0) <= 2 * min(SUM_WIDTHS) * 1000


class Row:
    def __init__(self, at: datetime, session: str, agent: str, domain: str, answer: str) -> None:
        self.at, self.session, self.agent, self.domain, self.answer = at, session, agent, domain, answer

    def belongs(self, period: Period, selection: Selection) -> bool:
        wanted = (selection.type or self.agent.partition("/")[0], selection.agent or self.agent)
        mine = (self.agent.partition("/")[0], self.agent)
        return (
            period.start <= self.at < period.end and wanted == mine and (selection.domain or self.domain) == self.domain
        )


def filled(log: LogMaker, chance: random.Random, count: int) -> tuple[list[Row], set[str]]:
    """Rows over five days, a few sessions coming back on other days, and the adopted sessions. Mostly in order of time;
    where the clock was set back, not."""
    rows, adopted = [], set[str]()
    moments = sorted(chance.uniform(0, 5 * 86_400) for _ in range(count))
    for _ in range(count // 10):
        one, other = chance.randrange(count), chance.randrange(count)
        moments[one], moments[other] = moments[other], moments[one]
    for moment in moments:
        at = START + timedelta(milliseconds=round(moment * 1000))
        session = f"long{chance.randrange(3)}" if chance.random() < 0.1 else f"s{int(moment // 3000)}"
        row = Row(at, session, chance.choice(AGENTS), chance.choice(DOMAINS), chance.choice(list(LEVELS)))
        answer = "not_found" if row.answer == "none" else row.answer
        number = log.lookup(at, session=session, agent=row.agent, domain=row.domain, answer=answer)
        if chance.random() < 0.1:
            log.event(EventKind.COPIED, at, session=session, lookup=number)
            adopted.add(session)
        rows.append(row)
    return rows, adopted


def test_every_period_and_selection_adds_up_to_its_rows(database: Database, log: LogMaker) -> None:
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    with database.transaction():
        rows, adopted = filled(log, chance, 300)
    connection = database.connection()
    for _ in range(25):
        first, last = sorted(chance.choice(rows).at for _ in range(2))
        start = chance.choice((first, START + timedelta(minutes=15 * chance.randrange(480)), START))
        period = Period(start, max(start, chance.choice((last, start + timedelta(hours=chance.randrange(100))))))
        for selection in SELECTIONS:
            wanted = [row for row in rows if row.belongs(period, selection)]
            told = (seed, period, selection)
            scope = scope_of(connection, selection)
            found = sums(connection, period, scope)
            assert found.lookups == len(wanted), told
            for name, codes in LEVELS.items():
                assert found.answered(*codes) == sum(row.answer == name for row in wanted), told
            sessions = {row.session for row in wanted}
            assert active_sessions(connection, period, scope, found) == (len(sessions), len(sessions & adopted)), told


def local_midnights(zone: str, first: date, days: int) -> list[datetime]:
    moments = [datetime.combine(first + timedelta(days=n), time(), ZoneInfo(zone)) for n in range(days + 1)]
    return [moment.astimezone(UTC) for moment in moments]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "Asia/Shanghai", "UTC", "Asia/Kathmandu", "America/St_Johns"])
def test_local_days_add_up_on_change_over_days_too(database: Database, log: LogMaker, zone: str) -> None:
    # clock changes of 2026, the end of January by +08:00, a clock without battery and one far ahead
    texts = [
        "2026-03-29T00:30:00+01:00",
        "2026-03-29T03:30:00+02:00",
        "2026-10-25T02:30:00+02:00",
        "2026-10-25T02:30:00+01:00",
        "2026-01-31T23:59:59+08:00",
        "2026-02-02T00:00:00+08:00",
        "1970-01-01T00:00:00+00:00",
        "2099-12-31T23:59:59+00:00",
    ]
    answers = "PRECISE HIGHLY_RELEVANT REFERENCE DEDUPED PRECISE not_found PRECISE degraded".split()  # noqa: SIM905
    moments = [datetime.fromisoformat(text).astimezone(UTC) for text in texts]
    for at, answer in zip(moments, answers, strict=True):
        log.lookup(at, answer=answer)
    connection = database.connection()
    scope = scope_of(connection, EVERYTHING)
    for first, days, expected in (
        (date(2026, 3, 28), 3, 2),
        (date(2026, 10, 24), 3, 2),
        (date(2026, 1, 31), 3, 2),
        (date(2026, 1, 1), 365, 6),
        (date(1969, 12, 31), 3, 1),
        (date(2099, 12, 30), 4, 1),
    ):
        edges = local_midnights(zone, first, days)
        found = buckets(connection, edges, scope)
        assert [bucket.start for bucket in found] == edges[:-1]
        assert all(sum(bucket.levels.values()) == bucket.lookups for bucket in found)
        for bucket in found:
            end = bucket.start + timedelta(seconds=bucket.width_s)
            assert bucket.lookups == sum(bucket.start <= at < end for at in moments)
        total = sums(connection, Period(edges[0], edges[-1]), scope)
        assert sum(bucket.lookups for bucket in found) == total.lookups == expected
    assert [b.lookups for b in buckets(connection, local_midnights("Europe/Berlin", date(2026, 10, 25), 1), scope)] == [
        2
    ]


def test_the_end_of_a_period_is_not_in_it(database: Database, log: LogMaker) -> None:
    log.lookup(START)
    connection = database.connection()
    scope = scope_of(connection, EVERYTHING)

    def lookups(start: datetime, end: datetime) -> int:
        return sums(connection, Period(start, end), scope).lookups

    second = timedelta(milliseconds=1)
    assert (lookups(START, START + second), lookups(START - second, START), lookups(START, START)) == (1, 0, 0)


def test_sums_of_nothing_are_zero(database: Database) -> None:
    connection = database.connection()
    scope = scope_of(connection, EVERYTHING)
    found = sums(connection, Period(START, START + timedelta(days=30)), scope)
    assert isinstance(found, Sums)
    assert set(found.counts.values()) == {0}
    assert found.dedup_reasons == {"doc_retrieved": 0, "domain_retrieved": 0}
    assert active_sessions(connection, Period(START, START + timedelta(1)), scope, found) == (0, 0)
