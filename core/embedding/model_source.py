"""ModelSource: the files of a folder, zip or tar archive by name, read in its own order; links lead nowhere outside."""

from __future__ import annotations

import io
import os
import posixpath
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol, TypeVar

from core.embedding.model_fault import ModelUnusable
from core.embedding_status import ModelFault
from core.job import Job

# By how it begins: a tar archive whose last file is a zip archive (torch's) also ends as one.
_ZIP = b"PK"
_MOST_LINKS = 8
_MOST_FILES = 10_000
_Entry = TypeVar("_Entry")
# RuntimeError: what a zip archive that wants a password raises.
_DAMAGED = (EOFError, RuntimeError, zlib.error, zipfile.BadZipFile, tarfile.TarError, NotImplementedError)


class ModelSource(Protocol):
    """`sizes`: bytes of each file by its name, `/` between folders. `label`: what it is called."""

    label: str
    sizes: Mapping[str, int]

    def read(self, names: frozenset[str]) -> Iterator[tuple[str, IO[bytes]]]:
        """Those files, in the order in which they lie. Raises OSError, ModelUnusable (WEIGHTS: it is damaged)."""


@contextmanager
def opened(path: Path, job: Job) -> Iterator[ModelSource]:
    """The files at `path`. Raises Cancelled, OSError, ModelUnusable: NOT_A_MODEL for a file that is no archive, WEIGHTS
    for one that is cut off, NO_RIGHT."""
    try:
        if path.is_dir():
            yield FolderSource(path, job)
        elif _begins(path).startswith(_ZIP):
            with zipfile.ZipFile(path) as archive:
                yield ZipSource(archive, _stem(path))
        else:
            with path.open("rb") as raw, tarfile.open(fileobj=_Watched(raw, job)) as tar:
                yield TarSource(tar, _stem(path), job)
    except PermissionError as error:
        raise ModelUnusable(ModelFault.NO_RIGHT, str(error.filename or path)) from error
    except tarfile.ReadError as error:
        is_cut = path.stat().st_size and path.name.lower().endswith((".zip", ".tar", ".gz", ".tgz"))
        raise ModelUnusable(ModelFault.WEIGHTS if is_cut else ModelFault.NOT_A_MODEL, path.name) from error
    except _DAMAGED as error:
        raise ModelUnusable(ModelFault.WEIGHTS, path.name) from error


class FolderSource:
    """A folder; a snapshot of a hub cache is taken with the files that its links mean."""

    def __init__(self, folder: Path, job: Job) -> None:
        self.label = _label(folder)
        self._paths: dict[str, Path] = {}
        inside = _root(folder).resolve()
        for parent, _, names in os.walk(folder, onerror=lambda error: _told(error, folder)):
            job.checkpoint()
            for name in names:
                path = Path(parent, name)
                meant = path.resolve()
                if meant.is_relative_to(inside) and meant.is_file():
                    self._paths[path.relative_to(folder).as_posix()] = meant
            if len(self._paths) > _MOST_FILES:
                raise ModelUnusable(ModelFault.NOT_A_MODEL, folder.name)
        self.sizes: Mapping[str, int] = {name: path.stat().st_size for name, path in self._paths.items()}

    def read(self, names: frozenset[str]) -> Iterator[tuple[str, IO[bytes]]]:
        """As the protocol says; a file that changes meanwhile is refused."""
        for name in sorted(names):
            path = self._paths[name]
            before = path.stat()
            with path.open("rb") as file:
                yield name, file
            after = path.stat()
            if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
                raise ModelUnusable(ModelFault.WEIGHTS, name)


class ZipSource:
    """A zip archive."""

    def __init__(self, archive: zipfile.ZipFile, label: str) -> None:
        self.label = label
        self._archive = archive
        entries = {_inside(one.filename): one for one in archive.infolist() if not one.is_dir()}
        links = {name: archive.read(one).decode() for name, one in entries.items() if _is_link(one)}
        self._entries = _followed(entries, links)
        self.sizes: Mapping[str, int] = {name: entry.file_size for name, entry in self._entries.items()}

    def read(self, names: frozenset[str]) -> Iterator[tuple[str, IO[bytes]]]:
        """As the protocol says."""
        for name in sorted(names, key=lambda one: self._entries[one].header_offset):
            with self._archive.open(self._entries[name]) as file:
                yield name, file


class TarSource:
    """A tar archive, packed or not."""

    def __init__(self, archive: tarfile.TarFile, label: str, job: Job) -> None:
        self.label = label
        self._archive = archive
        entries: dict[str, tarfile.TarInfo] = {}
        links: dict[str, str] = {}
        for member in archive:
            job.checkpoint()
            name = _inside(member.name)
            if member.isfile():
                entries[name] = member
            elif member.issym():
                entries[name], links[name] = member, member.linkname
            elif member.islnk():
                entries[name] = member
                links[name] = posixpath.relpath(_inside(member.linkname) or ".", posixpath.dirname(name) or ".")
            if len(entries) > _MOST_FILES:
                raise ModelUnusable(ModelFault.NOT_A_MODEL, label)
        self._entries = _followed(entries, links)
        self.sizes: Mapping[str, int] = {name: entry.size for name, entry in self._entries.items()}

    def read(self, names: frozenset[str]) -> Iterator[tuple[str, IO[bytes]]]:
        """As the protocol says."""
        for name in sorted(names, key=lambda one: self._entries[one].offset):
            file = self._archive.extractfile(self._entries[name])
            if file is not None:
                with file:
                    yield name, file


class _Watched(io.RawIOBase):
    """A file whose reading stops once the job is cancelled."""

    def __init__(self, file: IO[bytes], job: Job) -> None:
        self._file, self._job = file, job

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Raises Cancelled."""
        self._job.checkpoint()
        return self._file.read(-1 if size is None else size)

    def seek(self, offset: int, whence: int = 0) -> int:
        """As the file's."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """As the file's."""
        return self._file.tell()


def _begins(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_ZIP))


def _inside(name: str) -> str:
    """An entry's name as a relative one; empty where it leads outside."""
    clean = posixpath.normpath(name.replace("\\", "/"))
    return "" if clean.startswith(("/", "..")) or ":" in clean.split("/")[0] else clean


def _followed(entries: Mapping[str, _Entry], links: Mapping[str, str]) -> dict[str, _Entry]:
    """The entries by name, links replaced by what they mean; those that mean nothing of the archive are dropped."""
    found = {}
    for name in entries:
        meant = name
        for _ in range(_MOST_LINKS):
            if meant not in links:
                break
            meant = _inside(posixpath.join(posixpath.dirname(meant), links[meant]))
        if name and meant in entries and meant not in links:
            found[name] = entries[meant]
    return found


def _is_link(entry: zipfile.ZipInfo) -> bool:
    return stat.S_ISLNK(entry.external_attr >> 16)


def _root(folder: Path) -> Path:
    """What its links may mean: the folder itself, of a snapshot the whole repository."""
    return next((one for one in folder.resolve().parents if one.name.startswith("models--")), folder)


def _label(folder: Path) -> str:
    folder = folder.resolve()
    return next((one.name for one in (folder, *folder.parents) if one.name.startswith("models--")), folder.name)


def _stem(path: Path) -> str:
    name = path.name
    for ending in (".tar.gz", ".tgz", ".tar", ".zip", ".gz"):
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name


def _told(error: OSError, folder: Path) -> None:
    """A folder further down that may not be read (those of the system, on a stick) is none of the model's."""
    if error.filename == str(folder):
        raise error
