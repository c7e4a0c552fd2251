"""Field notes ("记一笔"): where they are kept, writing one, making it searchable, taking it back (contract §4, §10)."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

from core.clock import Clock, today
from core.errors import NotesFolderUnusable
from core.job import Job
from core.paths import DataFolder
from core.report import ImportReport, SavedNote
from core.settings import Settings

if TYPE_CHECKING:
    from core.ingest.importer import Importer
    from core.note_file import NoteFile
    from core.store.articles import Articles
    from core.store.sources import Sources

DOMAIN = "notes"


class Notes:
    """The field notes of one data folder: Markdown files in a folder that is a source like any other.

    A note is `state: unreviewed` until somebody changes that line of its file. All methods may be called from any
    thread. Those that write knowledge wait for nobody: they raise KnowledgeLocked at once while another one does.
    """

    def __init__(
        self, data: DataFolder, importer: Importer, articles: Articles, sources: Sources, *, clock: Clock
    ) -> None:
        self._data = data
        self._importer = importer
        self._articles = articles
        self._sources = sources
        self._clock = clock
        self._folder = self._chosen()

    @property
    def folder(self) -> Path:
        """Where notes are written: the setting `notes_folder`, else `notes` in the data folder. It may be away; asking
        for its name never waits for it."""
        return self._folder

    @property
    def is_own(self) -> bool:
        """It is the one in the data folder."""
        return self._folder == self._data.notes

    def choose(self, folder: Path) -> None:
        """Write notes there from now on; articles of the old folder's notes stay. Any folder inside the data folder
        means the program's own. Raises NotesFolderUnusable."""
        folder = folder.expanduser().resolve()
        own = folder.is_relative_to(self._data.root.resolve())
        if not own and not folder.is_dir():
            raise NotesFolderUnusable(path=str(folder), detail=os.strerror(errno.ENOTDIR))
        settings = Settings.load(self._data.settings).changed(notes_folder="" if own else str(folder))
        settings.save(self._data.settings)
        self._folder = self._data.notes if own else folder

    def write(self, query: str, text: str, *, domain: str | None = None, here: bool = False) -> SavedNote | None:
        """Save what solved `query` as a new file; None when the text says nothing. No file is ever overwritten.

        `here`: in the data folder, wherever notes are written otherwise. `take_in` makes the note searchable. Raises
        NotesFolderUnusable.
        """
        from core.note_file import NoteFile

        note = NoteFile.of(query, text, domain=domain or DOMAIN, updated=today(self._clock))
        if note is None:
            return None
        folder = self._data.notes if here else self._folder
        try:
            if folder == self._data.notes:  # a chosen folder that is gone is a share that is away
                folder.mkdir(parents=True, exist_ok=True)
            doc_key, path = self._published(note, folder.resolve())
        except OSError as error:
            raise NotesFolderUnusable(path=str(folder), detail=error.strerror or str(error)) from error
        return SavedNote(doc_key, note.title, path)

    def take_in(self, note: SavedNote, *, job: Job | None = None) -> None:
        """Import it; with it, the first time, its folder. Raises KnowledgeLocked, PathMissing."""
        root = self._root(note.path.parent)
        new = self._sources.by_path(_shown(root)) is None
        self._importer.run([note.path.parent if new else note.path], wait_s=0, job=job)

    def take_back(self, note: SavedNote, *, job: Job | None = None) -> None:
        """Delete its file, then its article. Raises NotesFolderUnusable (nothing is done), KnowledgeLocked (the file
        is gone; the article goes with the next `refresh`)."""
        try:
            note.path.unlink(missing_ok=True)
        except OSError as error:
            raise NotesFolderUnusable(path=str(note.path.parent), detail=error.strerror or str(error)) from error
        self._importer.remove_file(note.path, wait_s=0, job=job)

    def refresh(self, *, job: Job | None = None) -> bool:
        """Import what others changed in the folder; whether knowledge changed. Looks at names, sizes and times only
        while nothing has. Raises KnowledgeLocked.

        A folder that is gone, or empty all at once, is a share that is away: nothing is removed then.
        """
        from core.ingest.walk import walk_folder

        try:
            folder = self._folder.resolve()
            walk = walk_folder(folder, leave_out=self._data.root.resolve())
        except OSError:
            return False
        root = self._root(folder)
        above = _above(folder, root)
        found = {above + file.shown: (file.size, file.mtime_ns) for file in walk.files}
        source = self._sources.by_path(_shown(root))
        rows = self._sources.files(source.id).values() if source is not None else ()
        known = {row.path: (row.size, row.mtime_ns) for row in rows if row.path.startswith(above)}
        if not found or found == known:
            return False
        # Of a larger source only the notes are looked at; what is gone goes with its own next import.
        new = [file.path for file in walk.files if found[above + file.shown] != known.get(above + file.shown)]
        paths = [folder] if root == folder else new
        return bool(paths) and _changed(self._importer.run(paths, wait_s=0, job=job))

    # ---------------------------------------------------------------- inside
    def _chosen(self) -> Path:
        chosen = Settings.load(self._data.settings).word("notes_folder").strip()
        return Path(chosen).expanduser() if chosen else self._data.notes

    def _published(self, note: NoteFile, folder: Path) -> tuple[str, Path]:
        from core.note_file import publish

        above, data = _above(folder, self._root(folder)), note.markdown()
        for name in note.names():
            # A key that another source has would not become the note's.
            if self._articles.owner(above + name) is None and publish(folder, name, data):
                return above + name, folder / name
        raise AssertionError("names do not end")

    def _root(self, folder: Path) -> Path:
        """The folder of the source that the notes in `folder` belong to: one imported before that holds it, else
        itself. No source holds the program's own data folder."""
        if folder.is_relative_to(self._data.root.resolve()):
            return folder
        return self._importer.source_over(folder / "note.md")[0]


def _above(folder: Path, root: Path) -> str:
    """What the keys of files in `folder` begin with: its path inside the source at `root`."""
    return "".join(f"{part}/" for part in folder.relative_to(root).parts)


def _shown(path: Path) -> str:
    from core.ingest.walk import shown_path

    return shown_path(path)


def _changed(report: ImportReport) -> bool:
    counts = report.counts
    return any(counts[outcome] for outcome in ("added", "updated", "removed"))
