"""Colours, font and style of the window: two palettes, a small style sheet of palette roles, live switching."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from core.paths import resources_dir

GRID = 8
"""All distances are multiples of half of this."""

_ROLE = QPalette.ColorRole
_LIGHT = {
    _ROLE.Window: "#f4f5f8",
    _ROLE.WindowText: "#1b2430",
    _ROLE.Base: "#ffffff",
    _ROLE.AlternateBase: "#eef1f5",
    _ROLE.Text: "#1b2430",
    _ROLE.PlaceholderText: "#5c6675",
    _ROLE.Button: "#ffffff",
    _ROLE.ButtonText: "#1b2430",
    _ROLE.BrightText: "#b42318",
    _ROLE.Light: "#ffffff",
    _ROLE.Midlight: "#e4e8ee",
    _ROLE.Mid: "#d3d9e2",
    _ROLE.Dark: "#aab3c0",
    _ROLE.Shadow: "#7b8594",
    _ROLE.Highlight: "#2563c9",
    _ROLE.HighlightedText: "#ffffff",
    _ROLE.Link: "#1f5bbf",
    _ROLE.LinkVisited: "#5b46a8",
    _ROLE.ToolTipBase: "#1b2430",
    _ROLE.ToolTipText: "#f4f5f8",
}
_DARK = {
    _ROLE.Window: "#15181e",
    _ROLE.WindowText: "#e4e8ee",
    _ROLE.Base: "#1c2028",
    _ROLE.AlternateBase: "#252b35",
    _ROLE.Text: "#e4e8ee",
    _ROLE.PlaceholderText: "#9aa4b2",
    _ROLE.Button: "#252b35",
    _ROLE.ButtonText: "#e4e8ee",
    _ROLE.BrightText: "#ff9b8f",
    _ROLE.Light: "#39414e",
    _ROLE.Midlight: "#2d3440",
    _ROLE.Mid: "#39414e",
    _ROLE.Dark: "#4d5766",
    _ROLE.Shadow: "#0b0d11",
    _ROLE.Highlight: "#2f6bd0",
    _ROLE.HighlightedText: "#ffffff",
    _ROLE.Link: "#82b1ff",
    _ROLE.LinkVisited: "#b7a5ff",
    _ROLE.ToolTipBase: "#e4e8ee",
    _ROLE.ToolTipText: "#15181e",
}
# level: (letters, ground) for light and dark; each pair has a contrast of at least 4.5 (a test holds this)
_LEVELS = {
    "PRECISE": (("#0b5a35", "#d6f2e2"), ("#8fe3b4", "#133a28")),
    "HIGHLY_RELEVANT": (("#17508f", "#dbe9fb"), ("#9cc8ff", "#173355")),
    "REFERENCE": (("#7a4a00", "#fdeecf"), ("#f3c878", "#43310f")),
    "DEDUPED": (("#4b4690", "#e6e4f8"), ("#c3bdfb", "#302c56")),
    "NOT_FOUND": (("#4a5361", "#e4e7ec"), ("#c2c9d3", "#323944")),
}
# One for each series, light and dark: at least 3:1 to the ground, and told apart with any kind of colour vision (tests
# hold both). Beside them stands a mark or a place in the stack: colour is never alone.
_SERIES = (
    ("#2a7fe0", "#d05a00", "#0a6b52", "#6d28a8", "#e0529f", "#4c5a12", "#152c55", "#8a1f2d"),
    ("#66aaff", "#ff9838", "#2fc79a", "#a070f0", "#ffb3dc", "#efe88a", "#3a74b0", "#c8543a"),
)
_BARS = {
    "PRECISE": ("#15724a", "#7ee8b4"),
    "HIGHLY_RELEVANT": ("#3d8af0", "#4a8df0"),
    "REFERENCE": ("#c98200", "#f0b450"),
    "DEDUPED": ("#5b3aa8", "#c0adff"),
    "NOT_FOUND": ("#8a94a2", "#8a94a3"),
    "DEGRADED": ("#c0261c", "#f2503e"),
}
_MARKS = (("#1b2430", "#ffe69a", "#ffc53d"), ("#fff3cf", "#5f4a08", "#836300"))
_FAMILIES = ("Noto Sans CJK SC", "WenQuanYi Zen Hei", "Microsoft YaHei UI", "Microsoft YaHei", "PingFang SC")
_MONOSPACE = (
    "Noto Sans Mono CJK SC",
    "Cascadia Mono",
    "Consolas",
    "Menlo",
    "DejaVu Sans Mono",
    "WenQuanYi Zen Hei Mono",
)


def is_dark(palette: QPalette) -> bool:
    """Whether texts are light on a dark ground."""
    return palette.color(_ROLE.Base).lightness() < 128


def level_colours(level: str, palette: QPalette) -> tuple[QColor, QColor]:
    """Letters and ground of a level's badge."""
    letters, ground = _LEVELS.get(level, _LEVELS["NOT_FOUND"])[is_dark(palette)]
    return QColor(letters), QColor(ground)


