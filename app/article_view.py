"""The text area of the article pane: safe to show foreign text in, with marks that one can walk through."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCursor, QTextDocument
from PySide6.QtWidgets import QTextBrowser, QTextEdit, QWidget

from app.article_document import ArticleDocument
from app.article_text import Block
from app.theme import mark_colours
from core.model import Article, Span

MOST_MARKS = 2000
MOST_MARKS_SEEN = 150
"""The highlight is limited, never the hit."""


class ArticleText(QTextBrowser):
    """Read-only. Loads nothing that a text names, opens no link. `marks_changed(at, count)`: where one stands."""

    marks_changed = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)
        self.setOpenExternalLinks(False)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        by = Qt.TextInteractionFlag
        self.setTextInteractionFlags(by.TextSelectableByMouse | by.TextSelectableByKeyboard)
        self.setViewportMargins(0, 0, 8, 0)
        self._article: Article | None = None
        self._blocks: list[Block] = []
        self._fresh = False
        self._marks: tuple[Span, ...] = ()
        self._ranges: list[tuple[int, int]] = []
        self._found: list[tuple[int, int]] | None = None
        self._at = -1
        self._wanted: int | None = None
        self._drawn = ArticleDocument(self.document(), self.palette(), self.font(), self._grown)
        self.verticalScrollBar().valueChanged.connect(self._paint_marks)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(0)
        self._again.timeout.connect(self._draw_again)

    def event(self, event: QEvent) -> bool:
        """Ctrl+C and Ctrl+F belong to the window: it copies what is selected, and counts it as handed over."""
        override = event.type() == QEvent.Type.ShortcutOverride
        copy = isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy)
        if override and copy:
            event.ignore()
            return False
        return super().event(event)

    def loadResource(self, _kind: int, _name: QUrl | str) -> Any:
        """Nothing is ever fetched: not from the network, not from the disk."""
        return None

    def show_article(self, article: Article, drawn: list[Block], marks: tuple[Span, ...], place: int) -> None:
        """Show its body in those blocks, with marks, scrolled to that place of the body."""
        self._article, self._marks = article, marks[:MOST_MARKS]
        same = drawn and drawn[0].kind == "heading" and _same(drawn[0].runs, article.title)
        self._blocks = drawn[1:] if same else drawn
        self._found, self._at, self._wanted = None, -1, place
        self._fill()

    def clear_article(self) -> None:
        """Nothing."""
        self._drawn.stop()
        self._article, self._blocks, self._marks, self._ranges, self._found = None, [], (), [], None
        self.clear()
        self.setExtraSelections([])

    @property
    def article(self) -> Article | None:
        """What is shown."""
        return self._article

    @property
    def complete(self) -> bool:
        """All of the text is drawn."""
        return self._drawn.finished

    def selected_text(self) -> str:
        """What the user selected, with plain line ends."""
        return self.textCursor().selectedText().replace("\u2029", "\n").replace("\u2028", "\n").strip()

    # ---------------------------------------------------------------- drawing
    def _fill(self) -> None:
        self._drawn.stop()
        self._drawn = ArticleDocument(self.document(), self.palette(), self.font(), self._grown)
        self._ranges, self._fresh = [], True
        self.setExtraSelections([])
        self.verticalScrollBar().setValue(0)
        self._drawn.fill(self._blocks)

    def _grown(self) -> None:
        position = self._drawn.position(self._wanted) if self._wanted is not None else None
        # The first screen, the place one came for, and the end: marks are looked for no oftener.
        if self._fresh or position is not None or self._drawn.finished:
            self._fresh = False
            self._ranges = self._drawn.ranges(self._marks)
            if self._wanted is not None and position is not None:
                self._reach(self._wanted, position)
                self._wanted = None
            self._paint_marks()

    def _reach(self, place: int, position: int) -> None:
        """Scroll so that the place stands in the upper third; stand on the first mark from there on."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(position)
        self.setTextCursor(cursor)
        if place > 0:
            below = self.cursorRect(cursor).top() - self.viewport().height() // 4
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + below)
        self._at = next((n for n, (start, _) in enumerate(self._ranges) if start >= position), -1)

    def changeEvent(self, event: QEvent) -> None:
        """Other colours or another font: draw again, at the same place."""
        super().changeEvent(event)
        kinds = {QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange}
        if event.type() in kinds and getattr(self, "_article", None) is not None:
            self._again.start()

    def _draw_again(self) -> None:
        if self._article is not None:
            value, found = self.verticalScrollBar().value(), self._found
            self._fill()
            self._found = found
            self.verticalScrollBar().setValue(value)
            self._paint_marks()

    # ---------------------------------------------------------------- marks
    @property
    def mark_ranges(self) -> list[tuple[int, int]]:
        """What one walks through now: finds while finding, else the marks of the query."""
        return self._ranges if self._found is None else self._found

    def step_mark(self, by: int) -> None:
        """To the next (1) or the previous (−1) mark, round and round."""
        ranges = self.mark_ranges
        if not ranges:
            return
        self._at = (self._at + by) % len(ranges) if self._at >= 0 or by > 0 else len(ranges) - 1
        self._show_mark()

    def find_text(self, text: str) -> int:
        """Mark every place of a text instead of the query's; how many. "" brings the query's marks back."""
        if not text:
            self._found, self._at = None, -1
            self._paint_marks()
            return 0
        self._found, self._at = [], -1
        cursor = QTextCursor(self.document())
        while len(self._found) < MOST_MARKS:
            cursor = self.document().find(text, cursor, QTextDocument.FindFlag(0))
            if cursor.isNull():
                break
            self._found.append((cursor.selectionStart(), cursor.selectionEnd()))
        if self._found:
            self._at = 0
            self._show_mark()
        else:
            self._paint_marks()
        return len(self._found)

    def _show_mark(self) -> None:
        start, _ = self.mark_ranges[self._at]
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        self.setTextCursor(cursor)
        self.ensureCursorVisible()
        self._paint_marks()

    def _paint_marks(self) -> None:
        """Only those that are to be seen, and not too many: a block with hundreds of selections is slow to draw."""
        ranges, view = self.mark_ranges, self.viewport()
        first = self.cursorForPosition(QPoint(0, 0)).position()
        last = self.cursorForPosition(QPoint(view.width(), view.height())).position()
        letters, ground, current = mark_colours(self.palette())
        selections = []
        begin = max(0, bisect_left(ranges, (first, 0)) - 1)
        for number in range(begin, min(len(ranges), begin + MOST_MARKS_SEEN)):
            start, end = ranges[number]
            if start > last:
                break
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            selection.cursor = cursor
            selection.format.setForeground(letters)
            selection.format.setBackground(current if number == self._at else ground)
            selections.append(selection)
        self.setExtraSelections(selections)
        self.marks_changed.emit(self._at, len(ranges))


def _same(runs: tuple[Any, ...], title: str) -> bool:
    return "".join(run.text for run in runs).strip() == title.strip()
