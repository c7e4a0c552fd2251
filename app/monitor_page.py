"""monitorPage: service and engines at a glance, and from each number to the lookups behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from app.i18n import Language
from app.lookup_flow import Timer
from app.monitor_feed import ENGINES, SERVICE, Figures, MonitorFeed, Question
from app.tasks import TaskRunner
from core.engine import Engine
from core.figures import LoggedLookup, Moment, Period

if TYPE_CHECKING:
    from app.drill_down import DrillDown
    from app.monitor_bar import MonitorBar
    from app.monitor_engines import EnginesView
    from app.monitor_service import ServiceView


class MonitorPage(QWidget):
    """Nothing of it but the feed is made before it is first shown: charts take a while to load. The engines' page,
    which has most of them, is made when it is asked for: earlier it would hold up who reads the other.

    `note_wanted(query)`, `article_wanted(doc_key)`, `files_wanted`, `badges_wanted`: elsewhere in the window.
    """

    note_wanted = Signal(str)
    article_wanted = Signal(str)
    files_wanted = Signal()
    badges_wanted = Signal()

    bar: MonitorBar
    service: ServiceView
    engines: EnginesView
    drill: DrillDown

    def __init__(
        self,
        language: Language,
        tasks: TaskRunner,
        timer: Callable[[str, Callable[[], Any]], Timer],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("monitorPage")
        self._language = language
        self._domains: Mapping[str, str] = {}
        self._figures: Figures | None = None
        self._came_from: QWidget | None = None
        self._limits: tuple[float, float] | None = None
        self._made = self._engines_made = False
        self.feed = MonitorFeed(tasks, timer, self)
        self.feed.arrived.connect(self._arrived)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def set_engine(self, engine: Engine) -> None:
        """The knowledge base is open."""
        names = ("monitor.success_rate_threshold", "monitor.latency_ms_threshold")
        self._limits = (engine.settings.number(names[0]), engine.settings.number(names[1]))
        self.feed.set_engine(engine)
        if self.isVisible():
            self._look()

    def set_domain_names(self, names: Mapping[str, str]) -> None:
        """Display names of domains."""
        self._domains = names
        if self._made:
            self.bar.set_domain_names(names)
            self.drill.set_domain_names(names)

    # ---------------------------------------------------------------- building
    def _make(self) -> None:
        from app.drill_down import DrillDown
        from app.monitor_bar import MonitorBar
        from app.monitor_service import ServiceView

        self._made = True
        # From the outside to the inside: a tree of widgets that is moved is styled anew, all of it.
        self._stack = QStackedWidget(self)
        figures, self.drill = QWidget(self._stack), DrillDown(self._language, self._stack)
        self.bar, self._pages = MonitorBar(self._language, figures), QStackedWidget(figures)
        self._scrolls = {name: _scroll(self._pages) for name in (SERVICE, ENGINES)}
        self.service = ServiceView(self._language, self._scrolls[SERVICE].widget())
        _put(self.service)
        column = QVBoxLayout(figures)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addWidget(self.bar)
        column.addWidget(self._pages, 1)
        self._stack.addWidget(figures)
        self._stack.addWidget(self.drill)
        outside = QVBoxLayout(self)
        outside.setContentsMargins(16, 12, 8, 4)
        outside.addWidget(self._stack)
        self._connect()
        self.set_domain_names(self._domains)

    def _connect(self) -> None:
        self.bar.changed.connect(self._look)
        self.feed.failed.connect(self.bar.show_failed)
        self.feed.desks_arrived.connect(self.service.desks.show_desks)
        self._connect_view(self.service)
        self.drill.session_wanted.connect(self._session)
        self.drill.article_wanted.connect(self.article_wanted)
        self.drill.closed.connect(self._back)

    def _connect_view(self, view: ServiceView | EnginesView) -> None:
        view.behind.connect(self._behind)
        view.note_wanted.connect(self.note_wanted)
        view.article_wanted.connect(self.article_wanted)

    def _make_engines(self) -> None:
        from app.agent_table import Limits
        from app.monitor_engines import EnginesView

        if self._engines_made or self._limits is None:
            return
        self._engines_made = True
        self.engines = EnginesView(self._language, Limits(*self._limits), self._scrolls[ENGINES].widget())
        _put(self.engines)
        self._connect_view(self.engines)
        self.engines.acknowledge_wanted.connect(self.feed.acknowledge)
        self.engines.files_wanted.connect(self.files_wanted)
        self.engines.badges_wanted.connect(self.badges_wanted)
        self.engines.expired_wanted.connect(self._show_expired)

    # ---------------------------------------------------------------- looking
    def showEvent(self, event: QShowEvent) -> None:
        """From now on figures are fetched."""
        super().showEvent(event)
        self._look()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks; collecting goes on."""
        super().hideEvent(event)
        self.feed.look(None)

    def _look(self) -> None:
        if self._limits is None:
            return  # the knowledge base is not open yet
        if not self._made:
            self._make()
        if self.bar.page == ENGINES:
            self._make_engines()
        self._pages.setCurrentWidget(self._scrolls[self.bar.page])
        self.feed.look(self.bar.view)

    def _arrived(self, figures: Figures) -> None:
        if not self._made or figures.view != self.bar.view:
            return
        self._figures = figures
        self.bar.show_agents(figures.agents, figures.type_names)
        self.bar.show_fresh(figures.at)
        with self._at_once():
            if figures.service is not None:
                self.service.show_figures(figures)
            else:
                self.engines.show_figures(figures)

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        """Everything is in its place before it is painted, not one layer of the layout after the other."""
        self.setUpdatesEnabled(False)
        try:
            yield
            QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        finally:
            self.setUpdatesEnabled(True)

    def _show_expired(self) -> None:
        self.bar.pages.setCurrentIndex(0)
        self._scrolls[SERVICE].ensureWidgetVisible(self.service.concerns_card)
        self.service.concerns.setFocus()

    # ---------------------------------------------------------------- behind a number
    def _behind(self, question: Question) -> None:
        figures = self._figures
        if figures is None:
            return
        period = question.period or figures.span.period
        self._came_from = self.focusWidget()
        self.feed.lookups(period, question, lambda found: self._show_lookups(period, question, found))

    def _show_lookups(self, period: Period, question: Question, found: tuple[LoggedLookup, ...]) -> None:
        def where() -> str:
            own = question.period is not None
            parts = (self.bar.period_text(period, by_ends=own), self.bar.selection_text(question.selection))
            return " · ".join(part for part in parts if part)

        with self._at_once():
            self._stack.setCurrentWidget(self.drill)
            self.drill.show_lookups(question.title, where, found, slowest=question.slowest)

    def _session(self, session_id: str) -> None:
        def show(moments: tuple[Moment, ...]) -> None:
            with self._at_once():
                self._stack.setCurrentWidget(self.drill)
                self.drill.show_session(session_id, moments)

        self.feed.timeline(session_id, show)

    def _back(self) -> None:
        self._stack.setCurrentIndex(0)
        if self._came_from is not None:
            self._came_from.setFocus()

    def _retranslate(self) -> None:
        self.setAccessibleName(self._language("tab.monitor"))
        self.feed.refresh()


def _scroll(pages: QStackedWidget) -> QScrollArea:
    """A page that scrolls, with an empty widget in it."""
    area = QScrollArea(pages)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(QWidget(area.viewport()))
    pages.addWidget(area)
    return area


def _put(view: QWidget) -> None:
    """A view into the page that it was made for."""
    holder = view.parentWidget()
    assert holder is not None
    inside = QVBoxLayout(holder)
    inside.setContentsMargins(0, 0, 8, 12)
    inside.addWidget(view)
