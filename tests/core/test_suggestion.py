"""What is suggested when words of a question stand in no article, and what never is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine
from core.model import Outcome

ARTICLES = {
    "打印机脱机怎么办.md": "先看电源和网线，再重启打印服务。",
    "忘记密码怎么重置.md": "在自助平台重置，收不到短信请联系服务台。",
    "Outlook 无法启动.md": "用安全模式启动，停用加载项。",
    "无线网络频繁断开.md": "更新网卡驱动，关闭节能。",
    "错误 ERR_TIMEOUT.md": "接口没有按时返回，检查网关。",
}


def opened(folder: Path) -> Engine:
    source = folder / "知识"
    source.mkdir()
    for name, body in ARTICLES.items():
        (source / name).write_text(f"# {name.removesuffix('.md')}\n\n{body}\n", encoding="utf-8")
    engine = Engine.open(folder / "data")
    engine.remove_starter()
    engine.ingest([source])
    return engine


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One base for all tests that only ask."""
    folder = tmp_path_factory.mktemp("shared")
    opened(folder).close()
    return folder


@pytest.fixture
def engine(shared: Path) -> Iterator[Engine]:
    """Opened for each test: lookups start threads, which end with it."""
    asked = Engine.open(shared / "data")
    yield asked
    asked.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Engine]:
    """A base that a test may change."""
    mine = opened(tmp_path)
    yield mine
    mine.close()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("打印鸡", "打印机"),
        ("忘记蜜码", "忘记密码"),
        ("我的打印鸡坏了", "我的打印机坏了"),
        ("往络连不上", "网络连不上"),
        ("outlok 打不开", "outlook 打不开"),
        ("Outlok 打不开", "Outlook 打不开"),
        ("oultook", "outlook"),
        ("蜜码和打印鸡", "密码和打印机"),
        ("pritner 掉线", "printer 掉线"),
    ],
)
def test_words_that_no_article_holds_give_way_to_those_read_or_spelt_alike(
    engine: Engine, typed: str, meant: str
) -> None:
    assert engine.lookup(typed).suggestion == meant


@pytest.mark.parametrize(
    "typed",
    [
        "打印机",
        "忘记密码怎么重置",
        "ERR_TIMEOUX",
        "0x80070035",
        "今天吃什么",
        "足球比赛",
        "how to bake bread",
        "你好",
        "",
    ],
)
def test_nothing_is_suggested_for_what_is_known_a_code_or_another_subject(engine: Engine, typed: str) -> None:
    assert engine.lookup(typed).suggestion is None


def test_a_suggestion_is_only_offered(engine: Engine) -> None:
    answer = engine.lookup("打印鸡")
    assert answer.result.query == "打印鸡"
    assert "suggestion" not in answer.result.as_json()
    assert engine.preview("打印鸡").suggestion is None


def test_new_articles_bring_new_words(own: Engine, tmp_path: Path) -> None:
    assert own.lookup("门尽卡").suggestion is None
    new = tmp_path / "门禁卡补办.md"
    new.write_text("# 门禁卡补办\n\n到前台登记。\n", encoding="utf-8")
    own.ingest([new])
    assert own.lookup("门尽卡").suggestion == "门禁卡"


def test_a_word_of_articles_that_went_is_not_suggested(own: Engine, tmp_path: Path) -> None:
    assert own.lookup("outlok").suggestion == "outlook"
    (tmp_path / "知识" / "Outlook 无法启动.md").unlink()
    own.ingest([tmp_path / "知识"])
    assert own.lookup("outlok").suggestion is None


def test_a_lookup_answers_though_no_suggestion_can_be_made(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> str:
        raise RuntimeError("gone")

    monkeypatch.setattr("core.suggestion.Suggester.suggest", broken)
    answer = engine.lookup("打印鸡")
    assert answer.result.outcome is not Outcome.DEGRADED
    assert answer.suggestion is None


@pytest.mark.parametrize(
    "typed",
    [
        "office 激活",  # two keys from offline-like words, and another first letter elsewhere
        "zoutlook",  # another first letter
        "断不开",  # 不 may not be read away
        "忘带",  # two syllables that are only nearly alike
        "登不上",  # a listed complaint is no mistake
    ],
)
def test_far_fetched_words_are_not_suggested(engine: Engine, typed: str) -> None:
    assert engine.lookup(typed, session_id="far").suggestion is None
