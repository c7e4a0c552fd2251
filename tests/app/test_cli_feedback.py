"""`evaluate --from-feedback`: the figures, what is refused, applied and undone, and wrong usage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli import run
from core.engine import Engine
from tests.app.test_reliability_dialog import vote_often


@pytest.fixture
def data(data_dir: Path) -> Path:
    return data_dir


def told(data: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, Any]]:
    status = run(["--data-dir", str(data), "evaluate", "--from-feedback", "--json", *options])
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["votes", "refused", "before", "after", "thresholds", "applied", "undone"]
    return status, document


def voted(data: Path, count: int) -> None:
    engine = Engine.open(data)
    vote_often(engine, count)
    engine.close()


def test_twenty_votes_are_refused_and_nothing_is_applied(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    voted(data, 20)
    status, document = told(data, capsys)
    assert (status, document["votes"], document["refused"]["votes_needed"]) == (0, 20, 100)
    assert document["before"] == document["after"]
    assert document["thresholds"]["before"] == document["thresholds"]["after"]
    status, document = told(data, capsys, "--apply")
    assert (status, document["applied"]) == (1, False)


def test_two_hundred_votes_are_shown_applied_and_undone(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = Engine.open(data)
    highly, reference = 0.62, 0.3
    thresholds = type(engine.feedback.reliability().thresholds)(highly, reference)
    engine.feedback.apply(thresholds, votes=0)
    vote_often(engine, 200)
    engine.close()
    _, shown = told(data, capsys)
    assert shown["refused"] is None
    assert not shown["applied"]
    assert shown["thresholds"]["before"] == {"highly_relevant": highly, "reference": reference}
    better = shown["thresholds"]["after"]["highly_relevant"]
    assert highly < better <= highly + 0.05 + 1e-9
    before, after = (shown[name]["levels"]["HIGHLY_RELEVANT"] for name in ("before", "after"))
    assert after["share"] > before["share"]
    assert before["wilson_low"] < before["share"] < before["wilson_high"]
    _, again = told(data, capsys)
    assert again == shown, "showing changes nothing"
    status, applied = told(data, capsys, "--apply")
    assert (status, applied["applied"]) == (0, True)
    assert told(data, capsys)[1]["thresholds"]["before"]["highly_relevant"] == better
    status, undone = told(data, capsys, "--undo")
    assert (status, undone["undone"]) == (0, True)
    assert undone["thresholds"]["before"]["highly_relevant"] == highly
    told(data, capsys, "--undo")
    status, undone = told(data, capsys, "--undo")
    assert (status, undone["undone"]) == (1, False)


@pytest.mark.parametrize(("language", "word"), [("zh_CN", "反馈太少"), ("en", "Too few votes")])
def test_people_get_a_table(data: Path, capsys: pytest.CaptureFixture[str], language: str, word: str) -> None:
    voted(data, 20)
    capsys.readouterr()
    assert run(["--data-dir", str(data), "--lang", language, "evaluate", "--from-feedback"]) == 0
    assert word in capsys.readouterr().out


@pytest.mark.parametrize(
    "options",
    [
        ["--queries", "q.jsonl"],
        [],
        ["--apply"],
        ["--queries", "q.jsonl", "--qrels", "q.tsv", "--undo"],
        ["--from-feedback", "--queries", "q.jsonl", "--qrels", "q.tsv"],
        ["--from-feedback", "--ablate"],
        ["--from-feedback", "--apply", "--undo"],
    ],
    ids=" ".join,
)
def test_wrong_usage(data: Path, options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--data-dir", str(data), "evaluate", *options]) == 2
    assert capsys.readouterr().out == ""
