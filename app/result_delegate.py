"""How one result is drawn: title with marks, domain and date, best passage with marks, what the session holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPalette,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.article_state import state_mark
from app.i18n import Language, local_day_and_time
from app.result_model import HIT, ResultModel
from app.snippet import snippet
from app.text_units import unit_place
from app.theme import blended, level_colours, mark_colours
from core.model import Hit, Span

_SIDE, _TOP, _GAP = 16, 10, 4
_PASSAGE_LINES = 2
_DIVIDER = 28
_LONGEST_QUERY = 24


@lru_cache(maxsize=512)
def _piece(content: str, marks: tuple[Span, ...], title: str) -> tuple[str, tuple[Span, ...]]:
    return snippet(content, marks, title=title)


class ResultDelegate(QStyledItemDelegate):
    """Draws with palette roles. `faded` greys the rows of an answer to an earlier text."""

    def __init__(self, language: Language, domain_name: Callable[[str], str]) -> None:
        super().__init__()
        self._language = language
        self._domain_name = domain_name
        self.faded = False

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """All rows are equally high, save for the one below the dividing line."""
        title, small = _fonts(option.font)
        height = _TOP * 2 + QFontMetrics(title).height() + QFontMetrics(small).height()
        height += QFontMetrics(option.font).lineSpacing() * _PASSAGE_LINES + _GAP * 2
        return QSize(200, height + (_DIVIDER if _below_divider(index) else 0))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """One row."""
        hit = index.data(HIT)
        if hit is None:
            return
        painter.save()
        box = QRect(option.rect)
        if _below_divider(index):
            model = index.model()
            words = self._language(model.divider[1]) if isinstance(model, ResultModel) and model.divider else ""
            self._divider(painter, option, QRect(box.left(), box.top(), box.width(), _DIVIDER), words)
            box.setTop(box.top() + _DIVIDER)
        self._ground(painter, option, box)
        if self.faded:
            painter.setOpacity(0.45)
        self._row(painter, option, box.adjusted(_SIDE, _TOP, -_SIDE, -_TOP), hit)
        painter.restore()

    # ---------------------------------------------------------------- parts
    def _divider(self, painter: QPainter, option: QStyleOptionViewItem, box: QRect, words: str) -> None:
        _, small = _fonts(option.font)
        painter.setFont(small)
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(box.adjusted(_SIDE, 4, 0, 0), Qt.AlignmentFlag.AlignVCenter, words)
        left = box.left() + _SIDE + QFontMetrics(small).horizontalAdvance(words) + 12
        painter.setPen(option.palette.color(QPalette.ColorRole.Mid))
        painter.drawLine(left, box.center().y() + 3, box.right() - _SIDE, box.center().y() + 3)

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, box: QRect) -> None:
        palette = option.palette
        base, accent = palette.color(QPalette.ColorRole.Base), palette.color(QPalette.ColorRole.Highlight)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(box, blended(accent, base, 0.13))
            painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), accent)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, palette.color(QPalette.ColorRole.AlternateBase))
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(accent)
            painter.drawRect(box.adjusted(0, 0, -1, -1))
        painter.setPen(palette.color(QPalette.ColorRole.Midlight))
        painter.drawLine(box.left() + _SIDE, box.bottom(), box.right() - _SIDE, box.bottom())

    def _row(self, painter: QPainter, option: QStyleOptionViewItem, box: QRect, hit: Hit) -> None:
        title_font, small_font = _fonts(option.font)
        palette = option.palette
        y = box.top()
        title = hit.title or self._language("search.untitled")
        height = QFontMetrics(title_font).height()
        text = palette.color(QPalette.ColorRole.Text)
        line = _Text(title, hit.title_marks, title_font, 1, text)
        line.draw(painter, QRectF(box.left(), y, box.width(), height), palette)
        y += height + _GAP
        height = QFontMetrics(small_font).height()
        painter.setFont(small_font)
        self._meta(painter, QRect(box.left(), y, box.width(), height), hit, palette)
        y += height + _GAP
        piece, marks = _piece(hit.content, hit.marks, hit.title)
        soft = blended(text, palette.color(QPalette.ColorRole.Base), 0.82)
        place = QRectF(box.left(), y, box.width(), box.bottom() - y + 1)
        _Text(piece, marks, option.font, _PASSAGE_LINES, soft).draw(painter, place, palette)

    def _meta(self, painter: QPainter, box: QRect, hit: Hit, palette: QPalette) -> None:
        metrics = painter.fontMetrics()
        right = box.right()
        for words, level in self._pills(hit):
            width = min(metrics.horizontalAdvance(words) + 16, box.width() // 2)
            right -= width
            _pill(painter, QRect(right, box.top() - 1, width, box.height() + 2), words, level_colours(level, palette))
            right -= 6
        parts = [self._domain_name(hit.domain)]
        if hit.confirmed:
            parts.append(self._language("search.confirmed", count=hit.confirmed))
        if hit.updated:
            parts.append(hit.updated)
        if hit.copies:
            parts.append(self._language("search.copies", count=len(hit.copies)))
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        line = metrics.elidedText("  ·  ".join(parts), Qt.TextElideMode.ElideRight, right - box.left() - 4)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, line)

    def _pills(self, hit: Hit) -> list[tuple[str, str]]:
        """From the right: a state that is not current, another code than was asked for, what this session holds."""
        pills = []
        if hit.other_code:
            pills.append((self._language("search.other_code", code=hit.other_code), "REFERENCE"))
        if hit.held_at:
            query = (hit.held_query or "").strip()
            if len(query) > _LONGEST_QUERY:
                query = query[:_LONGEST_QUERY] + "…"
            name = "search.held" if query else "search.held_short"
            values = {"time": local_day_and_time(hit.held_at)} | ({"query": query} if query else {})
            pills.append((self._language(name, **values), "DEDUPED"))
        mark = state_mark(hit.state, hit.review_by, self._language)
        return [(mark, "REFERENCE"), *pills] if mark else pills


def _below_divider(index: QModelIndex | QPersistentModelIndex) -> bool:
    model = index.model()
    return isinstance(model, ResultModel) and model.divider is not None and model.divider[0] == index.row()


def _fonts(font: QFont) -> tuple[QFont, QFont]:
    title, small = QFont(font), QFont(font)
    title.setPointSizeF(font.pointSizeF() + 1.5)
    title.setWeight(QFont.Weight.DemiBold)
    small.setPointSizeF(font.pointSizeF() - 1)
    return title, small


def _pill(painter: QPainter, box: QRect, words: str, colours: tuple[QColor, QColor]) -> None:
    letters, ground = colours
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    painter.setPen(letters)
    shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, box.width() - 12)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, shown)


@dataclass(frozen=True, slots=True)
class _Text:
    """Text in at most `lines` lines with its marks; what does not fit ends in "…"."""

    text: str
    marks: Sequence[Span]
    font: QFont
    lines: int
    colour: QColor

    def draw(self, painter: QPainter, box: QRectF, palette: QPalette) -> None:
        """Into that box."""
        text = self.text.replace("\n", " ").replace("\u2028", " ").replace("\u2029", " ")
        layout = QTextLayout(text, self.font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.setFormats(_formats(text, self.marks, palette))
        spacing, made = QFontMetrics(self.font).lineSpacing(), []
        layout.beginLayout()
        for number in range(self.lines):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(box.width())
            line.setPosition(QPointF(0, number * spacing))
            made.append(line)
        layout.endLayout()
        painter.setPen(self.colour)
        whole = not made or made[-1].textStart() + made[-1].textLength() >= unit_place(text, len(text))
        for line in made if whole else made[:-1]:
            line.draw(painter, box.topLeft())
        if not whole:
            self._draw_cut(painter, QPointF(box.left(), box.top() + spacing * (len(made) - 1)), made[-1])

    def _draw_cut(self, painter: QPainter, corner: QPointF, line: QTextLine) -> None:
        """The last line, with room left in it for the dots, cut between two letters."""
        metrics = QFontMetrics(self.font)
        room = min(line.naturalTextWidth(), line.width() - metrics.horizontalAdvance("…"))
        last = line.xToCursor(room)
        while last > line.textStart() and _x(line, last) > room:
            last -= 1
        end = _x(line, last)
        painter.save()
        painter.setClipRect(QRectF(corner.x(), corner.y(), end, metrics.lineSpacing()))
        line.draw(painter, QPointF(corner.x(), corner.y() - line.y()))
        painter.restore()
        painter.setFont(self.font)
        painter.setPen(self.colour)
        painter.drawText(QPointF(corner.x() + end, corner.y() + metrics.ascent()), "…")


def _x(line: QTextLine, place: int) -> float:
    """Where a cursor at that place stands. The binding gives a pair (x, place) or x alone, by version."""
    found: Any = line.cursorToX(place)
    return float(found[0] if isinstance(found, tuple) else found)


def _formats(text: str, marks: Sequence[Span], palette: QPalette) -> list[QTextLayout.FormatRange]:
    letters, ground, _ = mark_colours(palette)
    look = QTextCharFormat()
    look.setForeground(letters)
    look.setBackground(ground)
    ranges = []
    for mark in marks:
        found = QTextLayout.FormatRange()
        found.start = unit_place(text, mark.start)
        found.length = unit_place(text, mark.end) - found.start
        found.format = look
        ranges.append(found)
    return ranges
