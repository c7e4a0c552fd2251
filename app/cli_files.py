"""The files that a command writes: whole or not at all."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from app.cli_output import FileError, Printer


@contextmanager
def output(path: Path | None, language: str) -> Iterator[TextIO]:
    """Standard output, or a file that appears under its name only when it is whole. Raises FileError."""
    if path is None:
        yield sys.stdout
        return
    require_place(language, path)
    beside = path.with_name(path.name + ".new")
    try:
        with beside.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            yield file
        beside.replace(path)
    except OSError as error:
        if error.filename != str(beside):
            raise
        raise FileError(Printer(language).word("file", path=path, detail=error.strerror)) from error
    finally:
        beside.unlink(missing_ok=True)


def require_place(language: str, path: Path) -> None:
    """Raises FileError where no file can stand: a folder does, or there is none for it."""
    refuse_folders(language, path)
    if not path.parent.is_dir():
        raise FileError(Printer(language).word("file.no_folder", path=path.parent))


def refuse_folders(language: str, *paths: Path) -> None:
    """Raises FileError where a file is wanted and a folder stands."""
    for path in paths:
        if path.is_dir():
            raise FileError(Printer(language).word("file.folder", path=path))
