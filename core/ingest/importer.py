"""Importer: paths in, report out. Sorts paths into sources, holds the writer lock, keeps copies of single files."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from core.clock import Clock
from core.errors import Cancelled, PathMissing
from core.ingest.file_import import SIZE_LIMIT
from core.ingest.library import copy_path, keep_copy
from core.ingest.source_import import import_source
from core.ingest.source_state import Tools
from core.ingest.unfinished import begin, end
from core.ingest.walk import folder_unopened, shown_name, shown_path, single_file, walk_folder
from core.job import Job
from core.paths import DataFolder
from core.reasons import Reason, sentence
from core.report import ImportItem, ImportOutcome, ImportReport
from core.settings import Settings
from core.store.articles import Articles
from core.store.database import Database
from core.store.lock import WAIT_S, write_lock
from core.store.sources import Source, Sources

STARTER_PATH = "deskside:starter"
_PRECEDENCE = {ImportOutcome.ADDED: 2, ImportOutcome.UPDATED: 1}


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user chose for one import."""

    domain: str | None = None
    allow_removal: bool = False


class Importer:
    """Imports files and folders into one data folder. One run at a time, over all processes."""

    def __init__(
        self,
        database: Database,
        articles: Articles,
        folder: DataFolder,
        settings: Settings,
        clock: Clock,
        *,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._database = database
        self._articles = articles
        self._sources = Sources(database)
        self._folder = folder
        self._settings = settings
        self._clock = clock
        self._pause = pause

    def run(
        self,
        paths: Sequence[Path],
        *,
        domain: str | None = None,
        allow_removal: bool = False,
        language: str = "zh_CN",
        job: Job | None = None,
        on_commit: Callable[[], object] = lambda: None,
        wait_s: float = WAIT_S,
    ) -> ImportReport:
        """Import files and folders in the order given (contract §9). Cancelled: the report of what was committed.
        Until it ends it counts as unfinished (core.ingest.unfinished).
        `on_commit` is called after each commit, so that an index may keep up; `language` is that of the reasons;
        another writer is waited for `wait_s` seconds.

        Raises PathMissing before anything is read (a known folder that is gone is only looked at with
        `allow_removal`), KnowledgeLocked.
        """
        targets = [_resolved(path) for path in paths]
        for path in targets:
            gone = allow_removal and self._sources.by_path(shown_path(path)) is not None
            if not path.exists() and not gone:
                raise PathMissing(path=shown_path(path))
        options = ImportOptions(domain.strip() or None if domain else None, allow_removal)

        shown = [shown_path(path) for path in targets]

        def work(tools: Tools, items: _Items) -> None:
            begin(self._sources, shown, options.domain)
            # folders first, so that a file given beside its folder is known to be part of it
            for path in sorted(targets, key=lambda target: target.is_file()):
                if path.is_dir():
                    self._folder_source(tools, path, options, items)
                elif path.exists():
                    self._single_file(tools, path, options, items)
                else:
                    self._gone_source(tools, path, items)
            end(self._sources, shown)

        return self._locked(job or Job(), work, on_commit, language, wait_s)

    def import_starter(self, folder: Path, *, job: Job | None = None) -> ImportReport:
        """Import the shipped knowledge base from `folder`; its source keeps its name wherever the program lies."""

        def work(tools: Tools, items: _Items) -> None:
            source = self._sources.ensure(STARTER_PATH, "starter", "starter")
            walk = walk_folder(folder)
            import_source(
                *(tools, source, walk, items.add),
                shown_root=shown_path(folder),
                domain=None,
                allow_removal=True,
                whole=True,
            )

        return self._locked(job or Job(), work)

    def remove_source(self, path: str, *, job: Job | None = None) -> ImportReport:
        """Remove a source with all its articles, in one step."""

        def work(tools: Tools, items: _Items) -> None:
            source = self._sources.by_path(path)
            if source is not None:
                self._remove(tools, source, items, Reason.of("source_removed"))
            end(self._sources, [path])

        return self._locked(job or Job(), work)

    def remove_file(self, path: Path, *, wait_s: float = WAIT_S, job: Job | None = None) -> ImportReport:
        """Remove the articles of one file of a folder source, in one step; the file itself may be gone already."""
        target = _resolved(path)

        def work(tools: Tools, items: _Items) -> None:
            root, source = self.source_over(target)
            name = shown_path(target.relative_to(root))
            row = self._sources.files(source.id).get(name) if source is not None else None
            if row is None:
                return
            gone = list(self._sources.articles_by_file(row.source_id).get(row.id, ()))
            with tools.database.transaction() as connection:
                tools.articles.remove(connection, gone)
                tools.sources.remove_files(connection, [row.id])
            why = (Reason.of("file_gone"),)
            for key in gone:
                items.add(ImportItem(f"{shown_path(root)}/{name}", key, ImportOutcome.REMOVED, why=why))

        return self._locked(job or Job(), work, wait_s=wait_s)

    def source_over(self, path: Path) -> tuple[Path, Source | None]:
        """The folder source that holds a file, nearest first, and its folder; else the parent folder and None."""
        for folder in path.parents:
            source = self._sources.by_path(shown_path(folder))
            if source is not None and source.kind == "folder":
                return folder, source
        return path.parent, None

    # ------------------------------------------------------------- targets
    def _folder_source(self, tools: Tools, path: Path, options: ImportOptions, items: _Items) -> None:
        shown = shown_path(path)
        tools.job.report(0, 0, shown)
        try:
            walk = walk_folder(path, leave_out=_resolved(self._folder.root))
        except OSError as error:
            items.add(ImportItem(shown, None, ImportOutcome.FAILED, why=(folder_unopened(error),)))
            return
        source = self._sources.ensure(shown, shown_name(path.name) or "root", "folder")
        import_source(
            *(tools, source, walk, items.add),
            shown_root=shown.rstrip("/"),
            domain=options.domain,
            allow_removal=options.allow_removal,
            whole=True,
        )
        self._take_over_singles(tools, path, {file.path for file in walk.files}, items)

    def _single_file(self, tools: Tools, path: Path, options: ImportOptions, items: _Items) -> None:
        """A file given by itself: part of its folder when that is a source, else copied into the library."""
        root, source = self.source_over(path)
        if source is None:
            shown = shown_path(path.parent)
            source = self._sources.ensure(shown, shown_name(path.parent.name) or "root", "library")
        import_source(
            *(tools, source, single_file(path, root), items.add),
            shown_root=shown_path(root).rstrip("/"),
            domain=options.domain,
            allow_removal=True,
            whole=False,
        )
        if source.kind == "library":
            self._keep_copy(path, source)

    def _keep_copy(self, path: Path, source: Source) -> None:
        name = shown_name(path.name)
        copy = copy_path(self._folder.library, source.path, name)
        row = self._sources.files(source.id).get(name)
        has_articles = row is not None and bool(self._sources.articles_by_file(source.id).get(row.id))
        if has_articles and path.stat().st_size <= SIZE_LIMIT:
            keep_copy(path, copy)
        else:
            copy.unlink(missing_ok=True)

    def _take_over_singles(self, tools: Tools, root: Path, read: set[Path], items: _Items) -> None:
        """Files that were given singly and are now read with their folder stand there only."""
        for source in self._sources.all():
            folder = Path(source.path)
            if source.path == shown_path(root):
                for name in self._sources.files(source.id):
                    copy_path(self._folder.library, source.path, name).unlink(missing_ok=True)
            if source.kind != "library" or not folder.is_relative_to(root):
                continue
            rows = [row for name, row in self._sources.files(source.id).items() if folder / name in read]
            keys = self._sources.articles_by_file(source.id)
            for row in rows:
                gone = list(keys.get(row.id, ()))
                with tools.database.transaction() as connection:
                    tools.articles.remove(connection, gone)
                    tools.sources.remove_files(connection, [row.id])
                copy_path(self._folder.library, source.path, row.path).unlink(missing_ok=True)
                for key in gone:
                    why = (Reason.of("read_with_folder"),)
                    items.add(ImportItem(f"{source.path}/{row.path}", key, ImportOutcome.REMOVED, why=why))

    def _gone_source(self, tools: Tools, path: Path, items: _Items) -> None:
        source = self._sources.by_path(shown_path(path))
        if source is not None:
            self._remove(tools, source, items, Reason.of("folder_gone"))

    def _remove(self, tools: Tools, source: Source, items: _Items, reason: Reason) -> None:
        files = {row.id: path for path, row in tools.sources.files(source.id).items()}
        stored = tools.sources.articles_by_file(source.id)
        with tools.database.transaction() as connection:
            tools.articles.remove(connection, [key for keys in stored.values() for key in keys])
            tools.sources.remove(connection, source.id)
        for file_id, keys in stored.items():
            for key in keys:
                items.add(ImportItem(f"{source.path}/{files[file_id]}", key, ImportOutcome.REMOVED, why=(reason,)))

    # ---------------------------------------------------------------- runs
    def _locked(
        self,
        job: Job,
        work: Callable[[Tools, _Items], None],
        on_commit: Callable[[], object] = lambda: None,
        language: str = "zh_CN",
        wait_s: float = WAIT_S,
    ) -> ImportReport:
        items = _Items()
        cancelled = False
        tools = Tools(self._database, self._articles, self._sources, self._settings, self._clock, job, on_commit)

        def pause(seconds: float) -> None:
            job.checkpoint()
            self._pause(seconds)

        try:
            with write_lock(self._folder.write_lock, clock=self._clock, pause=pause, wait_s=wait_s):
                work(tools, items)
        except Cancelled:
            cancelled = True
        return ImportReport(items.told(language), cancelled, self._articles.version())


class _Items:
    """The items of a report. A file that is looked at twice in one run keeps what happened to it first."""

    def __init__(self) -> None:
        self._items: dict[tuple[str, str | None], ImportItem] = {}

    def add(self, item: ImportItem) -> None:
        """Take an item."""
        before = self._items.get((item.path, item.doc_key))
        if before is None or _PRECEDENCE.get(before.outcome, 0) < _PRECEDENCE.get(item.outcome, 0):
            self._items[item.path, item.doc_key] = item

    def told(self, language: str) -> tuple[ImportItem, ...]:
        """In the order in which they came, with their reasons as sentences."""
        return tuple(
            replace(item, reason=sentence(item.why, language)) if item.why else item for item in self._items.values()
        )


def _resolved(path: Path) -> Path:
    """The real place of a path that the user gave; links on the way to it are followed."""
    return Path(path).expanduser().resolve()
