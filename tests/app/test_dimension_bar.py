"""The buttons that add what the question leaves open."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.dimension_bar import KEYS, DimensionBar
from app.hint import Surroundings, verdict
from app.i18n import Language
from core.model import Answer, Dimension, Facet, NearCode, RelevanceLevel
from tests.app.desk import Desk
from tests.app.test_hint import answer

OPEN = (
    Dimension(Facet.SYSTEM, ("Windows 11", "Windows 10")),
    Dimension(Facet.ERROR_CODE, ("0x0000011b",)),
    Dimension(Facet.PRODUCT, ("A&B 1", "HP")),
)


def with_open(dimensions: tuple[Dimension, ...]) -> Answer:
    return replace(answer(level=RelevanceLevel.REFERENCE), dimensions=dimensions)


@pytest.fixture
def bar(qapp: QApplication) -> DimensionBar:
    made = DimensionBar(Language("zh_CN"))
    made.offer(with_open(OPEN))
    return made


def chosen(bar: DimensionBar) -> list[tuple[str, str]]:
    heard: list[tuple[str, str]] = []
    bar.chosen.connect(lambda value, facet: heard.append((value, facet)))
    return heard


def test_a_single_value_stands_on_its_button_and_is_chosen_at_once(bar: DimensionBar) -> None:
    heard = chosen(bar)
    assert [button.text() for button in bar.buttons] == ["系统版本", "错误码：0x0000011b", "软件或设备"]
    bar.buttons[1].click()
    assert heard == [("0x0000011b", "error_code")]


def test_several_values_stand_in_a_menu(bar: DimensionBar) -> None:
    heard = chosen(bar)
    actions = bar.buttons[2].menu().actions()
    assert [action.text() for action in actions] == ["A&&B 1", "HP"]  # a letter, no key of the menu
    actions[0].trigger()
    assert heard == [("A&B 1", "product")]


def test_each_button_tells_its_key_and_what_it_adds(bar: DimensionBar) -> None:
    for button, keys in zip(bar.buttons, KEYS, strict=False):
        assert keys in button.toolTip()
        assert button.accessibleName().startswith("补上")


def test_a_switch_of_language_redraws_it(qapp: QApplication) -> None:
    language = Language("zh_CN")
    bar = DimensionBar(language)
    bar.offer(with_open(OPEN))
    language.set_code("en")
    assert [button.text() for button in bar.buttons] == ["Operating system", "Error code: 0x0000011b", "Product"]
    assert bar.buttons[0].accessibleName() == "Add Operating system: Windows 11, Windows 10"


def test_it_is_hidden_where_nothing_is_open_and_beside_near_codes(bar: DimensionBar) -> None:
    assert not bar.isHidden()
    bar.offer(None)
    assert bar.isHidden()
    bar.offer(with_open(()))
    assert bar.isHidden()
    near = (NearCode("690", "691", (), "a.md", "VPN 691"),)
    bar.offer(replace(with_open(OPEN), neighbours=near))
    assert bar.isHidden()


def test_another_wording_of_the_question_comes_first(bar: DimensionBar) -> None:
    bar.offer(replace(with_open(OPEN), suggestion="打印机"))
    assert bar.isHidden()
    alone, with_suggestion = with_open(OPEN), replace(with_open(OPEN), suggestion="打印机")
    assert verdict(alone, Surroundings()).hint == "hint.reference"
    assert verdict(with_suggestion, Surroundings()).hint == "hint.reference_plain"


def test_a_narrow_window_puts_the_buttons_below_one_another(bar: DimensionBar) -> None:
    wide = bar.row.heightForWidth(900)
    narrow = bar.row.heightForWidth(max(button.sizeHint().width() for button in bar.buttons))
    assert narrow > 2 * wide


TWO_CODES = "691 789 显卡"
"""Two articles, neither of which holds all of it: for reference. Only one of them speaks of a refusal."""


def test_a_click_adds_the_word_and_searches_again(desk: Desk) -> None:
    desk.search(TWO_CODES)
    assert desk.level == "REFERENCE"
    assert desk.page.hint.text() == "只找到相关内容，补一项会更准："
    symptom = desk.page.dimensions.buttons[0]
    assert symptom.text() == "具体现象：被拒绝"
    symptom.click()
    desk.drain()
    assert desk.box.text() == f"{TWO_CODES} 被拒绝"
    assert desk.in_pane == "network/vpn-691.md"
    assert [(query, trigger) for query, trigger, _ in desk.rows()] == [
        (TWO_CODES, "enter"),
        (f"{TWO_CODES} 被拒绝", "enter"),
    ]


def test_alt_and_its_number_press_a_button(desk: Desk) -> None:
    desk.search(TWO_CODES)
    desk.key(Qt.Key.Key_1, Qt.KeyboardModifier.AltModifier)
    desk.drain()
    assert desk.box.text() == f"{TWO_CODES} 被拒绝"


def test_tab_comes_to_the_buttons_before_the_list(desk: Desk) -> None:
    desk.search(TWO_CODES)
    desk.page.domain.setFocus()
    passed = []
    while QApplication.focusWidget() is not desk.page.results and len(passed) < 10:
        desk.key(Qt.Key.Key_Tab)
        passed.append(QApplication.focusWidget())
    assert desk.page.dimensions.buttons[0] in passed
    assert passed[-1] is desk.page.results


def test_buttons_of_an_earlier_text_are_gone_while_one_types(desk: Desk) -> None:
    desk.search(TWO_CODES)
    assert not desk.page.dimensions.isHidden()
    desk.type("1")
    assert desk.page.dimensions.isHidden()
