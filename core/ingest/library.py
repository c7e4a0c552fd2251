"""Copies of files that were given singly: under own short names, so that no name is too long (contract §9)."""

from __future__ import annotations

import hashlib
from pathlib import Path

from core.files import replace_file
from core.ingest.readers import suffix_of


def copy_path(library: Path, source_path: str, name: str) -> Path:
    """Where the copy of a file lies; the same for the same file, at most 48 bytes of name."""
    suffix = suffix_of(name)
    suffix = suffix if suffix.isascii() and len(suffix) <= 12 and "/" not in suffix and "\\" not in suffix else ""
    return library / (
        hashlib.sha256(f"{source_path}\0{name}".encode("utf-8", "backslashreplace")).hexdigest()[:32] + suffix
    )


def keep_copy(path: Path, copy: Path) -> None:
    """Copy a file's bytes when they differ from what is there. Raises OSError."""
    data = path.read_bytes()
    if not copy.exists() or copy.read_bytes() != data:
        replace_file(copy, data)
