"""The starter knowledge base: there at the first start, gone for good in one call."""

from __future__ import annotations

from core.ingest.importer import STARTER_PATH, Importer
from core.job import Job
from core.paths import resources_dir
from core.store.sources import Sources

_OFFERED = "starter_offered"


def offer_starter(importer: Importer, sources: Sources, *, job: Job | None = None) -> bool:
    """Import the starter base unless it was offered before; True when it was imported now.

    Cut short, it goes on at the next start. Raises KnowledgeLocked.
    """
    if sources.note(_OFFERED) is not None:
        return False
    report = importer.import_starter(resources_dir() / "starter", job=job)
    if report.cancelled:
        return False
    sources.set_note(_OFFERED, "1")
    return True


def has_starter(sources: Sources) -> bool:
    """True while the starter base is imported."""
    return sources.by_path(STARTER_PATH) is not None


def remove_starter(importer: Importer, sources: Sources, *, job: Job | None = None) -> int:
    """Remove the starter base; returns how many articles. It does not come back by itself. Raises KnowledgeLocked."""
    report = importer.remove_source(STARTER_PATH, job=job)
    sources.set_note(_OFFERED, "1")
    return report.counts["removed"]
