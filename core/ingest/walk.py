"""Which files a folder holds: links, loops, odd names and system files sorted out; nothing is read here."""

from __future__ import annotations

import os
import stat
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from core.ingest.readers import reader_for, suffix_of
from core.reasons import Reason

_SYSTEM_NAMES = frozenset({"thumbs.db", "desktop.ini", ".ds_store"})
_SYSTEM_STARTS = ("._", "~$", ".~lock.")
_SYSTEM_FOLDERS = frozenset({"__macosx", "$recycle.bin", "system volume information", "lost+found"})

_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg", ".webp", ".ico", ".tif", ".tiff"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read. `parts`: its path inside the source as it can be shown; `key`: the same, NFC, unique in the
    source; `size` and `mtime_ns` as found."""

    path: Path
    parts: tuple[str, ...]
    key: str
    size: int
    mtime_ns: int

    @property
    def shown(self) -> str:
        """The path inside the source, as it is spelt there."""
        return "/".join(self.parts)


@dataclass(slots=True)
class Walk:
    """What was found: files in byte order of their paths, what is left out and why, and folders that could not be
    opened (what is below these is not known to be gone)."""

    files: list[FoundFile] = field(default_factory=list)
    left_out: list[tuple[str, Reason]] = field(default_factory=list)
    unreadable: list[tuple[str, Reason]] = field(default_factory=list)


def shown_name(name: str) -> str:
    """A file name as text: bytes that are not UTF-8 are read as GB18030, else shown as \\xNN."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        raw = os.fsencode(name)
        try:
            return raw.decode("gb18030")
        except UnicodeDecodeError:
            return raw.decode("utf-8", errors="backslashreplace")
    return name


def shown_path(path: Path) -> str:
    """A whole path as text."""
    return "/".join(shown_name(part) for part in path.as_posix().split("/"))


def single_file(path: Path, root: Path) -> Walk:
    """One file given by itself, as part of the source at `root`."""
    walk = Walk()
    _Walker(root, None, walk).take(path, path.name)
    return walk


def walk_folder(root: Path, leave_out: Path | None = None) -> Walk:
    """All files below `root`. Links are never followed: what they lead to inside the tree is read where it stands.

    `leave_out`: a folder that is passed over (the program's own data folder). Raises OSError when `root` itself
    cannot be opened.
    """
    walk = Walk()
    walker = _Walker(root, leave_out, walk)
    walker.run()
    walk.files.sort(key=lambda file: os.fsencode(file.path))
    _drop_hard_links(walk, walker.inodes)
    _number_keys(walk)
    return walk


