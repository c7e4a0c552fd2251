"""JSON: a record an article, from JSON lines (gzipped too) or one JSON list."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterable

from core.ingest.encoding import clean, decode
from core.ingest.readers import fields
from core.ingest.unusable import BadContent, NoArticle
from core.model import Record
from core.reasons import Reason

UNPACKED_LIMIT = 256 * 1024 * 1024
_LIST_NAMES = ("records", "data", "items", "articles", "rows", "documents")
_NAMED_LINES = 5


class JsonReader:
    """`.jsonl`, `.ndjson`, `.json` files, and `.jsonl.gz`."""

    suffixes = frozenset({".jsonl", ".ndjson", ".json", ".jsonl.gz", ".ndjson.gz", ".json.gz"})

    def read(self, data: bytes, name: str) -> list[Record]:
        """A line that is no JSON is left out and named in a note. Raises NoArticle, BadContent."""
        decoded = decode(_unpacked(data) if name.lower().endswith(".gz") else data)
        fields.require_text(decoded.text)
        notes = list(decoded.notes)
        records: list[Record] = []
        for number, value in enumerate(_values(decoded.text, notes), start=1):
            cells, cell_notes = _cells(value)
            record = fields.row_record(cells, str(number), [*notes, *cell_notes])
            if record is not None:
                records.append(record)
                notes = []  # what is odd about the whole file is said once
        if not records:
            raise NoArticle("no_records")
        return records


def _unpacked(data: bytes) -> bytes:
    try:
        with gzip.open(io.BytesIO(data)) as file:
            unpacked = file.read(UNPACKED_LIMIT + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BadContent("bad_gzip") from error
    if len(unpacked) > UNPACKED_LIMIT:
        raise BadContent("too_large_unpacked", limit=UNPACKED_LIMIT // 2**20)
    return unpacked


def _values(text: str, notes: list[Reason]) -> Iterable[object]:
    """The records of one JSON document, or of JSON lines."""
    try:
        document = json.loads(text)
    except RecursionError as error:
        raise BadContent("too_deep") from error
    except ValueError as error:
        return _lines(text, notes, error)
    if isinstance(document, dict):
        inner = next((document[key] for key in _LIST_NAMES if isinstance(document.get(key), list)), None)
        known = any(fields.is_known(str(key)) and isinstance(value, str) for key, value in document.items())
        if inner is None and not known:
            raise NoArticle("no_known_fields")
        return [document] if known or inner is None else inner
    return document if isinstance(document, list) else [document]


def _lines(text: str, notes: list[Reason], whole_error: ValueError) -> list[object]:
    values: list[object] = []
    bad: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            bad.append(str(number))
    if not values:
        at = whole_error if isinstance(whole_error, json.JSONDecodeError) else json.JSONDecodeError("", text, 0)
        raise BadContent("not_json", line=at.lineno, column=at.colno)
    if bad:
        lines, more = ", ".join(bad[:_NAMED_LINES]), len(bad) - _NAMED_LINES
        if more > 0:
            notes.append(Reason.of("more_lines_left_out", lines=lines, more=more))
        else:
            notes.append(Reason.of("lines_left_out", lines=lines))
    return values


def _cells(value: object) -> tuple[list[tuple[str, str]], tuple[Reason, ...]]:
    """A record's fields as text; anything that is no record is content."""
    if not isinstance(value, dict):
        text, notes = clean(_text(value))
        return [("content", text)], notes
    cells: list[tuple[str, str]] = []
    all_notes: list[Reason] = []
    for key, item in value.items():
        text, notes = clean(_text(item))
        cells.append((clean(str(key))[0], text))
        all_notes.extend(notes)
    return cells, tuple(dict.fromkeys(all_notes))


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)
