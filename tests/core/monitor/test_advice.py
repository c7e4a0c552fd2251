"""Suggestions: each has a reason, says it with its numbers, and leads somewhere."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from core.figures import Alert, AlertState, ArticleConcern, Concern, SuggestionKind, Unanswered
from core.monitor.advice import Situation, suggestions
from core.report import LevelShare
from tests.core.monitor.agent_figures import agent

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SLOW = agent("network/semantic-2", avg_ms=4100, penalty=0.11)
FAILING = agent("general/hybrid-hashed-1", success_rate=0.62, penalty=0.5, degraded=20)
EVERYTHING = Situation(
    agents=(SLOW, FAILING),
    serving={"network": "network/hybrid-hashed-1", "general": "general/hybrid-hashed-1"},
    outages=(Alert(1, "suspected_outage:vpn 691", 14, 5, NOW, AlertState.OPEN, detail="VPN 691 连不上"),),
    unanswered=(Unanswered("打印机 0x0000011b", "0x0000011b 打印机", 12, 9, NOW),),
    honesty={"PRECISE": LevelShare(40, 30, 0.75, 0.6, 0.86)},
    flagged=(ArticleConcern("vpn/691.md", "VPN 错误 691", Concern.FLAGGED, 6),),
    expired=17,
    failed_files=3,
)


def test_nothing_is_suggested_without_a_reason() -> None:
    fine = Situation(
        agents=(agent(), agent("network/keyword-1", total=19, success_rate=0.1, avg_ms=9000)),
        unanswered=(Unanswered("问过两次的问题", "两次", 2, 2, NOW),),
        honesty={
            "PRECISE": LevelShare(400, 398, 0.995, 0.98, 0.999),
            "HIGHLY_RELEVANT": LevelShare(19, 0, 0.0, 0.0, 0.17),
            "REFERENCE": LevelShare(50, 5, 0.1, 0.04, 0.2),
        },
        flagged=(ArticleConcern("a.md", "A", Concern.FLAGGED, 1),),
    )
    assert suggestions(fine, "zh_CN") == ()
    assert suggestions(Situation(), "en") == ()


def test_the_most_urgent_comes_first() -> None:
    found = suggestions(EVERYTHING, "zh_CN")
    priorities = [suggestion.priority for suggestion in found]
    assert priorities == sorted(priorities, reverse=True)
    assert all(1 <= priority <= 10 for priority in priorities)
    assert found[0].kind is SuggestionKind.OUTAGE
    assert {suggestion.kind for suggestion in found} == set(SuggestionKind)


def test_each_leads_to_its_agent_question_or_article() -> None:
    leads = {s.kind: s.agent or s.query or s.doc_key for s in suggestions(EVERYTHING, "zh_CN")}
    assert leads == {
        SuggestionKind.OUTAGE: "VPN 691 连不上",
        SuggestionKind.FAILING_AGENT: "general/hybrid-hashed-1",
        SuggestionKind.SLOW_AGENT: "network/semantic-2",
        SuggestionKind.BADGE_LIES: "",
        SuggestionKind.WRITE_ARTICLE: "打印机 0x0000011b",
        SuggestionKind.REVIEW_ARTICLE: "vpn/691.md",
        SuggestionKind.FAILED_FILES: "",
        SuggestionKind.EXPIRED_ARTICLES: "",
    }


@pytest.mark.parametrize(
    ("kind", "zh", "en"),
    [
        (
            SuggestionKind.SLOW_AGENT,
            "network/semantic-2 24 小时平均 4.1 s：由 network/hybrid-hashed-1 代答",
            "network/semantic-2 averages 4.1 s over 24 h: network/hybrid-hashed-1 answers instead",
        ),
        (
            SuggestionKind.FAILING_AGENT,
            "general/hybrid-hashed-1 成功率 62.0%：仍由它应答",
            "general/hybrid-hashed-1 succeeds in 62.0%: it still answers",
        ),
        (
            SuggestionKind.WRITE_ARTICLE,
            "“打印机 0x0000011b” 12 次无结果：写文章",
            "“打印机 0x0000011b” found nothing 12 times: write an article",
        ),
        (
            SuggestionKind.OUTAGE,
            "疑似故障：“VPN 691 连不上” 最近 15 分钟有 14 张工单在问",
            "Suspected outage: “VPN 691 连不上” was asked in 14 sessions in the last 15 minutes",
        ),
        (
            SuggestionKind.BADGE_LIES,
            "“精准”徽章 40 次评价只有 75% 属实：查看差评",
            "The badge “Exact” was right in 75% of 40 votes: look at the others",
        ),
    ],
)
def test_a_suggestion_says_its_reason_in_numbers(kind: SuggestionKind, zh: str, en: str) -> None:
    for language, title in (("zh_CN", zh), ("en", en)):
        (found,) = (s for s in suggestions(EVERYTHING, language) if s.kind is kind)
        assert found.title == title


def test_every_number_that_a_title_tells_follows_the_figures() -> None:
    for suggestion in suggestions(EVERYTHING, "zh_CN"):
        assert re.search(r"\d", suggestion.title), suggestion.title
        assert "{" not in suggestion.title + suggestion.detail


@pytest.mark.parametrize(
    ("serving", "penalty", "serves", "words", "priority"),
    [
        ({"network": "network/keyword-1"}, 0.11, "network/keyword-1", "由 network/keyword-1 代答", 7),
        ({"network": SLOW.id}, 0.05, "", "仍由它应答", 7),
        ({"network": SLOW.id}, 0.11, "", "仍由它应答", 8),
        ({}, 0.11, "", "这一类现在没有实例应答", 8),
    ],
)
def test_who_answers_is_said_and_most_urgent_where_nobody_does_better(
    serving: dict[str, str], penalty: float, serves: str, words: str, priority: int
) -> None:
    slow = agent(SLOW.id, avg_ms=4100, penalty=penalty)
    (found,) = suggestions(Situation(agents=(slow,), serving=serving), "zh_CN")
    assert (found.facts["serving"], found.priority) == (serves, priority)
    assert words in found.title


def test_a_pasted_question_stays_one_short_line_in_the_sentence_and_whole_where_it_leads() -> None:
    pasted = "第一行\n第二行 {braces} " + "很长" * 200
    (found,) = suggestions(Situation(unanswered=(Unanswered(pasted, "k", 3, 1, NOW),)), "en")
    assert "\n" not in found.title
    assert len(found.title) < 120
    assert (found.query, found.facts["query"]) == (pasted, pasted)


def test_a_list_stays_short_enough_to_be_worked_off() -> None:
    many = tuple(Unanswered(f"问题 {n}", str(n), n, 1, NOW) for n in range(3, 40))
    found = suggestions(Situation(unanswered=many), "zh_CN")
    assert [s.facts["count"] for s in found] == [39, 38, 37, 36, 35]
