"""Two processes on one folder: one collects, alerts open once, and whoever is left goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.core.monitor.desk import LOADED
from tests.core.monitor.desk_process import DeskProcess

SLOW = [[f"agent_avg_ms:{agent}", "open"] for agent in LOADED]
OUTAGE = ["suspected_outage:网络 断\n\n", "open"]


@pytest.fixture
def desks(tmp_path: Path) -> Iterator[tuple[DeskProcess, DeskProcess]]:
    with ExitStack() as stack:
        first = stack.enter_context(DeskProcess(tmp_path / "deskside.db"))
        first("collected")  # the database is there
        yield first, stack.enter_context(DeskProcess(tmp_path / "deskside.db"))


def test_one_collects_alerts_open_once_and_both_route_alike(desks: tuple[DeskProcess, DeskProcess]) -> None:
    first, second = desks
    first("load 9000")
    second("load 9000")
    first("ask T-1 T-2 T-3")
    second("ask T-4 T-5")
    for _ in range(4):
        assert (first("collect"), second("collect")) == (True, False)
        first("advance 10")
        second("advance 10")
    assert first("alerts") == second("alerts") == sorted([*SLOW, OUTAGE])
    assert first("collected") == 4
    agents = first("agents")
    assert second("agents") == agents
    assert [(total, penalty) for agent, total, penalty in agents if agent in LOADED] == [(60, 0.4), (60, 0.4)]


def test_when_the_one_that_collects_is_killed_the_other_goes_on_at_once(
    desks: tuple[DeskProcess, DeskProcess],
) -> None:
    first, second = desks
    first("load 9000")
    assert (first("collect"), second("collect")) == (True, False)
    first.kill()
    assert second("collect")
    assert second("alerts") == SLOW
    assert second("collected") == 2


def test_a_process_whose_clock_is_a_year_ahead_does_not_keep_the_others_out(
    desks: tuple[DeskProcess, DeskProcess],
) -> None:
    first, second = desks
    first("advance 31536000")
    assert (first("collect"), second("collect")) == (True, False)
    for _ in range(4):
        second("advance 10")
        taken = second("collect")
    assert taken
