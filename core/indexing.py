"""IndexKeeper: the index in step with the database: opened, caught up, rebuilt, written, checked.

SQLite is the truth. An index generation is an immutable folder `index/<n>/`; the current n stands in table `meta`.
What came after it is read from the list of changes.
"""

from __future__ import annotations

import json
import logging
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from core.index.attached import Attached
from core.index.generation import IndexMismatch, damage
from core.index.snapshot import ChunkIndex, IndexedChunk
from core.job import Job
from core.lexicon import Lexicon
from core.protocols import Embedder
from core.report import Check
from core.text import fold, tokenize
from core.texts import message

if TYPE_CHECKING:
    from core.store.articles import Articles, ChunkForIndex
    from core.store.database import Database

_META = "index_generation"
_BATCH = 200
# A title and keywords name the subject: their words count as often as if the text said them this many times more.
_NAMING_WEIGHT = 2

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Fault:
    """Why a generation could not be used: it is gone, files are damaged, or what opening it said."""

    files: tuple[str, ...]
    said: str
    gone: bool = False

    @classmethod
    def of(cls, folder: Path, error: Exception) -> _Fault:
        try:
            if not folder.exists():
                return cls((), str(error), gone=True)
            return cls(damage(folder), str(error))
        except (IndexMismatch, OSError):
            return cls((), str(error))

    def told(self, language: str) -> str:
        if self.gone:
            return message("index_gone", language)
        return message("index_damaged", language, names=", ".join(self.files)) if self.files else self.said


