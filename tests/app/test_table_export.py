"""Exported tables: no cell is a formula, no text is lost, read back with the readers that others use."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from app.table_export import Cell, Table, csv_bytes, starts_formula, workbook_bytes, write_tables

QUERIES = (
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
    " =cmd|' /C calc'!A0",
    "﹢1",
    "\r=1",
    "'=1",
)
NUMBERS: tuple[Cell, ...] = (-3, 0.25, True, None, 0, 12_345, -0.5, 1e9, float("nan"), float("inf"), 2, 3, 4, 5)
TABLE = Table("主管报告", ("问题", "次数"), [*zip(QUERIES, NUMBERS, strict=True)])
ANY_TEXT = st.text(st.characters(codec=None), max_size=40)


def read_csv(data: bytes) -> list[list[str]]:
    assert data.startswith(b"\xef\xbb\xbf"), "a spreadsheet would not read Chinese"
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def rows_of(data: bytes, sheet: int = 0) -> list[list[object]]:
    """Texts and numbers as they stand; no cell may be a formula."""
    book = load_workbook(io.BytesIO(data))
    for row in book.worksheets[sheet].iter_rows():
        for cell in row:
            assert cell.data_type in {"s", "n", "b", "inlineStr"}, cell.value
            if isinstance(cell.value, str):
                assert cell.number_format == "@"
                assert cell.quotePrefix == starts_formula(cell.value)
    return [list(row) for row in book.worksheets[sheet].iter_rows(values_only=True)]


def test_csv_holds_the_rows_of_the_screen_and_no_formula() -> None:
    header, *rows = read_csv(csv_bytes([TABLE]))
    assert header == ["问题", "次数"]
    for (query, _), (cell, _) in zip(TABLE.rows, rows, strict=True):
        assert cell in {query, f"'{query}"}
        assert not starts_formula(cell)
    assert rows[7][0] == "正常问题", "what is harmless stays as it is"
    assert [row[1] for row in rows[:10]] == ["-3", "0.25", "True", "", "0", "12345", "-0.5", "1000000000.0", "", ""]


def test_a_workbook_holds_the_rows_of_the_screen_and_no_formula() -> None:
    header, *rows = rows_of(workbook_bytes([TABLE]))
    assert header == ["问题", "次数"]
    assert [row[0] for row in rows] == [query.replace("\r", "\n") for query in QUERIES]
    assert [row[1] for row in rows[:10]] == [-3, 0.25, True, None, 0, 12_345, -0.5, 1e9, None, None]


@pytest.mark.parametrize(
    "text", [query for query in QUERIES if query not in {"正常问题", '带,逗号"引号"', "两行\n问题", "'=1"}]
)
def test_what_may_run_is_seen(text: str) -> None:
    assert starts_formula(text)


@pytest.mark.parametrize("text", ["", "正常问题", "1+2", "a=b", "'=1", "0x80070005", "10-25", "  缩进"])
def test_what_cannot_run_is_left_alone(text: str) -> None:
    assert not starts_formula(text)


@settings(max_examples=50)
@given(text=ANY_TEXT)
def test_any_text_can_be_exported_and_none_becomes_a_formula(text: str) -> None:
    table = Table("t", ("h",), [(text,), (1,)])
    (cell,) = read_csv(csv_bytes([table]))[1] or [""]
    assert not starts_formula(cell)
    kept = cell[1:] if len(cell) > len(text) else cell
    assert len(kept) == len(text)
    assert all(a == b or b == "\ufffd" for a, b in zip(text, kept, strict=True))
    assert not isinstance(rows_of(workbook_bytes([table]))[1][0], int)


def test_several_tables_are_sheets_or_stand_below_each_other(tmp_path: Path) -> None:
    tables = [TABLE, Table("=会话/历史[1]", ("a",), [("b",)]), Table("主管报告", ("c",), [])]
    write_tables(tmp_path / "报告.xlsx", tables)
    book = load_workbook(tmp_path / "报告.xlsx")
    assert len(book.sheetnames) == 3
    assert [len(list(sheet.iter_rows())) for sheet in book.worksheets] == [len(QUERIES) + 1, 2, 1]
    write_tables(tmp_path / "报告.csv", tables)
    rows = read_csv((tmp_path / "报告.csv").read_bytes())
    assert rows[0] == ["主管报告"]
    assert rows[-6:] == [[], ["'=会话/历史[1]"], ["a"], ["b"], [], ["主管报告"]] or rows[-2:] == [["主管报告"], ["c"]]
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["报告.csv", "报告.xlsx"], (
        "nothing half-written is left"
    )


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="fehlt"):
        write_tables(tmp_path / "fehlt" / "a.csv", [TABLE])
