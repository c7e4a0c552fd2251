"""What a reader raises when a file gives no article."""

from __future__ import annotations

from core.reasons import Fact, Reason


class Unusable(Exception):
    """A file that gives no article; carries the reason."""

    def __init__(self, code: str, /, **facts: Fact) -> None:
        super().__init__(code)
        self.reason = Reason.of(code, **facts)


class NoArticle(Unusable):
    """The file is sound but holds nothing to import."""


class BadContent(Unusable):
    """The file cannot be used."""
