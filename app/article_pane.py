"""The article pane: title, state and date, what one can do with the article, and its text."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.answer_text import answer_text
from app.article_state import state_sentence
from app.article_view import ArticleText
from app.empty_state import EmptyState
from app.i18n import Language
from app.shown import Opened
from app.tool_tips import plain_tip
from app.vote_bar import RIGHT, VoteBar
from core.model import Article, ArticleView

_Button = TypeVar("_Button", QPushButton, QToolButton)


class ArticlePane(QFrame):
    """`copied(doc_key)`, `voted(doc_key, value)` (app.vote_bar): told after it was done.
    `successor_wanted(doc_key)`."""

    copied = Signal(str)
    voted = Signal(str, int)
    successor_wanted = Signal(str)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._language = language
        self._view: ArticleView | None = None
        self._successor_title = ""
        self._place = 0
        self._other_code = ""
        self._domain_name: Callable[[str], str] = str
        self.text = ArticleText()
        self.text.setObjectName("articlePreview")
        self.text.marks_changed.connect(self._count_marks)
        self._title, self._meta, self._care = QLabel(), QLabel(), QLabel()
        self._care.setObjectName("articleCare")
        for label in (self._title, self._meta, self._care):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        font = self._title.font()
        font.setPointSizeF(font.pointSizeF() + 4)
        font.setBold(True)
        self._title.setFont(font)
        self._meta.setProperty("role", "faint")
        self.copy_button = _button("copyAnswerButton", QPushButton)
        self.copy_button.setProperty("primary", True)
        self.votes = VoteBar(language, self.copy_button)
        self._previous, self._next = _button("previousMark", QToolButton), _button("nextMark", QToolButton)
        self._previous.setText("↑")
        self._next.setText("↓")
        for step in (self._previous, self._next):
            step.setProperty("square", True)
        self._counter = QLabel()
        self._counter.setProperty("role", "faint")
        self._counter.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._counter.setMinimumWidth(self._counter.fontMetrics().horizontalAdvance("00/00"))
        self._banner = QFrame()
        self._banner.setObjectName("articleState")
        self._banner.setProperty("amber", True)
        self._successor = _button("openSuccessor", QPushButton)
        self._successor.setProperty("link", True)
        self._make_find_bar()
        self._empty = EmptyState(language, "empty.article_title", "empty.article_body")
        self._back_to_words = QTimer(self)
        self._back_to_words.setSingleShot(True)
        self._back_to_words.setInterval(2000)
        self._back_to_words.timeout.connect(self._retranslate)
        self._build()
        self._connect()
        language.changed.connect(self._retranslate)
        self._retranslate()
        self.show_nothing()

    # ---------------------------------------------------------------- building
    def _make_find_bar(self) -> None:
        self._find_bar = QFrame()
        self._find_bar.setProperty("banner", True)
        self.find_line = QLineEdit()
        self.find_line.setObjectName("findInArticle")
        self._close_find = _button("closeFind", QToolButton)
        self._close_find.setText("✕")
        self._close_find.setProperty("square", True)

    def _build(self) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(20, 16, 8, 8)
        column.setSpacing(8)
        column.addWidget(self._title)
        column.addWidget(self._meta)
        row = QHBoxLayout(self._banner)
        row.setContentsMargins(12, 4, 4, 4)
        row.addWidget(self._care, 1)
        row.addWidget(self._successor)
        column.addWidget(self._banner)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.votes, 1)
        for widget in (self._counter, self._previous, self._next):
            widget.setMinimumHeight(self.votes.right.sizeHint().height())
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(row)
        row = QHBoxLayout(self._find_bar)
        row.setContentsMargins(4, 4, 4, 4)
        row.addWidget(self.find_line, 1)
        row.addWidget(self._close_find)
        column.addWidget(self._find_bar)
        column.addSpacing(4)
        column.addWidget(self.text, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(page)
        self._find_bar.hide()

    def _connect(self) -> None:
        self.copy_button.clicked.connect(lambda: self.copy(with_source=False))
        self.votes.voted.connect(self._voted)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            right = QShortcut(QKeySequence(keys), self, self._right)
            right.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._next.clicked.connect(lambda: self.text.step_mark(1))
        self._previous.clicked.connect(lambda: self.text.step_mark(-1))
        self._successor.clicked.connect(self._open_successor)
        self.find_line.textChanged.connect(self._find)
        self.find_line.returnPressed.connect(lambda: self.text.step_mark(1))
        self._close_find.clicked.connect(self.close_find)
        escape = QShortcut(QKeySequence("Esc"), self._find_bar, self.close_find)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    # ---------------------------------------------------------------- showing
    @property
    def article(self) -> Article | None:
        """What is shown."""
        return self._view.article if self._view is not None else None

    def show_article(self, opened: Opened, *, other_code: str = "") -> None:
        """Show an article, at the best passage of the result it was opened from. `other_code`: the code it is about,
        when another was asked for."""
        view, hit = opened.view, opened.hit
        self._view, self._successor_title = view, opened.successor or ""
        self._other_code = other_code
        self._place = 0
        if hit is not None:
            self._place = hit.start + (hit.marks[0].start if hit.marks else 0)
        elif view.marks:
            self._place = view.marks[0].start
        self.close_find()
        self._retranslate()
        self._stack.setCurrentIndex(1)
        self.text.show_article(view.article, opened.drawn, view.marks, self._place)

    def show_nothing(self, *, silent: bool = False) -> None:
        """No article; `silent` also without a word about it (there is none to open)."""
        self._view = None
        self.text.clear_article()
        self._empty.set_silent(silent)
        self._stack.setCurrentIndex(0)

    def set_domain_names(self, name: Callable[[str], str]) -> None:
        """What domains are called."""
        self._domain_name = name
        self._retranslate()

    # ---------------------------------------------------------------- acts
    def copy(self, *, with_source: bool) -> None:
        """The selected text, else title and steps; with the date and the key when asked for."""
        if self.article is None:
            return
        text = self.text.selected_text() or answer_text(self.article, passage_start=self._place)
        self.hand_over(self.article, text, with_source=with_source)
        self.copy_button.setText(self._language("article.copied"))
        self._back_to_words.start()

    def hand_over(self, article: Article, text: str, *, with_source: bool) -> None:
        """Put it on the clipboard."""
        if with_source:
            date = article.updated or "—"
            text += "\n\n" + self._language("article.source_line", date=date, doc_key=article.doc_key)
        QApplication.clipboard().setText(text)
        self.copied.emit(article.doc_key)

    def _voted(self, value: int) -> None:
        if self.article is not None:
            self.voted.emit(self.article.doc_key, value)

    def _right(self) -> None:
        if self.article is not None and self.votes.given != RIGHT:
            self.votes.vote(RIGHT)

    def _open_successor(self) -> None:
        if self.article is not None and self.article.superseded_by:
            self.successor_wanted.emit(self.article.superseded_by)

    def open_find(self) -> None:
        """Ctrl+F."""
        if self.article is not None:
            self._find_bar.show()
            self.find_line.setFocus()
            self.find_line.selectAll()
            if self.find_line.text():
                self._find(self.find_line.text())

    def close_find(self) -> None:
        """The query's marks again."""
        if not self._find_bar.isHidden():
            self._find_bar.hide()
            self.text.find_text("")
            self.text.setFocus()

    def _find(self, text: str) -> None:
        self.text.find_text(text)

    def _count_marks(self, at: int, count: int) -> None:
        finding = not self._find_bar.isHidden() and bool(self.find_line.text())
        for widget in (self._previous, self._next):
            widget.setEnabled(count > 0)
            widget.setVisible(count > 0)
        if count:
            self._counter.setText(self._language("article.marks", at=at + 1 if at >= 0 else "–", count=count))
        else:
            self._counter.setText(self._language("article.find_none") if finding else "")

    # ---------------------------------------------------------------- words
    def _retranslate(self) -> None:
        say = self._language
        self.setAccessibleName(say("article.pane"))
        self.text.setAccessibleName(say("article.pane"))
        for button, name, tip in (
            (self.copy_button, "article.copy", "article.copy_tip"),
            (self._successor, "article.open_successor", "article.open_successor"),
        ):
            button.setText(say(name))
            button.setAccessibleName(say(name))
            button.setToolTip(say(tip))
        for small, name in (
            (self._next, "article.next_mark"),
            (self._previous, "article.previous_mark"),
            (self._close_find, "article.close_find"),
        ):
            small.setAccessibleName(say(name))
            small.setToolTip(say(name))
        self.find_line.setPlaceholderText(say("article.find"))
        self.find_line.setAccessibleName(say("article.find"))
        if self._view is not None:
            self._describe(self._view)

    def _describe(self, view: ArticleView) -> None:
        article, say = view.article, self._language
        self._title.setText(article.title or say("search.untitled"))
        parts = [self._domain_name(article.domain)]
        if article.updated:
            parts.append(say("article.updated", date=article.updated))
        if article.copies:
            parts.append(say("search.copies", count=len(article.copies)))
        self._meta.setText("  ·  ".join(parts))
        self._meta.setToolTip(plain_tip("\n".join([article.doc_key, *article.copies])))
        care = state_sentence(article.state, article.review_by, self._successor_title, say)
        if self._other_code:
            care = "\n".join(filter(None, (say("article.other_code", code=self._other_code), care)))
        self._banner.setVisible(bool(care))
        self._care.setText(care)
        self._successor.setVisible(bool(article.superseded_by))


def _button(name: str, kind: type[_Button]) -> _Button:
    button = kind()
    button.setObjectName(name)
    return button