class IndexKeeper:
    """Owns the ChunkIndex of one data folder. All methods may be called from any thread."""

    def __init__(
        self,
        database: Database,
        articles: Articles,
        folder: Path,
        *,
        embedder: Embedder,
        lexicon: Lexicon,
        further: Sequence[Embedder] = (),
        index: ChunkIndex | None = None,
    ) -> None:
        """`further`: embedders that answer when the first one cannot. `index`: an index to go on with, of an earlier
        state of this database; None: the one on disk."""
        self._database = database
        self._articles = articles
        self._folder = folder
        self.embedders = (embedder, *further)
        self.lexicon = lexicon
        self._index = index
        self._attached: Attached | None = None
        self._fault: _Fault | None = None  # what was wrong with the generation on disk, until a check has told it
        self._lock = threading.RLock()

    def current(self) -> ChunkIndex:
        """The index, caught up with all that is committed now."""
        index = self._index
        if index is None or index.version != self._articles.version():
            with self._lock:
                index = self._catch_up(self._index or self._open())
        return index

    def attach(self, attached: Attached | None) -> None:
        """A model's vectors beside the index, whichever it will be; None takes them away. Opens the index."""
        with self._lock:
            self._attached = attached
            self.current().attach(attached)

    def first_embedder(self) -> str | None:
        """Whose vectors the index asks first as it is; None while it is not open. Microseconds."""
        index = self._index
        return None if index is None else index.embedders[0].name

    def keep_up(self) -> None:
        """Catch up with a commit just made, so that no query has to; a failure is the next query's to tell."""
        try:
            self.current()
        except Exception:
            log.exception("the index could not keep up")

    def rebuild(self, job: Job | None = None) -> ChunkIndex:
        """Build a new generation from the database and write it. Raises Cancelled."""
        with self._lock:
            version = self._articles.version()
            total = self._articles.counts()[1]
            chunks = _counted(self._chunks(self._articles.all_chunks()), total, job)
            built = self._build(chunks, version, job)
            return self._write(built)

    def settle(self) -> None:
        """Catch up; write a new generation when there is none yet or much has changed since it was written, so that
        the next start opens it. A failure costs the next start time and nothing else. Hold the write lock."""
        try:
            with self._lock:
                index = self.current()
                if index.needs_rebuild or (index.folder is None and len(index)):
                    self._write(index)
        except Exception:
            log.exception("the index could not be written")

    @property
    def is_unwritten(self) -> bool:
        """An index is in memory that no generation on disk holds anything of."""
        index = self._index
        return index is not None and index.folder is None and len(index) > 0

    def check(self, language: str, job: Job | None = None) -> Check:
        """Whether the index holds exactly the database's chunks and its files are whole; rebuilt when not. Raises
        Cancelled, OSError (it cannot be written)."""
        with self._lock:
            index = self.current()
            wanted = {chunk.id for chunk in self._articles.all_chunks()}
            held = set(index.chunk_ids().tolist())
            damaged = index.verify()
            faults = [self._fault.told(language)] if self._fault else []
            if wanted != held:
                counts = {"missing": len(wanted - held), "extra": len(held - wanted)}
                faults.append(message("index_differs", language, **counts))
            if damaged:
                faults.append(_Fault(damaged, "").told(language))
            if not faults:
                return Check("index", "ok", message("index_sound", language, chunks=len(held)))
            if wanted != held or damaged or index.folder is None:
                index = self.rebuild(job)
            self._fault = None
            told = message("index_repaired", language, faults="; ".join(faults), chunks=len(index))
            return Check("index", "repaired", told)

    def close(self) -> None:
        """Release what is mapped."""
        self._index = self._attached = None

    # ----------------------------------------------------------------- opening
    def _open(self) -> ChunkIndex:
        """The written generation when it fits, else one built anew (and written when it is worth it)."""
        folder = self._generation_folder()
        if folder is not None:
            try:
                return ChunkIndex.load(folder, *self.embedders)
            except (IndexMismatch, OSError) as error:
                self._fault = _Fault.of(folder, error)
                log.warning("index generation %s is not usable and is rebuilt: %s", folder.name, error)
        version = self._articles.version()
        built = self._build(self._chunks(self._articles.all_chunks()), version)
        if folder is None and not built.needs_rebuild:
            return built  # cheap to build again; `settle` writes it when nobody waits
        try:
            return self._write(built)
        except OSError:
            log.exception("the index could not be written")
            return built

    def _build(self, chunks: Iterable[IndexedChunk], version: int, job: Job | None = None) -> ChunkIndex:
        first, *further = self.embedders
        return ChunkIndex.build(chunks, first, version, further=further, job=job)

    def _catch_up(self, index: ChunkIndex) -> ChunkIndex:
        added, removed, version = self._articles.changes_since(index.version)
        if version < index.version:  # the database was replaced by an older one
            index = self._build(self._chunks(self._articles.all_chunks()), version)
        elif len(added) + len(removed):
            chunks = list(self._chunks(self._articles.chunks_for_index(added)))
            batches = [chunks[at : at + _BATCH] for at in range(0, len(chunks), _BATCH)] or [[]]
            for place, batch in enumerate(batches):
                last = place == len(batches) - 1
                index.apply(batch, removed if place == 0 else (), version if last else index.version)
        elif version != index.version:
            index.apply((), (), version)
        if self._attached is not None:
            index.attach(self._attached)
        self._index = index
        return index

    def _chunks(self, rows: Iterable[ChunkForIndex]) -> Iterator[IndexedChunk]:
        """Tokens of a chunk: its article's title and keywords, its heading path, its text."""
        article_id = -1
        naming: list[str] = []
        words = self.lexicon.words
        for row in rows:
            if row.article_id != article_id:
                article_id = row.article_id
                naming = tokenize(fold("\n".join((row.title, *row.keywords))), words) * _NAMING_WEIGHT
            tokens = (*naming, *tokenize(fold(row.heading + "\n" + row.text), words))
            yield IndexedChunk(row.id, row.article_id, tokens, row.text)

    # ----------------------------------------------------------------- writing
    def _write(self, index: ChunkIndex) -> ChunkIndex:
        """Write the live chunks as the next generation and go on with that."""
        number = self._generation_number() + 1
        folder = self._folder / str(number)
        while folder.exists():
            number += 1
            folder = self._folder / str(number)
        index.save(folder)
        value = json.dumps({"number": number, "lexicon": self.lexicon.fingerprint})
        with self._database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", (_META, value))
        loaded = ChunkIndex.load(folder, *self.embedders)
        self._index = self._catch_up(loaded)
        self._sweep(number)
        return self._index

    def _sweep(self, current: int) -> None:
        """Delete older generations; one that is still mapped elsewhere stays until next time."""
        for folder in self._folder.iterdir():
            if folder.name != str(current) and (not folder.name.isdigit() or int(folder.name) < current):
                shutil.rmtree(folder, ignore_errors=True)

    def _generation(self) -> dict[str, object]:
        row = self._database.connection().execute("SELECT value FROM meta WHERE name = ?", (_META,)).fetchone()
        return dict(json.loads(row["value"])) if row else {}

    def _generation_number(self) -> int:
        number = self._generation().get("number", 0)
        return number if isinstance(number, int) else 0

    def _generation_folder(self) -> Path | None:
        """The current generation; None when there is none, or one that was tokenised otherwise."""
        generation = self._generation()
        if not generation or generation.get("lexicon") != self.lexicon.fingerprint:
            return None
        return self._folder / str(generation["number"])


def _counted(chunks: Iterable[IndexedChunk], total: int, job: Job | None) -> Iterator[IndexedChunk]:
    for done, chunk in enumerate(chunks):
        if job is not None and done % _BATCH == 0:
            job.checkpoint()
            job.report(done, total, "")
        yield chunk
