"""The measuring of corpora: what is pooled, what is met, and one run over corpora made here."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from core.evaluation import Judged, Query, judge
from core.leave_out import is_left_out
from core.model import RelevanceLevel
from tests.core.test_evaluation import answer, hit
from tests.corpora.__main__ import main
from tests.corpora.floors import Line, plain

HIGHLY = RelevanceLevel.HIGHLY_RELEVANT


def test_a_share_is_held_to_its_limit_and_not_its_bound() -> None:
    assert Line("floor", 95, 100, 0.95).met is True
    assert Line("floor", 94, 100, 0.95).met is False
    assert Line("ceiling", 8, 100, 0.08, at_most=True).met is True
    assert Line("ceiling", 9, 100, 0.08, at_most=True).met is False
    assert Line("nobody asked", 0, 0, 0.95).met is None
    assert Line("to be read", 1, 2).met is None


def test_the_bound_lies_towards_the_limit() -> None:
    floor, ceiling = Line("floor", 95, 100, 0.9), Line("ceiling", 5, 100, 0.1, at_most=True)
    assert floor.bound is not None
    assert ceiling.bound is not None
    assert floor.bound < 0.95
    assert ceiling.bound > 0.05
    assert ceiling.bound == pytest.approx(1 - floor.bound)


def judged(level: RelevanceLevel, *, right: bool = False) -> Judged:
    return judge(Query("q", "text"), {"a": 1}, answer(hit("a" if right else "x"), level=level))


def test_a_bench_counts_by_itself_when_it_has_a_hundred_badges() -> None:
    results = {
        "bad": [judged(HIGHLY, right=number < 89) for number in range(100)],
        "few": [judged(HIGHLY) for _ in range(99)],
        "m365-en-slug": [judged(HIGHLY) for _ in range(500)],
    }
    lines = {line.name: line for line in plain(results)}
    assert lines["HIGHLY_RELEVANT right"].n == 199, "questions in another language are no part of the pool"
    assert lines["HIGHLY_RELEVANT right, bad"].met is False
    assert [name for name in lines if name.startswith("HIGHLY_RELEVANT right,")] == ["HIGHLY_RELEVANT right, bad"]


def written(folder: Path, queries: dict[str, str], qrels: dict[str, str], split: str) -> None:
    lines = (json.dumps({"_id": name, "text": text}, ensure_ascii=False) + "\n" for name, text in queries.items())
    (folder / f"queries.{split}.jsonl").write_text("".join(lines), encoding="utf-8")
    rows = "".join(f"{name}\t{article}\t1\n" for name, article in qrels.items())
    (folder / f"qrels.{split}.tsv").write_text("query-id\tcorpus-id\tscore\n" + rows, encoding="utf-8")


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """A base of its own with a bench, and a starter base without any query of that split."""
    bench = tmp_path / "corpora" / "bench" / "mini"
    bench.mkdir(parents=True)
    (tmp_path / "corpora" / "starter-zh" / "articles").mkdir(parents=True)
    names = [f"d{number}" for number in range(20)]
    with gzip.open(bench / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        for number, name in enumerate(names):
            text = f"机柜 RACK-{7000 + number} 放在第 {number} 排，用钥匙 KEY-{9000 + number} 打开。"
            file.write(json.dumps({"_id": name, "title": f"机柜 RACK-{7000 + number}", "text": text}) + "\n")
    queries = {f"q{number}": f"RACK-{7000 + number}" for number in range(20)}
    written(bench, queries, {f"q{number}": name for number, name in enumerate(names)}, "test")
    return tmp_path / "corpora"


def test_one_run_measures_and_says_what_is_met(corpora: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(corpora), "--split", "test"])
    text = capsys.readouterr().out
    assert "20/20" in text
    assert "met     PRECISE right: 20/20" in text
    assert "starter" not in text


def test_left_out_articles_are_missing_and_every_part_has_a_row(
    corpora: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "lines.jsonl"
    main([str(corpora), "--split", "test", "--sample", "2", "--leave-out", "--ablate", "--queries", str(lines)])
    text = capsys.readouterr().out
    asked = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert [one["_id"] for one in asked] == [f"q{number}" for number in range(0, 20, 2)]
    gone = [is_left_out(f"corpus.jsonl.gz#d{number}") for number in range(0, 20, 2)]
    assert [one["left_out"] for one in asked] == gone
    assert any(gone)
    assert not any(one["answerable"] for one in asked if one["left_out"])
    assert "| no bm25 |" in text
    assert f"either badge, left out: 0/{sum(gone)}" in text
