"""What one can say of the article in the pane: the right one, useful, not useful; and take it back."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.flow_layout import FlowLayout
from app.i18n import Language

RIGHT, USEFUL, NONE, NOT_USEFUL = 2, 1, 0, -1


class VoteBar(QWidget):
    """`voted(value)`: 2 the right article, 1 useful, -1 not useful, 0 taken back. The vote that was given takes the
    place of all three, with a way back beside it; pressing it again takes it back as well. Goes on in a second line
    where there is no room. `before` stands in front of the votes."""

    voted = Signal(int)

    def __init__(self, language: Language, before: QWidget) -> None:
        super().__init__()
        self._language = language
        self._vote = NONE
        self.right, self.useful, self.not_useful, self.undo = (QPushButton() for _ in range(4))
        self._names = {
            RIGHT: (self.right, "vote.right", "vote.right_tip"),
            USEFUL: (self.useful, "vote.useful", "vote.useful_tip"),
            NOT_USEFUL: (self.not_useful, "vote.not_useful", "vote.not_useful_tip"),
        }
        for button, name in (
            (self.right, "feedbackRight"),
            (self.useful, "feedbackUseful"),
            (self.not_useful, "feedbackNotUseful"),
            (self.undo, "feedbackUndo"),
        ):
            button.setObjectName(name)
        self.undo.setProperty("link", True)
        row = FlowLayout(self, 8)
        for widget in (before, self.right, self.useful, self.not_useful, self.undo):
            row.addWidget(widget)
        for value, (button, *_) in self._names.items():
            button.setCheckable(True)
            button.clicked.connect(lambda _, value=value: self.vote(NONE if value == self._vote else value))
        self.undo.clicked.connect(lambda: self.vote(NONE))
        language.changed.connect(self._retranslate)
        self._retranslate()

    @property
    def given(self) -> int:
        """The vote that the article bears; 0 = none."""
        return self._vote

    def vote(self, value: int) -> None:
        """As if the button had been pressed."""
        had_focus = self.undo.hasFocus()
        taken_back = self._vote
        self.setMinimumHeight(self.height())  # the text below stays where it is being read
        self._show(value)
        if had_focus and taken_back:
            self._names[taken_back][0].setFocus()  # the button that had it is gone
        self.voted.emit(value)

    def show_vote(self, value: int) -> None:
        """Another article, or what was said of this one before; nothing is told of it."""
        self.setMinimumHeight(0)
        self._show(value)

    def _show(self, value: int) -> None:
        self._vote = value
        self._retranslate()

    def _retranslate(self) -> None:
        say = self._language
        self.setAccessibleName(say("vote.bar"))
        for value, (button, name, tip) in self._names.items():
            given, words = value == self._vote, say(name)
            button.setChecked(given)
            button.setVisible(given or self._vote == NONE)
            button.setText(say("vote.given", vote=words) if given else words)
            button.setAccessibleName(say("vote.given_name", vote=words) if given else words)
            button.setToolTip(say(tip))
        self.undo.setMinimumHeight(self.right.sizeHint().height())
        self.undo.setVisible(self._vote != NONE)
        if self._vote != NONE:
            self.undo.setAccessibleName(say("vote.undo_name", vote=say(self._names[self._vote][1])))
        self.undo.setText(say("vote.undo"))
        self.undo.setToolTip(self.undo.accessibleName())
