"""Imports that were begun and not brought to their end: killed, cancelled, broken off. Remembered in table meta."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from core.report import UnfinishedImport
from core.store.sources import Sources

_NOTE = "imports_begun"


def begin(sources: Sources, paths: Iterable[str], domain: str | None) -> None:
    """These paths are being imported, with that `--domain`. Call it with the write lock held."""
    sources.set_note(_NOTE, json.dumps({**_begun(sources), **dict.fromkeys(paths, domain)}))


def end(sources: Sources, paths: Collection[str]) -> None:
    """These paths are done with, and so is what lies below them."""
    begun = _begun(sources)
    below = tuple(path.rstrip("/") + "/" for path in paths)
    left = {path: domain for path, domain in begun.items() if path not in paths and not path.startswith(below)}
    if left != begun:
        sources.set_note(_NOTE, json.dumps(left))


def unfinished(sources: Sources) -> tuple[UnfinishedImport, ...]:
    """What was begun and has not ended, in the order of beginning. While somebody holds the write lock that includes
    the import that is running."""
    return tuple(
        UnfinishedImport(path, domain, sources.count_articles(path)) for path, domain in _begun(sources).items()
    )


def _begun(sources: Sources) -> dict[str, str | None]:
    return dict(json.loads(sources.note(_NOTE) or "{}"))
