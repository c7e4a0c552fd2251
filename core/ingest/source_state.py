"""What an import knows of one source while it runs: its files and articles as stored, keys in use, states."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from core.clock import Clock
from core.ingest.states import NAME, FileState, read_states
from core.ingest.walk import FoundFile, Walk
from core.job import Job
from core.settings import Settings
from core.store.articles import Articles
from core.store.database import Database
from core.store.sources import FileRow, Source, Sources

_LOSS_SHARE = 0.2
_LOSS_LEAST = 20
Folder = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tools:
    """What an import works with."""

    database: Database
    articles: Articles
    sources: Sources
    settings: Settings
    clock: Clock
    job: Job
    on_commit: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a source's articles depend on beside their files; when it changes, all files are read again."""

    chunking: str = ""
    shared: Folder = ()
    domain: str | None = None
    states: str = ""

    @classmethod
    def load(cls, sources: Sources, source_id: int) -> Derivation:
        """As it was at the last whole import; empty before the first."""
        text = sources.note(f"source:{source_id}")
        if text is None:
            return cls()
        chunking, shared, domain, states = json.loads(text)
        return cls(chunking, tuple(shared), domain, states)

    def save(self, sources: Sources, source_id: int) -> None:
        """Remember it."""
        sources.set_note(f"source:{source_id}", json.dumps([self.chunking, self.shared, self.domain, self.states]))


@dataclass(slots=True)
class SourceState:
    """`stored`: file id → doc_key → content hash. `taken`: keys given out in this run. `forced`: ids of files that
    must be read again because another file took a key of theirs."""

    source: Source
    walk: Walk
    whole: bool
    allow_removal: bool
    known: dict[str, FileRow]
    stored: dict[int, dict[str, str]]
    total: int
    keys: frozenset[str]
    states: dict[str, FileState] = field(default_factory=dict)
    state_files: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    forced: set[int] = field(default_factory=set)

    @classmethod
    def load(cls, sources: Sources, source: Source, walk: Walk, *, whole: bool, allow_removal: bool) -> SourceState:
        """The state at the start of a run; meta.csv files are read."""
        stored = sources.articles_by_file(source.id)
        state = cls(
            source=source,
            walk=walk,
            whole=whole,
            allow_removal=allow_removal,
            known=sources.files(source.id),
            stored=stored,
            total=sum(map(len, stored.values())),
            keys=frozenset(file.key for file in walk.files),
        )
        for path, key in state._state_paths():
            state._add_states(path, key)
        return state

    def may_lose(self, lost: int) -> bool:
        """Whether `lost` articles may go without leave (contract §9)."""
        return self.allow_removal or lost < _LOSS_LEAST or lost <= _LOSS_SHARE * self.total

    def articles_of(self, file: FoundFile) -> dict[str, str]:
        """doc_key → content hash, as stored for a file."""
        row = self.known.get(file.shown)
        return self.stored.get(row.id, {}) if row else {}

    def folders(self) -> Counter[Folder]:
        """Folder → articles: as stored for files that have been read, one for each new file."""
        folders: Counter[Folder] = Counter()
        for file in self.walk.files:
            folders[file.parts[:-1]] += len(self.articles_of(file)) if file.shown in self.known else 1
        return folders

    def stored_folders(self) -> Counter[Folder]:
        """Folder → articles, as stored."""
        paths = {row.id: path for path, row in self.known.items()}
        folders: Counter[Folder] = Counter()
        for file_id, articles in self.stored.items():
            folders[tuple(paths[file_id].split("/")[:-1])] += len(articles)
        return folders

    def states_digest(self) -> str:
        """Changes when a meta.csv says something else."""
        return hashlib.sha256(repr(sorted(self.states.items())).encode("utf-8")).hexdigest() if self.states else ""

    def _state_paths(self) -> Iterator[tuple[Path, str]]:
        """(path, key) of each meta.csv; for a file given singly the one beside it."""
        for file in self.walk.files:
            if file.parts[-1].lower() == NAME:
                yield file.path, file.key
            elif not self.whole:
                yield file.path.with_name(NAME), "/".join((*file.key.split("/")[:-1], NAME))

    def _add_states(self, path: Path, key: str) -> None:
        try:
            states = read_states(path.read_bytes(), key.rpartition("/")[0])
        except OSError:
            return
        if states is not None:
            self.state_files.add(key)
            self.states.update(states)