class _Walker:
    def __init__(self, root: Path, leave_out: Path | None, walk: Walk) -> None:
        self._root = root
        self._leave_out = leave_out
        self._walk = walk
        self._visited: set[tuple[int, int]] = set()
        self.inodes: dict[Path, tuple[int, int]] = {}

    def run(self) -> None:
        waiting = [self._root]
        while waiting:
            folder = waiting.pop()
            try:
                status = folder.stat()
                place = (status.st_dev, status.st_ino)
                if status.st_ino and place in self._visited:
                    self._leave(folder, Reason.of("folder_read_before"))
                    continue
                self._visited.add(place)
                with os.scandir(folder) as entries:
                    names = sorted(os.fsencode(entry.name) for entry in entries)
            except OSError as error:
                if folder == self._root:
                    raise
                self._walk.unreadable.append((self._shown(folder), folder_unopened(error)))
                continue
            for raw in names:
                path = folder / os.fsdecode(raw)
                if not _is_folder(path):
                    self.take(path, path.name)
                elif reason := self._passed_over(path):
                    self._leave(path, reason)
                else:
                    waiting.append(path)

    def take(self, path: Path, name: str) -> None:
        """Sort one entry that is no folder."""
        try:
            status = path.lstat()
        except OSError as error:
            self._walk.unreadable.append((self._shown(path), file_unread(error)))
            return
        if stat.S_ISLNK(status.st_mode) or _is_junction(path):
            self._leave(path, self._link_reason(path))
        elif not stat.S_ISREG(status.st_mode):
            self._leave(path, Reason.of("not_regular"))
        elif reason := _not_readable(shown_name(name)):
            self._leave(path, reason)
        else:
            if status.st_nlink > 1 and status.st_ino:
                self.inodes[path] = (status.st_dev, status.st_ino)
            parts = tuple(shown_name(part) for part in path.relative_to(self._root).parts)
            key = unicodedata.normalize("NFC", "/".join(parts))
            self._walk.files.append(FoundFile(path, parts, key, status.st_size, status.st_mtime_ns))

    def _passed_over(self, folder: Path) -> Reason | None:
        """Why a folder is not gone into; None when it is."""
        name = folder.name.lower()
        if self._leave_out is not None and folder == self._leave_out:
            return Reason.of("data_folder")
        hidden = name.startswith(".") or name in _SYSTEM_FOLDERS
        return Reason.of("hidden_folder") if hidden else None

    def _link_reason(self, path: Path) -> Reason:
        try:
            target = path.resolve(strict=True)
        except (OSError, RuntimeError):
            return Reason.of("dead_link")
        if target.is_relative_to(self._root):
            inside = shown_path(target.relative_to(self._root))
            if any(part.startswith(".") and part != "." for part in inside.split("/")[:-1]):
                return Reason.of("link_hidden")
            return Reason.of("link_inside", path=inside)
        return Reason.of("link_outside")

    def _leave(self, path: Path, reason: Reason) -> None:
        self._walk.left_out.append((self._shown(path), reason))

    def _shown(self, path: Path) -> str:
        return shown_path(path.relative_to(self._root))


def _not_readable(name: str) -> Reason | None:
    """Why a file of this name is not read; None when it is."""
    lower = name.lower()
    if lower in _SYSTEM_NAMES or lower.startswith(_SYSTEM_STARTS):
        return Reason.of("system_file")
    if reader_for(name) is not None:
        return None
    if name.startswith("."):
        return Reason.of("hidden_file")
    suffix = suffix_of(name)
    return Reason.of("picture") if suffix in _PICTURES else Reason.of("format_unknown", suffix=suffix)


def file_unread(error: OSError) -> Reason:
    """Why a file could not be read, from what the system said."""
    if isinstance(error, PermissionError):
        return Reason.of("file_forbidden")
    return Reason.of("file_unreadable", detail=error.strerror or str(error))


def folder_unopened(error: OSError) -> Reason:
    """Why a folder could not be opened, from what the system said."""
    if isinstance(error, PermissionError):
        return Reason.of("folder_forbidden")
    return Reason.of("folder_unreadable", detail=error.strerror or str(error))


def _is_folder(path: Path) -> bool:
    """A real folder, no link to one."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode) and not _is_junction(path)
    except OSError:
        return False


def _is_junction(path: Path) -> bool:
    """Windows: a folder that is a link. Python 3.11 cannot tell; there the set of visited folders ends loops."""
    check = getattr(os.path, "isjunction", None)
    return bool(check and check(path))


def _drop_hard_links(walk: Walk, inodes: dict[Path, tuple[int, int]]) -> None:
    """Of several names of one file the first in byte order counts."""
    seen: dict[tuple[int, int], FoundFile] = {}
    kept: list[FoundFile] = []
    for file in walk.files:
        place = inodes.get(file.path)
        if place is not None and place in seen:
            walk.left_out.append((file.shown, Reason.of("same_file", path=seen[place].shown)))
            continue
        if place is not None:
            seen[place] = file
        kept.append(file)
    walk.files[:] = kept


def _number_keys(walk: Walk) -> None:
    """Two names that are one in NFC: the later in byte order gets `~2` (contract §1)."""
    taken: set[str] = set()
    for index, file in enumerate(walk.files):
        key, number = file.key, 1
        while key in taken:
            number += 1
            key = f"{file.key}~{number}"
        taken.add(key)
        if key != file.key:
            walk.files[index] = FoundFile(file.path, file.parts, key, file.size, file.mtime_ns)
