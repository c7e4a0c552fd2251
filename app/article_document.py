"""An article's text on the screen: built in small steps, so that the longest one never holds up the window."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QTimer
from PySide6.QtGui import (
    QFont,
    QPalette,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextOption,
    QTextTableFormat,
)

from app.article_text import Block, Run
from app.text_units import unit_place
from app.theme import GRID, blended, monospace_families
from core.model import Span

LETTERS_A_STEP = 6_000
"""About 20 ms of layout."""
ROWS_A_TABLE = 24
"""A longer table is drawn as several of the same width."""
_LETTERS_A_CELL = 60


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where the letters of one run stand: body[start : start + len(text)] is drawn from `position` on."""

    start: int
    text: str
    position: int


class ArticleDocument:
    """Fills a QTextDocument with blocks, a piece at a time, and knows where each place of the body is drawn.

    `on_grown` is called after each step; `finished` once all of it is there. `stop()` before the document goes.
    """

    def __init__(self, document: QTextDocument, palette: QPalette, font: QFont, on_grown: Callable[[], None]) -> None:
        self._document = document
        self._palette = palette
        self._font = font
        self._monospace = monospace_families()
        self._on_grown = on_grown
        self._placed: list[_Placed] = []
        self._starts: list[int] = []
        self._waiting: Iterator[list[Block]] = iter(())
        self._first = True
        self.finished = True
        self._timer = QTimer(document)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._step)

    def fill(self, drawn: Sequence[Block]) -> None:
        """Begin anew with these blocks; the first piece is there at once."""
        self._timer.stop()
        self._document.clear()
        self._document.setDefaultFont(self._font)
        self._document.setDocumentMargin(0)
        self._placed, self._starts = [], []
        self._waiting = iter(_pieces(drawn))
        self._first, self.finished = True, False
        self._step()
        if not self.finished:
            self._timer.start()

    def stop(self) -> None:
        """Leave it as far as it is."""
        self._timer.stop()
        self._waiting = iter(())
        self.finished = True

    def position(self, place: int) -> int | None:
        """Where that place of the body is drawn; None: not there (yet). Left-out markup gives what follows."""
        at = bisect_right(self._starts, place) - 1
        if at < 0:
            return self._placed[0].position if self._placed else None
        run = self._placed[at]
        if place < run.start + len(run.text):
            return run.position + unit_place(run.text, place - run.start)
        if at + 1 < len(self._placed):
            return self._placed[at + 1].position
        return run.position + unit_place(run.text, len(run.text)) if self.finished else None

    def ranges(self, marks: Sequence[Span]) -> list[tuple[int, int]]:
        """What is drawn of these spans, as document positions; a span over several runs gives several."""
        found = []
        for mark in marks:
            at = max(0, bisect_right(self._starts, mark.start) - 1)
            while at < len(self._placed) and self._placed[at].start < mark.end:
                run = self._placed[at]
                start, end = max(mark.start, run.start), min(mark.end, run.start + len(run.text))
                if start < end:
                    first = run.position + unit_place(run.text, start - run.start)
                    found.append((first, run.position + unit_place(run.text, end - run.start)))
                at += 1
        return found

    # ---------------------------------------------------------------- building
    def _step(self) -> None:
        piece = next(self._waiting, None)
        if piece is None:
            self.finished = True
            self._timer.stop()
            self._on_grown()
            return
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        at = 0
        while at < len(piece):
            if piece[at].kind == "code":
                self._code(cursor, piece[at])
                at += 1
            elif piece[at].kind == "row":
                end = next((n for n in range(at, len(piece)) if piece[n].kind != "row"), len(piece))
                self._table(cursor, piece[at:end])
                at = end
            else:
                self._block(cursor, piece[at])
                at += 1
        cursor.endEditBlock()
        self._on_grown()

    def _block(self, cursor: QTextCursor, block: Block) -> None:
        form, look = self._block_format(block), self._block_look(block)
        if self._first:
            cursor.setBlockFormat(form)
            cursor.setBlockCharFormat(look)
            self._first = False
        else:
            cursor.insertBlock(form, look)
        for run in block.runs:
            self._run(cursor, run, look)

    def _run(self, cursor: QTextCursor, run: Run, look: QTextCharFormat) -> None:
        if run.start >= 0 and run.text:
            self._starts.append(run.start)
            self._placed.append(_Placed(run.start, run.text, cursor.position()))
        text = run.text.replace("\u2029", " ").replace("\r", " ")
        if run.text == "\n":
            text = "\u2028"
        cursor.insertText(text.replace("\n", "\u2028"), self._run_look(run, look))

    def _table(self, cursor: QTextCursor, rows: Sequence[Block]) -> None:
        columns = max(1, *(len(row.cells) for row in rows))
        form = QTextTableFormat()
        form.setBorder(1)
        form.setBorderCollapse(True)
        form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderBrush(self._palette.color(QPalette.ColorRole.Mid))
        form.setCellPadding(6)
        form.setCellSpacing(0)
        form.setTopMargin(GRID)
        form.setBottomMargin(GRID)
        form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
        table = cursor.insertTable(len(rows), columns, form)
        for number, row in enumerate(rows):
            look = QTextCharFormat()
            if number == 0:
                look.setFontWeight(QFont.Weight.DemiBold)
            for column, cell in enumerate(row.cells):
                inside = table.cellAt(number, column).firstCursorPosition()
                for run in cell:
                    self._run(inside, run, look)
        self._after_frame(cursor)

    def _code(self, cursor: QTextCursor, block: Block) -> None:
        """Commands on a ground of their own, so that one sees where they begin and end."""
        form = QTextFrameFormat()
        form.setBackground(self._palette.color(QPalette.ColorRole.AlternateBase))
        form.setPadding(GRID)
        form.setTopMargin(GRID / 2)
        form.setBottomMargin(GRID / 2)
        form.setLeftMargin(GRID * 3 * block.level)  # below the item it belongs to
        cursor.insertFrame(form)
        look = QTextBlockFormat()
        look.setLineHeight(130, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.setBlockFormat(look)
        for run in block.runs:
            self._run(cursor, run, QTextCharFormat())
        self._after_frame(cursor)

    def _after_frame(self, cursor: QTextCursor) -> None:
        """A frame leaves an empty paragraph behind it: what comes next goes there."""
        cursor.movePosition(QTextCursor.MoveOperation.End)
        flat = QTextBlockFormat()
        flat.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor.setBlockFormat(flat)
        self._first = True

    # ---------------------------------------------------------------- looks
    def _block_format(self, block: Block) -> QTextBlockFormat:
        form = QTextBlockFormat()
        form.setLineHeight(135, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        form.setBottomMargin(GRID)
        if block.kind == "heading":
            form.setHeadingLevel(min(block.level, 6))
            form.setTopMargin(GRID * 1.5)
            form.setLineHeight(120, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        elif block.kind == "item":
            indent = GRID * 3
            form.setLeftMargin(indent * (block.level + 1))
            form.setTextIndent(-indent)
            form.setTabPositions([])
            form.setBottomMargin(GRID / 2)
            tab = _tab(indent)
            form.setTabPositions([tab])
        elif block.kind == "quote":
            form.setLeftMargin(GRID * 2)
        elif block.kind == "rule":
            form.setProperty(
                QTextBlockFormat.Property.BlockTrailingHorizontalRulerWidth,
                QTextLength(QTextLength.Type.PercentageLength, 100),
            )
        return form

    def _block_look(self, block: Block) -> QTextCharFormat:
        look = QTextCharFormat()
        if block.kind == "heading":
            look.setFontWeight(QFont.Weight.DemiBold)
            look.setFontPointSize(self._font.pointSizeF() + max(0, 4 - block.level) * 1.0)
        elif block.kind == "quote":
            text = self._palette.color(QPalette.ColorRole.Text)
            look.setForeground(blended(text, self._palette.color(QPalette.ColorRole.Base), 0.8))
        return look

    def _run_look(self, run: Run, look: QTextCharFormat) -> QTextCharFormat:
        if run.style == "plain":
            return look
        styled = QTextCharFormat(look)
        if run.style == "bold":
            styled.setFontWeight(QFont.Weight.Bold)
        elif run.style == "italic":
            styled.setFontItalic(True)
        elif run.style == "code":
            styled.setFontFamilies(self._monospace)
            styled.setBackground(self._palette.color(QPalette.ColorRole.AlternateBase))
        elif run.style == "link":
            # Looks like a link and says where it leads, but leads nowhere: articles are foreign text.
            styled.setForeground(self._palette.color(QPalette.ColorRole.Link))
        elif run.style == "picture":
            styled.setForeground(self._palette.color(QPalette.ColorRole.PlaceholderText))
            styled.setFontItalic(True)
        return styled


def _tab(indent: int) -> QTextOption.Tab:
    return QTextOption.Tab(float(indent), QTextOption.TabType.LeftTab)


def _pieces(drawn: Sequence[Block]) -> Iterator[list[Block]]:
    """Blocks in steps of about LETTERS_A_STEP; a table is cut only after ROWS_A_TABLE rows."""
    piece: list[Block] = []
    letters = rows = 0
    for block in drawn:
        rows = rows + 1 if block.kind == "row" else 0
        if piece and (rows > ROWS_A_TABLE or (letters >= LETTERS_A_STEP and rows <= 1)):
            yield piece
            piece, letters, rows = [], 0, min(rows, 1)
        piece.append(block)
        letters += block.length + len(block.cells) * _LETTERS_A_CELL
    if piece:
        yield piece
