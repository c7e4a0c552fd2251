"""Tables as CSV and XLSX, in which no cell runs as a formula and every text is still what it was."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.files import replace_file

Cell = str | int | float | bool | None
_FORMULA_SIGNS = "=+-@"
# What XML cannot hold; a lone surrogate is none of UTF-8 either.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LONGEST = 32_767  # characters in a cell of a spreadsheet


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as on the screen, each as long as the header. Numbers stay numbers; None is an empty cell."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]


def starts_formula(text: str) -> bool:
    """Whether a spreadsheet may take the text for a formula, or for the start of another cell: it begins, after
    blanks, with one of = + - @ (full-width and small forms too), or with a tab or a line end."""
    if text[:1] in {"\t", "\r", "\n"}:
        return True
    first = text.lstrip()[:1]
    return bool(first) and unicodedata.normalize("NFKC", first) in _FORMULA_SIGNS


def write_tables(path: Path, tables: Sequence[Table]) -> None:
    """Write, whole or not at all: an .xlsx file with a sheet for each table, else CSV (UTF-8 with byte-order mark),
    several tables below each other, each under its title. Raises OSError."""
    as_workbook = path.suffix.lower() == ".xlsx"
    replace_file(path, workbook_bytes(tables) if as_workbook else csv_bytes(tables))


def csv_bytes(tables: Sequence[Table]) -> bytes:
    """CSV; a text that could be a formula has an apostrophe before it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    for number, table in enumerate(tables):
        if len(tables) > 1:
            writer.writerows([[]] * bool(number) + [[_neutral(table.title)]])
        writer.writerow([_neutral(name) for name in table.header])
        writer.writerows([[_neutral(cell) for cell in row] for row in table.rows])
    return ("\ufeff" + text.getvalue()).encode()


def workbook_bytes(tables: Sequence[Table]) -> bytes:
    """XLSX; every text is a text cell, marked as such, so that it stays one when it is edited."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    for title in _sheet_titles(tables):
        book.create_sheet(title)
    for sheet, table in zip(book.worksheets, tables, strict=True):
        for row in (table.header, *table.rows):
            cells = []
            for value in row:
                cell = WriteOnlyCell(sheet, "" if isinstance(value, str) else _finite(value))
                if isinstance(value, str):
                    text = _writable(value).replace("\r\n", "\n").replace("\r", "\n")
                    cell.value = text
                    cell.data_type = "s"
                    cell.number_format = "@"
                    cell.quotePrefix = starts_formula(text)
                cells.append(cell)
            sheet.append(cells)
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def _neutral(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return _finite(cell)
    text = _writable(cell)
    return "'" + text if starts_formula(text) else text


def _finite(cell: Cell) -> Cell:
    """Neither format has a number that is none."""
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def _writable(text: str) -> str:
    return _UNWRITABLE.sub("\ufffd", text)[:_LONGEST]


def _sheet_titles(tables: Sequence[Table]) -> list[str]:
    """Unlike each other, short enough, and without what a sheet's name must not hold."""
    titles: list[str] = []
    for number, table in enumerate(tables, start=1):
        title = re.sub(r"[\\/*?:\[\]']", " ", _writable(table.title)).strip()[:27] or str(number)
        taken = {other.casefold() for other in titles}
        titles.append(f"{title} ({number})"[-31:] if title.casefold() in taken else title)
    return titles
