"""Doctor: database, indexes and sums checked against each other, and repaired where that can be done (contract §9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from core.report import Check, UnfinishedImport
from core.store.database import Database
from core.store.sums_check import mend_sums
from core.texts import message


def examine(
    database: Database,
    check_index: Callable[[], Check],
    check_vectors: Callable[[], Check],
    unfinished: Callable[[], Sequence[UnfinishedImport]],
    language: str,
) -> tuple[Check, ...]:
    """All checks, in words of `language`. A damaged database ends them: nothing can be held against it. `check_index`
    may repair, and raise KnowledgeLocked; `check_vectors` may repair."""
    advice = message("advice_database", language)
    checks = [replace(c, advice=advice) if c.status == "failed" else c for c in database.check()]
    if any(check.status == "failed" for check in checks):
        return tuple(checks)
    try:
        checks.append(check_index())
    except OSError as error:
        checks.append(Check("index", "failed", str(error), message("advice_index", language)))
    checks.append(check_vectors())
    told, state = ("sums_repaired", "repaired") if mend_sums(database) else ("sums_sound", "ok")
    checks.append(Check("sums", state, message(told, language)))
    for cut_off in unfinished():
        values = {"path": cut_off.path, "articles": cut_off.articles}
        checks.append(Check("import", "ok", message("import_unfinished", language, **values)))
    return tuple(checks)
