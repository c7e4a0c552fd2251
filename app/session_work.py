"""Sessions in the background: what the sidebar shows, switching, naming, finding, putting one back."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.i18n import Language
from app.notice_bar import NoticeBar
from app.search_control import SearchControl
from app.session_flow import Started
from app.session_sidebar import SessionSidebar
from app.tasks import Lane, TaskRunner
from core.engine import Engine
from core.job import Job
from core.model import SessionMemory, SessionSummary

_Seen = tuple[tuple[SessionSummary, ...], SessionMemory | None]


class SessionWork(QObject):
    """Keeps the sidebar true to what the engine holds."""

    def __init__(
        self,
        tasks: TaskRunner,
        control: SearchControl,
        sidebar: SessionSidebar,
        notice: NoticeBar,
        language: Language,
    ) -> None:
        super().__init__(sidebar)
        self._tasks, self._control, self._sidebar = tasks, control, sidebar
        self._notice, self._language = notice, language
        self._engine: Engine | None = None
        control.looked_up.connect(self.refresh)
        control.session_changed.connect(self.refresh)
        control.retrieved_now.connect(lambda *_: self.refresh())
        control.began.connect(self._began)
        selector = sidebar.selector
        selector.chosen.connect(lambda session, named: control.switch_session(session, named=named))
        selector.start_named.connect(self._start_named)
        selector.search.connect(self._search)

    def set_engine(self, engine: Engine) -> None:
        """The knowledge base is open."""
        self._engine = engine
        self.refresh()

    def refresh(self) -> None:
        """Read the sessions and the current one's memory again."""
        if self._engine is None:
            return
        engine, current = self._engine, self._control.sessions.current

        def work(_: Job) -> _Seen:
            return engine.sessions(limit=50), engine.session_memory(current) if current is not None else None

        self._tasks.start(
            self, work, on_done=lambda seen: self._show(current, seen), lane=Lane.QUICK, replaces="sessions"
        )

    def _show(self, current: str | None, seen: _Seen) -> None:
        sessions, memory = seen
        self._sidebar.show_sessions(sessions, current)
        self._sidebar.show_memory(memory)

    def _search(self, text: str) -> None:
        if self._engine is not None:
            engine = self._engine
            self._tasks.start(
                self,
                lambda _: engine.sessions(search=text, limit=50),
                on_done=lambda found: self._sidebar.selector.show_found(text, found),
                lane=Lane.QUICK,
                replaces="session search",
            )

    def _start_named(self, name: str) -> None:
        if self._engine is not None:
            engine = self._engine
            self._tasks.start(
                self,
                lambda _: engine.new_session(name, title=name),
                on_done=lambda session: self._control.switch_session(session, named=True),
                lane=Lane.QUICK,
            )

    def _began(self, started: Started) -> None:
        """A session that began by itself is told, with the way back."""
        if started.by_itself and started.previous is not None:
            self._notice.say(
                lambda: self._language("session.started"),
                action=lambda: self._language("session.merge"),
                act=self._put_back,
            )

    def _put_back(self) -> None:
        self._control.put_back(lambda: self._notice.say(lambda: self._language("session.merged")))
