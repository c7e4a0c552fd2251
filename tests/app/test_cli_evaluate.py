"""`evaluate`: a word on standard error where the known answers are none of this knowledge's; the figures stay as they
are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli import LANGUAGES, run
from app.cli_output import WORDS


@pytest.fixture
def knowledge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    folder = tmp_path / "kb"
    folder.mkdir()
    (folder / "a.md").write_text("---\ntitle: 打印机脱机\n---\n\n检查网线。\n", encoding="utf-8")
    assert run(["--data-dir", str(tmp_path / "desk"), "import", str(folder)]) == 0
    capsys.readouterr()
    return tmp_path / "desk"


def evaluated(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], qrels: str, *options: str, language: str = "zh_CN"
) -> tuple[Any, str]:
    (tmp_path / "q.jsonl").write_text('{"_id": "1", "text": "打印机脱机"}\n', encoding="utf-8")
    (tmp_path / "q.tsv").write_text(qrels, encoding="utf-8")
    files = ["--queries", str(tmp_path / "q.jsonl"), "--qrels", str(tmp_path / "q.tsv")]
    assert run(["--data-dir", str(data), "--lang", language, "evaluate", "--json", *files, *options]) == 0
    out, err = capsys.readouterr()
    return json.loads(out), err


def said(name: str, language: str) -> str:
    """The sentence up to its first figure."""
    return WORDS[name][LANGUAGES.index(language)].partition("{")[0]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("options", [(), ("--leave-out",)])
def test_answers_of_another_knowledge_are_named_as_such(
    knowledge: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, options: tuple[str, ...]
) -> None:
    document, err = evaluated(knowledge, tmp_path, capsys, "1\telsewhere/b.md\t1\n", *options, language=language)
    assert said("evaluate.other_knowledge", language) in err
    assert document["queries"] == 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("qrels", ["", "query-id\tcorpus-id\tscore\n"])
def test_no_answers_at_all_are_named_as_such(
    knowledge: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, qrels: str
) -> None:
    document, err = evaluated(knowledge, tmp_path, capsys, qrels, language=language)
    assert said("evaluate.no_qrels", language) in err
    assert document["queries"] == 1


def test_one_answer_that_is_there_is_enough(
    knowledge: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, err = evaluated(knowledge, tmp_path, capsys, "1\ta.md\t1\n1\telsewhere/b.md\t1\n")
    assert "--qrels" not in err
