"""knowledgeFoot: how old, how much and how whole the knowledge is, at a glance; amber what is past its review."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.i18n import Language
from app.models_link import ModelsLink
from core.embedding_status import EmbeddingStatus
from core.report import KnowledgeStatus

_BETWEEN = "  ·  "


class KnowledgeFoot(QWidget):
    """`failed_wanted`: show which files failed; `models_wanted`: show the models."""

    failed_wanted = Signal()
    models_wanted = Signal()

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("knowledgeFoot")
        self._language = language
        self._status: KnowledgeStatus | None = None
        self._state_word = "state.opening"
        self._date, self._count, self._overdue, self._rest = QLabel(), QLabel(), QLabel(), QLabel()
        self.failed = QPushButton()
        self.failed.setObjectName("failedFilesButton")
        self.failed.setProperty("link", True)
        self.failed.clicked.connect(self.failed_wanted)
        self.models = ModelsLink(language)
        self.models.clicked.connect(self.models_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._parts: tuple[QLabel | QPushButton, ...] = (
            self._date,
            self._count,
            self._overdue,
            self.failed,
            self._rest,
        )
        for label in (self._date, self._count, self._rest):
            label.setProperty("role", "faint")
        self._overdue.setProperty("role", "amber")
        self._dots = [QLabel(_BETWEEN) for _ in self._parts]
        for dot, part in zip(self._dots, self._parts, strict=True):
            dot.setProperty("role", "faint")
            row.addWidget(dot)
            row.addWidget(part)
        self._last_dot = QLabel(_BETWEEN)
        self._last_dot.setProperty("role", "faint")
        row.addWidget(self._last_dot)
        row.addWidget(self.models)
        row.addStretch(1)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def show_status(self, status: KnowledgeStatus) -> None:
        """How the knowledge stands."""
        self._status = status
        self._retranslate()

    def show_models(self, status: EmbeddingStatus) -> None:
        """Which embedder answers, and why."""
        self.models.show_status(status)
        self._retranslate()

    def show_state(self, name: str) -> None:
        """Why there is nothing to say yet: the name of the words."""
        self._state_word = name
        self._retranslate()

    def text(self) -> str:
        """The line as one text."""
        said = [part.text() for part in self._parts]
        if self._status is not None:
            said.append(self.models.phrase)
        return _BETWEEN.join(text for text in said if text)

    @property
    def amber(self) -> str:
        """What of the line is amber: knowledge past its review date."""
        return self._overdue.text()

    # ---------------------------------------------------------------- words
    def _retranslate(self) -> None:
        say, status = self._language, self._status
        said = [""] * len(self._parts)
        if status is None:
            said[0] = say(self._state_word)
        else:
            said[0] = self._age(status)
            said[1] = say("foot.knowledge", articles=f"{status.articles:,}")
            said[2] = say("foot.overdue", count=f"{status.overdue:,}") if status.overdue else ""
            said[3] = say("foot.failed", count=f"{status.failed_files:,}") if status.failed_files else ""
            said[4] = say("foot.pending") if status.pending else ""
        for part, text in zip(self._parts, said, strict=True):
            part.setText(text)
            part.setVisible(bool(text))
        for number, dot in enumerate(self._dots):
            dot.setVisible(bool(said[number]) and any(said[:number]))
        knows = status is not None and bool(self.models.phrase)
        self.models.setVisible(knows)
        self._last_dot.setVisible(knows and any(said))
        self._overdue.setToolTip(say("foot.overdue_tip"))
        self.failed.setToolTip(say("foot.failed_tip"))
        self.failed.setAccessibleName(f"{said[3]} {say('foot.failed_tip')}" if said[3] else say("foot.failed_tip"))
        self.setAccessibleName(self.text())

    def _age(self, status: KnowledgeStatus) -> str:
        if status.newest_update is None or status.age_days is None:
            return ""
        newest, days = date.fromisoformat(status.newest_update), status.age_days
        this_year = newest.year == date.fromisoformat(status.today).year
        values = {"date": f"{newest:%m-%d}" if this_year else status.newest_update}
        if days > 1:
            return self._language("foot.date", days=f"{days:,}", **values)
        return self._language("foot.date_yesterday" if days else "foot.date_today", **values)
