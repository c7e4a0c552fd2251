"""A trial asks as `evaluate` does: deep, without a trace, and a failure is no answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.engine import Engine
from core.evaluation import CANDIDATES


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    table = tmp_path / "kb" / "表.csv"
    table.parent.mkdir()
    rows = "".join(f"{number},机柜第 {number} 排\n" for number in range(CANDIDATES + 20))
    table.write_text("编号,说明\n" + rows, encoding="utf-8")
    opened = Engine.open(tmp_path / "data")
    opened.remove_starter()
    opened.ingest([table.parent])
    yield opened
    opened.close()


def test_it_ranks_as_many_as_the_figures_need_and_leaves_no_trace(engine: Engine) -> None:
    with engine.trial() as trial:
        answer = trial.lookup("机柜")
    assert len(answer.ranking) == CANDIDATES
    assert (answer.result.session_id, answer.invocation_id) == (None, None)
    assert engine.sessions() == ()
    with closing(sqlite3.connect(engine.folder.database)) as database:
        assert database.execute("SELECT count(*) FROM tool_invocation").fetchone() == (0,)


def test_a_failed_lookup_is_not_measured(engine: Engine) -> None:
    with closing(sqlite3.connect(engine.folder.database)) as database:
        database.execute("DROP TABLE chunk")
    with engine.trial() as trial, pytest.raises(RuntimeError):
        trial.lookup("机柜")
