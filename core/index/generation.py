"""Generations: an index on disk, an immutable folder of arrays with a manifest that says what they are."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy.typing as npt

from core.files import replace_file
from core.index.arrays import map_array, save_array, sha256_of
from core.index.postings import Segment
from core.index.vector import open_vectors
from core.protocols import Embedder, VectorIndex

SCHEMA = 1
_MANIFEST = "manifest.json"
_VECTORS = ("vectors", "vectors-2")
_ARRAYS = ("term_ids", "term_starts", "chunks", "occurrences", "lengths", "chunk_ids", "article_ids")


class IndexMismatch(ValueError):
    """The folder is not a whole index that this program and embedder can use; rebuild it from the database."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation holds. `embedder`: fingerprints, a line each; `dimension`: the first one's; `files`: name →
    size in bytes and SHA-256."""

    schema: int
    embedder: str
    dimension: int
    count: int
    version: int
    files: dict[str, dict[str, int | str]]


@dataclass(frozen=True, slots=True)
class Generation:
    """The parts of one index: the postings of `count` live chunks, their lengths, ids and, for each embedder, vectors,
    by slot."""

    version: int
    postings: Segment
    lengths: npt.NDArray[Any]
    chunk_ids: npt.NDArray[Any]
    article_ids: npt.NDArray[Any]
    vectors: tuple[VectorIndex, ...]


def write_generation(folder: Path, generation: Generation, embedders: Sequence[Embedder]) -> None:
    """Write the folder beside and rename it: it is there whole or not at all. Raises FileExistsError when it is there
    already (generations are never replaced: somebody may have them mapped), OSError."""
    if folder.exists():
        raise FileExistsError(folder)
    beside = folder.with_name(folder.name + ".new")
    if beside.exists():  # left by a process that was killed
        shutil.rmtree(beside)
    beside.mkdir(parents=True)
    postings = generation.postings
    values: list[npt.NDArray[Any]] = [postings.ids, postings.ptr, postings.docs, postings.tfs]
    values += [generation.lengths, generation.chunk_ids, generation.article_ids]
    for name, array in zip(_ARRAYS, values, strict=True):
        save_array(beside / f"{name}.npy", array)
    for name, vectors in zip(_VECTORS, generation.vectors, strict=False):
        vectors.save(beside / name)
    manifest = Manifest(
        schema=SCHEMA,
        embedder=_fingerprint(embedders),
        dimension=embedders[0].dimension,
        count=len(generation.chunk_ids),
        version=generation.version,
        files={
            path.name: {"size": path.stat().st_size, "sha256": sha256_of(path)} for path in sorted(beside.iterdir())
        },
    )
    replace_file(beside / _MANIFEST, json.dumps(asdict(manifest), indent=2).encode("utf-8"))
    os.replace(beside, folder)  # noqa: PTH105 - a rename; Path.replace would read as if something were replaced


def read_generation(folder: Path, embedders: Sequence[Embedder]) -> Generation:
    """Open the folder, arrays mapped. Checks the manifest, file sizes and shapes, not the checksums (`damage` does).
    Raises IndexMismatch."""
    manifest = _manifest(folder)
    expected = (SCHEMA, _fingerprint(embedders), embedders[0].dimension)
    if (manifest.schema, manifest.embedder, manifest.dimension) != expected:
        raise IndexMismatch(f"{folder} was written for {manifest.embedder}, schema {manifest.schema}")
    try:
        for name, facts in manifest.files.items():
            if (folder / name).stat().st_size != facts["size"]:
                raise IndexMismatch(f"{folder / name} has another size")
        ids, ptr, docs, tfs, lengths, chunk_ids, article_ids = (map_array(folder / f"{name}.npy") for name in _ARRAYS)
        vectors = tuple(
            open_vectors(folder / name, embedder.dimension, manifest.count)
            for name, embedder in zip(_VECTORS, embedders, strict=False)
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexMismatch(f"{folder}: {error}") from error
    same_count = len(lengths) == len(chunk_ids) == len(article_ids) == manifest.count
    if not same_count or len(ptr) != len(ids) + 1 or not len(docs) == len(tfs) == int(ptr[-1]):
        raise IndexMismatch(f"{folder}: the arrays do not fit each other")
    segment = Segment(ids, ptr, docs, tfs, manifest.count)
    return Generation(manifest.version, segment, lengths, chunk_ids, article_ids, vectors)


def damage(folder: Path) -> tuple[str, ...]:
    """Names of files whose size or checksum is not the manifest's; reads everything. Raises IndexMismatch when there
    is no manifest."""
    found = []
    for name, facts in _manifest(folder).files.items():
        path = folder / name
        if not path.is_file() or path.stat().st_size != facts["size"] or sha256_of(path) != facts["sha256"]:
            found.append(name)
    return tuple(found)


def _fingerprint(embedders: Sequence[Embedder]) -> str:
    return "\n".join(embedder.fingerprint for embedder in embedders)


def written_at(folder: Path) -> datetime | None:
    """When the newest generation inside `folder` was written; None: none is there yet."""
    moments = []
    for manifest in folder.glob(f"*/{_MANIFEST}"):
        with suppress(OSError):  # swept away just now
            moments.append(manifest.stat().st_mtime)
    return datetime.fromtimestamp(max(moments), UTC) if moments else None


def _manifest(folder: Path) -> Manifest:
    try:
        manifest = Manifest(**json.loads((folder / _MANIFEST).read_text(encoding="utf-8")))
        whole = all(isinstance(number, int) for number in (manifest.dimension, manifest.count, manifest.version))
        if not whole or not all(facts.keys() >= {"size", "sha256"} for facts in manifest.files.values()):
            raise ValueError("not the expected values")
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise IndexMismatch(f"{folder / _MANIFEST}: {error}") from error
    return manifest
