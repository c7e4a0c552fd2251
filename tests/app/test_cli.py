"""app.cli: what commands print, where, and with which exit status (contract §9), on the real engine."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from app import cli_progress, stats_export
from app.cli import run
from core.engine import Engine
from core.leave_out import is_left_out
from core.report import Progress

ROOT = Path(__file__).resolve().parent.parent.parent
RESULT_KEYS = [
    "outcome",
    "found",
    "session_id",
    "query",
    "primary",
    "supplement",
    "relevance_level",
    "evidence_level",
    "completeness_hint",
    "retrieved_domains_this_session",
    "dedup_reason",
    "missing_legs",
    "missing_dimensions",
    "unknown_words",
    "cached",
    "degraded",
    "message",
]
ARTICLES = {
    "network/vpn-691.md": (
        "---\ntitle: VPN 错误 691\ndomain: network\nkeywords: [VPN, ERR_VPN_691]\nupdated: 2025-03-01\n---\n"
        "# VPN 错误 691\n\n用户名或密码不对。请重置域密码后再连接 VPN。\n"
    ),
    "network/vpn-809.md": (
        "---\ntitle: VPN 错误 809\ndomain: network\nkeywords: [ERR_VPN_809]\n---\n# VPN 错误 809\n\n"
        "放行 UDP 500 和 4500 端口。\n"
    ),
    "printing/jam.md": (
        "---\ntitle: 打印机卡纸\ndomain: printing\nkeywords: [卡纸]\n---\n# 打印机卡纸\n\n"
        "打开后盖，慢慢抽出纸张，再合上后盖。\n"
    ),
}


def write_articles(folder: Path) -> Path:
    for name, text in ARTICLES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that knows ARTICLES besides the starter base. Tests use sessions of their own in it."""
    folder = tmp_path_factory.mktemp("data")
    articles = write_articles(tmp_path_factory.mktemp("articles"))
    assert run(["--data-dir", str(folder), "import", str(articles)]) == 0
    return folder


