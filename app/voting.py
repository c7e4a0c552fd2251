"""Voting: from the pane's buttons and the list's Ctrl+Enter to the lookup they belong to, and what was said before."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QObject

from app.article_pane import ArticlePane
from app.lookup_flow import Recording
from app.result_list import ResultList
from app.result_model import HIT
from app.search_control import SearchControl
from app.shown import Opened
from app.vote_bar import RIGHT


class Voting(QObject):
    """`is_current`: whether the list answers the text in the box. A vote belongs to one lookup and article: the same
    article under another lookup has none yet."""

    def __init__(
        self, control: SearchControl, pane: ArticlePane, results: ResultList, is_current: Callable[[], bool]
    ) -> None:
        super().__init__(pane)
        self._control, self._pane, self._is_current = control, pane, is_current
        self._given: dict[tuple[Recording | None, str], int] = {}
        pane.voted.connect(self._vote)
        results.right_wanted.connect(self._right)
        control.opened.connect(self._opened)

    def right_is_shown(self) -> None:
        """Ctrl+Enter in the box: the article that is shown answers the text there. Nothing without such an article."""
        shown, row = self._pane.article, self._control.pane_row
        if shown is not None and self._is_current() and row is not None and row is self._control.flow.current:
            self._give(shown.doc_key, RIGHT)

    def _give(self, doc_key: str, value: int) -> None:
        """Said twice it is said once."""
        if self._given.get((self._control.pane_row, doc_key), 0) != value:
            self._vote(doc_key, value)
            self._pane.votes.show_vote(value)

    def _vote(self, doc_key: str, value: int) -> None:
        row = self._control.voted(doc_key, value)
        self._given[row, doc_key] = value

    def _right(self, index: QModelIndex) -> None:
        """The selected result is the right article: it is opened, where the vote is to be seen and taken back."""
        hit = index.data(HIT)
        if hit is None or not self._is_current():
            return
        shown, row = self._pane.article, self._control.pane_row
        if shown is None or shown.doc_key != hit.doc_key or (row, hit.doc_key) not in self._given:
            self._control.open(hit)
        self._give(hit.doc_key, RIGHT)

    def _opened(self, opened: Opened) -> None:
        doc_key = opened.view.article.doc_key
        self._pane.votes.show_vote(self._given.get((self._control.pane_row, doc_key), 0))
