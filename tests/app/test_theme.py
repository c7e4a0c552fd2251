"""Colours: readable in light and dark, live, and only palette roles in the style sheet."""

from __future__ import annotations

import re

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

from app.theme import Theme, is_dark, level_colours, mark_colours, palette_of
from core.paths import resources_dir

ROLE = QPalette.ColorRole
LEVELS = ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE", "DEDUPED", "NOT_FOUND")


def luminance(colour: QColor) -> float:
    def part(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    return 0.2126 * part(colour.redF()) + 0.7152 * part(colour.greenF()) + 0.0722 * part(colour.blueF())


def contrast(a: QColor, b: QColor) -> float:
    """WCAG 2.1, relative luminance."""
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_read_on_every_ground_it_stands_on(dark: bool) -> None:
    palette = palette_of(dark=dark)
    pairs = [
        (ROLE.Text, ROLE.Base),
        (ROLE.Text, ROLE.AlternateBase),
        (ROLE.WindowText, ROLE.Window),
        (ROLE.ButtonText, ROLE.Button),
        (ROLE.PlaceholderText, ROLE.Base),
        (ROLE.PlaceholderText, ROLE.Window),
        (ROLE.HighlightedText, ROLE.Highlight),
        (ROLE.Link, ROLE.Base),
        (ROLE.Link, ROLE.AlternateBase),
        (ROLE.BrightText, ROLE.Base),
        (ROLE.ToolTipText, ROLE.ToolTipBase),
    ]
    low = {(a, b): contrast(palette.color(a), palette.color(b)) for a, b in pairs}
    assert {pair: value for pair, value in low.items() if value < 4.5} == {}
    for level in LEVELS:
        assert contrast(*level_colours(level, palette)) >= 4.5
    letters, ground, current = mark_colours(palette)
    assert min(contrast(letters, ground), contrast(letters, current)) >= 4.5


def test_the_two_palettes_are_told_apart() -> None:
    assert is_dark(palette_of(dark=True))
    assert not is_dark(palette_of(dark=False))


def test_the_style_sheet_names_no_colour() -> None:
    sheet = (resources_dir() / "styles" / "window.qss").read_text(encoding="utf-8")
    assert re.findall(r":[^;]*(#[0-9a-fA-F]{3,8}\b|rgba?\()", sheet) == []
    for role in re.findall(r"palette\(([\w-]+)\)", sheet):
        assert role.replace("-", "") in {value.name.lower() for value in ROLE}, role


def test_switching_is_live_and_keeps_what_was_chosen(qapp: QApplication) -> None:
    heard: list[bool] = []
    qapp.paletteChanged.connect(lambda palette: heard.append(is_dark(palette)))
    theme = Theme(qapp, "light")
    try:
        assert not is_dark(qapp.palette())
        theme.set_mode("dark")
        assert is_dark(qapp.palette())
        assert heard[-1]
        theme.set_mode("light")
        assert not is_dark(qapp.palette())
    finally:
        theme.set_mode("system")


def test_the_font_family_is_named_outright(qapp: QApplication) -> None:
    Theme(qapp)
    assert len(qapp.font().families()) >= 1
    assert qapp.font().family() in {
        "Noto Sans CJK SC",
        "WenQuanYi Zen Hei",
        "Microsoft YaHei UI",
        "Microsoft YaHei",
        "PingFang SC",
    }
