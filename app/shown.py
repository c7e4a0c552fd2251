"""What travels from the engine to the screen: an answer or an article, with the little more that showing them needs."""

from __future__ import annotations

from dataclasses import dataclass

from app.article_text import Block, blocks, is_markdown
from core.engine import Engine
from core.errors import UnknownArticle
from core.model import Answer, ArticleView, Hit


@dataclass(frozen=True, slots=True)
class Shown:
    """An answer. `earlier`: when this session asked the same before, and the ranking it got then.

    `successor`: the title of what replaced the primary, None when nothing did. `pending`: knowledge was being written
    when it was answered, here or in another process.
    """

    text: str
    answer: Answer
    successor: str | None
    earlier: tuple[str, tuple[str, ...]] | None = None
    pending: bool = False


def with_surroundings(engine: Engine, text: str, answer: Answer) -> Shown:
    """The answer with what showing it needs of the engine."""
    return Shown(text, answer, _successor_of(engine, answer), pending=engine.is_pending())


@dataclass(frozen=True, slots=True)
class Opened:
    """An article, its text in blocks, the result it was opened from, and the title of what replaced it."""

    view: ArticleView
    drawn: list[Block]
    hit: Hit | None
    successor: str | None


def read_article(engine: Engine, doc_key: str, text: str, hit: Hit | None) -> Opened:
    """Read an article for the pane. Raises UnknownArticle."""
    view = engine.read(doc_key, query=text)
    drawn = blocks(view.article.body, markdown=is_markdown(doc_key))
    return Opened(view, drawn, hit, _title(engine, view.article.superseded_by))


def _successor_of(engine: Engine, answer: Answer) -> str | None:
    """The title of what replaced the primary; its key when there is no such article."""
    primary = answer.result.primary
    return _title(engine, primary.superseded_by) if primary is not None else None


def _title(engine: Engine, doc_key: str | None) -> str | None:
    if not doc_key:
        return None
    try:
        return engine.read(doc_key).article.title
    except UnknownArticle:
        return doc_key
