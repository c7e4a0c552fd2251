"""The supervisor's dialog: how often badges were right by the votes, before and after other thresholds; apply, undo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.i18n import Language
from app.tasks import Lane, TaskRunner
from core.engine import Engine
from core.report import LevelShare, Reliability, Thresholds

_LEVELS = ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE")
_THRESHOLDS: Mapping[str, Callable[[Thresholds], float]] = {
    "HIGHLY_RELEVANT": lambda thresholds: thresholds.highly_relevant,
    "REFERENCE": lambda thresholds: thresholds.reference,
}
_WIDTH, _HEIGHT = 720, 360


class ReliabilityDialog(QDialog):
    """Counts in the background, also after each change. `changed`: other thresholds hold from now on."""

    changed = Signal()

    def __init__(self, language: Language, tasks: TaskRunner, engine: Engine, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reliabilityDialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._language, self._tasks, self._engine = language, tasks, engine
        self._told: Reliability | None = None
        self._done = ""  # the word for what was just done
        self._about, self._said = QLabel(), QLabel()
        self._said.setObjectName("reliabilityVerdict")
        for label in (self._about, self._said):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self._about.setProperty("role", "faint")
        self.table = QTableWidget(len(_LEVELS), 3)
        self.table.setObjectName("reliabilityTable")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.verticalHeader().hide()
        self.table.setWordWrap(True)
        self.apply, self.undo, self.close_button = (QPushButton() for _ in range(3))
        for button, name in (
            (self.apply, "applyThresholds"),
            (self.undo, "undoThresholds"),
            (self.close_button, "closeReliability"),
        ):
            button.setObjectName(name)
            button.setAutoDefault(False)
        self.apply.setProperty("primary", True)
        self._build()
        self.apply.clicked.connect(self._apply)
        self.undo.clicked.connect(self._undo)
        self.close_button.clicked.connect(self.close)
        language.changed.connect(self._retranslate)
        self._retranslate()
        self._count()

    def _build(self) -> None:
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.sectionResized.connect(self.table.resizeRowsToContents)
        self.table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        column.addWidget(self._about)
        column.addWidget(self.table, 1)
        column.addWidget(self._said)
        row = QHBoxLayout()
        row.addWidget(self.undo)
        row.addStretch(1)
        row.addWidget(self.apply)
        row.addWidget(self.close_button)
        column.addLayout(row)
        metrics = self.fontMetrics()
        scale = max(1.0, metrics.height() / 18)
        room = self.screen().availableSize()
        self.resize(min(int(_WIDTH * scale), room.width()), min(int(_HEIGHT * scale), room.height()))

    # ---------------------------------------------------------------- work
    def _count(self) -> None:
        self._run(lambda engine: engine.feedback.reliability(), self._show)

    def _run(self, work: Callable[[Engine], Any], on_done: Callable[[Any], None]) -> None:
        for button in (self.apply, self.undo):
            button.setEnabled(False)
        engine = self._engine
        self._tasks.start(self, lambda _: work(engine), on_done=on_done, lane=Lane.QUICK)

    def _show(self, told: Reliability) -> None:
        self._told = told
        self._retranslate()

    def _apply(self) -> None:
        told = self._told
        if told is not None and told.changes:
            self._run(
                lambda engine: engine.feedback.apply(told.proposed, votes=told.fresh),
                lambda _: self._other_thresholds("reliability.applied"),
            )

    def _undo(self) -> None:
        self._run(lambda engine: engine.feedback.undo(), lambda _: self._other_thresholds("reliability.undone"))

    def _other_thresholds(self, done: str) -> None:
        self._done = done
        self.changed.emit()
        self._count()

    # ---------------------------------------------------------------- words
    def _retranslate(self) -> None:
        say, told = self._language, self._told
        self.setWindowTitle(say("reliability.title"))
        self._about.setText(say("reliability.about"))
        for button, name in (
            (self.apply, "reliability.apply"),
            (self.undo, "reliability.undo"),
            (self.close_button, "reliability.close"),
        ):
            button.setText(say(name))
            button.setAccessibleName(say(name))
        self.apply.setEnabled(told is not None and told.changes)
        self.undo.setEnabled(told is not None and told.undoable)
        self.undo.setVisible(told is not None and told.undoable)
        self.table.setAccessibleName(say("reliability.title"))
        names = ("reliability.level", "reliability.now", "reliability.then")
        self.table.setHorizontalHeaderLabels([say(name) for name in names])
        for row, level in enumerate(_LEVELS):
            cells = [say(f"level.{level}"), "", ""]
            if told is not None:
                cells[1] = self._cell(level, told.before[level], told.thresholds)
                cells[2] = self._cell(level, told.after[level], told.proposed) if told.changes else "–"
            for place, text in enumerate(cells):
                self.table.setItem(row, place, QTableWidgetItem(text))
        self._said.setText(self._verdict())
        self._said.setAccessibleName(self._said.text())

    def _cell(self, level: str, share: LevelShare, thresholds: Thresholds) -> str:
        say = self._language
        text = say("reliability.no_votes")
        if share.share is not None:
            figures = {"share": share.share, "low": share.wilson_low, "high": share.wilson_high}
            percents = {name: f"{figure:.1%}" for name, figure in figures.items()}
            text = say("reliability.cell", **percents, right=share.right, count=share.count)
        if level in _THRESHOLDS:
            text += "\n" + say("reliability.threshold", value=f"{_THRESHOLDS[level](thresholds):.3f}")
        return text

    def _verdict(self) -> str:
        say, told = self._language, self._told
        if told is None:
            return say("reliability.counting")
        done = [say(self._done)] if self._done else []
        if not told.votes:
            said = say("reliability.none")
        elif told.refused is not None and told.refused.votes < told.refused.votes_needed:
            name = "reliability.missing_since" if told.votes > told.fresh else "reliability.missing"
            said = say(name, fresh=told.fresh, missing=told.refused.votes_needed - told.refused.votes)
        elif told.refused is not None:
            said = say("reliability.missing_near", missing=told.refused.near_needed - told.refused.near)
        elif told.changes:
            said = say("reliability.offer", votes=told.votes)
            if told.undone_before:
                said += "\n" + say("reliability.undone_before")
        else:
            said = say("reliability.kept" if told.holds else "reliability.unclear", votes=told.votes)
        return "\n".join([*done, said])
