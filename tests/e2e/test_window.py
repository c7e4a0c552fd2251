"""The real window with real timers, under the X server that the end-to-end stage brings along."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListView, QTextBrowser
from pytestqt.qtbot import QtBot

from app.application import build_window
from app.main_window import MainWindow
from core.engine import Engine
from core.paths import DataFolder
from core.settings import Settings

PATIENCE_MS = 60_000
Open = Callable[[Path], MainWindow]


@pytest.fixture
def open_window(qapp: QApplication, qtbot: QtBot) -> Iterator[Open]:
    opened: list[MainWindow] = []

    def start(data_dir: Path) -> MainWindow:
        folder = DataFolder(data_dir).create()
        window = build_window(qapp, folder, Settings({"theme": "light"}), "zh_CN")
        opened.append(window)
        with qtbot.waitSignal(window.work.known, timeout=PATIENCE_MS):
            window.show()
        return window

    yield start
    for window in opened:
        window.work.cancel()
        window.work.finish()
        shiboken6.delete(window)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder that holds the starter knowledge base."""
    Engine.open(tmp_path / "数据").close()
    return tmp_path / "数据"


def rows(data_dir: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(data_dir / "deskside.sqlite3")
    try:
        return connection.execute('SELECT query, "trigger" FROM tool_invocation ORDER BY id').fetchall()
    finally:
        connection.close()


def held(data_dir: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(data_dir / "deskside.sqlite3")
    try:
        return connection.execute("SELECT doc_key, query FROM retrieved ORDER BY id").fetchall()
    finally:
        connection.close()


def test_a_code_typed_letter_by_letter_plus_enter_is_one_row_and_one_mark(
    open_window: Open, data: Path, qtbot: QtBot
) -> None:
    window = open_window(data)
    box = window.findChild(QLineEdit, "searchInput")
    badge = window.findChild(QLabel, "relevanceBadge")
    QTest.keyClicks(box, "ERR_TIMEOUT", delay=10)
    QTest.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: badge.property("level") == "PRECISE", timeout=PATIENCE_MS)
    hint = window.findChild(QLabel, "completenessHint")
    assert hint.text() == "就是这篇，知识库里没有更准的，不用再搜"
    assert hint.accessibleDescription() == "知识库中不存在比上述结果更精准的文档"
    results = window.findChild(QListView, "resultList")
    assert results.model().index(0, 0).data(Qt.ItemDataRole.UserRole) == "api/err-timeout.md"
    qtbot.waitUntil(lambda: bool(held(data)), timeout=PATIENCE_MS)
    assert held(data) == [("api/err-timeout.md", "ERR_TIMEOUT")]
    assert rows(data) == [("ERR_TIMEOUT", "enter")]
    assert "traceId" in window.findChild(QTextBrowser, "articlePreview").toPlainText()


def test_a_text_typed_and_cleared_leaves_no_trace(open_window: Open, data: Path, qtbot: QtBot) -> None:
    window = open_window(data)
    box = window.findChild(QLineEdit, "searchInput")
    badge = window.findChild(QLabel, "relevanceBadge")
    QTest.keyClicks(box, "ERR_TIMEOUT")
    qtbot.waitUntil(badge.isVisible, timeout=PATIENCE_MS)
    QTest.keyClick(box, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not badge.isVisible(), timeout=PATIENCE_MS)
    window.close()
    assert (rows(data), held(data)) == ([], [])


def test_a_text_left_standing_settles_into_one_row(open_window: Open, data: Path, qtbot: QtBot) -> None:
    window = open_window(data)
    QTest.keyClicks(window.findChild(QLineEdit, "searchInput"), "VPN")
    qtbot.waitUntil(lambda: bool(rows(data)), timeout=PATIENCE_MS)
    assert rows(data) == [("VPN", "settle")]


def test_no_query_is_sent_with_composed_text_in_it(open_window: Open, data: Path, qtbot: QtBot) -> None:
    """Case 26, with the real timers."""
    window = open_window(data)
    box = window.findChild(QLineEdit, "searchInput")
    badge = window.findChild(QLabel, "relevanceBadge")
    asked: list[str] = []
    engine = window.engine
    assert engine is not None
    preview = engine.preview
    engine.preview = lambda text, **more: (asked.append(text), preview(text, **more))[1]  # type: ignore[method-assign]
    box.setFocus()
    for text in ("wu", "wu'xian"):
        QApplication.sendEvent(box, QInputMethodEvent(text, []))
    QTest.keyClick(box, Qt.Key.Key_Return)
    event = QInputMethodEvent("", [])
    event.setCommitString("无线")
    QApplication.sendEvent(box, event)
    qtbot.waitUntil(badge.isVisible, timeout=PATIENCE_MS)
    assert asked == ["无线"]
    QTest.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(rows(data)), timeout=PATIENCE_MS)
    assert rows(data) == [("无线", "enter")]


def test_a_very_long_article_is_drawn_in_steps_and_scrolled_to_the_place(
    open_window: Open, data: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    filler = "".join(f"第 {number} 条记录没有什么可看的内容。\n\n" for number in range(14_000))
    text = f"# 很长的文章\n\n{filler[:200_000]}\n\n关键在这里：DEEP-4711\n\n{filler[:50_000]}"
    (folder / "long.md").write_text(text, encoding="utf-8")
    window = open_window(data)
    window.start_import([folder])
    qtbot.waitUntil(lambda: not window.work.running, timeout=PATIENCE_MS)
    window.search.input.setText("DEEP-4711")
    QTest.keyClick(window.search.input, Qt.Key.Key_Return)
    pane = window.search.pane.text
    qtbot.waitUntil(lambda: pane.article is not None and pane.article.title == "很长的文章", timeout=PATIENCE_MS)
    assert not pane.complete
    qtbot.waitUntil(lambda: pane.complete, timeout=PATIENCE_MS)
    assert "DEEP-4711" in pane.textCursor().block().text()
    place = pane.cursorRect()
    assert 0 <= place.top() < pane.viewport().height()
    assert len(pane.toPlainText()) > 230_000


def test_the_window_comes_back_where_it_was(open_window: Open, data: Path) -> None:
    if QGuiApplication.primaryScreen().availableGeometry().width() < 1400:
        pytest.skip("the screen is too small to tell")
    first = open_window(data)
    first.resize(1111, 666)
    QApplication.processEvents()
    first.close()
    second = open_window(data)
    assert (second.width(), second.height()) == (1111, 666)
