"""Statements over any number of values, in portions that SQLite takes."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator

_MOST_PARAMETERS = 900


def rows_in(connection: sqlite3.Connection, query: str, values: Collection[int] | Collection[str]) -> list[sqlite3.Row]:
    """All rows of a query whose `(?)` stands for any number of values."""
    rows: list[sqlite3.Row] = []
    for portion in portions(values):
        rows.extend(connection.execute(query.replace("(?)", f"({marks(portion)})"), portion))
    return rows


def portions(values: Collection[int] | Collection[str]) -> Iterator[tuple[int | str, ...]]:
    """The distinct values, at most as many at a time as one statement takes."""
    ordered: tuple[int | str, ...] = tuple(dict.fromkeys(values))
    for first in range(0, len(ordered), _MOST_PARAMETERS):
        yield ordered[first : first + _MOST_PARAMETERS]


def marks(values: Collection[object]) -> str:
    """`?,?,?` for as many values."""
    return ",".join("?" * len(values))
