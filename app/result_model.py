"""The result list's rows: hits, under the roles that the list, its delegate and screen readers ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.article_state import state_mark
from app.i18n import Language
from core.model import Hit

DOC_KEY = Qt.ItemDataRole.UserRole
HIT = Qt.ItemDataRole.UserRole + 1

_Index = QModelIndex | QPersistentModelIndex


class ResultModel(QAbstractListModel):
    """Hits, best first. `divider`: above which row a line stands, and the name of what it says."""

    def __init__(self, language: Language, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._hits: list[Hit] = []
        self._domain_name: Callable[[str], str] = str
        self.divider: tuple[int, str] | None = None
        language.changed.connect(self.refresh)

    def set_hits(self, hits: Sequence[Hit], level: str = "") -> None:
        """Show another answer. Below an exact one the rest is further reading; without an answer all of it is."""
        self.beginResetModel()
        self._hits = list(hits)
        self.divider = {"PRECISE": (1, "search.others"), "NOT_FOUND": (0, "search.only_similar")}.get(level)
        self.endResetModel()

    def set_domain_names(self, names: Mapping[str, str]) -> None:
        """Display names of domains; unknown ones show their key."""
        self._domain_name = lambda key: names.get(key, key)
        self.refresh()

    def mark_held(self, doc_key: str, held_at: str, query: str) -> None:
        """The session has just retrieved this article."""
        for row, hit in enumerate(self._hits):
            if hit.doc_key == doc_key and hit.held_at is None:
                self._hits[row] = replace(hit, held_at=held_at, held_query=query)
                self.dataChanged.emit(self.index(row), self.index(row))

    def refresh(self) -> None:
        """The same hits in other words."""
        if self._hits:
            self.dataChanged.emit(self.index(0), self.index(len(self._hits) - 1))

    def hit(self, row: int) -> Hit | None:
        """The hit in that row."""
        return self._hits[row] if 0 <= row < len(self._hits) else None

    def row_of(self, doc_key: str) -> int:
        """The row of an article, -1 when it is not in the list."""
        return next((row for row, hit in enumerate(self._hits) if hit.doc_key == doc_key), -1)

    def domain_name(self, key: str) -> str:
        """What a domain is called."""
        return self._domain_name(key)

    # ------------------------------------------------------------------ Qt
    def rowCount(self, parent: _Index | None = None) -> int:
        """How many hits."""
        return 0 if parent is not None and parent.isValid() else len(self._hits)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """See the roles above; the accessible text says what the row shows."""
        hit = self.hit(index.row()) if index.isValid() else None
        if hit is None:
            return None
        if role == DOC_KEY:
            return hit.doc_key
        if role == HIT:
            return hit
        if role == Qt.ItemDataRole.DisplayRole:
            return hit.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            parts = [hit.title, self.domain_name(hit.domain)]
            if hit.updated:
                parts.append(self._language("article.updated", date=hit.updated))
            if hit.confirmed:
                parts.append(self._language("search.confirmed", count=hit.confirmed))
            parts.append(state_mark(hit.state, hit.review_by, self._language))
            if hit.other_code:
                parts.append(self._language("search.other_code", code=hit.other_code))
            if hit.held_at:
                parts.append(self._language("level.DEDUPED"))
            return ", ".join(part for part in parts if part)
        return None
