"""modelsLink: the part of the foot line that says which embedder answers and why; leads to the models."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from app.i18n import Language
from app.model_text import fault_sentence, foot_phrase, serving_sentence, troubled
from app.tool_tips import plain_tip
from core.embedding_status import EmbeddingStatus

_NARROWEST = 12  # letters
_SIDES = 16


class ModelsLink(QPushButton):
    """As wide as its phrase; where there is less room the phrase ends in "…", and is whole in the tip."""

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("modelsLink")
        self.setProperty("link", True)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._language = language
        self._status: EmbeddingStatus | None = None
        self._phrase = ""
        language.changed.connect(self._retranslate)
        self.hide()

    @property
    def phrase(self) -> str:
        """The whole phrase."""
        return self._phrase

    def show_status(self, status: EmbeddingStatus) -> None:
        """Which embedder answers now."""
        self._status = status
        self._retranslate()

    def _retranslate(self) -> None:
        if self._status is None:
            return
        self._phrase = foot_phrase(self._status, self._language)
        self.setAccessibleName(self._phrase)
        model = troubled(self._status)
        said = [serving_sentence(self._status, self._language), fault_sentence(model, self._language) if model else ""]
        told = "\n".join(text for text in said if text)
        self.setAccessibleDescription(told)
        self.setToolTip(plain_tip(f"{told}\n{self._language('semantic.tip')}"))
        self.updateGeometry()
        self._fit()

    def _fit(self) -> None:
        room = max(0, self.width() - _SIDES)
        cut = self.fontMetrics().elidedText(self._phrase, Qt.TextElideMode.ElideRight, room)
        # A mark before a letter would be taken for a key.
        self.setText(cut.replace("&", "&&"))

    def sizeHint(self) -> QSize:
        """The whole phrase."""
        return QSize(self.fontMetrics().horizontalAdvance(self._phrase) + _SIDES, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Its beginning."""
        narrow = self.fontMetrics().averageCharWidth() * _NARROWEST + _SIDES
        return QSize(min(narrow, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The phrase fits the room."""
        super().resizeEvent(event)
        self._fit()
