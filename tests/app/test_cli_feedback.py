"""`evaluate --from-feedback`: the figures, what is refused, applied and undone, and wrong usage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli import LANGUAGES, run
from app.cli_feedback import _lines
from app.cli_output import Printer
from core.engine import Engine
from core.report import LevelShare, Reliability, Thresholds
from tests.app.test_reliability_dialog import vote_often


@pytest.fixture
def data(data_dir: Path) -> Path:
    return data_dir


def told(data: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, dict[str, Any]]:
    status = run(["--data-dir", str(data), "evaluate", "--from-feedback", "--json", *options])
    document = json.loads(capsys.readouterr().out)
    names = ["votes", "since_last_step", "refused", "before", "after", "thresholds", "applied", "undone"]
    assert list(document) == [*names, "undone_before"]
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


def test_the_same_votes_lead_one_step_and_no_further(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = Engine.open(data)
    engine.feedback.apply(Thresholds(0.62, 0.3), votes=0)
    vote_often(engine, 200)
    engine.close()
    _, first = told(data, capsys, "--apply")
    assert first["applied"]
    for _ in range(2):
        status, again = told(data, capsys, "--apply")
        assert (status, again["applied"], again["votes"], again["since_last_step"]) == (1, False, 200, 0)
        assert again["refused"]["votes"] == 0
        assert again["thresholds"]["before"] == again["thresholds"]["after"] == first["thresholds"]["after"]
    assert run(["--data-dir", str(data), "--lang", "en", "evaluate", "--from-feedback"]) == 0
    assert "Too few votes since the last step to take another: 0 of" in capsys.readouterr().out
    engine = Engine.open(data)
    vote_often(engine, 120)
    engine.close()
    assert told(data, capsys)[1]["since_last_step"] == 120


def test_what_was_taken_back_is_proposed_as_such(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = Engine.open(data)
    engine.feedback.apply(Thresholds(0.62, 0.3), votes=0)
    vote_often(engine, 200)
    engine.close()
    _, first = told(data, capsys, "--apply")
    assert not first["undone_before"]
    _, back = told(data, capsys, "--undo")
    assert back["thresholds"] == first["thresholds"]
    assert back["undone_before"]
    assert run(["--data-dir", str(data), "--lang", "en", "evaluate", "--from-feedback"]) == 0
    assert "applied before, and taken back" in capsys.readouterr().out


@pytest.mark.parametrize("holds", [True, False])
def test_votes_that_leave_it_open_do_not_say_that_all_is_fine(holds: bool) -> None:
    shares = {level: LevelShare(0, 0, None, None, None) for level in ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE")}
    now = Thresholds(0.7, 0.3)
    said = Reliability(150, None, shares, shares, now, now, fresh=150, holds=holds)
    for language in LANGUAGES:
        words = Printer(language)
        lines = list(_lines(words, said, applied=False, undone=None))
        assert (words.word("feedback.kept") in lines, words.word("feedback.unclear") in lines) == (holds, not holds)


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
