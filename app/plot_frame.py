"""What all charts share: title, layer, n, explanation, legend, read-out, zoom, export, words for "no data"."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame

from app.i18n import Language
from app.plot_data import ChartWords


class Chart(QFrame):
    """A card with one chart. Object name `name`; languages and themes are switched live. Making one imports
    pyqtgraph: make it when its page is first shown."""

    def __init__(self, language: Language, name: str, words: ChartWords) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setProperty("card", True)
        self._language, self._words = language, words
