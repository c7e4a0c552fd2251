"""One model in the list of models: chosen by a click, its state, what is known of it, what is wrong with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QRadioButton, QVBoxLayout, QWidget

from app.i18n import Language
from app.model_text import BETWEEN, HASHED, facts, fault_sentence, heading, phrase
from core.embedding_status import AUTO, ModelFault, ModelStage, ModelStatus

_MARKS = {ModelStage.READY: "●", ModelStage.LOADING: "◌", ModelStage.FAILED: "▲"}


class ModelRow(QFrame):
    """`removal_wanted(name)`, `retry_wanted`. A reranker has no button to choose it."""

    removal_wanted = Signal(str)
    retry_wanted = Signal()

    def __init__(self, name: str, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"model-{name}")
        self.setProperty("card", True)
        self.name = name
        self._language = language
        self._model: ModelStatus | None = None
        self._in_use = False
        self.radio = QRadioButton()
        self.radio.setObjectName(f"chooseModel-{name}")
        self._title, self.state, self.facts, self.fault = QLabel(), QLabel(), QLabel(), QLabel()
        for label in (self._title, self.state, self.facts, self.fault):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self.facts.setProperty("role", "faint")
        for label in (self.facts, self.fault):
            label.setWordWrap(True)
        self.remove, self.retry = QPushButton(), QPushButton()
        self.remove.setObjectName(f"removeModel-{name}")
        self.retry.setObjectName(f"retryModel-{name}")
        for button in (self.remove, self.retry):
            button.setProperty("link", True)
            button.setAutoDefault(False)
        self.remove.clicked.connect(lambda: self.removal_wanted.emit(name))
        self.retry.clicked.connect(self.retry_wanted)
        self._build()

    def _build(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(8)
        first.addWidget(self.radio)
        first.addWidget(self._title)
        first.addStretch(1)
        first.addWidget(self.state)
        below = QVBoxLayout()
        below.setContentsMargins(24, 0, 0, 0)
        below.setSpacing(2)
        below.addWidget(self.facts)
        below.addWidget(self.fault)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.retry)
        buttons.addWidget(self.remove)
        below.addLayout(buttons)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(4)
        column.addLayout(first)
        column.addLayout(below)

    def show_model(self, model: ModelStatus | None, *, in_use: bool, busy: bool) -> None:
        """`model` None: auto, or the hashed vectors, of which there is little to say. `busy`: nothing can be begun."""
        self._model, self._in_use = model, in_use
        reranks = model is not None and model.is_reranker
        self.radio.setVisible(not reranks)
        self._title.setVisible(reranks)
        self.remove.setVisible(model is not None and model.is_added)
        broken = model is not None and model.stage is ModelStage.FAILED and model.fault is not ModelFault.NO_AVX2
        self.retry.setVisible(broken)
        self.remove.setEnabled(not busy)
        self.retry.setEnabled(not busy)
        self.retranslate()

    def retranslate(self) -> None:
        """All its texts, in the language of the window."""
        say, model = self._language, self._model
        called = heading(self.name, say)
        self.radio.setText(called.replace("&", "&&"))
        self._title.setText(called)
        said = self._known() if model is None or self.name == HASHED else facts(model, say)
        self.facts.setText(said)
        self.facts.setVisible(bool(said))
        wrong = fault_sentence(model, say) if model is not None else ""
        self.fault.setText(wrong)
        self.fault.setVisible(bool(wrong))
        failed = model is not None and model.stage is ModelStage.FAILED
        _give_role(self.fault, "warning" if failed else "faint")
        self.state.setText(self._state())
        _give_role(self.state, "warning" if failed else "" if self._in_use else "faint")
        self.radio.setAccessibleName(called)
        self.radio.setAccessibleDescription(BETWEEN.join(part for part in (self._state(), said, wrong) if part))
        self.remove.setText(say("models.remove"))
        self.remove.setAccessibleName(phrase(say, "models.remove_this", name=self.name))
        self.retry.setText(say("models.retry"))
        self.retry.setAccessibleName(f"{say('models.retry')}: {called}")

    def _known(self) -> str:
        if self.name == AUTO:
            return self._language("models.auto_is")
        return self._language("models.hashed_is") if self.name == HASHED else ""

    def _state(self) -> str:
        say, model = self._language, self._model
        if self.name == AUTO:
            return ""
        stage = model.stage if model is not None else ModelStage.READY
        word = say(f"stage.{stage}")
        if self._in_use and stage is ModelStage.READY:
            word = say("models.in_use")
        mark = _MARKS.get(stage, "○")
        return f"{mark} {word}"


def _give_role(label: QLabel, role: str) -> None:
    if label.property("role") != role:
        label.setProperty("role", role)
        label.style().unpolish(label)
        label.style().polish(label)
