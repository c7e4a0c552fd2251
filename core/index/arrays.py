"""Array files: numpy's .npy, written so that a crash leaves nothing half done, and mapped when read."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


def save_array(path: Path, values: npt.NDArray[Any]) -> None:
    """Write beside `path`, fsync, rename over it. Any characters in the path; no second copy in memory."""
    beside = path.with_name(path.name + ".new")
    with beside.open("wb") as file:
        np.save(file, values, allow_pickle=False)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def map_array(path: Path) -> npt.NDArray[Any]:
    """The file's array, read-only, mapped: only what is touched is read. Raises OSError, ValueError."""
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except ValueError:
        mapped = np.load(path, allow_pickle=False)  # an empty array cannot be mapped; a damaged file fails again
    # The plain view: slices of np.memmap itself cost some microseconds each.
    return np.asarray(mapped)


def sha256_of(path: Path) -> str:
    """The file's SHA-256, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
