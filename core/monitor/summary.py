"""What the monitor page shows, as one JSON document: the further part of `stats`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from core.clock import iso
from core.desks import DeskFolder, DesksFigures
from core.figures import EngineFigures, Rate, ServiceFigures

# Said by the contract's part of `stats` already, or a chart's: the beginning of a period may stand anywhere.
_SERVICE_ELSEWHERE = frozenset({"period", "lookups", "timeline"})
_ENGINES_ELSEWHERE = frozenset({"period", "lookups", "p50_ms", "p95_ms", "agents", "series", "levels", "dedup_reasons"})
_DESKS_ELSEWHERE = frozenset({"period"})
_INSIDE = frozenset({"key"})  # of questions: what the program finds them by; outside they are read as asked


def summary(service: ServiceFigures, engines: EngineFigures, desks: DesksFigures) -> dict[str, Any]:
    """`service`, `engines`, `desks` (null while no folder is set) by the names of core.figures and core.desks. A rate
    is {count, n, share}; moments are UTC, ISO 8601."""
    return {
        "service": _document(service, _SERVICE_ELSEWHERE),
        "engines": _document(engines, _ENGINES_ELSEWHERE),
        "desks": None if desks.folder is DeskFolder.OFF else _document(desks, _DESKS_ELSEWHERE),
    }


def _document(value: Any, left_out: frozenset[str] = frozenset()) -> dict[str, Any]:
    return {f.name: _plain(getattr(value, f.name)) for f in fields(value) if f.name not in left_out}


def _plain(value: object) -> Any:
    """The value in JSON's own types."""
    if isinstance(value, datetime | Enum):
        return iso(value) if isinstance(value, datetime) else value.value
    if isinstance(value, Mapping):
        return {str(_plain(key)): _plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, Rate):
        return _document(value) | {"share": value.share}
    if is_dataclass(value):
        return _document(value, _INSIDE)
    return value
