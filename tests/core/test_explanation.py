"""Why a hit is there and why it has its level: each rule is told as the rule that held."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine
from core.explanation import Because, Cause, Explanation, Place, as_typed, because, because_of
from core.model import ArticleState, RelevanceLevel
from tests.manual_clock import ManualClock

ARTICLES = {
    "vpn/691.md": ("VPN 错误 691：密码被拒绝", "keywords: [VPN 691]", "远程连接被拒绝。核对工号，重置密码。"),
    "vpn/789.md": ("VPN 错误 789：安全层协商失败", "keywords: [VPN 789]", "核对预共享密钥，重启服务。"),
    "api/timeout.md": (
        "接口超时",
        "keywords: [ERR_TIMEOUT]",
        "网关没有收到响应。\n\n## 处理\n\n查看慢 SQL。\n\n## 附录\n\n联系值班经理。",
    ),
    "print/offline.md": ("打印机显示脱机", "", "先看网线，再重启打印机。"),
    "print/jam.md": ("打印机卡纸", "", "打开后盖取出纸张。"),
    "old/97.md": ("OLD-97 旧流程", "keywords: [OLD-97]\nsuperseded_by: old/98.md", "电话登记 OLD-97。"),
    "old/98.md": ("NEW-98 新流程", "keywords: [NEW-98]", "在线登记。"),
    "late.md": ("TAG-55 门禁卡", "keywords: [TAG-55]\nreview_by: 2020-01-31", "门禁卡 TAG-55 失效时补办。"),
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root = tmp_path_factory.mktemp("explained")
    for key, (title, head, body) in ARTICLES.items():
        path = root / "kb" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = "\n".join(line for line in (f"title: {title}", head) if line)
        path.write_text(f"---\n{lines}\n---\n\n{body}\n", encoding="utf-8")
    opened = Engine.open(root / "data", clock=ManualClock())
    opened.remove_starter()
    opened.ingest([root / "kb"])
    yield opened
    opened.close()


def explained(engine: Engine, query: str, doc_key: str) -> Explanation:
    found = engine.explain(query, doc_key)
    assert found is not None
    return found


def test_an_exact_answer_names_the_code_as_it_was_typed(engine: Engine) -> None:
    answer = engine.lookup("ERR_TIMEOUT", throwaway=True)
    assert answer.result.relevance_level is RelevanceLevel.PRECISE
    assert because_of(answer) == Because(Cause.ONLY_ONE, ("ERR_TIMEOUT",))
    why = explained(engine, "ERR_TIMEOUT", "api/timeout.md")
    assert (why.place, why.level, why.because) == (1, RelevanceLevel.PRECISE, Because(Cause.ONLY_ONE, ("ERR_TIMEOUT",)))
    assert [(term.text, term.declared, term.articles) for term in why.terms] == [("ERR_TIMEOUT", True, 1)]
    assert why.selected
    assert why.lexical.place == 1


def test_the_word_that_keeps_it_from_being_exact_is_named(engine: Engine) -> None:
    why = explained(engine, "ERR_TIMEOUT 空调", "api/timeout.md")
    assert why.level is RelevanceLevel.REFERENCE
    assert why.because == Because(Cause.LACKS_WORDS, ("空调",))
    assert [(word.text, word.place) for word in why.words] == [
        ("ERR_TIMEOUT", Place.HERE),
        ("空调", Place.NOWHERE),
    ]


def test_a_code_that_is_not_held_is_the_reason(engine: Engine) -> None:
    answer = engine.lookup("VPN 0x80004005", throwaway=True)
    assert because_of(answer) == Because(Cause.OTHER_CODE, ("0x80004005",))


@pytest.mark.parametrize(
    ("query", "key", "state"),
    [("OLD-97", "old/97.md", ArticleState.SUPERSEDED), ("TAG-55", "late.md", ArticleState.EXPIRED)],
)
def test_what_is_not_current_is_told_so(engine: Engine, query: str, key: str, state: ArticleState) -> None:
    assert explained(engine, query, key).because == Because(Cause.NOT_CURRENT, state=state)
    assert explained(engine, query, key).state is state


def test_a_successor_says_what_it_replaces(engine: Engine) -> None:
    answer = engine.lookup("旧流程 登记", throwaway=True)
    order = [hit.doc_key for hit in answer.hits]
    assert order.index("old/98.md") < order.index("old/97.md")
    assert explained(engine, "旧流程 登记", "old/98.md").replaces == ("OLD-97 旧流程",)


def test_nothing_found_names_the_words_that_no_article_holds(engine: Engine) -> None:
    answer = engine.lookup("火星殖民地", throwaway=True)
    reason = because_of(answer)
    assert reason is not None
    assert reason.cause is Cause.NO_WORDS_HELD
    assert set(reason.words) == set(answer.result.unknown_words) != set()


def test_courtesy_has_no_level_to_explain(engine: Engine) -> None:
    assert because_of(engine.lookup("你好，谢谢", throwaway=True)) is None


@pytest.mark.parametrize("query", ["打印机", "VPN 密码 重置", "ERR_TIMEOUT 打印机"])
def test_every_listed_hit_can_be_explained(engine: Engine, query: str) -> None:
    answer = engine.lookup(query, throwaway=True)
    assert len(answer.hits) > 1
    for place, hit in enumerate(answer.hits, 1):
        why = explained(engine, query, hit.doc_key)
        assert (why.place, why.title) == (place, hit.title)
        assert why.terms or why.lexical.place or why.semantic.place
    primary = explained(engine, query, answer.hits[0].doc_key)
    assert primary.level == answer.result.evidence_level
    assert primary.because == because_of(answer)


def test_a_word_is_found_by_its_synonym_or_elsewhere(engine: Engine) -> None:
    why = explained(engine, "ERR_TIMEOUT 经理", "api/timeout.md")
    assert {word.text: word.place for word in why.words}["ERR_TIMEOUT"] is Place.HERE
    assert all(word.written for word in why.words if word.place is Place.SYNONYM)


def test_the_rewriting_that_found_it_is_named(engine: Engine) -> None:
    rewritten = explained(engine, "印表機 離線", "print/offline.md")
    assert rewritten.rewrite is not None
    assert rewritten.rewrite[0] == "taiwan"
    assert engine.explain("打印机脱机", "print/offline.md").rewrite is None  # type: ignore[union-attr]


def test_what_is_not_among_the_hits_is_not_explained(engine: Engine) -> None:
    assert engine.explain("ERR_TIMEOUT", "print/jam.md") is None
    assert engine.explain("ERR_TIMEOUT", "no/such.md") is None
    assert engine.explain("谢谢", "print/jam.md") is None


def test_explaining_writes_nothing(engine: Engine) -> None:
    def counts() -> list[int]:
        connection = sqlite3.connect(engine.folder.database)
        try:
            tables = ("tool_invocation", "session", "retrieved", "session_event")
            return [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
        finally:
            connection.close()

    before = counts()
    explained(engine, "VPN 691", "vpn/691.md")
    assert counts() == before


def test_the_figures_are_those_of_the_log(engine: Engine) -> None:
    evidence = engine.lookup("VPN 密码 重置", throwaway=True).details["evidence"]
    primary = engine.lookup("VPN 密码 重置", throwaway=True).hits[0].doc_key
    figures = explained(engine, "VPN 密码 重置", primary).figures
    assert figures["similarity"] == evidence["similarity"]
    assert {"highly_relevant_threshold", "reference_threshold", "distance", "bm25", "cosine"} <= figures.keys()


def test_the_order_of_reasons_is_that_of_the_rules() -> None:
    def cause(**changes: object) -> Cause:
        values = {
            "terms": (),
            "missing": (),
            "state": ArticleState.CURRENT,
            "unheld": (),
            "other_name": False,
            "margin": 1.0,
            **changes,
        }
        return because(RelevanceLevel.REFERENCE, **values).cause  # type: ignore[arg-type]

    everything = {"unheld": ("0x1",), "state": ArticleState.DRAFT, "other_name": True, "missing": ("x",), "margin": 0.0}
    told = []
    while everything:
        told.append(cause(**everything))
        everything.pop(next(iter(everything)))
    assert [*told, cause()] == [
        *(Cause.OTHER_CODE, Cause.NOT_CURRENT, Cause.OTHER_NAME, Cause.LACKS_WORDS, Cause.NO_LEAD, Cause.FAR),
    ]


@pytest.mark.parametrize(
    ("text", "folded", "typed"),
    [("ERR_TIMEOUT！", "err_timeout", "ERR_TIMEOUT"), ("ＶＰＮ 691", "vpn", "ＶＰＮ"), ("印表機壞了", "坏", "壞")],
)
def test_words_are_told_as_they_were_typed(text: str, folded: str, typed: str) -> None:
    assert as_typed(text, (folded,)) == (typed,)


def test_a_code_put_together_from_pieces_stays_as_it_is_held() -> None:
    assert as_typed("e 0012", ("e0012",)) == ("e0012",)


def test_an_empty_base_explains_nothing(tmp_path: Path) -> None:
    with_nothing = Engine.open(tmp_path / "data", clock=ManualClock())
    try:
        with_nothing.remove_starter()
        assert with_nothing.explain("VPN", "x.md") is None
    finally:
        with_nothing.close()


def test_of_a_question_in_taiwans_words_the_words_are_those_it_was_judged_by(engine: Engine) -> None:
    why = explained(engine, "印表機卡紙 空調", "print/jam.md")
    places = {word.text: word.place for word in why.words}
    assert Place.HERE in places.values()
    assert [place for text, place in places.items() if text in {"空調", "空调"}] == [Place.NOWHERE]
