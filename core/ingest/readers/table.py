"""Tables as text (CSV, TSV): a row an article. Quote damage costs one row, never the rest of the file."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.ingest.encoding import decode
from core.ingest.readers import fields
from core.ingest.unusable import NoArticle
from core.model import Record
from core.reasons import Reason

if TYPE_CHECKING:
    import _csv

_DELIMITERS = ",\t;|"
_SAMPLE_ROWS = 50
_CELL_LIMIT = 2**31 - 1  # the largest that every platform takes; the default, 131,072, ends the file
_DAMAGE_LIMIT = 1000  # from here on quotation marks are taken as letters


@dataclass(frozen=True, slots=True)
class Row:
    """One row: where it begins (lines from 1), its cells, and what was wrong with it."""

    line: int
    cells: list[str]
    note: Reason | None = None


class TableReader:
    """`.csv` and `.tsv` files."""

    suffixes = frozenset({".csv", ".tsv", ".tab"})

    def read(self, data: bytes, name: str) -> list[Record]:  # noqa: ARG002 - the name says nothing here
        """Raises NoArticle for tables without rows, BadContent when the encoding cannot be told."""
        decoded = decode(data)
        fields.require_text(decoded.text)
        header, table = split_header(list(rows(decoded.text, find_delimiter(decoded.text))))
        records: list[Record] = []
        notes = list(decoded.notes)
        for number, row in enumerate(table, start=1):
            names = [*header, *[""] * (len(row.cells) - len(header))]
            if not header and row.cells:
                names[0] = "title"
            kept = [*notes, row.note] if row.note else notes
            record = fields.row_record(list(zip(names, row.cells, strict=False)), str(number), kept)
            if record is not None:
                records.append(record)
                notes = []  # what is odd about the whole file is said once
        if not records:
            raise NoArticle("no_rows")
        return records


def split_header(table: list[Row]) -> tuple[list[str], list[Row]]:
    """(column names, data rows). The first row is a header when it names at least one column that means something."""
    if table and any(fields.is_known(cell) for cell in table[0].cells):
        return table[0].cells, table[1:]
    return [], table


def find_delimiter(text: str) -> str:
    """Comma, tab, semicolon or `|`: the one that parts the first rows most evenly."""
    if text[:4].lower() == "sep=" and text[4:5] in _DELIMITERS:
        return text[4]
    sample = text[:200_000]
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        widths = []
        for row in rows(sample, delimiter):
            widths.append(len(row.cells))
            if len(widths) >= _SAMPLE_ROWS:
                break
        common = Counter(width for width in widths if width > 1).most_common(1)
        width, count = common[0] if common else (1, 0)
        score = count / len(widths) + min(width, 50) / 1000 if width > 1 else 0.0
        if widths and widths[0] > 1:
            score += 0.5  # what parts the header counts most
        if score > best_score:
            best, best_score = delimiter, score
    return best


def rows(text: str, delimiter: str) -> Iterator[Row]:
    """The rows of a table that is not blank. A row whose quotation marks do not fit is read without them, line by
    line, with a note that names the line where the mark stands; what follows is read as usual."""
    csv.field_size_limit(_CELL_LIMIT)
    lines = [line + "\n" for line in text.split("\n")]
    if lines[0].lower().startswith("sep=") and len(lines[0]) <= 6:
        lines[0] = "\n"
    at, damaged = 0, 0
    while at < len(lines):
        literal = damaged >= _DAMAGE_LIMIT
        reader = _reader(lines[at:], delimiter, literal=literal)
        begun = at
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    yield Row(begun + 1, cells)
                begun = at + reader.line_num
            return
        except csv.Error:
            damaged += 1
            opened = _open_quote_line(lines[begun : at + reader.line_num], delimiter)
            note = Reason.of("quote_open", line=begun + 1 + opened)
            for cells in _reader(lines[begun : begun + opened + 1], delimiter, literal=True):
                yield Row(begun + 1, [_unquoted(cell) for cell in cells], note)
            at = begun + opened + 1


def _reader(lines: Sequence[str], delimiter: str, *, literal: bool) -> _csv.Reader:
    if literal:
        return csv.reader(iter(lines), delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(iter(lines), delimiter=delimiter, strict=True)


def _unquoted(cell: str) -> str:
    cell = cell.strip()
    return cell.removeprefix('"').removesuffix('"').replace('""', '"')


def _open_quote_line(lines: Sequence[str], delimiter: str) -> int:
    """Which of the lines holds the quotation mark that opened the field where reading failed."""
    inside, opened = False, 0
    for number, line in enumerate(lines):
        at = 0
        while at < len(line):
            if inside:
                closing = line.find('"', at)
                if closing < 0:
                    break
                if line[closing + 1 : closing + 2] == '"':
                    at = closing + 2
                    continue
                if line[closing + 1 : closing + 2] not in (delimiter, "\n", ""):
                    return opened
                inside, at = False, closing + 1
            else:
                if line[at] == '"' and (at == 0 or line[at - 1] == delimiter):
                    inside, opened = True, number
                at += 1
    return opened
