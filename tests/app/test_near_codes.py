"""Codes near one that is not held: shown with what differs, and opened on a click."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QApplication, QLabel

from app.i18n import Language
from app.near_codes import NearCodes, pieces
from core.model import NearCode, Span
from tests.app.desk import Desk
from tests.app.test_hint import answer

NEAR = NearCode("0x80004005", "0x80070005", (Span(5, 7),), "denied.md", "错误 <b>拒绝访问")


def test_what_differs_is_marked_by_more_than_colour(qapp: QApplication) -> None:
    block = NearCodes(Language("zh_CN"))
    block.offer(replace(answer(), neighbours=(NEAR,)))
    code, title = block.buttons[0].findChildren(QLabel)
    assert ">70</span>" in code.text()
    assert "underline" in code.text()
    assert "font-weight:700" in code.text()
    assert title.text() == "错误 <b>拒绝访问"  # as it is, no markup
    name = block.buttons[0].accessibleName()
    assert name == "0x80070005，与 0x80004005 不同，不同处 70：错误 <b>拒绝访问"


def test_a_code_is_cut_where_it_differs() -> None:
    assert pieces("691", (Span(2, 3),)) == [("69", False), ("1", True)]
    assert pieces("691", ()) == [("691", False)]
    assert pieces("E12", (Span(0, 1), Span(2, 3))) == [("E", True), ("1", False), ("2", True)]


def test_a_near_code_in_the_list_is_opened_there_and_its_row_says_that_it_is_another(desk: Desk) -> None:
    desk.search("VPN 690")
    assert [button.near.code for button in desk.page.near.buttons] == ["691"]
    said = desk.page.hint.text()
    assert said.startswith("没有收录 690")
    desk.page.near.buttons[0].click()
    desk.drain()
    assert desk.in_pane == "network/vpn-691.md"
    assert ("opened", "network/vpn-691.md") in desk.events()
    assert len(desk.rows()) == 1
    row = desk.page.model.row_of("network/vpn-691.md")
    hit = desk.page.model.hit(row)
    assert hit is not None
    assert hit.other_code == "691"
    assert desk.page.results.currentIndex().row() == row


def test_with_an_empty_list_a_near_code_is_opened_all_the_same(desk: Desk) -> None:
    desk.search("690")
    assert desk.shown == []
    assert desk.level == "NOT_FOUND"
    assert "请勿照搬" in desk.page.hint.text()
    desk.page.near.buttons[0].click()
    desk.drain()
    assert desk.in_pane == "network/vpn-691.md"
    assert ("opened", "network/vpn-691.md") in desk.events()
    assert len(desk.rows()) == 1


def test_a_held_code_shows_none(desk: Desk) -> None:
    desk.search("VPN 691")
    assert desk.page.near.isHidden()
    assert all(desk.page.model.hit(row).other_code == "" for row in range(len(desk.shown)))  # type: ignore[union-attr]


def test_a_switch_of_language_redraws_it(desk: Desk) -> None:
    desk.search("690")
    desk.language.set_code("en")
    assert desk.page.near.buttons[0].accessibleName().startswith("691, differs from 690 in 1")
