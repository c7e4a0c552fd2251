"""Writing files so that a crash leaves the old or the new one, never half of it."""

from __future__ import annotations

import os
from pathlib import Path


def replace_file(path: Path, data: bytes | memoryview) -> None:
    """Write `data` beside `path`, fsync, then rename over it. Works with any characters in the path."""
    beside = path.with_name(path.name + ".new")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
