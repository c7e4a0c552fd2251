"""Exports of the monitor's tables: the rows on the screen, readable anywhere, and never a formula (case 35)."""

from __future__ import annotations

import csv
from datetime import UTC, datetime, timedelta
from pathlib import Path

import openpyxl
import pytest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.drill_down import DrillDown
from app.export_button import ExportButton
from app.figure_table import FigureTable
from app.i18n import Language
from app.table_export import starts_formula
from app.words import LANGUAGES
from core.figures import LoggedLookup, Moment
from tests.app.desk import Desk

ODD = (
    "=1+2",
    "+86 10 转人工",
    "-断网",
    "@所有人",
    '=HYPERLINK("http://127.0.0.1:9","x")',
    "\t=1",
    "＝1+2",
    "正常问题",
    '带,逗号"引号"',
    "两行\n问题",
)
AT = datetime(2026, 3, 2, 8, tzinfo=UTC)


def looked_up(place: int, query: str) -> LoggedLookup:
    at = AT + timedelta(minutes=place)
    return LoggedLookup(
        *(place, "=T-1", query, at, "person", "enter", "network/keyword-1", "network", "found", "PRECISE", None, None),
        duration_ms=12.5,
    )


@pytest.fixture
def drill(qtbot: QtBot) -> DrillDown:
    made = DrillDown(Language())
    qtbot.addWidget(made)
    lookups = [looked_up(place, query) for place, query in enumerate(ODD)]
    made.show_lookups(lambda: "全部检索", str, lookups, slowest=False)
    titles = [Moment(lookup.at, "opened", None, f"k{lookup.id}.md", lookup.query) for lookup in lookups]
    made.show_session("=T-1", [*(Moment(lookup.at, "lookup", lookup) for lookup in lookups), *titles])
    return made


def button_of(table: FigureTable) -> ExportButton:
    card = table.parentWidget()
    assert card is not None
    found = [button for button in card.findChildren(QToolButton) if isinstance(button, ExportButton)]
    assert len(found) == 1
    return found[0]


def as_text(cell: object) -> str:
    """A cell as a spreadsheet shows it: the mark that makes a text of it is not seen."""
    text = "" if cell is None else str(cell)
    return text[1:] if text.startswith("'") and starts_formula(text[1:]) else text


@pytest.mark.parametrize("name", ["lookups", "moments"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_read_back_is_what_is_on_the_screen(drill: DrillDown, name: str, language: str, tmp_path: Path) -> None:
    drill._language.set_code(language)
    table: FigureTable = getattr(drill, name)
    heads, rows = table.figures.table()
    shown = [heads, *([str(cell) for cell in row] for row in rows)]
    button = button_of(table)
    button.save(tmp_path / "a.csv")
    button.save(tmp_path / "a.xlsx")
    raw = (tmp_path / "a.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    read = list(csv.reader(raw.decode("utf-8-sig").splitlines(keepends=True)))
    assert [[as_text(cell) for cell in row] for row in read] == shown
    assert [cell for row in read for cell in row if starts_formula(cell)] == []
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert sheet is not None
    cells = [list(row) for row in sheet.iter_rows()]
    assert "f" not in {cell.data_type for row in cells for cell in row}
    assert [["" if cell.value is None else str(cell.value) for cell in row] for row in cells] == shown
    assert set(ODD) <= {str(cell.value) for row in cells for cell in row}


def test_what_hinders_an_export_is_said_where_it_was_asked_for(drill: DrillDown, tmp_path: Path) -> None:
    button = button_of(drill.moments)
    heard: list[str] = []
    button.told.connect(heard.append)
    (tmp_path / "taken").mkdir()
    button.save(tmp_path / "taken")
    button.save(tmp_path / "b.csv")
    assert len(heard) == 2
    assert heard[0].startswith("没有存成")
    assert "b.csv" in heard[1]


def test_a_session_as_it_was_at_the_desk_is_exported(desk: Desk, tmp_path: Path) -> None:
    desk.search("=1+2 VPN 691")
    desk.page.pane.copy(with_source=False)
    desk.drain()
    session = desk.control.sessions.current
    window = desk.window
    window.tabs.setCurrentWidget(window.monitor)
    desk.drain()
    assert session is not None
    window.monitor.drill.session_wanted.emit(session)
    desk.drain()
    button_of(window.monitor.drill.moments).save(tmp_path / "s.csv")
    read = list(csv.reader((tmp_path / "s.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert read[1][1:3] == ["检索", "'=1+2 VPN 691"]
