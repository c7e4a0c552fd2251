"""The query as it was perhaps meant: offered, never taken by itself, and plain letters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.words import word
from core.model import Answer
from tests.app.desk import Desk


@pytest.fixture
def meant(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Text → what the engine suggests for it; fill it in before searching."""
    suggestions: dict[str, str] = {}
    engine = desk.window.engine
    assert engine is not None
    lookup = engine.lookup

    def suggesting(query: str, **values: Any) -> Answer:
        return replace(lookup(query, **values), suggestion=suggestions.get(query))

    monkeypatch.setattr(engine, "lookup", suggesting)
    return suggestions


def test_without_a_suggestion_there_is_no_line(desk: Desk, meant: dict[str, str]) -> None:
    desk.search("ERR_TIMEOUT")
    assert not desk.page.suggestion.isVisible()
    assert not desk.page.suggestion.shortcut.isEnabled()


def test_a_click_searches_for_it(desk: Desk, meant: dict[str, str]) -> None:
    meant["zzqx"] = "ERR_TIMEOUT"
    desk.search("zzqx")
    line = desk.page.suggestion
    assert line.isVisible()
    assert (line.words.text(), line.link.text()) == (word("suggest.line", "zh_CN"), "ERR_TIMEOUT")
    assert desk.box.text() == "zzqx"
    assert desk.rows() == [("zzqx", "enter", 0)]
    line.link.click()
    desk.drain()
    assert (desk.box.text(), desk.level) == ("ERR_TIMEOUT", "PRECISE")
    assert desk.rows() == [("zzqx", "enter", 0), ("ERR_TIMEOUT", "enter", 0)]
    assert not line.isVisible()


def test_alt_enter_takes_it_and_enter_does_not(desk: Desk, meant: dict[str, str]) -> None:
    meant["zzqx"] = "VPN 691"
    desk.search("zzqx")
    desk.enter()
    assert desk.box.text() == "zzqx"
    desk.key(Qt.Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    desk.drain()
    assert (desk.box.text(), desk.in_pane) == ("VPN 691", "network/vpn-691.md")
    assert [query for query, _, _ in desk.rows()] == ["zzqx", "zzqx", "VPN 691"]


def test_it_goes_with_the_text_that_it_is_about(desk: Desk, meant: dict[str, str]) -> None:
    meant["zzqx"] = "VPN 691"
    desk.search("zzqx")
    desk.type("y")
    assert not desk.page.suggestion.isVisible()
    desk.box.clear()
    assert not desk.page.suggestion.isVisible()


def test_markup_and_ampersands_are_letters(desk: Desk, meant: dict[str, str]) -> None:
    meant["zzqx"] = "<b>R&D</b> 打印机"
    desk.search("zzqx")
    line = desk.page.suggestion
    assert line.link.text() == "<b>R&&D</b> 打印机"
    assert "&lt;b&gt;" in line.link.toolTip()
    assert "<b>R&D</b>" in line.link.accessibleName()


def test_a_long_one_ends_before_the_edge(desk: Desk, meant: dict[str, str]) -> None:
    meant["zzqx"] = "打印机" * 300
    desk.window.resize(1024, 600)
    desk.search("zzqx")
    QApplication.processEvents()
    line = desk.page.suggestion
    assert line.link.text().endswith("…")
    assert line.link.geometry().right() <= line.width()
    assert desk.window.width() == 1024
    assert line.query == "打印机" * 300


def test_tab_comes_to_it_before_the_list(desk: Desk, meant: dict[str, str]) -> None:
    meant["打印机"] = "VPN 691"
    desk.search("打印机")
    passed: list[str] = []
    while "resultList" not in passed:
        QTest.keyClick(QApplication.focusWidget() or desk.box, Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        assert focused is not None
        passed.append(focused.objectName())
        assert len(passed) < 20
    assert "suggestionButton" in passed
    assert "whyButton" in passed


def test_it_follows_the_language(desk: Desk, meant: dict[str, str]) -> None:
    meant["zzqx"] = "VPN 691"
    desk.search("zzqx")
    desk.language.set_code("en")
    assert desk.page.suggestion.words.text() == word("suggest.line", "en")
    assert desk.page.suggestion.link.text() == "VPN 691"
