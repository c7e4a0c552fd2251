"""Ablation: each row really has its part off, and only what a part had to do with is asked again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.ablation import ALL, ROWS, ablated, table
from core.engine import Engine
from core.evaluation import Query, evaluate
from core.model import Answer, EventKind
from core.switches import ALL_LEGS, ALL_ON, Switches
from core.trial import Trial

LONG = "无法连接到代理服务器，请检查网络设置后重试，错误来自网关"
ARTICLES = {
    "码.md": f"---\nkeywords: [DSK-4711]\n---\n# 风扇\n\n{'部件清单见附表，按说明更换。' * 30}\n",
    "也提到.md": "# 风扇异响\n\n风扇异响，DSK-4711 的风扇，DSK-4711，风扇异响。\n",
    "资源.md": "# 文件资源管理器\n\n文件资源管理器没有响应时结束任务。\n",
    "报错.md": f"# 门禁\n\n{LONG}。{'刷卡之前先在前台登记，再由保安开闸。' * 4}\n",
    "报错二.md": "# 无法连接到代理服务器\n\n请检查网络设置，网关错误，重试连接代理服务器。\n" * 2,
    "别的.md": "# 食堂\n\n十二点开门。\n",
}


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    root = tmp_path_factory.mktemp("ablation")
    for name, text in ARTICLES.items():
        (root / "kb").mkdir(exist_ok=True)
        (root / "kb" / name).write_text(text, encoding="utf-8")
    engine = Engine.open(root / "data")
    engine.remove_starter()
    engine.ingest([root / "kb"])
    with engine.trial() as opened:
        yield opened
    engine.close()


def off(trial: Trial, text: str, row: str) -> tuple[Answer, Answer]:
    """With all on, and with the row's part off."""
    return trial.lookup(text), trial.lookup(text, ROWS[row])


def test_without_l0_a_code_is_a_word_like_any_other(trial: Trial) -> None:
    on, without = off(trial, "DSK-4711", "no l0")
    assert on.result.relevance_level == "PRECISE"
    assert without.result.relevance_level != "PRECISE"
    assert without.details["l0_terms"] == []


@pytest.mark.parametrize(("row", "leg"), [("no bm25", "bm25"), ("no vector", "vector")])
def test_without_a_leg_it_finds_nothing_and_is_named(trial: Trial, row: str, leg: str) -> None:
    on, without = off(trial, "风扇异响", row)
    assert on.details["legs"][leg] > 0
    assert without.details["legs"][leg] == 0
    assert without.result.missing_legs == (leg,)
    assert without.ranking[0] == "也提到.md"


@pytest.mark.parametrize(("row", "leg"), [("only bm25", "bm25"), ("only vector", "vector")])
def test_alone_a_leg_is_alone(trial: Trial, row: str, leg: str) -> None:
    legs = trial.lookup("DSK-4711 风扇", ROWS[row]).details["legs"]
    assert {name for name, found in legs.items() if found} == {leg}


@pytest.mark.parametrize(
    ("row", "kind", "text"), [("no taiwan", "taiwan", "檔案總管"), ("no part", "part", "食堂几点开？风扇异响")]
)
def test_without_a_step_its_rewrites_are_gone(trial: Trial, row: str, kind: str, text: str) -> None:
    on, without = off(trial, text, row)
    assert kind in {rewrite["kind"] for rewrite in on.details["rewrites"]}
    assert kind not in {rewrite["kind"] for rewrite in without.details["rewrites"]}


def test_exact_hits_lose_their_place(trial: Trial) -> None:
    on, without = off(trial, "风扇 DSK-4711", "no exact first")
    assert on.ranking[0] == "码.md"
    assert without.ranking[0] == "也提到.md"


def test_a_quoted_message_loses_its_place(trial: Trial) -> None:
    on, without = off(trial, LONG, "no verbatim")
    assert on.ranking[0] == "报错.md"
    assert without.ranking[0] == "报错二.md"


def test_without_votes_a_confirmed_article_is_where_it_was(tmp_path: Path) -> None:
    engine = Engine.open(tmp_path / "data")
    engine.remove_starter()
    for name in ("甲", "乙"):
        (tmp_path / "kb").mkdir(exist_ok=True)
        (tmp_path / "kb" / f"{name}.md").write_text(f"# 风扇{name}\n\n风扇异响时清灰。{name}。\n", encoding="utf-8")
    engine.ingest([tmp_path / "kb"])
    first, second = engine.lookup("风扇异响", throwaway=True).ranking
    asked = engine.lookup("风扇异响", session_id="T-1")
    engine.record_event("T-1", EventKind.VOTED, doc_key=second, invocation_id=asked.invocation_id, value=2)
    with engine.trial() as trial:
        on, without = off(trial, "风扇异响", "no confirmed")
    engine.close()
    assert on.ranking == (second, first)
    assert without.ranking == (first, second)


def test_every_row_is_other_than_all_on() -> None:
    assert ALL not in ROWS
    assert ALL_ON not in ROWS.values()
    assert {leg for leg in ALL_LEGS if f"no {leg}" in ROWS} == ALL_LEGS
    assert {f"no {step}" for step in ALL_ON.rewriting} <= set(ROWS)


def test_only_what_a_part_had_to_do_with_is_asked_again(trial: Trial) -> None:
    queries = [Query("code", "DSK-4711"), Query("taiwan", "檔案總管"), Query("plain", "保安开闸")]
    qrels = {"code": {"码.md": 1}, "taiwan": {"资源.md": 1}, "plain": {"报错.md": 1}}
    asked: dict[str, set[str]] = {name: set() for name in ROWS}

    def lookup(text: str, switches: Switches) -> Answer:
        for name, row in ROWS.items():
            if row is switches:
                asked[name].add(text)
        return trial.lookup(text, switches)

    judged = evaluate(queries, qrels, trial.lookup)
    rows = ablated(judged, qrels, lookup)
    assert list(rows) == [ALL, *ROWS]
    assert all([one.query for one in row] == queries for row in rows.values())
    assert asked["no l0"] == {"DSK-4711"}
    assert asked["no taiwan"] == {"檔案總管"}
    assert asked["no bm25"] == {"DSK-4711", "檔案總管", "保安开闸"}
    for name in ("no l0", "no taiwan"):  # what was left as it is would have come out the same
        again = [trial.lookup(query.text, ROWS[name]).ranking for query in queries if query.text not in asked[name]]
        assert again == [trial.lookup(query.text).ranking for query in queries if query.text not in asked[name]]
    lines = table(rows)
    assert lines[0]["difference"] == 0
    assert all(line["difference"] == pytest.approx(line["ndcg@10"] - lines[0]["ndcg@10"]) for line in lines)


def test_without_answerable_questions_there_is_nothing_to_compare(trial: Trial) -> None:
    judged = evaluate([Query("none", "食堂")], {}, trial.lookup)
    assert [line["difference"] for line in table({ALL: judged, "no l0": judged})] == [None, None]
