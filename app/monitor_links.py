"""Where the monitor leads to elsewhere in the window: a note on a question, an article, files that failed, badges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from app.main_window import MainWindow


class MonitorLinks(QObject):
    """Lives as long as the window whose pages it joins."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        page = window.monitor
        page.note_wanted.connect(self._write_note)
        page.article_wanted.connect(self._open_article)
        page.files_wanted.connect(window.work.find_failed)
        page.badges_wanted.connect(window.show_reliability)

    def _write_note(self, query: str) -> None:
        self._window.tabs.setCurrentIndex(0)
        self._window.notes.open_on(query)

    def _open_article(self, doc_key: str) -> None:
        self._window.tabs.setCurrentIndex(0)
        self._window.control.open_held(doc_key)
