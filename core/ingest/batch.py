"""Writing what was prepared: small transactions, a file's articles replaced in one step, items told once committed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.clock import iso
from core.ingest.source_state import Tools
from core.reasons import Reason
from core.report import ImportItem
from core.store.articles import ArticleDraft

MOST_CHUNKS = 200
MOST_FILES = 200


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file as it was read; `outcome` and `reason` are those of the file as a whole."""

    path: str
    size: int
    mtime_ns: int
    sha256: str
    outcome: str
    reason: Reason | None = None


@dataclass(slots=True)
class FileChange:
    """All that one file changes: articles to write and keys to remove (replaced ones among them). `same`: nothing is
    to be written at all."""

    facts: FileFacts
    drafts: list[ArticleDraft] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    items: list[ImportItem] = field(default_factory=list)
    same: bool = False


@dataclass(frozen=True, slots=True)
class _Portion:
    """What of a file goes into one transaction. Until the last one is in, the file counts as not read."""

    facts: FileFacts
    drafts: Sequence[ArticleDraft]
    removed: Sequence[str]
    items: Sequence[ImportItem]


class Batch:
    """Collects changes of one source and commits them at most 200 chunks at a time, unless one article is bigger."""

    def __init__(self, tools: Tools, source_id: int, tell: Callable[[ImportItem], None]) -> None:
        self._tools = tools
        self._source_id = source_id
        self._tell = tell
        self._waiting: list[_Portion] = []
        self._chunks = 0

    def put(self, change: FileChange) -> None:
        """Take a file's change; it is committed with the next flush at the latest."""
        if change.same:
            for item in change.items:
                self._tell(item)
            return
        for portion in _portions(change):
            chunks = sum(len(draft.chunks) for draft in portion.drafts)
            if self._waiting and (self._chunks + chunks > MOST_CHUNKS or len(self._waiting) >= MOST_FILES):
                self.flush()
            self._waiting.append(portion)
            self._chunks += chunks

    def flush(self) -> None:
        """Commit what waits, then tell its items."""
        waiting, self._waiting, self._chunks = self._waiting, [], 0
        if not waiting:
            return
        seen_at = iso(self._tools.clock.now())
        with self._tools.database.transaction() as connection:
            for portion in waiting:
                facts = portion.facts
                file_id = self._tools.sources.write_file(
                    connection,
                    self._source_id,
                    facts.path,
                    size=facts.size,
                    mtime_ns=facts.mtime_ns,
                    sha256=facts.sha256,
                    outcome=facts.outcome,
                    reason=facts.reason,
                    seen_at=seen_at,
                )
                self._tools.articles.remove(connection, portion.removed)
                for draft in portion.drafts:
                    self._tools.articles.add(connection, self._source_id, file_id, draft)
        self._tools.on_commit()
        for portion in waiting:
            for item in portion.items:
                self._tell(item)


def _portions(change: FileChange) -> list[_Portion]:
    """The change in steps of at most MOST_CHUNKS chunks; an article's replacement is never parted."""
    groups: list[list[ArticleDraft]] = [[]]
    chunks = 0
    for draft in change.drafts:
        if groups[-1] and chunks + len(draft.chunks) > MOST_CHUNKS:
            groups.append([])
            chunks = 0
        groups[-1].append(draft)
        chunks += len(draft.chunks)
    if len(groups) == 1:
        return [_Portion(change.facts, change.drafts, change.removed, change.items)]
    unfinished = FileFacts(change.facts.path, -1, 0, "", change.facts.outcome)
    removed = set(change.removed)
    items = {item.doc_key: item for item in change.items}
    portions: list[_Portion] = []
    for group in groups:
        keys = [draft.doc_key for draft in group]
        portions.append(
            _Portion(unfinished, group, [key for key in keys if key in removed], [items.pop(key) for key in keys])
        )
        removed.difference_update(keys)
    portions.append(_Portion(change.facts, [], sorted(removed), list(items.values())))
    return portions
