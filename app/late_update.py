"""lateUpdate: the button that shows the complete list once a leg that the answer did not wait for has come.

A list is never reordered under the reader: until the button is pressed it stays as it is (contract §3, §10).
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QPushButton, QWidget

from app.hint import Verdict
from app.i18n import Language
from app.search_control import SearchControl
from app.shown import Shown, with_surroundings
from app.tool_tips import plain_tip
from core.engine import Engine
from core.model import LegState

LOOK_MS = 250
KEYS = "Alt+U"


class LateUpdate(QPushButton):
    """Hidden until then. `arrived`: the hint line says something else now."""

    arrived = Signal()

    def __init__(self, language: Language, control: SearchControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lateUpdateButton")
        self.setProperty("link", True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._language, self._control = language, control
        self._shown: Shown | None = None
        self._timer = control.timer("late", self._look)
        self._shortcut = QShortcut(QKeySequence(KEYS), self, self._update)
        self._shortcut.setContext(Qt.ShortcutContext.WindowShortcut)
        self.clicked.connect(self._update)
        for signal in (control.stale, control.cleared):
            signal.connect(lambda: self._wait_for(None))
        control.answered.connect(lambda shown: self._wait_for(shown if shown.answer.leg_is_coming else None))
        language.changed.connect(self._retranslate)
        self._offer(False)
        self._retranslate()

    @property
    def offered(self) -> bool:
        """The leg has come, and its results are not shown yet."""
        return self._shortcut.isEnabled()

    def line(self, said: Verdict) -> str:
        """The name of the hint line: with the leg there, it is no longer said to be missing."""
        return "late.arrived" if self.offered and said.hint == "hint.leg_vector" else said.hint

    # ---------------------------------------------------------------- waiting
    def _wait_for(self, shown: Shown | None) -> None:
        self._shown = shown
        self._offer(False)
        if shown is None:
            self._timer.stop()
        else:
            self._timer.start(LOOK_MS)

    def _look(self) -> None:
        if (shown := self._shown) is None:
            return
        row = _row(shown)

        def seen(state: LegState) -> None:
            if self._shown is not shown:
                return
            if state is LegState.COMING:
                self._timer.start(LOOK_MS)
            elif state is LegState.ARRIVED:
                self._offer(True)
                self.arrived.emit()

        self._control.ask_then(lambda engine: engine.late_legs.state(row), seen)

    def _update(self) -> None:
        shown = self._shown
        if shown is None or not self.offered:
            return

        def whole(engine: Engine) -> Shown | None:
            answer = engine.late_legs.answer(_row(shown))
            return None if answer is None else with_surroundings(engine, shown.text, answer)

        self._control.ask_then(whole, self._control.complete)

    def _offer(self, there: bool) -> None:
        self._shortcut.setEnabled(there)
        self.setVisible(there)

    # ---------------------------------------------------------------- words
    def _retranslate(self) -> None:
        say = self._language
        keys = QKeySequence(KEYS).toString(QKeySequence.SequenceFormat.NativeText)
        self.setText(say("late.update"))
        self.setAccessibleName(say("late.tip", keys=keys))
        self.setToolTip(plain_tip(say("late.tip", keys=keys)))


def _row(shown: Shown) -> int:
    return shown.answer.invocation_id or 0