class Shell:
    """Runs commands on one data folder; every JSON answer must be one document and nothing else."""

    def __init__(self, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.data = data
        self._capsys = capsys
        self.err = ""

    def text(self, *arguments: str, status: int = 0, options: Sequence[str] = ()) -> str:
        self._capsys.readouterr()
        found = run(["--data-dir", str(self.data), *options, *arguments])
        out, self.err = self._capsys.readouterr()
        assert found == status, self.err
        return out

    def json(self, *arguments: str, status: int = 0, options: Sequence[str] = ()) -> Any:
        return json.loads(self.text(*arguments, "--json", status=status, options=options))

    def rows(self) -> int:
        with sqlite3.connect(f"file:{self.data / 'deskside.sqlite3'}?mode=ro", uri=True) as connection:
            (count,) = connection.execute("SELECT count(*) FROM tool_invocation").fetchone()
        connection.close()
        return int(count)


@pytest.fixture
def shell(data: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(data, capsys)


@pytest.fixture
def fresh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path / "data", capsys)


# -------------------------------------------------------------------- import


def test_import_gives_every_file_an_outcome(fresh: Shell, tmp_path: Path) -> None:
    source = write_articles(tmp_path / "articles")
    (source / "broken.md").write_bytes(b"")
    first = fresh.json("import", str(source))
    assert list(first) == ["counts", "items", "cancelled", "knowledge_version"]
    assert set(first["counts"]) == {"added", "updated", "unchanged", "removed", "skipped", "failed"}
    assert first["counts"]["added"] == 3
    assert sum(first["counts"].values()) == len(first["items"]) == 4
    assert [set(item) for item in first["items"]] == [{"path", "doc_key", "outcome", "reason"}] * 4
    assert {item["doc_key"] for item in first["items"] if item["outcome"] == "added"} == set(ARTICLES)
    assert first["cancelled"] is False
    second = fresh.json("import", str(source))
    assert second["counts"]["unchanged"] == 3
    assert second["knowledge_version"] == first["knowledge_version"]


def test_a_missing_path_fails_and_says_which(fresh: Shell, tmp_path: Path) -> None:
    document = fresh.json("import", str(tmp_path / "absent"), status=1)
    assert document["error"]["code"] == "path_missing"
    assert "absent" in document["error"]["message"]
    assert "absent" in fresh.err


def test_an_interrupted_import_reports_what_it_kept(
    fresh: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "many"
    source.mkdir()
    for number in range(600):
        (source / f"{number:03}.md").write_text(f"# 文章 {number}\n\n第 {number} 篇的正文。\n", encoding="utf-8")

    def interrupt_once(_: object, progress: Progress) -> None:
        if progress.done == 1:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(cli_progress.ProgressLine, "__call__", interrupt_once)
    document = fresh.json("import", str(source), status=1)
    assert document["cancelled"] is True
    assert document["counts"]["added"] < 600
    monkeypatch.undo()
    again = fresh.json("import", str(source))
    assert again["counts"]["added"] == 600 - document["counts"]["added"]
    assert again["cancelled"] is False


def test_a_second_interrupt_breaks_off_and_the_old_handlers_return() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), cli_progress.cancelled_by_signals("en") as job:
        signal.raise_signal(signal.SIGINT)
        assert job.cancelled
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


# -------------------------------------------------------------------- lookup


def test_lookup_answers_with_the_contracts_keys_and_one_row(shell: Shell) -> None:
    before = shell.rows()
    document = shell.json("lookup", "ERR_VPN_691", "--session", "T-keys")
    assert list(document) == RESULT_KEYS
    assert document["outcome"] == "found"
    assert document["session_id"] == "T-keys"
    assert document["primary"]["doc_key"] == "network/vpn-691.md"
    assert document["relevance_level"] == "PRECISE"
    assert document["retrieved_domains_this_session"] == ["network"]
    assert shell.rows() == before + 1


def test_without_a_session_a_new_one_is_named_in_the_answer(shell: Shell) -> None:
    first, second = shell.json("lookup", "ERR_VPN_691"), shell.json("lookup", "ERR_VPN_691")
    assert first["session_id"]
    assert first["session_id"] != second["session_id"]
    assert second["relevance_level"] == "PRECISE", "another session holds nothing yet"


def test_the_second_time_in_one_session_it_was_seen(shell: Shell) -> None:
    shell.json("lookup", "ERR_VPN_691", "--session", "T-twice")
    document = shell.json("lookup", "ERR_VPN_691", "--session", "T-twice")
    assert (document["outcome"], document["relevance_level"]) == ("deduped", "DEDUPED")
    assert document["dedup_reason"] == "doc_retrieved"
    assert document["primary"]["already_retrieved"] is True
    hard = shell.json("lookup", "ERR_VPN_691", "--session", "T-twice", "--mode", "hard")
    assert hard["primary"] is None
    assert hard["supplement"] == []


def test_explain_adds_details_and_the_ranking(shell: Shell) -> None:
    document = shell.json("lookup", "VPN", "--session", "T-explain", "--explain", "--top-k", "2")
    assert list(document) == [*RESULT_KEYS, "retrieval_details", "ranking"]
    assert len(document["ranking"]) >= 2
    assert "l1_top_score" in document["retrieval_details"]


def test_what_was_perhaps_meant_is_said_beside_the_answer(shell: Shell) -> None:
    out = shell.text("lookup", "打印鸡", "--session", "T-meant")
    assert shell.err == "您是不是要找：打印机\n"
    assert "打印机\n" not in out
    shell.text("lookup", "打印鸡", "--session", "T-meant", options=("--lang", "en"))
    assert shell.err == "Did you mean: 打印机\n"
    shell.json("lookup", "打印鸡", "--session", "T-meant")
    assert shell.err == ""


def test_nothing_found_and_empty_text_are_done_not_failed(shell: Shell) -> None:
    assert shell.json("lookup", "量子色动力学夸克禁闭")["outcome"] == "not_found"
    before = shell.rows()
    for text in ("", "  ", "？！…"):
        document = shell.json("lookup", text)
        assert (document["outcome"], document["found"], document["primary"]) == ("gated", False, None)
    assert shell.rows() == before


def test_words_need_no_quotes_and_dashes_need_the_usual_two(shell: Shell) -> None:
    assert shell.json("lookup", "VPN", "691")["query"] == "VPN 691"
    assert json.loads(shell.text("lookup", "--json", "--", "-691-"))["query"] == "-691-"


@pytest.mark.parametrize(("language", "hint"), [("zh_CN", "不存在比"), ("en", "more precise")])
def test_hints_speak_the_language_asked_for(shell: Shell, language: str, hint: str) -> None:
    document = shell.json("lookup", "ERR_VPN_691", options=["--lang", language])
    assert hint in document["completeness_hint"]
    text = shell.text("lookup", "ERR_VPN_691", options=["--lang", language])
    assert ("[Exact]" if language == "en" else "[精准]") in text
    assert "VPN 错误 691" in text
    assert "network/vpn-691.md" in text


def test_a_filter_keeps_other_domains_out(shell: Shell) -> None:
    document = shell.json("lookup", "VPN 卡纸", "--domain", "printing", "--explain")
    assert set(document["ranking"]) & set(ARTICLES) <= {"printing/jam.md"}


# --------------------------------------------------------------------- batch


def test_a_batch_writes_no_row_but_for_lines_with_a_session(shell: Shell, tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    lines = [
        {"_id": "a", "text": "ERR_VPN_691"},
        {"_id": "b", "text": "ERR_VPN_691", "session": "T-batch"},
        {"_id": "c", "text": "ERR_VPN_691", "session": "T-batch"},
        {"_id": "d", "text": ""},
    ]
    batch.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    before = shell.rows()
    with_json = shell.text("lookup", "--batch", str(batch), "--json")
    assert shell.rows() == before + 2
    answers = [json.loads(line) for line in with_json.splitlines()]
    assert [list(answer) for answer in answers] == [["_id", *RESULT_KEYS]] * 4
    assert [answer["_id"] for answer in answers] == ["a", "b", "c", "d"]
    assert [answer["session_id"] for answer in answers[:3]] == [None, "T-batch", "T-batch"]
    assert [answer["outcome"] for answer in answers] == ["found", "found", "deduped", "gated"]
    without = [json.loads(line) for line in shell.text("lookup", "--batch", str(batch), "--explain").splitlines()]
    assert [answer["ranking"][:1] for answer in without[:2]] == [["network/vpn-691.md"]] * 2


def test_a_batch_goes_to_a_file_whole_or_not_at_all(shell: Shell, tmp_path: Path) -> None:
    batch, out = tmp_path / "batch.jsonl", tmp_path / "out.jsonl"
    batch.write_text('{"_id": "a", "text": "ERR_VPN_691"}\n', encoding="utf-8")
    assert shell.text("lookup", "--batch", str(batch), "--out", str(out)) == ""
    assert [json.loads(line)["_id"] for line in out.read_text(encoding="utf-8").splitlines()] == ["a"]
    out.write_text("old", encoding="utf-8")
    for bad in ('{"_id": "b"}\n', '{"_id": "b", "text": "x", "session": 5}\n', "no json\n"):
        batch.write_text('{"_id": "a", "text": "ERR_VPN_691"}\n' + bad, encoding="utf-8")
        document = shell.json("lookup", "--batch", str(batch), "--out", str(out), status=1)
        assert document["error"]["code"] == "invalid_input"
        assert "2" in document["error"]["message"].replace(str(batch), "")
        assert out.read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["batch.jsonl", "out.jsonl"]


# ------------------------------------------------------------------ sessions


def test_sessions_are_listed_shown_and_cleared(shell: Shell) -> None:
    shell.json("lookup", "ERR_VPN_691", "--session", "T-memory")
    (listed,) = [one for one in shell.json("session", "list") if one["id"] == "T-memory"]
    assert list(listed) == ["id", "title", "created_at", "lookups", "domains"]
    assert (listed["lookups"], listed["domains"]) == (1, ["network"])
    shown = shell.json("session", "show", "T-memory")
    assert list(shown) == ["id", "domains"]
    (domain,) = shown["domains"]
    assert domain["domain"] == "network"
    assert [list(doc) for doc in domain["docs"]] == [["doc_key", "first_at", "query"]] * len(domain["docs"])
    assert domain["docs"][0]["doc_key"] == "network/vpn-691.md"
    assert domain["docs"][0]["query"] == "ERR_VPN_691"
    assert "network/vpn-691.md" in shell.text("session", "show", "T-memory")
    assert shell.json("session", "clear", "T-memory") == {"cleared": len(domain["docs"])}
    assert shell.json("session", "show", "T-memory")["domains"] == []


@pytest.mark.parametrize("action", ["show", "clear"])
def test_an_unknown_session_is_a_failure(shell: Shell, action: str) -> None:
    assert shell.json("session", action, "T-nobody", status=1)["error"]["code"] == "unknown_session"


# ------------------------------------------------------------------- figures


def test_evaluate_measures_and_writes_nothing(shell: Shell, tmp_path: Path) -> None:
    queries, qrels = tmp_path / "q.jsonl", tmp_path / "q.tsv"
    queries.write_text(
        '{"_id": "1", "text": "ERR_VPN_691"}\n{"_id": "2", "text": "ERR_VPN_809"}\n{"_id": "3", "text": "ZZ-4711"}\n',
        encoding="utf-8",
    )
    qrels.write_text(
        "query-id\tcorpus-id\tscore\n1\tnetwork/vpn-691.md\t1\n2\tnetwork/vpn-809.md\t1\n", encoding="utf-8"
    )
    before, sessions = shell.rows(), shell.json("session", "list")
    document = shell.json("evaluate", "--queries", str(queries), "--qrels", str(qrels))
    assert (document["queries"], document["ndcg@10"], document["mrr@10"]) == (3, 1.0, 1.0)
    assert document["levels"]["PRECISE"]["right"] == document["levels"]["PRECISE"]["count"] == 2
    assert document["answerable"] == {"n": 2, "not_found": 0}
    assert document["unanswerable"]["n"] == 1
    assert document["embedder"]
    assert shell.rows() == before
    assert shell.json("session", "list") == sessions
    qrels.write_text("query-id\tcorpus-id\tscore\n1\tonly two\n", encoding="utf-8")
    failed = shell.json("evaluate", "--queries", str(queries), "--qrels", str(qrels), status=1)
    assert failed["error"]["code"] == "invalid_input"


def test_evaluate_leaves_articles_out_and_switches_parts_off(shell: Shell, tmp_path: Path) -> None:
    """The keys are the contract's, whatever is asked for; each row of the ablation has its difference to the first."""
    queries, qrels = tmp_path / "q.jsonl", tmp_path / "q.tsv"
    keys = ["network/vpn-691.md", "network/vpn-809.md"]
    queries.write_text('{"_id": "0", "text": "ERR_VPN_691"}\n{"_id": "1", "text": "ERR_VPN_809"}\n', encoding="utf-8")
    qrels.write_text("".join(f"{number}\t{key}\t1\n" for number, key in enumerate(keys)), encoding="utf-8")
    assert [is_left_out(key) for key in keys] == [True, False]
    arguments = ["evaluate", "--queries", str(queries), "--qrels", str(qrels)]
    names = ["queries", "ndcg@10", "recall@10", "mrr@10", "recall@50", "levels", "unanswerable", "answerable"]
    assert list(shell.json(*arguments)) == [*names, "embedder"]
    document = shell.json(*arguments, "--leave-out", "--ablate")
    assert set(document) == {*names, "embedder", "left_out", "ablation"}
    assert document["left_out"].keys() == {"n", "precise", "highly", "not_found"}
    assert (document["left_out"]["n"], document["answerable"]["n"]) == (1, 1)
    rows = document["ablation"]
    assert {tuple(row) for row in rows} == {("name", "ndcg@10", "recall@10", "mrr@10", "difference")}
    assert rows[0]["name"] == "all"
    assert all(row["difference"] == pytest.approx(row["ndcg@10"] - rows[0]["ndcg@10"]) for row in rows)


def test_stats_add_up_and_export(shell: Shell, tmp_path: Path) -> None:
    shell.json("lookup", "ERR_VPN_691", "--session", "T-stats")
    document = shell.json("stats", "--since", "1h")
    names = ["since", "lookups", "outcomes", "levels", "dedup_reasons", "duration_ms", "agents", "alerts"]
    assert list(document) == [*names, "suggestions", "cache", "service", "engines", "desks"]
    assert document["service"]["answered"] == {"count": document["lookups"], "n": document["lookups"], "share": 1.0}
    assert document["engines"]["failed_files"] == 0
    assert document["desks"] is None
    assert document["lookups"] == sum(document["outcomes"].values()) >= 1
    export = tmp_path / "figures.csv"
    shell.text("stats", "--since", "1h", "--export", str(export))
    assert export.read_bytes().startswith(b"\xef\xbb\xbf"), "spreadsheets need the mark"
    rows = dict(csv.reader(export.read_text(encoding="utf-8-sig").splitlines()))
    assert rows["lookups"] == str(document["lookups"])
    assert shell.json("stats", "--export", str(tmp_path / "f.json"))["lookups"] == document["lookups"]
    assert json.loads((tmp_path / "f.json").read_text(encoding="utf-8"))["lookups"] == document["lookups"]
    book = tmp_path / "f.xlsx"
    shell.text("stats", "--since", "1h", "--export", str(book))
    sheet = openpyxl.load_workbook(book)["figures"]
    assert ("lookups", document["lookups"]) in list(sheet.iter_rows(values_only=True))


def test_the_longest_stretch_of_time_is_counted(shell: Shell) -> None:
    assert shell.json("stats", "--since", "36500d")["lookups"] >= 0


def test_outside_the_program_a_question_is_read_as_it_was_asked(copied: Shell, tmp_path: Path) -> None:
    """Its key, some words and codes over several lines, stays inside."""
    question = "全楼打印机 0x80004005"
    with closing(Engine.open(copied.data)) as engine:
        for number in range(5):
            engine.lookup(question, session_id=f"T-{number}")
        assert engine.monitor.collect()
        (name,) = [alert.name for alert in engine.monitor.alerts() if "0x80004005" in alert.name]
        assert "\n" in name
        key = name.partition(":")[2]
    document = copied.json("stats", "--export", str(tmp_path / "f.csv"))
    assert f"suspected_outage:{question}" in [alert["name"] for alert in document["alerts"]]
    assert question in [asked["query"] for asked in document["service"]["unanswered"]]
    assert key not in repr(copied.json("stats")).replace("\\n", "\n")
    with (tmp_path / "f.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert not [cell for row in rows for cell in row if "\n" in cell]
    assert [f"alerts.suspected_outage:{question}.value", "5.0"] in rows


def test_an_exported_list_is_a_sheet_and_its_parts_have_names_in_csv(tmp_path: Path) -> None:
    agents = [{"id": "network/keyword-1", "total": 3, "p95_ms": 1.5}, {"id": "=general", "total": 0, "p95_ms": 0}]
    document = {"lookups": 2, "levels": {"PRECISE": 1}, "agents": agents, "alerts": [], "since": None}
    stats_export.write(tmp_path / "f.csv", document, "en")
    rows = dict(csv.reader((tmp_path / "f.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert rows["agents.network/keyword-1.total"] == "3"
    assert (rows["levels.PRECISE"], rows["since"]) == ("1", "")
    assert rows["agents.=general.id"] == "'=general"
    stats_export.write(tmp_path / "f.xlsx", document, "en")
    book = openpyxl.load_workbook(tmp_path / "f.xlsx")
    assert book.sheetnames == ["figures", "agents", "alerts"]
    assert list(book["agents"].iter_rows(values_only=True))[1:] == [tuple(agent.values()) for agent in agents]
    assert book["agents"]["A3"].data_type == "s"


def test_doctor_finds_a_sound_folder_and_reindex_keeps_it_so(shell: Shell) -> None:
    for command in ("doctor", "reindex", "doctor"):
        document = shell.json(command)
        assert document["ok"] is True
        assert document["checks"]
        assert {key for check in document["checks"] for key in check} == {"name", "status", "detail", "advice"}
        assert {check["status"] for check in document["checks"]} <= {"ok", "repaired"}
    assert shell.json("lookup", "ERR_VPN_691")["primary"]["doc_key"] == "network/vpn-691.md"


@pytest.mark.parametrize("language", ["zh_CN", "en"])
def test_people_read_sentences_in_their_language(shell: Shell, tmp_path: Path, language: str) -> None:
    """Every command without --json: something is said, no placeholder is left, English holds no Chinese words."""
    queries, qrels = tmp_path / "q.jsonl", tmp_path / "q.tsv"
    queries.write_text('{"_id": "1", "text": "ERR_VPN_691"}\n', encoding="utf-8")
    qrels.write_text("1\tnetwork/vpn-691.md\t1\n", encoding="utf-8")
    shell.json("lookup", "ERR_VPN_691", "--session", "T-words")
    for arguments in (
        ["session", "list"],
        ["session", "clear", "T-words"],
        ["session", "show", "T-words"],
        ["evaluate", "--queries", str(queries), "--qrels", str(qrels), "--leave-out", "--ablate"],
        ["stats"],
        ["doctor"],
        ["import", str(tmp_path)],
        ["lookup", ""],
    ):
        text = shell.text(*arguments, options=["--lang", language])
        assert text.strip()
        assert not re.search(r"\{\w+\}|None", text), text
        assert language == "zh_CN" or not re.search(r"[\u4e00-\u9fff]", text), text


# --------------------------------------------------------------------- usage


@pytest.mark.parametrize(
    "arguments",
    [
        ["lookup"],
        ["lookup", "x", "--batch", "f.jsonl"],
        ["lookup", "x", "--out", "f"],
        ["lookup", "x", "--top-k", "0"],
        ["lookup", "x", "--mode", "firm"],
        ["stats", "--since", "yesterday"],
        ["stats", "--since", "36501d"],
        ["stats", "--since", "999999w"],
        ["stats", "--since", "9" * 400 + "m"],
        ["stats", "--export", "figures"],
        ["stats", "--export", "figures.txt"],
        ["evaluate"],
        ["session"],
        ["session", "show"],
        ["import"],
        ["no-such-command"],
    ],
    ids=" ".join,
)
def test_wrong_usage_touches_nothing_and_ends_with_two(fresh: Shell, arguments: list[str]) -> None:
    document = fresh.json(*arguments, status=2)
    assert document["error"]["code"] == "usage"
    assert fresh.err
    assert not fresh.data.exists()


def test_a_data_folder_that_cannot_be_one_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    document = Shell(tmp_path / "file", capsys).json("session", "list", status=1)
    assert document["error"]["code"] == "data_folder_unusable"
    assert str(tmp_path / "file") in document["error"]["message"]


def test_the_language_of_the_settings_holds_unless_another_is_asked_for(fresh: Shell) -> None:
    fresh.data.mkdir()
    (fresh.data / "settings.json").write_text('{"language": "en"}', encoding="utf-8")
    assert fresh.text("session", "list").startswith("No sessions")
    assert fresh.text("session", "list", options=["--lang", "zh_CN"]).startswith("还没有")
    (fresh.data / "settings.json").write_text('{"language": "fr"}', encoding="utf-8")
    assert fresh.json("session", "list", status=1)["error"]["code"] == "invalid_setting"


@pytest.mark.parametrize("arguments", [["--help"], ["lookup", "--help"], ["session", "show", "--help"]])
def test_help_is_no_failure(fresh: Shell, arguments: list[str]) -> None:
    assert "usage: deskside" in fresh.text(*arguments)
    assert not fresh.data.exists()


def test_options_stand_before_or_after_the_command(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["session", "list", "--json", "--data-dir", str(data), "--lang", "en"]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), list)
    assert run(["session", "--json", "list", "--data-dir", str(data)]) == 0
    assert isinstance(json.loads(capsys.readouterr().out), list)


# ------------------------------------------------------- files and data folders


@pytest.fixture
def batch(tmp_path: Path) -> Path:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"_id": "1", "text": "ERR_VPN_691"}\n', encoding="utf-8")
    return path


@pytest.mark.parametrize("spelling", ["same", "dotted", "link"])
def test_a_batch_is_never_written_over_by_its_answers(shell: Shell, batch: Path, spelling: str) -> None:
    before = batch.read_bytes()
    out = batch
    if spelling == "dotted":
        out = batch.parent / "x" / ".." / batch.name
        (batch.parent / "x").mkdir()
    elif spelling == "link":
        out = batch.with_name("link.jsonl")
        out.symlink_to(batch)
    document = shell.json("lookup", "--batch", str(batch), "--out", str(out), status=2)
    assert document["error"]["code"] == "usage"
    assert str(out) in document["error"]["message"]
    assert batch.read_bytes() == before


@pytest.mark.parametrize("language", ["zh_CN", "en"])
def test_files_that_are_folders_or_lie_in_none_are_named_as_they_were_given(
    shell: Shell, batch: Path, tmp_path: Path, language: str
) -> None:
    folder, nowhere = tmp_path / "folder", tmp_path / "nowhere" / "f.csv"
    folder.mkdir()
    a_folder = {"zh_CN": f"{folder} 是文件夹", "en": f"{folder} is a folder"}[language]
    no_folder = {"zh_CN": f"没有文件夹 {nowhere.parent}，", "en": f"no folder {nowhere.parent} "}[language]
    for arguments, told in (
        (["lookup", "--batch", str(folder)], a_folder),
        (["lookup", "--batch", str(batch), "--out", str(folder)], a_folder),
        (["lookup", "--batch", str(batch), "--out", str(nowhere)], no_folder),
        (
            ["lookup", "--batch", str(batch), "--out", str(batch / "f")],
            no_folder.replace(str(nowhere.parent), str(batch)),
        ),
        (["stats", "--export", str(folder)], a_folder),
        (["stats", "--export", str(nowhere)], no_folder),
        (["evaluate", "--queries", str(batch), "--qrels", str(folder)], a_folder),
    ):
        document = shell.json(*arguments, status=1, options=["--lang", language])
        assert document["error"]["code"] == "file"
        assert told in document["error"]["message"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "queries.jsonl"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"{bad", "settings.json"),
        (b"", "settings.json"),
        (b"[1]", "not a JSON object"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "settings.json"),
        (b'{"top_k": "x"}', "top_k"),
        (b'{"top_k": 1e400}', "top_k"),
        (b'{"top_k": NaN}', "top_k"),
        (b'{"top_k": null}', "top_k"),
        (b'{"no_such": 3}', "no_such"),
    ],
)
def test_bad_settings_are_named_and_doctor_advises(fresh: Shell, content: bytes, told: str) -> None:
    fresh.data.mkdir()
    (fresh.data / "settings.json").write_bytes(content)
    for language in ("zh_CN", "en"):
        message = fresh.json("stats", status=1, options=["--lang", language])["error"]["message"]
        assert told in message
        assert "  " not in message
        assert " ：" not in message
        assert " :" not in message
        document = fresh.json("doctor", status=1, options=["--lang", language])
        assert document["ok"] is False
        (check,) = document["checks"]
        assert (check["name"], check["status"], check["detail"]) == ("settings", "failed", message)
        assert bool(re.search(r"[\u4e00-\u9fff]", check["advice"])) is (language == "zh_CN")


@pytest.mark.parametrize("action", ["show", "clear"])
@pytest.mark.parametrize("name", ["", "T-none"])
def test_a_session_that_is_not_there_is_quoted(shell: Shell, action: str, name: str) -> None:
    document = shell.json("session", action, name, status=1)
    assert document["error"]["code"] == "unknown_session"
    assert f"“{name}”" in document["error"]["message"]


@pytest.fixture
def copied(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    """A copy of the known folder, to be damaged."""
    return Shell(Path(shutil.copytree(data, tmp_path / "copy")), capsys)


def garbage_header(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(b"\x5a" * 100 + content[100:])


def garbage_pages(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\x5a" * (len(content) - 8192))


def empty_file(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize("damage", [garbage_header, garbage_pages, empty_file])
def test_a_damaged_database_fails_the_check_of_doctor(copied: Shell, damage: Callable[[Path], None]) -> None:
    database = copied.data / "deskside.sqlite3"
    damage(database)
    before = database.read_bytes()
    for language, advice in (("zh_CN", "从备份恢复"), ("en", "Restore the database")):
        document = copied.json("doctor", status=1, options=["--lang", language])
        assert document["ok"] is False
        failed = {check["name"]: check for check in document["checks"] if check["status"] == "failed"}
        assert failed["database"]["detail"]
        assert advice in failed["database"]["advice"]
        assert "error" not in document
    copied.text("doctor", status=1)
    assert copied.json("lookup", "ERR_VPN_691", status=1)
    assert database.read_bytes() == before, "what is left is for the backup's sake not written to"


def test_an_empty_database_in_an_empty_data_folder_is_a_start_that_was_cut_off(fresh: Shell) -> None:
    fresh.data.mkdir()
    (fresh.data / "deskside.sqlite3").write_bytes(b"")
    assert fresh.json("lookup", "VPN 691")["outcome"] == "found"


def test_a_library_beside_an_empty_database_is_damage(fresh: Shell) -> None:
    (fresh.data / "library" / "x").mkdir(parents=True)
    (fresh.data / "deskside.sqlite3").write_bytes(b"")
    assert fresh.json("stats", status=1)["error"]["code"] == "database_damaged"


def test_a_file_in_the_place_of_the_index_folder_is_named_with_advice(copied: Shell) -> None:
    shutil.rmtree(copied.data / "index")
    (copied.data / "index").write_text("", encoding="utf-8")
    (check,) = copied.json("doctor", status=1, options=["--lang", "en"])["checks"]
    assert (check["name"], check["status"]) == ("data_folder", "failed")
    assert str(copied.data / "index") in check["detail"]
    assert "index" in check["advice"]


def test_a_database_that_cannot_be_written_names_the_folder(copied: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite itself refuses: the connections of the program are told to read only."""
    opened = sqlite3.connect

    def reading(path: str, **options: Any) -> sqlite3.Connection:
        return opened(f"file:{path}?mode=ro", uri=True, **options)

    monkeypatch.setattr(sqlite3, "connect", reading)
    message = copied.json("lookup", "ERR_VPN_691", "--session", "T-ro", status=1, options=["--lang", "en"])
    assert message["error"]["code"] == "data_folder_unusable"
    assert f"The data folder {copied.data} cannot be read and written" in message["error"]["message"]


# ----------------------------------------------------------------- processes


def command(data: Path, *arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "main.py"), "--data-dir", str(data), *arguments]


@pytest.mark.skipif(sys.platform == "win32", reason="locales of POSIX")
@pytest.mark.parametrize("locale", ["C", "POSIX", "zh_CN.GBK", ""])
def test_output_is_utf8_in_every_locale(data: Path, locale: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "PYTHON"))}
    environment |= {"LANG": locale, "LC_ALL": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = subprocess.run(
        command(data, "lookup", "ERR_VPN_691", "--json"), capture_output=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode("utf-8"))["primary"]["title"] == "VPN 错误 691"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_reader_that_leaves_early_is_no_traceback(data: Path, tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    line = '{"_id": "a", "text": "ERR_VPN_691"}\n'
    batch.write_text(line * 200, encoding="utf-8")
    process = subprocess.Popen(
        command(data, "lookup", "--batch", str(batch)), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait() == 1


def test_a_command_says_nothing_on_standard_error_when_all_is_well(data: Path) -> None:
    done = subprocess.run(command(data, "lookup", "VPN 连不上", "--json"), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
