"""Colours: readable in light and dark, live, and only palette roles in the style sheet."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.theme import Theme, bar_colour, is_dark, level_colours, mark_colours, palette_of, series_colour
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


# How a colour looks with all cones, and without those for red, green, blue (Machado and others 2009, full severity).
VISION = (
    np.eye(3),
    np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
)
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour: QColor, vision: np.ndarray) -> np.ndarray:
    """CIE L*a*b* as one with that vision sees it."""
    parts = np.array([colour.redF(), colour.greenF(), colour.blueF()])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(np.maximum(TO_XYZ @ np.clip(vision @ linear, 0, 1) / [0.95047, 1, 1.08883], 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("dark", [False, True])
def test_colours_of_charts_stand_out_and_are_told_apart_by_everybody(dark: bool) -> None:
    palette = palette_of(dark=dark)
    series = [series_colour(number, palette) for number in range(8)]
    bars = [colour for name in (*LEVELS, "DEGRADED") if (colour := bar_colour(name, palette))]
    assert len(bars) == 6
    assert bar_colour("else", palette) is None
    assert series_colour(8, palette) == series[0]
    for group in (series, bars):
        assert min(contrast(colour, palette.color(ROLE.Base)) for colour in group) >= 3
        for vision in VISION:
            seen = [lab(colour, vision) for colour in group]
            assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) >= 10


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


def test_a_switch_styles_a_widget_once_however_deep_it_stands(qapp: QApplication) -> None:
    class Counted(QWidget):
        styled = 0

        def changeEvent(self, event: QEvent) -> None:
            self.styled += event.type() == QEvent.Type.StyleChange

    theme = Theme(qapp, "light")
    outer = QWidget()
    inner = outer
    for _ in range(5):  # as deep as a card on a page that scrolls
        QVBoxLayout(inner).addWidget(inner := QWidget())
    counted = Counted(inner)
    try:
        outer.show()
        counted.styled = 0
        theme.set_mode("dark")
        assert counted.styled == 2  # the sheet off, the sheet on
        theme.set_mode("dark")
        assert counted.styled == 2
    finally:
        theme.set_mode("system")
        outer.deleteLater()


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
