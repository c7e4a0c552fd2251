"""core.monitor.desk_reports: several desks, one folder; a folder that comes and goes; files that are none of ours."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.desks import DeskFolder, DesksFigures, SharedQuestion, SkippedBecause
from core.figures import Period, Rate
from core.lexicon import Lexicon
from core.model import EventKind, Outcome, RelevanceLevel
from core.monitor import desk_reports
from core.monitor.desk_report import day_of, decode, encode
from core.monitor.desk_reports import DeskReports
from core.monitor.masking import Masking
from core.settings import Settings
from core.store.activity import Activity
from core.store.database import Database
from tests.manual_clock import START, ManualClock

LEXICON = Lexicon.load()
PATIENCE_S = 20


class Desk:
    """A data folder with a log, and its reports."""

    def __init__(self, root: Path, folder: Path, clock: ManualClock, **settings: str) -> None:
        root.mkdir()
        self.clock = clock
        self.folder = folder
        self.database = Database.open(root / "deskside.sqlite3")
        self.activity = Activity(self.database, clock)
        self.settings = Settings({"report_folder": str(folder), "desk_name": root.name, **settings})
        self.reports = self.start()

    def start(self) -> DeskReports:
        """As after a restart of the program."""
        return DeskReports(self.database, self.settings, self.clock, lambda: Masking(LEXICON, lambda _: False))

    def ask(self, session: str, query: str, outcome: Outcome = Outcome.FOUND) -> int:
        return self.activity.record_lookup(
            session,
            query,
            outcome=outcome,
            details={},
            duration_ms=12,
            relevance_level=RelevanceLevel.PRECISE if outcome is Outcome.FOUND else None,
            degraded_reason="timeout" if outcome is Outcome.DEGRADED else None,
        )

    def write(self) -> None:
        self.reports.write_due()
        assert self.reports.settle(PATIENCE_S)

    def figures(self, hours: float = 24) -> DesksFigures:
        now = self.clock.now()
        return self.reports.figures(Period(now - timedelta(hours=hours), now + timedelta(seconds=1)))

    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def close(self) -> None:
        self.reports.close()
        self.database.close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shared = tmp_path / "shared"
    shared.mkdir()
    return shared


@pytest.fixture
def desk_of(tmp_path: Path, folder: Path, clock: ManualClock) -> Iterator[Callable[..., Desk]]:
    desks: list[Desk] = []

    def make(name: str, **settings: str) -> Desk:
        desks.append(Desk(tmp_path / name, folder, clock, **settings))
        return desks[-1]

    yield make
    for desk in desks:
        desk.close()


def test_no_folder_no_reports(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of("a", report_folder="")
    desk.ask("S1", "VPN 691")
    desk.write()
    told = desk.figures()
    assert (told.folder, told.lookups, told.desks) == (DeskFolder.OFF, 0, ())
    assert desk.files() == []


def test_what_a_desk_did_hour_by_hour(desk_of: Callable[..., Desk], clock: ManualClock) -> None:
    desk = desk_of("一楼")
    first = desk.ask("S1", "VPN 691")
    desk.activity.record_event("S1", EventKind.COPIED, doc_key="a.md", invocation_id=first)
    desk.ask("S1", "vpn 691")
    clock.advance(3600)
    desk.ask("S1", "投影仪没信号", Outcome.NOT_FOUND)
    desk.ask("S2", "打印机", Outcome.DEGRADED)
    desk.write()
    told = desk.figures()
    assert (told.lookups, told.sessions, told.degraded) == (4, 2, 1)
    assert told.answered == Rate(3, 4)
    assert told.without_result == Rate(1, 4)
    assert told.adopted == Rate(1, 2)
    assert told.repeated == Rate(1, 4)
    assert [bucket.lookups for bucket in told.timeline] == [2, 2]
    assert all(sum(bucket.levels.values()) == bucket.lookups for bucket in told.timeline)
    assert [bucket.start.minute for bucket in told.timeline] == [0, 0]
    (line,) = told.desks
    assert (line.name, line.here, line.silent, line.lookups) == ("一楼", True, False, 4)


def test_desks_add_up_and_only_what_the_period_holds(desk_of: Callable[..., Desk], clock: ManualClock) -> None:
    one, other = desk_of("a"), desk_of("b")
    one.ask("S1", "VPN 691")
    one.write()
    clock.advance(3 * 3600)
    for number in range(3):
        one.ask(f"S{number + 2}", "打印机")
        other.ask(f"S{number}", "打印机")
    one.write()
    other.write()
    for desk in (one, other):
        told = desk.figures()
        assert (told.lookups, told.sessions) == (7, 7)
        assert desk.figures(hours=2).lookups == 6
        assert [(line.name, line.lookups, line.here) for line in told.desks] == [
            ("a", 4, desk is one),
            ("b", 3, desk is other),
        ]


def test_an_hour_is_written_once_and_the_next_when_it_begins(desk_of: Callable[..., Desk], clock: ManualClock) -> None:
    desk = desk_of("a")
    desk.ask("S1", "VPN 691")
    desk.write()
    (path,) = desk.folder.iterdir()
    path.unlink()
    clock.advance(60)
    desk.write()
    assert desk.files() == []
    clock.advance(3600)
    desk.write()
    assert desk.files() == [path.name]
    clock.set_back(40 * 24 * 3600)
    desk.write()
    assert len(desk.files()) == 2


def test_a_folder_that_is_gone_is_no_error_and_is_caught_up_with(
    desk_of: Callable[..., Desk], clock: ManualClock, folder: Path
) -> None:
    desk = desk_of("a")
    shutil.rmtree(folder)
    for number in range(3):
        desk.ask(f"S{number}", "VPN 691")
        desk.write()
        told = desk.figures()
        assert (told.folder, told.lookups) == (DeskFolder.UNREACHABLE, 0)
        assert not folder.exists()
        clock.advance(24 * 3600)
    folder.mkdir()
    desk.write()
    assert len(desk.files()) == 4
    assert desk.figures(hours=24 * 4).lookups == 3


def test_an_emptied_folder_is_filled_again_after_a_restart(
    desk_of: Callable[..., Desk], clock: ManualClock, folder: Path
) -> None:
    desk = desk_of("a")
    desk.ask("S1", "VPN 691")
    clock.advance(5 * 24 * 3600)
    desk.write()
    before = desk.files()
    for path in folder.iterdir():
        path.unlink()
    desk.reports.close()
    desk.reports = desk.start()
    desk.write()
    assert desk.files() == before


def test_what_was_read_is_told_while_the_folder_hangs(
    desk_of: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desk_of("a")
    desk.ask("S1", "VPN 691")
    desk.write()
    assert desk.figures().folder is DeskFolder.REACHABLE
    monkeypatch.setattr(desk_reports, "_PATIENCE_S", 0)
    hangs, freed = threading.Event(), threading.Event()

    def hang(*_: object) -> None:
        hangs.set()
        assert freed.wait(PATIENCE_S)

    monkeypatch.setattr(desk.reports._reading, "read", hang)
    told = desk.figures()
    assert hangs.wait(PATIENCE_S)
    assert (told.folder, told.lookups) == (DeskFolder.UNREACHABLE, 1)
    desk.reports.write_due()  # returns at once, whatever hangs
    freed.set()
    assert desk.reports.settle(PATIENCE_S)


def test_other_files_are_named_and_skipped(desk_of: Callable[..., Desk], folder: Path) -> None:
    desk = desk_of("a")
    desk.ask("S1", "VPN 691")
    desk.write()
    (own,) = desk.files()
    day = own[-15:]
    whole = (folder / own).read_bytes()
    (folder / own.replace(".json", " (1).json")).write_bytes(whole)
    (folder / f"deskside-{'0' * 8}-{day}").write_bytes(whole)
    (folder / f"deskside-{'1' * 8}-{day}").write_bytes(whole[:100])
    (folder / f"deskside-{'2' * 8}-{day}").write_text('{"format": "deskside-report", "schema": 9}')
    (folder / f"deskside-{'3' * 8}-{day}.new").write_bytes(whole[:50])
    (folder / "readme.txt").write_text("?")
    (folder / "Thumbs.db").write_bytes(b"\0")
    (folder / ".hidden").write_bytes(b"\0")
    (folder / "archive").mkdir()
    told = desk.figures()
    assert told.lookups == 1
    assert {file.name.removesuffix(day): file.why for file in told.skipped} == {
        f"deskside-{'0' * 8}-": SkippedBecause.FOREIGN,
        f"deskside-{'1' * 8}-": SkippedBecause.BROKEN,
        f"deskside-{'2' * 8}-": SkippedBecause.NEWER,
        f"deskside-{'3' * 8}-{day}.new": SkippedBecause.HALF_WRITTEN,
        own.replace(".json", " (1).json"): SkippedBecause.FOREIGN,
        "readme.txt": SkippedBecause.FOREIGN,
    }


def rewrite(folder: Path, name: str, **changed: object) -> None:
    report = decode(name, (folder / name).read_bytes())
    (folder / name).write_bytes(encode(replace(report, **changed)))  # type: ignore[arg-type]


def test_a_desk_is_silent_after_a_day_and_forgotten_after_a_month(
    desk_of: Callable[..., Desk], clock: ManualClock
) -> None:
    one, other = desk_of("a"), desk_of("b")
    other.write()
    heard = clock.now()
    clock.advance(24 * 3600)
    one.write()
    assert [line.silent for line in one.figures().desks] == [False, False]
    clock.advance(1)
    assert [(line.silent, line.last_at) for line in one.figures().desks if line.name == "b"] == [(True, heard)]
    clock.advance(31 * 24 * 3600)
    one.write()
    assert [line.name for line in one.figures().desks] == ["a"]


def test_a_fast_clock_keeps_no_desk_loud(desk_of: Callable[..., Desk], clock: ManualClock, folder: Path) -> None:
    one, other = desk_of("a"), desk_of("b")
    clock.advance(400 * 24 * 3600)
    other.write()
    (name,) = one.files()
    clock.set_back(400 * 24 * 3600)
    written = (clock.now() - timedelta(days=2)).timestamp()
    os.utime(folder / name, (written, written))
    one.write()
    assert [(line.name, line.silent) for line in one.figures().desks] == [("a", False), ("b", True)]


@pytest.mark.parametrize(
    ("newest", "behind"),
    [
        (["2026-11-01", "2026-11-20", "2026-11-20"], [True, False, False]),
        (["2026-11-01", "2026-11-01", "2026-11-20"], [False, False, False]),
        (["2026-11-01", "2026-11-20"], [True, False]),
        ([None, "2026-11-20"], [True, False]),
        ([None, None], [False, False]),
        (["2026-11-01"], [False]),
    ],
)
def test_behind_is_whom_most_others_are_ahead_of(
    desk_of: Callable[..., Desk], folder: Path, newest: list[str | None], behind: list[bool]
) -> None:
    desks = [desk_of(f"desk {number}") for number in range(len(newest))]
    for desk, update in zip(desks, newest, strict=True):
        before = set(desk.files())
        desk.write()
        (name,) = set(desk.files()) - before
        rewrite(folder, name, newest_update=update)
    assert [line.behind for line in desks[0].figures().desks] == behind


def asked_by(desk: Desk, query: str, sessions: int) -> None:
    for number in range(sessions):
        desk.ask(f"{query}{number}", query, Outcome.NOT_FOUND)


@pytest.mark.parametrize(
    ("told_as", "questions", "untold"),
    [
        ("masked", [SharedQuestion("投影仪没信号", 4, 1), SharedQuestion("给＊重置门禁", 3, 1)], 2),
        ("none", [], 9),
        (
            "full",
            [
                SharedQuestion("投影仪没信号", 4, 1),
                SharedQuestion("给张伟重置门禁", 3, 1),
                SharedQuestion("张伟的工位", 2, 1),
            ],
            0,
        ),
    ],
)
def test_a_caller_stays_at_the_desk(
    desk_of: Callable[..., Desk], told_as: str, questions: list[SharedQuestion], untold: int
) -> None:
    desk = desk_of("a", report_queries=told_as)
    asked_by(desk, "投影仪没信号", 4)
    asked_by(desk, "给张伟重置门禁", 3)
    asked_by(desk, "张伟的工位", 2)
    desk.write()
    told = desk.figures()
    assert (list(told.unanswered), told.untold) == (questions, untold)
    assert told.without_result.count == 9
    if told_as != "full":
        assert all("张伟" not in path.read_text() for path in desk.folder.iterdir())


def test_the_same_question_of_two_desks_is_one(desk_of: Callable[..., Desk]) -> None:
    for name in "ab":
        desk = desk_of(name)
        asked_by(desk, "投影仪没信号", 3)
        desk.write()
    assert desk.figures().unanswered == (SharedQuestion("投影仪没信号", 6, 2),)


def test_a_copied_data_folder_is_another_desk_from_today_on(
    desk_of: Callable[..., Desk], clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desk_of("a")
    desk.ask("S1", "VPN 691")
    clock.advance(3 * 24 * 3600)
    desk.write()
    monkeypatch.setattr(desk_reports.platform, "node", lambda: "another machine")
    desk.reports.close()
    desk.reports = desk.start()
    desk.ask("S2", "VPN 691")
    desk.write()
    told = desk.figures(hours=24 * 5)
    assert told.lookups == 2
    assert sorted(line.lookups for line in told.desks) == [1, 1]


def test_a_report_is_plain_json_that_names_its_day(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of("a")
    desk.ask("S1", "VPN 691")
    desk.write()
    (path,) = desk.folder.iterdir()
    document = json.loads(path.read_text(encoding="utf-8"))
    assert (document["format"], document["schema"], document["day"]) == ("deskside-report", 1, str(day_of(START)))
    assert datetime.fromisoformat(document["written_at"]) == START


def test_the_last_hour_is_told_at_the_end(desk_of: Callable[..., Desk], clock: ManualClock) -> None:
    desk = desk_of("a")
    desk.ask("S1", "VPN 691")
    desk.write()
    clock.advance(60)
    desk.ask("S1", "打印机")
    desk.reports.close()
    (path,) = desk.folder.iterdir()
    assert sum(hour.lookups for hour in decode(path.name, path.read_bytes()).hours) == 2


def test_nothing_is_written_after_the_end(desk_of: Callable[..., Desk]) -> None:
    desk = desk_of("a")
    desk.reports.close()
    desk.write()
    assert desk.files() == []
    assert desk.figures().folder is DeskFolder.UNREACHABLE


def test_a_past_day_that_stands_is_not_written_again(desk_of: Callable[..., Desk], clock: ManualClock) -> None:
    desk = desk_of("a" * 20, report_queries="full", desk_name="二楼" * 200)
    desk.ask("S1", "长" * 301, Outcome.NOT_FOUND)
    desk.write()
    (path,) = desk.folder.iterdir()
    clock.advance(24 * 3600)
    desk.write()
    before = path.read_bytes()
    clock.advance(3600)
    desk.write()
    assert path.read_bytes() == before


YEAR_S = 365 * 24 * 3600


def test_days_to_come_tell_nothing_of_a_desk_that_has_others(
    desk_of: Callable[..., Desk], clock: ManualClock, folder: Path
) -> None:
    one, other = desk_of("a"), desk_of("b")
    clock.advance(YEAR_S)
    other.ask("S1", "VPN 691")
    other.write()
    (ahead,) = other.files()
    written = clock.now().timestamp() - YEAR_S - 2 * 24 * 3600
    os.utime(folder / ahead, (written, written))
    rewrite(folder, ahead, articles=77, newest_update="2026-11-29")
    os.utime(folder / ahead, (written, written))
    clock.set_back(YEAR_S)
    one.write()
    other.write()
    (line,) = (line for line in one.figures(hours=1).desks if line.name == "b")
    assert (line.silent, line.last_at, line.articles, line.newest_update) == (False, clock.now(), 0, None)


@pytest.mark.parametrize("asked", [True, False])
def test_an_empty_day_to_come_goes_and_one_with_lookups_stays(
    desk_of: Callable[..., Desk], clock: ManualClock, asked: bool
) -> None:
    desk, other = desk_of("a"), desk_of("b")
    clock.advance(YEAR_S)
    if asked:
        desk.ask("S1", "VPN 691")
    desk.write()
    other.write()
    clock.set_back(YEAR_S)
    desk.write()
    assert sum(name.endswith(f"{day_of(clock.now() + timedelta(seconds=YEAR_S))}.json") for name in desk.files()) == (
        2 if asked else 1
    )


def test_figures_need_no_lock_and_write_nothing(desk_of: Callable[..., Desk], tmp_path: Path) -> None:
    desk = desk_of("a")
    foreign = sqlite3.connect(tmp_path / "a" / "deskside.sqlite3", isolation_level=None)
    foreign.execute("BEGIN IMMEDIATE")  # for ever: who waits for it fails
    told = desk.figures()
    foreign.execute("ROLLBACK")
    assert (told.folder, told.desks) == (DeskFolder.REACHABLE, ())
    assert foreign.execute("SELECT count(*) FROM meta WHERE name = 'desk'").fetchone() == (0,)
    foreign.close()
    desk.write()
    assert [line.here for line in desk.figures().desks] == [True]


def test_figures_wait_no_longer_for_what_is_under_way(
    desk_of: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = desk_of("a")
    freed = threading.Event()
    elapsed, waits = [0.0], []

    def waited(futures: list[Future[bool]], seconds: float) -> object:
        waits.append(seconds)
        elapsed[0] += seconds
        freed.set()
        return wait(futures, PATIENCE_S)

    monkeypatch.setattr(desk_reports, "time", SimpleNamespace(monotonic=lambda: elapsed[0]))
    monkeypatch.setattr(desk_reports, "wait", waited)
    desk.reports._in_background(lambda _: freed.wait(PATIENCE_S))
    desk.figures()
    assert waits == [2.0, 0.0]
