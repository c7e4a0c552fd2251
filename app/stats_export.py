"""`stats --export`: the figures as a file, JSON or a table that a spreadsheet opens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.cli_files import output, require_place
from app.cli_output import FileError, Printer, as_json
from app.table_export import Cell, Table, write_tables

_TABLES = frozenset({".csv", ".xlsx"})
SUFFIXES = _TABLES | {".json"}
"""What a name may end with, in small or capital letters."""
_FIGURES = "figures"


def write(path: Path, document: Mapping[str, Any], language: str) -> None:
    """Whole or not at all. .csv: every figure in a row, names joined by dots; .xlsx: that, and a sheet for each list;
    .json: all of it as it is. Raises FileError."""
    suffix = path.suffix.lower()
    if suffix not in _TABLES:
        with output(path, language) as file:
            file.write(as_json(document) + "\n")
        return
    require_place(language, path)
    tables = list(_sheets(document)) if suffix == ".xlsx" else [_figures(document)]
    try:
        write_tables(path, tables)
    except OSError as error:
        raise FileError(Printer(language).word("file", path=path, detail=error.strerror)) from error


def _sheets(document: Mapping[str, Any]) -> Iterator[Table]:
    lists = {name: rows for name, rows in document.items() if _is_list_of_documents(rows)}
    yield _figures({name: value for name, value in document.items() if name not in lists})
    for name, rows in lists.items():
        flat = [dict(_flat(row)) for row in rows]
        header = tuple(dict.fromkeys(key for row in flat for key in row))
        yield Table(name, header, [[row.get(key) for key in header] for row in flat])


def _figures(document: Mapping[str, Any]) -> Table:
    return Table(_FIGURES, ("name", "value"), list(_flat(document)))


def _flat(value: object, name: str = "") -> Iterator[tuple[str, Cell]]:
    """Names joined by dots, and values; a part of a list goes by its id, its name or its number (from 1)."""
    prefix = f"{name}." if name else ""
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _flat(part, f"{prefix}{key}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, part in enumerate(value, start=1):
            called = (part.get("id") or part.get("name")) if isinstance(part, Mapping) else None
            yield from _flat(part, f"{prefix}{called or number}")
    else:
        yield name, value if isinstance(value, str | int | float | None) else str(value)


def _is_list_of_documents(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(row, Mapping) for row in value)
