"""States from a `meta.csv` beside the files: `file,status,effective,supersedes` (contract §4)."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from core.ingest.encoding import decode
from core.ingest.readers import fields
from core.ingest.readers.table import find_delimiter, rows
from core.ingest.unusable import BadContent
from core.model import ArticleState, Record

NAME = "meta.csv"


@dataclass(frozen=True, slots=True)
class FileState:
    """What meta.csv says about one file: None where it says nothing."""

    state: ArticleState | None = None
    effective: str | None = None
    superseded_by: str | None = None


def read_states(data: bytes, folder: str) -> dict[str, FileState] | None:
    """Key of each file (its path inside the source) → its state; None when this meta.csv is an ordinary table.

    `folder` is where the meta.csv stands, "" for the source's root.
    """
    try:
        text = decode(data).text
    except BadContent:
        return None
    table = list(rows(text, find_delimiter(text)))
    header = [fields.name_key(cell) for cell in table[0].cells] if table else []
    if "file" not in header or not {"status", "supersedes"} & set(header):
        return None
    states: dict[str, FileState] = {}
    replaced: dict[str, str] = {}
    for row in table[1:]:
        values = dict(zip(header, (cell.strip() for cell in row.cells), strict=False))
        key = place(folder, values.get("file", ""))
        states[key] = FileState(
            fields.parse_state(values.get("status", "")), fields.parse_date(values.get("effective", ""))
        )
        for name in re.split(r"[;|]", values.get("supersedes", "")):
            if name.strip():
                replaced[place(folder, name)] = key
    for old, new in replaced.items():
        known = states.get(old, FileState())
        state = known.state if known.state not in (None, ArticleState.CURRENT) else ArticleState.SUPERSEDED
        states[old] = replace(known, state=state, superseded_by=new)
    return states


def place(folder: str, name: str) -> str:
    """A file's key from how a file in `folder` names it; one that leads out of the source stays as it is."""
    name = unicodedata.normalize("NFC", name.strip().replace("\\", "/"))
    path = posixpath.normpath(posixpath.join(folder, name)) if name else ""
    return name if path.startswith("../") else path.lstrip("/")


def applied(record: Record, key: str, states: Mapping[str, FileState], known_keys: Container[str]) -> Record:
    """The record with what meta.csv says about its file, and with `superseded_by` as a key of this source.

    Front matter that names a state or a successor itself is not overruled.
    """
    found = states.get(key, FileState())
    state = found.state if record.state is ArticleState.CURRENT and found.state is not None else record.state
    successor = record.superseded_by
    if successor is None:
        successor = found.superseded_by
    else:
        candidates = (place(posixpath.dirname(key), successor), place("", successor))
        successor = next((candidate for candidate in candidates if candidate in known_keys), successor)
    return replace(record, state=state, superseded_by=successor, updated=record.updated or found.effective)