def series_colour(number: int, palette: QPalette) -> QColor:
    """The colour of a chart's series; after the eighth they come again."""
    colours = _SERIES[is_dark(palette)]
    return QColor(colours[number % len(colours)])


def bar_colour(name: str, palette: QPalette) -> QColor | None:
    """The colour that a level, NOT_FOUND or DEGRADED has in charts; None for any other name."""
    colours = _BARS.get(name)
    return None if colours is None else QColor(colours[is_dark(palette)])


def mark_colours(palette: QPalette) -> tuple[QColor, QColor, QColor]:
    """Letters, ground, and the ground of the mark one stands on."""
    letters, ground, current = _MARKS[is_dark(palette)]
    return QColor(letters), QColor(ground), QColor(current)


def blended(over: QColor, under: QColor, share: float) -> QColor:
    """`share` of the first colour on the second."""
    return QColor(
        round(over.red() * share + under.red() * (1 - share)),
        round(over.green() * share + under.green() * (1 - share)),
        round(over.blue() * share + under.blue() * (1 - share)),
    )


def palette_of(*, dark: bool) -> QPalette:
    """The whole palette, disabled group included."""
    palette = QPalette()
    for role, name in (_DARK if dark else _LIGHT).items():
        palette.setColor(role, QColor(name))
    faint = blended(palette.color(_ROLE.Text), palette.color(_ROLE.Window), 0.45)
    for role in (_ROLE.Text, _ROLE.WindowText, _ROLE.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, faint)
    return palette


class Theme(QObject):
    """Applies the chosen colours to the application, and follows the system when that is chosen."""

    def __init__(self, application: QApplication, mode: str = "system") -> None:
        super().__init__(application)
        self._application = application
        self._mode = mode
        self._dark: bool | None = None
        application.setStyle("Fusion")
        application.setFont(_font())
        application.styleHints().colorSchemeChanged.connect(self._apply)
        self.set_mode(mode)

    @property
    def mode(self) -> str:
        """system, light or dark."""
        return self._mode

    def set_mode(self, mode: str) -> None:
        """Switch, live."""
        self._mode = mode
        scheme = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}.get(mode, Qt.ColorScheme.Unknown)
        self._application.styleHints().setColorScheme(scheme)
        self._apply()

    def _apply(self) -> None:
        dark = self._mode == "dark"
        if self._mode == "system":
            dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        if dark == self._dark:
            return  # the system tells of a switch of ours, too
        self._dark = dark
        # Taken off and set again, so that roles in it are read from the new palette. A sheet in the place of another
        # styles each widget anew with each of those it stands in: six times the work.
        self._application.setStyleSheet("")
        self._application.setPalette(palette_of(dark=dark))
        self._application.setStyleSheet(_style_sheet(self._application.palette()))


def _style_sheet(palette: QPalette) -> str:
    sheet = (resources_dir() / "styles" / "window.qss").read_text(encoding="utf-8")
    # Amber is no palette role; it is that of the badge that says "with care".
    letters, ground = level_colours("REFERENCE", palette)
    for name, value in {
        "@icons": (resources_dir() / "icons").as_posix(),
        "@amber-letters": letters.name(),
        "@amber-ground": ground.name(),
    }.items():
        sheet = sheet.replace(name, value)
    return sheet


def _font() -> QFont:
    """One family that holds Chinese, named outright: what the system would fall back to differs from place to place."""
    known = set(QFontDatabase.families())
    family = _bundled_family() or next((name for name in _FAMILIES if name in known), None)
    font = QApplication.font()
    if family is not None:
        font.setFamilies([family])
    font.setPointSizeF(max(10.0, font.pointSizeF()))
    font.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    return font


def monospace_families() -> list[str]:
    """For commands and code: what is there of the known families, the window's own last."""
    known = set(QFontDatabase.families())
    return [name for name in _MONOSPACE if name in known] + [QApplication.font().family()]


def _bundled_family() -> str | None:
    folder: Path = resources_dir() / "fonts"
    files = sorted(path for path in folder.glob("*") if path.suffix.lower() in {".ttf", ".ttc", ".otf"})
    for path in files:
        families = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(path)))
        for family in families:
            if family.endswith("SC") or "Zen Hei" in family:
                return family
        if families:
            return families[0]
    return None
