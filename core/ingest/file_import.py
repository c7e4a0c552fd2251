"""What one file has become since the last import: unchanged, changed articles, skipped or failed."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from core.clock import from_iso
from core.errors import Cancelled
from core.ingest.batch import FileChange, FileFacts
from core.ingest.chunking import split
from core.ingest.domains import domain_of
from core.ingest.drafting import ReadyText, content_hash, make_draft, ready_text
from core.ingest.readers import reader_for, suffix_of
from core.ingest.source_state import Derivation, SourceState, Tools
from core.ingest.states import applied
from core.ingest.unusable import BadContent, NoArticle
from core.ingest.walk import FoundFile, file_unread
from core.model import ChunkDraft, Record
from core.reasons import Reason
from core.report import ImportItem, ImportOutcome
from core.store.sources import FileRow

SIZE_LIMIT = 64 * 1024 * 1024
# A file changed this shortly before it was read may change again without a new time stamp: its bytes are compared.
_TRUST_AFTER = timedelta(seconds=3)


@dataclass(frozen=True, slots=True)
class Run:
    """How files are read in this run. `again`: also those that look unchanged; `rewrite`: also equal articles."""

    derivation: Derivation
    domain: str | None
    again: bool
    rewrite: bool
    shown_root: str


class FileImport:
    """One file of a source. Reads the file and the database; writes nothing."""

    def __init__(self, tools: Tools, state: SourceState, run: Run, file: FoundFile) -> None:
        self._tools = tools
        self._state = state
        self._run = run
        self._file = file
        self._row = state.known.get(file.shown)
        self._stored = state.articles_of(file)

    def change(self) -> FileChange:
        """What is to be written. Raises nothing that is the file's fault."""
        row = self._row
        again = self._run.again or (row is not None and row.id in self._state.forced)
        if row is not None and not again and self._untouched(row):
            return self._unchanged(row)
        try:
            data, size, mtime_ns = self._bytes()
        except OSError as error:
            self._state.taken.update(self._stored)
            return self._whole(ImportOutcome.FAILED, file_unread(error), self._facts("failed"))
        except BadContent as error:
            return self._without_articles(ImportOutcome.FAILED, error.reason, self._facts("failed"))
        facts = FileFacts(self._file.shown, size, mtime_ns, hashlib.sha256(data).hexdigest(), "read")
        if row is not None and not again and row.sha256 == facts.sha256 and row.outcome != "failed":
            return self._unchanged(row, facts)
        return self._read(data, facts)

    # ------------------------------------------------------------- reading
    def _read(self, data: bytes, facts: FileFacts) -> FileChange:
        try:
            return self._articles(self._records(data), facts)
        except (Cancelled, sqlite3.Error):
            raise
        except NoArticle as error:
            return self._without_articles(ImportOutcome.SKIPPED, error.reason, facts)
        except BadContent as error:
            return self._without_articles(ImportOutcome.FAILED, error.reason, facts)
        except Exception as error:
            # whatever a reader trips over, the batch goes on
            reason = Reason.of("reader_failed", detail=f"{type(error).__name__}: {error}")
            return self._without_articles(ImportOutcome.FAILED, reason, facts)

    def _untouched(self, row: FileRow) -> bool:
        """Size and time say that this is what was read last time."""
        if row.outcome == "failed" or (row.size, row.mtime_ns) != (self._file.size, self._file.mtime_ns):
            return False
        return row.mtime_ns < (from_iso(row.seen_at) - _TRUST_AFTER).timestamp() * 1e9

    def _bytes(self) -> tuple[bytes, int, int]:
        with self._file.path.open("rb") as file:
            status = os.fstat(file.fileno())
            data = b"" if status.st_size > SIZE_LIMIT else file.read(SIZE_LIMIT + 1)
        if max(len(data), status.st_size) > SIZE_LIMIT:
            raise BadContent("too_large", size=round(status.st_size / 2**20), limit=SIZE_LIMIT // 2**20)
        return data, len(data), status.st_mtime_ns

    def _records(self, data: bytes) -> list[tuple[Record, ReadyText]]:
        """The file's articles; those of which nothing readable is left are not among them."""
        if self._file.key in self._state.state_files:
            raise NoArticle("state_file")
        reader = reader_for(self._file.parts[-1])
        if reader is None:
            raise NoArticle("format_unknown", suffix=suffix_of(self._file.parts[-1]))
        found = []
        for record in reader.read(data, self._file.parts[-1]):
            text = ready_text(record, self._file.parts[-1])
            if text is not None:
                found.append((record, text))
        if not found:
            raise NoArticle("only_pictures")
        return found

    # ------------------------------------------------------------ outcomes
    def _articles(self, records: list[tuple[Record, ReadyText]], facts: FileFacts) -> FileChange:
        run = self._run
        by_folder = domain_of(self._file.parts[:-1], run.derivation.shared)
        change = FileChange(facts)
        seen: set[str] = set()
        for record, text in records:
            self._tools.job.checkpoint()
            record = applied(record, self._file.key, self._state.states, self._state.keys)  # noqa: PLW2901
            domain = (record.domain or run.domain or by_folder).strip()
            base = self._file.key if record.row_id is None else f"{self._file.key}#{' '.join(record.row_id.split())}"
            key, evicted = self._key(base)
            seen.add(key)
            old = self._stored.get(key)
            if old is not None and not run.rewrite and old == content_hash(record, text, domain):
                change.items.append(self._item(key, ImportOutcome.UNCHANGED))
                continue
            change.drafts.append(make_draft(record, text, key, domain, self._pieces))
            if old is not None or evicted:
                change.removed.append(key)
            outcome = ImportOutcome.ADDED if old is None and not evicted else ImportOutcome.UPDATED
            change.items.append(self._item(key, outcome, *text.notes))
        lost = [key for key in self._stored if key not in seen]
        if not self._state.may_lose(len(lost)):
            return self._kept(len(lost), facts)
        change.removed.extend(lost)
        gone = Reason.of("gone_from_file")
        change.items.extend(self._item(key, ImportOutcome.REMOVED, gone) for key in lost)
        return change

    def _pieces(self, body: str) -> list[ChunkDraft]:
        settings = self._tools.settings
        size, overlap = settings.whole("rag.chunk_size"), settings.whole("rag.chunk_overlap")
        return split(body, size, overlap, self._tools.job.checkpoint)

    def _without_articles(self, outcome: ImportOutcome, reason: Reason, facts: FileFacts) -> FileChange:
        """The file has none (any more): what it had is removed, for it no longer says so."""
        if not self._state.may_lose(len(self._stored)):
            return self._kept(len(self._stored), facts)
        change = self._whole(outcome, reason, facts)
        change.removed.extend(self._stored)
        change.items.extend(self._item(key, ImportOutcome.REMOVED, reason) for key in self._stored)
        return change

    def _kept(self, lost: int, facts: FileFacts) -> FileChange:
        self._state.taken.update(self._stored)
        reason = Reason.of("would_lose", lost=lost, total=self._state.total)
        return self._whole(ImportOutcome.FAILED, reason, facts)

    def _whole(self, outcome: ImportOutcome, reason: Reason, facts: FileFacts) -> FileChange:
        """One item for the file itself."""
        facts = FileFacts(facts.path, facts.size, facts.mtime_ns, facts.sha256, outcome.value, reason)
        return FileChange(facts, items=[self._item(None, outcome, reason)])

    def _unchanged(self, row: FileRow, read: FileFacts | None = None) -> FileChange:
        """What is stored stays. After its bytes were `read` the file is noted anew, so that next time they need not
        be."""
        self._state.taken.update(self._stored)
        items = [self._item(key, ImportOutcome.UNCHANGED) for key in self._stored]
        if not items:
            items = [self._item(None, ImportOutcome(row.outcome), *([row.reason] if row.reason else []))]
        size, mtime_ns = (row.size, row.mtime_ns) if read is None else (read.size, read.mtime_ns)
        facts = FileFacts(row.path, size, mtime_ns, row.sha256, row.outcome, row.reason)
        return FileChange(facts, items=items, same=read is None)

    def _facts(self, outcome: str) -> FileFacts:
        return FileFacts(self._file.shown, self._file.size, self._file.mtime_ns, "", outcome)

    def _item(self, doc_key: str | None, outcome: ImportOutcome, *why: Reason) -> ImportItem:
        return ImportItem(f"{self._run.shown_root}/{self._file.shown}", doc_key, outcome, why=why)

    # ---------------------------------------------------------------- keys
    def _key(self, base: str) -> tuple[str, bool]:
        """(the article's key, whether another file of this source must give it up): `base`; with the source's name
        in front where another source has it; with `~2` and so on where this source has it (contract §1)."""
        for key in self._candidates(base):
            if key in self._state.taken:
                continue
            owner = self._tools.articles.owner(key)
            mine = owner is None or key in self._stored
            evict = not mine and owner is not None and owner[0] == self._state.source.id and self._state.whole
            if mine or evict:
                self._state.taken.add(key)
                if evict and owner is not None:
                    self._state.forced.add(owner[1])
                    self._state.stored.get(owner[1], {}).pop(key, None)
                return key, evict
        raise AssertionError("candidates do not end")

    def _candidates(self, base: str) -> Iterator[str]:
        owner = self._tools.articles.owner(base)
        if owner is None or owner[0] == self._state.source.id:
            yield base
        else:
            base = f"{self._state.source.name}/{base}"
            yield base
        number = 2
        while True:
            yield f"{base}~{number}"
            number += 1
