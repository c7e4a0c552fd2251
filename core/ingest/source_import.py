"""Importing one source: all its files in order, then what is gone, then the domains by the folders that are left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.errors import Cancelled
from core.ingest.batch import Batch
from core.ingest.domains import shared_folders
from core.ingest.drafting import RULES
from core.ingest.file_import import FileImport, Run
from core.ingest.source_state import Derivation, SourceState, Tools
from core.ingest.walk import Walk
from core.reasons import Reason
from core.report import ImportItem, ImportOutcome
from core.store.sources import Source

Tell = Callable[[ImportItem], None]


def import_source(
    tools: Tools,
    source: Source,
    walk: Walk,
    tell: Tell,
    *,
    shown_root: str,
    domain: str | None,
    allow_removal: bool,
    whole: bool,
) -> None:
    """Bring the database in line with `walk`. `whole`: the walk holds all of the source, so what it does not hold is
    gone. `tell` gets each item once its change is committed. Raises Cancelled; what was read until then is kept."""
    _SourceImport(tools, source, walk, tell, shown_root, whole=whole, allow_removal=allow_removal).run(domain)


class _SourceImport:
    def __init__(
        self, tools: Tools, source: Source, walk: Walk, tell: Tell, shown_root: str, *, whole: bool, allow_removal: bool
    ) -> None:
        self._tools = tools
        self._source = source
        self._walk = walk
        self._tell = tell
        self._root = shown_root
        self._whole = whole
        self._allow_removal = allow_removal

    def run(self, domain: str | None) -> None:
        for path, reason in self._walk.left_out:
            self._tell(self._item(path, None, ImportOutcome.SKIPPED, reason))
        for path, reason in self._walk.unreadable:
            self._tell(self._item(path, None, ImportOutcome.FAILED, reason))
        sources, state = self._tools.sources, self._load()
        before = Derivation.load(sources, self._source.id)
        if domain is None:
            own_domain, again = before.domain, False
        else:
            own_domain, again = domain, True
        if not self._whole:
            if before == Derivation():
                Derivation(self._chunking()).save(sources, self._source.id)
            self._read(state, Run(before, own_domain, again, False, self._root))
            return
        now = Derivation(self._chunking(), shared_folders(state.folders()), own_domain, state.states_digest())
        if not state.stored:
            now.save(sources, self._source.id)
        rewrite = bool(state.stored) and now.chunking != before.chunking
        again = again or (bool(state.stored) and now != before)
        self._read(state, Run(now, own_domain, again, rewrite, self._root))
        self._remove_gone(state)
        # Only now is it known how many articles each folder holds; until here every new file counted as one.
        state = self._load()
        exact = shared_folders(state.stored_folders())
        if exact != now.shared:
            now = replace(now, shared=exact)
            self._read(state, Run(now, own_domain, True, False, self._root))
        now.save(sources, self._source.id)

    def _load(self) -> SourceState:
        return SourceState.load(
            self._tools.sources, self._source, self._walk, whole=self._whole, allow_removal=self._allow_removal
        )

    def _read(self, state: SourceState, run: Run) -> None:
        tools, files = self._tools, self._walk.files
        batch = Batch(tools, self._source.id, self._tell)
        try:
            for done, file in enumerate(files):
                tools.job.checkpoint()
                tools.job.report(done, len(files), file.shown)
                batch.put(FileImport(tools, state, run, file).change())
        except Cancelled:
            batch.flush()
            raise
        batch.flush()
        tools.job.report(len(files), len(files))

    def _remove_gone(self, state: SourceState) -> None:
        present = {file.shown for file in self._walk.files}
        closed = tuple(path for path, _ in self._walk.unreadable)
        below_closed = tuple(f"{path}/" for path in closed)
        gone = [
            row
            for path, row in state.known.items()
            if path not in present and path not in closed and not path.startswith(below_closed)
        ]
        lost = sum(len(state.stored.get(row.id, ())) for row in gone)
        allowed = state.may_lose(lost)
        kept = Reason.of("file_gone_kept", lost=lost, total=state.total)
        for row in gone:
            keys = list(state.stored.get(row.id, ()))
            if not allowed:
                for key in keys:
                    self._tell(self._item(row.path, key, ImportOutcome.SKIPPED, kept))
                continue
            with self._tools.database.transaction() as connection:
                self._tools.articles.remove(connection, keys)
                self._tools.sources.remove_files(connection, [row.id])
            for key in keys:
                self._tell(self._item(row.path, key, ImportOutcome.REMOVED, Reason.of("file_gone")))

    def _chunking(self) -> str:
        """What the stored pieces of an article depend on."""
        settings = self._tools.settings
        return f"{RULES}:{settings.whole('rag.chunk_size')}:{settings.whole('rag.chunk_overlap')}"

    def _item(self, path: str, doc_key: str | None, outcome: ImportOutcome, reason: Reason) -> ImportItem:
        return ImportItem(f"{self._root}/{path}", doc_key, outcome, why=(reason,))
