"""记一笔 in the window: one field, saved in any case, found at once, marked, taken back; the folder and its watch."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.note_field import NoteField
from app.tasks import Lane
from core.engine import Engine
from core.job import Job
from core.store.lock import write_lock
from tests.app.desk import Desk

QUERY = "投影仪闪绿光"
TEXT = "拔掉转接头再插。"


@pytest.fixture
def field(desk: Desk) -> NoteField:
    return desk.page.note


def note(desk: Desk, query: str = QUERY, text: str = TEXT) -> Path:
    """Searched, not found, noted; the file."""
    desk.search(query)
    before = set(desk.folder.notes.glob("*.md"))
    desk.page.note.button.click()
    write(desk, text)
    desk.key(Qt.Key.Key_Return)
    desk.drain()
    (path,) = set(desk.folder.notes.glob("*.md")) - before
    return path


def write(desk: Desk, text: str) -> None:
    desk.page.note.text.insertPlainText(text)


def said(desk: Desk) -> str:
    return desk.window.notice.label.text() if desk.window.notice.isVisible() else ""


def test_it_is_offered_where_nobody_is_served_yet(desk: Desk, field: NoteField) -> None:
    offered = {}
    for query in (QUERY, "打印机", "ERR_TIMEOUT"):
        desk.search(query)
        offered[desk.level] = field.button.isVisible()
    assert offered == {"NOT_FOUND": True, "REFERENCE": True, "PRECISE": False}
    desk.box.clear()
    assert not field.button.isVisible()


def test_a_saved_note_is_there_at_once_marked_and_a_reference(desk: Desk, field: NoteField) -> None:
    path = note(desk)
    assert not field.isVisible()
    assert QApplication.focusWidget() is desk.box
    assert desk.shown == [path.name]
    assert desk.level == "REFERENCE"
    assert said(desk) == "已记下，标为“现场笔记 · 未审核”，现在就能搜到"
    assert desk.rows() == [(QUERY, "enter", 0)], "searching again writes no second row"
    assert desk.events() == [("noted", path.name)]
    assert desk.held() == []
    desk.enter()
    assert desk.in_pane == path.name
    meta = [label.text() for label in desk.page.pane.findChildren(QLabel)]
    assert any("现场笔记 · 未审核" in text for text in meta)
    desk.language.set_code("en")
    meta = [label.text() for label in desk.page.pane.findChildren(QLabel)]
    assert any("Field note · unreviewed" in text for text in meta)


def test_the_event_belongs_to_the_lookup_that_found_nothing(desk: Desk) -> None:
    note(desk)
    rows = desk._sql("SELECT session_id, invocation_id FROM session_event WHERE kind = 'noted'")
    assert rows == desk._sql("SELECT session_id, id FROM tool_invocation")


def test_a_note_on_a_text_that_was_never_looked_up_starts_the_session(desk: Desk, field: NoteField) -> None:
    desk.type(QUERY)
    desk.stand()
    desk.window.add_note()
    write(desk, TEXT)
    desk.key(Qt.Key.Key_Return)
    desk.drain()
    assert desk.rows() == []
    (session,) = desk.sessions()
    assert desk.control.sessions.current == session
    assert [kind for kind, _ in desk.events()] == ["noted"]


def test_the_chosen_domain_is_the_notes(desk: Desk) -> None:
    desk.page.domain.setCurrentIndex(desk.page.domain.findData("network"))
    path = note(desk)
    assert "domain: network\n" in path.read_text(encoding="utf-8")


def test_keys(desk: Desk, field: NoteField) -> None:
    """Shift+Enter starts a line, Enter saves only what is composed to its end, Esc closes and forgets nothing."""
    desk.search(QUERY)
    QTest.keyClick(desk.window, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is field.text
    write(desk, "一")
    desk.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QApplication.sendEvent(field.text, QInputMethodEvent("er", []))
    desk.key(Qt.Key.Key_Return)
    desk.key(Qt.Key.Key_Escape)
    assert field.isVisible()
    assert not desk.folder.notes.exists()
    committed = QInputMethodEvent("", [])
    committed.setCommitString("二")
    QApplication.sendEvent(field.text, committed)
    assert field.text.toPlainText() == "一\n二"
    desk.key(Qt.Key.Key_Escape)
    assert not field.isVisible()
    assert QApplication.focusWidget() is desk.box
    desk.window.add_note()
    assert field.text.toPlainText() == "一\n二"
    desk.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desk.drain()
    assert len(list(desk.folder.notes.glob("*.md"))) == 1
    assert not field.isVisible()


@pytest.mark.parametrize("text", ["", "  \n", "……"])
def test_an_empty_text_saves_nothing(desk: Desk, field: NoteField, text: str) -> None:
    desk.search(QUERY)
    field.button.click()
    write(desk, text)
    desk.key(Qt.Key.Key_Return)
    desk.drain()
    assert field.isVisible()
    assert field.problem.text() == "还没有写文字，没有保存。"
    assert not list(desk.folder.notes.glob("*"))
    assert desk.events() == []


def test_without_a_text_in_the_box_there_is_nothing_to_note(desk: Desk, field: NoteField) -> None:
    desk.window.add_note()
    assert not field.isVisible()


def test_a_note_being_written_outlives_another_search(desk: Desk, field: NoteField) -> None:
    desk.search(QUERY)
    field.button.click()
    write(desk, TEXT)
    desk.search("打印机")
    desk.window.add_note()
    assert field.text.toPlainText() == TEXT
    desk.key(Qt.Key.Key_Return)
    desk.drain()
    (path,) = desk.folder.notes.glob("*.md")
    assert f"title: {QUERY}\n" in path.read_text(encoding="utf-8")


def test_undo_takes_it_back_and_keeps_the_text(desk: Desk, field: NoteField) -> None:
    path = note(desk)
    assert desk.window.notice.button.text() == "撤销"
    desk.window.notice.button.click()
    desk.drain()
    assert not path.exists()
    assert desk.shown == []
    assert desk.level == "NOT_FOUND"
    assert field.isVisible()
    assert field.text.toPlainText() == TEXT


def test_while_another_program_writes_it_is_saved_and_found_after(desk: Desk) -> None:
    with write_lock(desk.folder.write_lock):
        path = note(desk)
        assert path.exists()
        assert desk.shown == []
        assert said(desk) == "已记下；知识正在导入，导入完就能搜到"
        desk.timers["notes"].time_out()
        desk.drain()
        assert desk.shown == []
    desk.timers["notes"].time_out()
    desk.drain()
    assert desk.shown == [path.name]
    assert said(desk).endswith("现在就能搜到")
    assert desk.timers["notes"].running is None


def test_while_this_window_imports_it_is_saved_and_found_after(desk: Desk, field: NoteField, qtbot: QtBot) -> None:
    over = threading.Event()

    def import_of_much(_: Job) -> None:
        with write_lock(desk.folder.write_lock):
            over.wait()

    desk.search(QUERY)
    desk.tasks.start(desk.window, import_of_much, lane=Lane.LONG)
    field.button.click()
    write(desk, TEXT)
    qtbot.waitUntil(desk.folder.write_lock.exists)
    desk.key(Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: said(desk) == "已记下；知识正在导入，导入完就能搜到")
    (path,) = desk.folder.notes.glob("*.md")
    over.set()
    desk.drain()
    assert desk.shown == [path.name]


def test_a_new_caller_closes_the_field_unless_somebody_writes_in_it(desk: Desk, field: NoteField) -> None:
    desk.search(QUERY)
    field.button.click()
    desk.window.new_session()
    assert not field.isVisible()
    desk.search(QUERY)
    field.button.click()
    write(desk, TEXT)
    desk.window.new_session()
    assert (field.isVisible(), field.text.toPlainText()) == (True, TEXT)
    field.close_button.setFocus()
    desk.key(Qt.Key.Key_Escape)
    assert not field.isVisible()


def test_undo_while_another_program_writes_comes_true_after(desk: Desk) -> None:
    path = note(desk)
    with write_lock(desk.folder.write_lock):
        desk.window.notice.button.click()
        desk.drain()
        assert not path.exists()
        assert "导入完" in said(desk)
    desk.timers["notes"].time_out()
    desk.drain()
    assert desk.shown == []


# ------------------------------------------------------------------ the folder


@pytest.fixture
def share(desk: Desk, tmp_path: Path) -> Path:
    folder = tmp_path / "共享"
    folder.mkdir()
    desk.window.knowledge.notes.chosen.emit(folder)
    desk.drain()
    return folder


def test_the_folder_is_shown_and_can_be_changed_back(desk: Desk, share: Path) -> None:
    row = desk.window.knowledge.notes
    assert row.accessibleName() == f"现场笔记存在 {share.resolve()}"
    row.back.click()
    desk.drain()
    assert row.accessibleName() == f"现场笔记存在 {desk.folder.notes}"
    assert row.back.isHidden()


def test_a_share_that_is_away_keeps_the_text_and_offers_this_computer(
    desk: Desk, field: NoteField, share: Path
) -> None:
    share.rmdir()
    desk.search(QUERY)
    field.button.click()
    write(desk, TEXT)
    desk.key(Qt.Key.Key_Return)
    desk.drain()
    assert field.isVisible()
    assert field.text.toPlainText() == TEXT
    assert str(share.resolve()) in field.problem.text()
    assert field.problem.text().endswith("文字还在，没有丢。")
    assert desk.events() == []
    here = desk.window.findChild(QPushButton, "saveNoteHereButton")
    assert here.isVisible()
    here.click()
    desk.drain()
    (path,) = desk.folder.notes.glob("*.md")
    assert desk.shown == [path.name]
    assert "同事暂时看不到" in said(desk)


@pytest.fixture
def colleague(share: Path, tmp_path: Path) -> Iterator[Engine]:
    engine = Engine.open(tmp_path / "另一台")
    engine.notes.choose(share)
    yield engine
    engine.close()


def test_what_a_colleague_notes_comes_in_when_the_window_becomes_active(desk: Desk, colleague: Engine) -> None:
    desk.search(QUERY)
    saved = colleague.notes.write(QUERY, TEXT)
    assert saved is not None

    def activate() -> None:
        QApplication.sendEvent(desk.window, QEvent(QEvent.Type.WindowActivate))
        desk.drain()

    activate()
    assert desk.shown == [], "not more often than once a minute"
    desk.clock.advance(60)
    activate()
    assert desk.shown == [saved.doc_key]
    assert said(desk) == "", "quietly"
    assert desk.window.isVisible()


def test_what_a_colleague_noted_is_there_at_start(data_dir: Path, colleague: Engine, qapp: QApplication) -> None:
    saved = colleague.notes.write(QUERY, TEXT)
    assert saved is not None
    desk = Desk(data_dir)
    desk.open()
    desk.search(QUERY)
    assert desk.shown == [saved.doc_key]
    desk.close()


def test_a_folder_that_is_away_is_passed_over_in_silence(desk: Desk, share: Path) -> None:
    path = share / "x.md"
    path.write_text("# 投影仪\n\n投影仪闪绿光：换线。", encoding="utf-8")
    desk.window.notes_watch.look(now=True)
    desk.drain()
    desk.search(QUERY)
    assert desk.shown == ["x.md"]
    shutil.rmtree(share)
    desk.window.notes_watch.look(now=True)
    desk.drain()
    desk.search(QUERY)
    assert desk.shown == ["x.md"]
    assert said(desk) == ""


def test_the_words_follow_the_language(desk: Desk, field: NoteField) -> None:
    desk.search(QUERY)
    field.button.click()
    desk.key(Qt.Key.Key_Return)
    desk.language.set_code("en")
    assert field.problem.text() == "There is no text yet; nothing was saved."
    assert field.button.text() == "Add a note"
    assert field.text.accessibleName() == f"What solved it: {QUERY}"
    assert desk.window.knowledge.notes.words.text().startswith("Field notes are kept in")
