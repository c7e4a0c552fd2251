"""More than one desk: engines that report to one folder, each telling what all did; no caller's word leaves a desk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from core.desks import DeskFolder, SharedQuestion
from core.engine import Engine
from core.figures import Period
from core.paths import DataFolder
from core.settings import Settings
from tests.manual_clock import ManualClock

PATIENCE_S = 20


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def desk_of(tmp_path: Path, clock: ManualClock) -> Iterator[Callable[[str], Engine]]:
    shared, engines = tmp_path / "汇总", []
    shared.mkdir()

    def make(name: str) -> Engine:
        folder = DataFolder(tmp_path / name).create()
        Settings({"report_folder": str(shared), "desk_name": name}).save(folder.settings)
        engines.append(Engine.open(folder.root, clock=clock))
        return engines[-1]

    yield make
    for engine in engines:
        engine.close()


def test_a_collection_reports_and_every_desk_tells_of_all(desk_of: Callable[[str], Engine], clock: ManualClock) -> None:
    desks = [desk_of("一楼"), desk_of("二楼")]
    for number, engine in enumerate(desks):
        for session in range(3):
            engine.lookup("王小明的投影仪没信号", session_id=f"T{session}")
        engine.lookup("VPN 错误 691", session_id="T9")
        assert engine.monitor.collect()
        assert engine._desk_reports.settle(PATIENCE_S), number
    period = Period(clock.now() - timedelta(hours=1), clock.now() + timedelta(seconds=1))
    for engine, name in zip(desks, ("一楼", "二楼"), strict=True):
        told = engine.monitor.desks(period)
        assert told.folder is DeskFolder.REACHABLE
        assert (told.lookups, told.sessions) == (8, 8)
        assert [(line.name, line.here) for line in told.desks] == [("一楼", name == "一楼"), ("二楼", name == "二楼")]
        assert told.without_result.count == 6
        assert told.unanswered == (SharedQuestion("＊的投影仪没信号", 6, 2),)
    assert all("王小明" not in path.read_text(encoding="utf-8") for path in Path(told.path).iterdir())


def test_without_a_folder_nothing_is_reported(tmp_path: Path, clock: ManualClock) -> None:
    engine = Engine.open(tmp_path / "data", clock=clock)
    engine.lookup("VPN 错误 691")
    assert engine.monitor.collect()
    period = Period(clock.now() - timedelta(hours=1), clock.now())
    assert engine.monitor.desks(period).folder is DeskFolder.OFF
    engine.close()
