"""Advice: suggestions, each with a reason in the figures, where it leads, and how urgent it is. Pure (contract §8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core import texts
from core.agents.routing import INELIGIBLE_FROM
from core.figures import (
    ENOUGH,
    AgentFigures,
    Alert,
    ArticleConcern,
    Suggestion,
    SuggestionKind,
    Unanswered,
)
from core.model import RelevanceLevel
from core.report import LevelShare

Facts = dict[str, str | int | float]

# From how often on a question without an answer, or an article voted not useful, is worth somebody's time.
_ASKED_OFTEN = 3
_VOTED_OFTEN = 2
_OF_A_KIND = 5  # questions and articles, each: a list that nobody can work off is read by nobody
# Of how many answers the badge must be right (contract, Decision 3).
_PROMISED = {RelevanceLevel.PRECISE: 0.98, RelevanceLevel.HIGHLY_RELEVANT: 0.95}


@dataclass(frozen=True, slots=True)
class Situation:
    """What suggestions are drawn from. `serving`: which instance is asked for a type now, where any is; `window_hours`:
    how far the agents' figures reach back; `days`: how far questions and articles do; `flagged`: those voted not
    useful."""

    agents: tuple[AgentFigures, ...] = ()
    serving: Mapping[str, str] | None = None
    success_rate_threshold: float = 0.90
    latency_ms_threshold: float = 3000
    window_hours: int = 24
    outages: tuple[Alert, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()
    honesty: Mapping[str, LevelShare] | None = None
    flagged: tuple[ArticleConcern, ...] = ()
    expired: int = 0
    failed_files: int = 0
    days: int = 7


def suggestions(situation: Situation, language: str) -> tuple[Suggestion, ...]:
    """Most urgent first; among equals, agents before articles, the greater number first. None without a reason."""
    found = [
        *_on_outages(situation, language),
        *_on_agents(situation, language),
        *_on_badges(situation, language),
        *_on_questions(situation, language),
        *_on_articles(situation, language),
    ]
    return tuple(sorted(found, key=lambda suggestion: -suggestion.priority))


def _on_outages(situation: Situation, language: str) -> Iterator[Suggestion]:
    for alert in sorted(situation.outages, key=lambda alert: -alert.value):
        facts: Facts = {"query": alert.detail, "sessions": round(alert.value)}
        yield _suggestion(SuggestionKind.OUTAGE, 10, facts, language, query=alert.detail)


def _on_agents(situation: Situation, language: str) -> Iterator[Suggestion]:
    for agent in sorted(situation.agents, key=lambda agent: (-agent.monitor_penalty, agent.id)):
        if agent.total < ENOUGH:
            continue
        serving = (situation.serving or {}).get(agent.type, "")
        replaced = serving not in ("", agent.id)
        # Where nobody is better, people wait, or get no answer.
        pressing = 0 if replaced or (serving and agent.monitor_penalty < INELIGIBLE_FROM) else 1
        told = "" if replaced else "_itself" if serving else "_nobody"
        serving = serving if replaced else ""
        if agent.success_rate < situation.success_rate_threshold:
            failing: Facts = {
                "agent": agent.id,
                "success_rate": round(agent.success_rate, 4),
                "total": agent.total,
                "serving": serving,
                "failures": round(agent.total * (1 - agent.success_rate)),
                "degraded": agent.degraded,
                "threshold": situation.success_rate_threshold,
            }
            yield _suggestion(SuggestionKind.FAILING_AGENT, 8 + pressing, failing, language, agent=agent.id, told=told)
        if agent.avg_ms > situation.latency_ms_threshold:
            slow: Facts = {
                "agent": agent.id,
                "avg_ms": round(agent.avg_ms),
                "hours": situation.window_hours,
                "serving": serving,
                "total": agent.total,
                "p95_ms": round(agent.p95_ms),
                "threshold": situation.latency_ms_threshold,
                "penalty": round(agent.monitor_penalty, 3),
            }
            yield _suggestion(SuggestionKind.SLOW_AGENT, 7 + pressing, slow, language, agent=agent.id, told=told)


def _on_badges(situation: Situation, language: str) -> Iterator[Suggestion]:
    for level, promised in _PROMISED.items():
        told = (situation.honesty or {}).get(level)
        # Only where the votes leave no doubt: even the upper end of the interval is below what was promised.
        if told is None or told.count < ENOUGH or told.share is None or told.wilson_high is None:
            continue
        if told.wilson_high < promised:
            facts: Facts = {
                "level": str(level),
                "share": round(told.share, 4),
                "n": told.count,
                "right": told.right,
                "low": round(told.wilson_low or 0.0, 4),
                "high": round(told.wilson_high, 4),
                "promised": promised,
            }
            yield _suggestion(SuggestionKind.BADGE_LIES, 8, facts, language)


def _on_questions(situation: Situation, language: str) -> Iterator[Suggestion]:
    often = [question for question in situation.unanswered if question.count >= _ASKED_OFTEN]
    for question in sorted(often, key=lambda question: -question.count)[:_OF_A_KIND]:
        priority = 6 if question.count >= 10 else 5 if question.count >= 5 else 4
        facts: Facts = {
            "query": question.query,
            "count": question.count,
            "sessions": question.sessions,
            "days": situation.days,
        }
        yield _suggestion(SuggestionKind.WRITE_ARTICLE, priority, facts, language, query=question.query)


def _on_articles(situation: Situation, language: str) -> Iterator[Suggestion]:
    often = [article for article in situation.flagged if article.count >= _VOTED_OFTEN]
    for article in sorted(often, key=lambda article: -article.count)[:_OF_A_KIND]:
        facts: Facts = {
            "doc_key": article.doc_key,
            "title": article.title,
            "count": article.count,
            "days": situation.days,
        }
        priority = 5 if article.count >= 5 else 4
        yield _suggestion(SuggestionKind.REVIEW_ARTICLE, priority, facts, language, doc_key=article.doc_key)
    if situation.failed_files:
        yield _suggestion(SuggestionKind.FAILED_FILES, 3, {"count": situation.failed_files}, language)
    if situation.expired:
        yield _suggestion(SuggestionKind.EXPIRED_ARTICLES, 2, {"count": situation.expired}, language)


def _suggestion(
    kind: SuggestionKind,
    priority: int,
    facts: Facts,
    language: str,
    *,
    agent: str = "",
    query: str = "",
    doc_key: str = "",
    told: str = "",
) -> Suggestion:
    """`told`: which sentence, where there are several."""
    title, detail = texts.suggestion(kind + told, language, facts)
    return Suggestion(kind, title, detail, priority, facts, agent=agent, query=query, doc_key=doc_key)
