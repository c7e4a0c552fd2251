"""Reading an article: the whole of it, as it stands today, with where the words of a query stand in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from core.errors import UnknownArticle
from core.model import ArticleView
from core.relevance import state_today
from core.store.articles import Articles
from core.text import spans_of


def read(
    articles: Articles, doc_key: str, terms: Sequence[str], names: Callable[[], Mapping[str, str]], today: str
) -> ArticleView:
    """`terms`: what is marked in the body; `names`: domains as they are called. Raises UnknownArticle."""
    article = articles.get(doc_key)
    if article is None:
        raise UnknownArticle(doc_key=doc_key)
    article = replace(article, state=state_today(article.state, article.review_by, today))
    name = names().get(article.domain, article.domain)
    return ArticleView(article, name, spans_of(article.body, terms) if terms else ())
