"""searchPage: the box, the verdict (badge and hint line), the results, and the article beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.answer_text import answer_text
from app.article_pane import ArticlePane
from app.article_state import other_code_of
from app.badge import RelevanceBadge
from app.dimension_bar import DimensionBar
from app.empty_state import EmptyState
from app.hint import NOT_FOUND, Surroundings, Verdict, verdict
from app.hint_line import HintLine
from app.i18n import Language
from app.late_update import LateUpdate
from app.near_codes import NearCodes
from app.note_field import NoteField
from app.result_delegate import ResultDelegate
from app.result_list import ResultList
from app.result_model import HIT, ResultModel
from app.search_control import SearchControl
from app.search_input import SearchInput
from app.shown import Opened, Shown
from app.suggestion_line import SuggestionLine
from app.voting import Voting
from app.why_link import WhyLink
from app.why_text import badge_meaning
from core.model import ArticleView


class SearchPage(QWidget):
    """Shows what `control` finds; every text follows the language, old answers too."""

    def __init__(self, language: Language, control: SearchControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("searchPage")
        self._language = language
        self._control = control
        self._shown: Shown | None = None
        self._verdict = Verdict("", "state.opening")
        self._ready = False
        self._around = Surroundings()
        self._has_knowledge = True
        self._pane_answers: str | None = None  # the text that the article in the pane answers; None: opened for itself
        self.input = SearchInput()
        self.input.setObjectName("searchInput")
        self.domain = QComboBox()
        self.domain.setObjectName("domainFilter")
        self.domain.addItem("", None)
        self.badge = RelevanceBadge()
        self.hint = HintLine()
        self.retry = QPushButton()
        self.retry.setObjectName("retryButton")
        self.retry.setProperty("link", True)
        self.late = LateUpdate(language, control)
        self.note = NoteField(language)
        self.model = ResultModel(language, self)
        self.delegate = ResultDelegate(language, self.model.domain_name)
        self.results = ResultList(self.input)
        self.results.setObjectName("resultList")
        self.why = WhyLink(language, control, self.results)
        self.suggestion = SuggestionLine(language)
        self.dimensions, self.near = DimensionBar(language), NearCodes(language)
        self.pane = ArticlePane(language)
        self._voting = Voting(control, self.pane, self.results, lambda: not self.delegate.faded)
        self._empty = EmptyState(language, "empty.start_title", "empty.start_body")
        self._names: Mapping[str, str] = {}
        self.dimensions.row.follows = self.near.row.follows = self.note.button
        self._build()
        self._connect()
        self._retranslate()

    # ---------------------------------------------------------------- building
    def _build(self) -> None:
        self.results.setModel(self.model)
        self.results.setItemDelegate(self.delegate)
        font = self.input.font()
        font.setPointSizeF(font.pointSizeF() + 3)
        self.input.setFont(font)
        self.domain.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.domain.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.domain.setMinimumWidth(128)
        self.domain.setMaximumWidth(220)
        listing = QFrame()
        listing.setProperty("card", True)
        self._stack = QStackedWidget()
        inside = QVBoxLayout(listing)
        inside.setContentsMargins(1, 6, 1, 6)  # clear of the rounded corners
        inside.addWidget(self._stack)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.results)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(8)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(listing)
        self.splitter.addWidget(self.pane)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([470, 540])
        listing.setMinimumWidth(280)
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.input, 1)
        top.addWidget(self.domain)
        line = QHBoxLayout()
        line.setSpacing(12)
        for widget in (self.badge, self.why, self.hint, self.retry, self.late):  # what to press behind its sentence
            line.addWidget(widget)
        line.addStretch(1)
        line.addWidget(self.note.button)
        row = QFrame()
        row.setLayout(line)
        line.setContentsMargins(4, 0, 4, 0)
        row.setMinimumHeight(self.badge.sizeHint().height() + 4)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 16, 16, 8)
        column.setSpacing(8)
        column.addLayout(top)
        column.addWidget(row)
        for below in (self.suggestion, self.dimensions, self.near):
            column.addWidget(below)
        column.addWidget(self.note)
        column.addWidget(self.splitter, 1)
        for before, after in (
            (self.input, self.domain),
            (self.note.button, self.results),
            (self.note.button, self.suggestion.link),
        ):
            QWidget.setTabOrder(before, after)

    def _connect(self) -> None:
        control = self._control
        self.input.textChanged.connect(control.set_text)
        self.input.textChanged.connect(self.note.close_unused)
        self.input.right_wanted.connect(self._voting.right_is_shown)
        self.input.composing_changed.connect(control.set_composing)
        self.input.entered.connect(control.enter)
        self.input.left_downwards.connect(self._into_list)
        self.domain.currentIndexChanged.connect(lambda _: control.set_domain(self.domain.currentData()))
        self.results.clicked.connect(self._open)
        self.results.activated.connect(self._open)
        self.retry.clicked.connect(control.enter)
        self.late.arrived.connect(lambda: self._say(self._verdict))
        self.suggestion.wanted.connect(self.search_for)
        self.dimensions.chosen.connect(self._add)
        self.near.wanted.connect(self._open_near)
        self.pane.copied.connect(control.copied)
        self.pane.successor_wanted.connect(control.open_held)
        control.stale.connect(self._fade)
        control.waiting.connect(self._waiting)
        control.answered.connect(self._show)
        control.cleared.connect(self._cleared)
        control.opened.connect(self._opened)
        control.nothing_to_open.connect(lambda: self.pane.show_nothing(silent=True))
        control.retrieved_now.connect(self.model.mark_held)
        self._language.changed.connect(self._retranslate)

    # ---------------------------------------------------------------- from outside
    def set_ready(self) -> None:
        """The knowledge base is open."""
        self._ready = True
        if self._shown is None:
            self._say(Verdict("", "hint.empty"))

    def set_not_open(self) -> None:
        """The knowledge base cannot be opened; the notice says why."""
        self._say(Verdict("", "state.not_open"))
        self.input.setEnabled(False)

    def set_domain_names(self, names: Mapping[str, str]) -> None:
        """Domains that have articles; the filter keeps its choice."""
        self._names = names
        chosen = self.domain.currentData()
        self.domain.blockSignals(True)
        while self.domain.count() > 1:
            self.domain.removeItem(1)
        for key, name in names.items():
            self.domain.addItem(name, key)
        self.domain.setCurrentIndex(max(0, self.domain.findData(chosen)))
        self.domain.blockSignals(False)
        if chosen is not None and self.domain.currentData() is None:
            self._control.set_domain(None)
        self.model.set_domain_names(names)
        self.pane.set_domain_names(self.model.domain_name)

    def set_surroundings(self, around: Surroundings, *, has_knowledge: bool) -> None:
        """An import that runs, knowledge that is pending."""
        self._around, self._has_knowledge = around, has_knowledge
        if self._shown is not None:
            self._judge(self._shown)
        self._choose_empty()

    def search_for(self, query: str) -> None:
        """Put a query into the box and search it, as if it had been typed."""
        self.input.setText(query)
        self.input.setFocus()
        self._control.enter()

    def start_over(self) -> None:
        """A new caller: an empty box and pane."""
        self.input.clear()
        if not self.note.in_use:
            self.note.close_field()
        self._empty_pane()
        self.input.take_focus()

    def copy(self, *, with_source: bool) -> None:
        """Ctrl+C outside text fields: the selected result when the list has the focus, else the article shown."""
        hit = self.results.currentIndex().data(HIT) if self.results.hasFocus() else None
        shown = self.pane.article
        if hit is None and shown is None:
            hit = self.results.currentIndex().data(HIT) or self.model.hit(0)
        if hit is None or (shown is not None and shown.doc_key == hit.doc_key):
            self.pane.copy(with_source=with_source)
            return

        def hand_over(view: ArticleView) -> None:
            text = answer_text(view.article, passage_start=hit.start)
            self.pane.hand_over(view.article, text, with_source=with_source)

        self._control.read_then(hit.doc_key, hand_over)

    # ---------------------------------------------------------------- answers
    def _fade(self) -> None:
        self.delegate.faded = True
        self.results.viewport().update()
        if self._shown is None:
            self._say(Verdict("", "hint.empty") if self._ready else Verdict("", "state.opening"))
        else:
            # The old verdict speaks of an earlier text.
            self._say(Verdict("", ""))

    def _waiting(self) -> None:
        self._say(Verdict("", "hint.waiting"))

    def _show(self, shown: Shown) -> None:
        self._shown = shown
        self.delegate.faded = False
        self._judge(shown)
        self.model.set_hits(shown.answer.hits, self._verdict.level)
        if shown.answer.hits and self._verdict.level != NOT_FOUND:
            self.results.setCurrentIndex(self.model.index(0))
        self.results.scrollToTop()
        self._choose_empty()
        self._stack.setCurrentIndex(1 if shown.answer.hits else 0)
        nothing = not shown.answer.hits or self._verdict.level == NOT_FOUND
        stale = self._pane_answers is not None and self._pane_answers != shown.text
        if self.pane.article is None or (nothing and stale):
            self._empty_pane(silent=nothing)

    def _empty_pane(self, *, silent: bool = False) -> None:
        """An article that answers an earlier text must not pass for the answer to this one."""
        self._pane_answers = None
        if self.pane.article is not None:
            self._control.pane_emptied()
        self.pane.show_nothing(silent=silent)

    def _judge(self, shown: Shown) -> None:
        pending = self._around.pending or shown.pending
        around = replace(self._around, pending=pending, earlier=shown.earlier, successor=shown.successor)
        self._say(verdict(shown.answer, around))

    def _cleared(self) -> None:
        self._shown = None
        self.delegate.faded = False
        self.model.set_hits(())
        self._choose_empty()
        self._stack.setCurrentIndex(0)
        if self.pane.article is None or self._pane_answers is not None:
            self._empty_pane()
        self._say(Verdict("", "hint.empty" if self._ready else "state.opening"))

    def _choose_empty(self) -> None:
        if self._shown is not None and not self._shown.answer.hits:
            filtered = self.domain.currentData() is not None
            self._empty.say("empty.nothing_title", "empty.nothing_filtered" if filtered else "empty.nothing_body")
        elif not self._has_knowledge:
            self._empty.say("empty.no_knowledge_title", "empty.no_knowledge_body")
        else:
            self._empty.say("empty.start_title", "empty.start_body")

    def _say(self, said: Verdict) -> None:
        self._verdict = said
        say = self._language
        word = ""
        if said.level:
            word = say(f"level.{said.level}")
            if said.seen:
                word = say("level.seen_too", level=word)
        answer = self._shown.answer if self._shown is not None and said.level else None
        meaning = badge_meaning(said, answer, say)
        self.badge.show_level(said.level, word, f"{say('level.name')}: {word}", meaning)
        self.why.offer(self._shown if answer is not None else None)
        self.suggestion.offer(answer.suggestion if answer is not None else None)
        self.dimensions.offer(answer, leads=said.hint != "hint.reference")
        self.near.offer(answer)
        text = say(self.late.line(said), **said.values) if said.hint else ""
        self.hint.say(text)
        sentence = f"sentence.{said.level}"
        spoken = say(sentence) if said.level and said.level != NOT_FOUND else ""
        self.hint.setAccessibleDescription(spoken)
        self.hint.setProperty("role", "" if said.level or said.retry else "faint")
        self.hint.style().unpolish(self.hint)
        self.hint.style().polish(self.hint)
        self.hint.setAccessibleName(text or say("hint.name"))
        self.retry.setVisible(said.retry)
        self.note.offer(said.level)

    # ---------------------------------------------------------------- opening
    def _into_list(self) -> None:
        if self.model.rowCount():
            self.results.setFocus()
            if not self.results.currentIndex().isValid():
                self.results.setCurrentIndex(self.model.index(0))

    def _open(self, index: QModelIndex) -> None:
        hit = index.data(HIT)
        # Rows of an earlier text are not an answer to what stands in the box now.
        if hit is not None and not self.delegate.faded:
            self._control.open(hit)

    def _open_near(self, doc_key: str) -> None:
        hit = self.model.hit(self.model.row_of(doc_key))
        self._control.open(hit) if hit is not None else self._control.open_key(doc_key)

    def _add(self, value: str, facet: str) -> None:
        """What was missing is added to the text, and searched with it."""
        self.input.setText(f"{self.input.text().rstrip()} {value}")
        self.input.setFocus()
        self._control.enter_with(facet)

    def _opened(self, opened: Opened) -> None:
        answer = self._shown.answer if self._shown is not None else None
        other_code = other_code_of(opened.view.article.doc_key, opened.hit, answer)
        self.pane.show_article(opened, other_code=other_code)
        self._pane_answers = self._control.flow.text if opened.hit is not None else None
        if opened.hit is not None:
            row = self.model.row_of(opened.hit.doc_key)
            if row >= 0:
                self.results.setCurrentIndex(self.model.index(row))

    # ---------------------------------------------------------------- words
    def _retranslate(self) -> None:
        say = self._language
        keys = QKeySequence("Ctrl+K").toString(QKeySequence.SequenceFormat.NativeText)
        self.input.setPlaceholderText(say("search.placeholder", keys=keys))
        self.input.setAccessibleName(say("search.box"))
        self.domain.setItemText(0, say("search.all_domains"))
        self.domain.setAccessibleName(say("search.domain"))
        self.domain.setToolTip(say("search.domain"))
        self.results.setAccessibleName(say("search.results"))
        self.retry.setText(say("hint.retry"))
        self.retry.setAccessibleName(say("hint.retry"))
        self.setAccessibleName(say("tab.search"))
        self._say(self._verdict)
