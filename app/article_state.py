"""What is said of an article that may not be followed: the mark in the list, the sentence above the text. No Qt."""

from __future__ import annotations

from collections.abc import Callable

from core.model import Answer, ArticleState, Hit

Say = Callable[..., str]
"""A Language: the words of a name, filled in."""


def state_mark(state: ArticleState, review_by: str | None, say: Say) -> str:
    """A few words for a row; "" for a current article."""
    if state is ArticleState.CURRENT:
        return ""
    if state is ArticleState.EXPIRED and review_by:
        return say("state.expired_since", date=review_by[:10])
    return say(f"state.{state}")


def state_sentence(state: ArticleState, review_by: str | None, successor: str, say: Say) -> str:
    """What to know before one follows the article; "" for a current one. `successor`: the title of what replaced it."""
    if successor:
        return say("article.superseded", title=successor)
    if state is ArticleState.SUPERSEDED:
        return say("article.superseded_alone")
    mark = state_mark(state, review_by, say)
    return say("article.with_care", state=mark) if mark else ""


def other_code_of(doc_key: str, hit: Hit | None, answer: Answer | None) -> str:
    """The code that an opened article is about when the question gave another, which no article holds; else ""."""
    if hit is not None and hit.other_code:
        return hit.other_code
    near = answer.neighbours if answer is not None else ()
    return next((one.code for one in near if one.doc_key == doc_key), "")
