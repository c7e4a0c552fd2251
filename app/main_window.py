"""mainWindow: the frame around the pages; opens the engine, runs imports, and ends everything in good order."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QPaintEvent, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMessageBox, QSplitter, QTabWidget, QVBoxLayout, QWidget

from app.bug_dialog import BugDialog
from app.hint import Surroundings
from app.i18n import Language
from app.job_bar import JobBar
from app.knowledge_foot import KnowledgeFoot
from app.knowledge_page import KnowledgePage
from app.knowledge_work import KnowledgeWork
from app.model_links import ModelLinks
from app.monitor_links import MonitorLinks
from app.monitor_page import MonitorPage
from app.note_field import KEYS as NOTE_KEYS
from app.note_taking import NoteTaking
from app.notes_watch import NotesWatch
from app.notice_bar import NoticeBar
from app.search_control import SearchControl
from app.search_page import SearchPage
from app.session_sidebar import SessionSidebar
from app.session_work import SessionWork
from app.shown import Shown
from app.tasks import TaskRunner
from app.theme import Theme
from app.tools_menu import ToolsButton, corner
from app.view_menu import ViewButton
from app.window_state import WindowState
from core.engine import Engine
from core.errors import DesksideError
from core.paths import DataFolder
from core.report import ImportItem, KnowledgeStatus, Progress

log = logging.getLogger(__name__)

STOP_LIMIT_MS = 4000
LATEST_OPENING_MS = 1000
SMALLEST = (1024, 600)


class MainWindow(QMainWindow):
    """Give it what opens the engine; it does that in the background. `painted`: the first picture is on the screen."""

    painted = Signal()
    ready = Signal()

    def __init__(
        self,
        folder: DataFolder,
        open_engine: Callable[[], Engine],
        *,
        language: Language,
        theme: Theme,
        tasks: TaskRunner,
        control: SearchControl,
    ) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setMinimumSize(*SMALLEST)
        self._folder, self._language, self._tasks = folder, language, tasks
        self.engine: Engine | None = None
        self.control = control
        self._closing = self._shown = False
        self._bugs: set[tuple[type[BaseException], str]] = set()
        self._status: KnowledgeStatus | None = None
        self._importing: tuple[int, int] | None = None
        self.notice = NoticeBar(language)
        self.search = SearchPage(language, control)
        self.sidebar = SessionSidebar(language)
        self.monitor = MonitorPage(language, tasks, control.timer)
        self.knowledge = KnowledgePage(language)
        self.jobs = JobBar(language)
        self.sessions = SessionWork(tasks, control, self.sidebar, self.notice, language)
        self.work = KnowledgeWork(tasks, self)
        self.notes = NoteTaking(tasks, control, self.search, self.notice, language)
        self.notes_watch = NotesWatch(tasks, self, self.knowledge.notes, control.clock)
        self.tools, self.view = ToolsButton(language), ViewButton(language, theme, folder.settings)
        self.foot = KnowledgeFoot(language)
        self._build()
        self._connect()
        self._shortcuts()
        self._retranslate()
        self._state = WindowState(folder.root)
        self._state.restore(self, self._splitters())
        self.search.input.setFocus()
        self._open_engine: Callable[[], Engine] | None = open_engine
        # Opening loads a good deal: the picture comes first. A window that is never painted opens it all the same.
        self.painted.connect(lambda: QTimer.singleShot(0, self, self._begin))
        QTimer.singleShot(LATEST_OPENING_MS, self, self._begin)

    # ---------------------------------------------------------------- building
    def _build(self) -> None:
        self.tabs = QTabWidget()
        self.tabs.setObjectName("mainTabs")
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setExpanding(False)
        self.tabs.tabBar().setDrawBase(False)
        self._side_by_side = QSplitter()
        self._side_by_side.setHandleWidth(8)
        self._side_by_side.setChildrenCollapsible(False)
        self.sidebar.setMinimumWidth(184)
        self._side_by_side.addWidget(self.sidebar)
        self._side_by_side.addWidget(self.search)
        self._side_by_side.setStretchFactor(1, 1)
        self._side_by_side.setSizes([240, 1040])
        self.tabs.addTab(self._side_by_side, "")
        self.tabs.addTab(self.monitor, "")
        self.tabs.addTab(self.knowledge, "")
        self.tabs.setCornerWidget(corner(self.tools, self.view))
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        band = QHBoxLayout()
        band.setContentsMargins(16, 8, 16, 0)
        band.addWidget(self.notice)
        column.addLayout(band)
        column.addWidget(self.tabs, 1)
        column.addWidget(self.jobs)
        foot = QHBoxLayout()
        foot.setContentsMargins(16, 2, 16, 6)
        foot.addWidget(self.foot, 1)
        column.addLayout(foot)
        self.setCentralWidget(inside)

    def _connect(self) -> None:
        self._language.changed.connect(self._retranslate)
        self._language.changed.connect(self._tell_engine)
        self._tasks.expected.connect(self.show_error)
        self._tasks.bug.connect(self.show_bug)
        self.knowledge.import_wanted.connect(self.start_import)
        self.knowledge.unfinished.go_on_wanted.connect(self.work.start_import)
        self.knowledge.unfinished.forget_wanted.connect(self.work.forget_unfinished)
        self.knowledge.remove_starter_wanted.connect(self.work.remove_starter)
        self.jobs.cancel_wanted.connect(self.work.cancel)
        self.work.open_failed.connect(self._not_opened)
        self.work.began.connect(self._job_began)
        self.work.progressed.connect(self._job_progressed)
        self.work.ended.connect(self._job_ended)
        self.work.known.connect(self._known)
        self.work.reported.connect(self.knowledge.show_report)
        self.work.failed_found.connect(self._show_failed)
        self.foot.failed_wanted.connect(self.work.find_failed)
        self.work.starter_removed.connect(self._starter_removed)
        self.work.ended.connect(self.notes.retry)
        self.notes.changed.connect(self.work.refresh)
        self.notes_watch.changed.connect(self._notes_came_in)
        self.control.answered.connect(self._compare)
        self.tools.reliability_wanted.connect(self.show_reliability)
        self.sidebar.new_requested.connect(self.new_session)
        self.sidebar.doc_opened.connect(self._open_held)
        self._links = MonitorLinks(self)
        self.models = ModelLinks(self, self._tasks, self._language)

    def _shortcuts(self) -> None:
        for keys, act in (
            ("Ctrl+K", self.focus_search),
            ("Ctrl+L", self.focus_search),
            ("Ctrl+N", self.new_session),
            (NOTE_KEYS, self.add_note),
            ("Ctrl+F", self.search.pane.open_find),
            ("F3", lambda: self.search.pane.text.step_mark(1)),
            ("Shift+F3", lambda: self.search.pane.text.step_mark(-1)),
            ("Ctrl+C", lambda: self.search.copy(with_source=False)),
            ("Ctrl+Shift+C", lambda: self.search.copy(with_source=True)),
        ):
            QShortcut(QKeySequence(keys), self, act)

    def _splitters(self) -> dict[str, QSplitter]:
        return {"side": self._side_by_side, "search": self.search.splitter}

    # ---------------------------------------------------------------- acts
    def focus_search(self) -> None:
        """Ctrl+K, from anywhere."""
        self.tabs.setCurrentIndex(0)
        self.search.input.take_focus()

    def new_session(self) -> None:
        """Ctrl+N: a new caller."""
        if self.search.input.composing:
            return
        self.tabs.setCurrentIndex(0)
        self.search.start_over()
        self.control.new_session()

    def add_note(self) -> None:
        """Ctrl+Shift+N: what solved the caller's problem."""
        self.tabs.setCurrentIndex(0)
        self.notes.open()

    def show_reliability(self) -> None:
        """How often badges were right by the votes, and whether other thresholds would be better."""
        from app.reliability_dialog import ReliabilityDialog

        if self.engine is not None:
            dialog = ReliabilityDialog(self._language, self._tasks, self.engine, self)
            dialog.changed.connect(self.control.again)
            dialog.open()

    def start_import(self, paths: list[Path]) -> None:
        """Import files and folders in the background."""
        self.work.start_import(paths)

    def _show_failed(self, items: Sequence[ImportItem]) -> None:
        self.tabs.setCurrentWidget(self.knowledge)
        self.knowledge.show_failed(items)

    def _open_held(self, doc_key: str) -> None:
        self.tabs.setCurrentIndex(0)
        self.control.open_held(doc_key)

    # ---------------------------------------------------------------- engine
    def _begin(self) -> None:
        if self._open_engine is not None and not self.work.finished:
            opening, self._open_engine = self._open_engine, None
            self.work.open(opening, self._opened)

    def _opened(self, engine: Engine) -> None:
        self.engine = engine
        self.search.set_ready()
        self.control.set_engine(engine)
        self.sessions.set_engine(engine)
        self.notes.set_engine(engine)
        self.notes_watch.set_engine(engine)
        self.monitor.set_engine(engine)
        self.tools.set_ready()
        self.models.set_engine(engine)
        self.ready.emit()

    def _not_opened(self, error: DesksideError) -> None:
        self.foot.show_state("state.not_open")
        self.search.set_not_open()
        self.show_error(error)

    def _tell_engine(self) -> None:
        """Names of domains come from the engine, in its language."""
        if self.engine is not None:
            self.engine.language = self._language.code
            self.work.refresh()

    def _known(self, status: KnowledgeStatus, names: dict[str, str], starter: bool) -> None:
        self._status = status
        self.search.set_domain_names(names)
        self.sidebar.set_domain_names(names)
        self.monitor.set_domain_names(names)
        self.knowledge.show_status(status, names, starter=starter)
        self.foot.show_status(status)
        self.tell_surroundings()

    def _compare(self, shown: Shown) -> None:
        """An answer that knows other knowledge than the foot line: another process imports, or did."""
        status, version = self._status, shown.answer.knowledge_version
        if status is not None and (
            shown.pending != status.pending or (version and version != status.knowledge_version)
        ):
            self.work.refresh()

    def _job_began(self, name: str) -> None:
        self.jobs.begin(name)
        self.knowledge.set_busy(True)
        self._importing = (0, 0)
        self.tell_surroundings()

    def _job_progressed(self, progress: Progress) -> None:
        self.jobs.show_progress(progress)
        self._importing = (progress.done, progress.total)
        self.tell_surroundings()

    def _job_ended(self) -> None:
        self.jobs.end()
        self.knowledge.set_busy(False)
        self._importing = None
        self.tell_surroundings()
        if self._closing:
            self.close()
        else:
            self.control.again()

    def _notes_came_in(self) -> None:
        self.control.again()
        self.work.refresh()

    def _starter_removed(self, count: int) -> None:
        self.notice.say(lambda: self._language("knowledge.starter_removed", count=count))

    def tell_surroundings(self) -> None:
        """What the hint line must say besides the answer: an import, vectors that are being made."""
        pending = self._status is not None and self._status.pending
        knows = self._status is None or self._status.articles > 0
        self.search.set_surroundings(
            Surroundings(self._importing, pending, embedding=self.models.pending), has_knowledge=knows
        )

    # ---------------------------------------------------------------- failures
    def show_error(self, error: DesksideError) -> None:
        """An expected failure: one sentence."""
        self.notice.say(lambda: self._language.sentence(error), stays=True)

    def show_bug(self, error: BaseException) -> None:
        """A fault of the program: into the log, and one dialog; the same fault again (every key press) only the log."""
        log.error("a fault of the program", exc_info=error)
        kind = (type(error), str(error))
        if kind not in self._bugs:
            self._bugs.add(kind)
            BugDialog(error, self._folder.logs / "deskside.log", self._language, self).open()

    # ---------------------------------------------------------------- closing
    def closeEvent(self, event: QCloseEvent) -> None:
        """With an import running: ask, stop it, wait with a limit, then go. A note that is not saved is not thrown away
        unasked."""
        if self.work.running and not self._closing:
            event.ignore()
            self._ask("closeDuringImport", ("close.title", "close.question", "close.stop"), self.stop_and_close)
            return
        if self.search.note.in_use and not self._closing:
            event.ignore()
            words = ("close.note_title", "close.note_question", "close.note_stop")
            self._ask("closeWithNote", words, self._discard_and_close)
            return
        self._state.save(self, self._splitters())
        self.work.finish()
        event.accept()

    def _ask(self, name: str, words: tuple[str, str, str], close: Callable[[], None]) -> None:
        say = self._language
        title, question, leave = words
        box = QMessageBox(self)
        box.setObjectName(name)
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(say(title))
        box.setText(say(question))
        stop = box.addButton(say(leave), QMessageBox.ButtonRole.DestructiveRole)
        stay = box.addButton(say("close.stay"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(stay)
        box.setEscapeButton(stay)
        stop.clicked.connect(close)
        box.finished.connect(box.deleteLater)
        box.open()

    def _discard_and_close(self) -> None:
        self._closing = True
        self.close()

    def stop_and_close(self) -> None:
        """No question: stop what runs, and close when it has stopped or the limit is over."""
        self._closing = True
        if not self.work.running:
            self.close()
            return
        self.jobs.stopping()
        self.work.cancel()
        QTimer.singleShot(STOP_LIMIT_MS, self, self.close)

    # ---------------------------------------------------------------- words
    def _retranslate(self) -> None:
        say = self._language
        self.setWindowTitle(say("app.name"))
        self.setAccessibleName(say("app.name"))
        self.tabs.setAccessibleName(say("app.name"))
        for place, name in enumerate(("tab.search", "tab.monitor", "tab.knowledge")):
            self.tabs.setTabText(place, say(name))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell when the first picture is there."""
        super().paintEvent(event)
        if not self._shown:
            self._shown = True
            QTimer.singleShot(0, self.painted.emit)
