"""noteField: "记一笔", one field under the verdict: what solved it. Enter saves, Esc closes; nothing typed is lost."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.i18n import Language
from core.errors import DesksideError

KEYS = "Ctrl+Shift+N"
OFFERED = frozenset({"NOT_FOUND", "REFERENCE"})
"""Levels with which nobody is served yet."""
_LINES = 3
_EDGE = 4  # padding and border, as the style sheet has them
_LONGEST_TITLE = 60


class NoteText(QPlainTextEdit):
    """`entered` Enter or Ctrl+Enter, `escaped` Escape; neither comes while an input method composes. Shift+Enter
    starts a line, Tab goes on."""

    entered = Signal()
    escaped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._preedit = ""
        self.setTabChangesFocus(True)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Keep count of the composed text."""
        self._preedit = event.preeditString()
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and Escape are ours; while composing they belong to nobody."""
        enter = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        if enter and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.insertPlainText("\n")
        elif enter or event.key() == Qt.Key.Key_Escape:
            if not self._preedit:
                (self.entered if enter else self.escaped).emit()
        else:
            super().keyPressEvent(event)

    def fit(self) -> None:
        """Three lines high, in the font of the moment."""
        margins = self.contentsMargins()
        frame = 2 * (int(self.document().documentMargin()) + _EDGE) + margins.top() + margins.bottom()
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + frame)


class NoteField(QFrame):
    """Hidden until `open()`. Asks with signals: `wanted` it is to be opened, `save_wanted(text, here)`, `closed`.

    `button` is the offer, to be placed beside the verdict. `here`: in the data folder, for the shared one is away.
    """

    wanted = Signal()
    save_wanted = Signal(str, bool)
    closed = Signal()

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("noteField")
        self.setProperty("banner", True)
        self._language = language
        self._query = ""
        self._problem: Callable[[], str] | None = None
        self.button = QPushButton()
        self.button.setObjectName("noteButton")
        self.button.setProperty("link", True)
        self.button.clicked.connect(self.wanted)
        self.button.hide()
        self._about, self.problem = QLabel(), QLabel()
        for label, role in ((self._about, "title"), (self.problem, "warning")):
            label.setProperty("role", role)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.problem.setObjectName("noteProblem")
        self.text = NoteText()
        self.text.setObjectName("noteText")
        self.text.entered.connect(self._save)
        self.text.escaped.connect(self.close_field)
        self.text.textChanged.connect(lambda: self._say(None))
        self.save, self.close_button, self.save_here = QPushButton(), QPushButton(), QPushButton()
        self.save.setObjectName("saveNoteButton")
        self.save.setProperty("primary", True)
        self.close_button.setObjectName("closeNoteButton")
        self.save_here.setObjectName("saveNoteHereButton")
        self.save.clicked.connect(self._save)
        self.close_button.clicked.connect(self.close_field)
        self.save_here.clicked.connect(lambda: self._save(here=True))
        self._build()
        language.changed.connect(self._retranslate)
        self._retranslate()
        self.hide()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(8)
        column.addWidget(self._about)
        buttons = QVBoxLayout()
        buttons.setSpacing(4)
        buttons.addWidget(self.save)
        buttons.addWidget(self.close_button)
        buttons.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        row.addLayout(buttons)
        column.addLayout(row)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.problem, 1)
        row.addWidget(self.save_here, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(row)

    # ---------------------------------------------------------------- from outside
    def offer(self, level: str) -> None:
        """Beside an answer of that level."""
        self.button.setVisible(level in OFFERED)

    @property
    def in_use(self) -> bool:
        """Somebody is writing in it."""
        return not self.isHidden() and bool(self.text.toPlainText().strip())

    @property
    def query(self) -> str:
        """What the note is on."""
        return self._query

    @property
    def title(self) -> str:
        """The same in one line, not too long."""
        title = " ".join(self._query.split())
        return title if len(title) <= _LONGEST_TITLE else title[:_LONGEST_TITLE] + "…"

    def close_unused(self) -> None:
        """Another question is asked: what nobody has begun to write on the last one is not kept open."""
        if not self.isHidden() and not self.in_use:
            self.hide()

    def open(self, query: str, text: str | None = None) -> None:
        """For the answer to that query. What was typed for the same query before is still there."""
        if text is not None or query != self._query:
            self.text.setPlainText(text or "")
        self._query = query
        self.text.fit()
        self._say(None)
        self.show()
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_busy(self, busy: bool) -> None:
        """It is being saved."""
        self.setEnabled(not busy)

    def saved(self) -> None:
        """Empty and closed."""
        self.text.clear()
        self._query = ""
        self.close_field()

    def refuse_empty(self) -> None:
        """There was nothing to save."""
        self._say(lambda: self._language("note.empty"))

    def show_problem(self, error: DesksideError) -> None:
        """It could not be saved; the text stays, and may be saved in the data folder."""
        self._say(lambda: self._language("note.kept", problem=self._language.sentence(error)), elsewhere=True)

    def close_field(self) -> None:
        """Esc."""
        if not self.isHidden():
            self.hide()
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape on one of the buttons."""
        if event.key() == Qt.Key.Key_Escape:
            self.close_field()
        else:
            super().keyPressEvent(event)

    # ---------------------------------------------------------------- inside
    def _save(self, *_: object, here: bool = False) -> None:
        self.save_wanted.emit(self.text.toPlainText(), here)

    def _say(self, problem: Callable[[], str] | None, *, elsewhere: bool = False) -> None:
        self._problem = problem
        self.save_here.setVisible(elsewhere)
        self._retranslate()
        self.text.setFocus()

    def _retranslate(self) -> None:
        say = self._language
        keys = QKeySequence(KEYS).toString(QKeySequence.SequenceFormat.NativeText)
        self._about.setText(say("note.about", title=self.title))
        self.text.setPlaceholderText(say("note.placeholder"))
        self.text.setAccessibleName(self._about.text())
        self.setAccessibleName(say("note.text"))
        self.problem.setText(self._problem() if self._problem is not None else "")
        self.problem.setVisible(self._problem is not None)
        self.text.setAccessibleDescription(self.problem.text() or say("note.placeholder"))
        for button, word in (
            (self.button, "note.offer"),
            (self.save, "note.save"),
            (self.close_button, "note.close"),
            (self.save_here, "note.save_here"),
        ):
            button.setText(say(word))
            button.setAccessibleName(say(word))
        self.button.setToolTip(say("note.offer_tip", keys=keys))
