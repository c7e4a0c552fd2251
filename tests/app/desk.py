"""A small stated knowledge base, timers in the test's hand, and a window to drive."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import shiboken6
from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.i18n import Language
from app.main_window import MainWindow
from app.search_control import SearchControl
from app.tasks import TaskRunner
from app.theme import Theme
from core.engine import Engine
from core.paths import DataFolder
from tests.manual_clock import ManualClock

ARTICLES = {
    "api/err-timeout.md": (
        "接口报 ERR_TIMEOUT 的原因与处理",
        "keywords: [ERR_TIMEOUT]\nupdated: 2025-04-18",
        "网关没有收到后端的响应，返回 ERR_TIMEOUT。\n\n## 处理步骤\n\n1. 复制 traceId 查链路。\n2. 查看慢 SQL。\n",
    ),
    "network/vpn-691.md": (
        "VPN 错误 691：用户名或密码被拒绝",
        "keywords: [VPN 691]\nupdated: 2025-03-05",
        "远程连接被拒绝。\n\n## 处理步骤\n\n1. 核对工号。\n2. 重置密码。\n",
    ),
    "network/vpn-789.md": (
        "VPN 错误 789：安全层协商失败",
        "keywords: [VPN 789]\nupdated: 2025-03-06",
        "安全层协商失败。\n\n1. 核对预共享密钥。\n2. 重启服务。\n",
    ),
    "printing/offline.md": (
        "打印机显示脱机",
        "updated: 2025-01-17",
        "打印机脱机时先看网线。\n\n1. 重启打印机。\n2. 换端口。\n",
    ),
    "printing/jam.md": ("打印机卡纸", "updated: 2025-01-18", "打印机卡纸：打开后盖取出纸张。\n"),
    "odd/markup.md": (
        "标题 <b>粗</b> TAG-34",
        "keywords: [TAG-34]",
        "正文 <img src='http://127.0.0.1:9/x.png'> 与 [文件](file:///etc/passwd)。\n",
    ),
}


def write_articles(folder: Path) -> Path:
    """The stated articles as Markdown files."""
    for key, (title, head, body) in ARTICLES.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ntitle: {title}\n{head}\n---\n\n{body}", encoding="utf-8")
    return folder


class ManualTimer:
    """Fires when told to."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self._act = act
        self.running: int | None = None

    def start(self, milliseconds: int) -> None:
        self.running = milliseconds

    def stop(self) -> None:
        self.running = None

    def time_out(self) -> None:
        """The time is over, if it ran."""
        if self.running is not None:
            self.running = None
            self._act()


class Desk:
    """A window on a data folder, driven as a person would."""

    def __init__(self, data_dir: Path, *, language: str = "zh_CN", settle_seconds: float = 3) -> None:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self.clock = ManualClock()
        self.timers: dict[str, ManualTimer] = {}
        self.folder = DataFolder(data_dir)
        self.tasks = TaskRunner()
        self.language = Language(language)
        self.theme = Theme(application, "light")
        self.control = SearchControl(
            self.tasks,
            clock=self.clock.monotonic,
            make_timer=self._timer,
            settle_seconds=settle_seconds,
        )
        self.window = MainWindow(
            self.folder,
            lambda: Engine.open(data_dir, language=language),
            language=self.language,
            theme=self.theme,
            tasks=self.tasks,
            control=self.control,
        )
        self.page = self.window.search
        self.box = self.page.input

    def _timer(self, name: str, act: Callable[[], Any]) -> ManualTimer:
        self.timers[name] = ManualTimer(act)
        return self.timers[name]

    def open(self) -> None:
        """Show it and wait for the engine."""
        ready: list[int] = []
        self.window.ready.connect(lambda: ready.append(1))
        self.window.show()
        while not ready:
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        self.drain()

    def close(self) -> None:
        """End it, whatever runs."""
        self.window.work.cancel()
        self.window.work.finish()
        self.window.hide()
        shiboken6.delete(self.window)

    def drain(self) -> None:
        """All background work is home."""
        self.tasks.drain()

    # ---------------------------------------------------------------- a person
    def type(self, text: str) -> None:
        """Letter by letter."""
        self.box.setFocus()
        if text.isascii():
            QTest.keyClicks(self.box, text)
        else:
            for letter in text:
                self.box.insert(letter)

    def stand(self) -> None:
        """The text stands: previewed and revealed."""
        self.timers["preview"].time_out()
        self.drain()
        self.timers["reveal"].time_out()
        self.drain()

    def enter(self) -> None:
        """Enter in the box."""
        self.key(Qt.Key.Key_Return)
        self.drain()

    def key(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """A key where the focus is."""
        target = QApplication.focusWidget() or self.box
        QTest.keyClick(target, key, modifier)

    def search(self, text: str) -> None:
        """Clear, type, Enter."""
        self.box.clear()
        self.type(text)
        self.enter()

    # ---------------------------------------------------------------- what is to be seen
    @property
    def shown(self) -> list[str]:
        """Doc keys in the list."""
        model = self.page.model
        return [model.index(row).data(Qt.ItemDataRole.UserRole) for row in range(model.rowCount())]

    @property
    def level(self) -> str:
        return str(self.page.badge.property("level"))

    @property
    def in_pane(self) -> str | None:
        article = self.page.pane.article
        return article.doc_key if article is not None else None

    # ---------------------------------------------------------------- what was written
    def rows(self) -> list[tuple[str, str, int]]:
        """(query, trigger, superseded) of each lookup row, in order."""
        return self._sql('SELECT query, "trigger", superseded FROM tool_invocation ORDER BY id')

    def held(self) -> list[tuple[str, str]]:
        """(doc key, query) of what was retrieved, in order."""
        return self._sql("SELECT doc_key, query FROM retrieved ORDER BY id")

    def events(self) -> list[tuple[str, str]]:
        """(kind, doc key) of the events, in order."""
        return self._sql("SELECT kind, doc_key FROM session_event ORDER BY id")

    def sessions(self) -> list[str]:
        """Ids of the sessions that are written down, in order."""
        return [name for (name,) in self._sql("SELECT id FROM session ORDER BY rowid")]

    def votes(self) -> list[int]:
        """The values of the votes, in order."""
        return [value for (value,) in self._sql("SELECT value FROM session_event WHERE kind = 'voted' ORDER BY id")]

    def _sql(self, statement: str) -> list[Any]:
        self.drain()
        if self.window.engine is not None:
            self.window.engine._database.log.catch_up()
        connection = sqlite3.connect(self.folder.database)
        try:
            return connection.execute(statement).fetchall()
        finally:
            connection.close()
