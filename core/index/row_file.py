"""Row file: the vectors of one model in an immutable file, mapped when read; a row a text, in order of their hashes.

Layout: a JSON line filled up to 4,096 bytes (schema, fingerprint, dimension, count, whether codes follow, SHA-256 of
all that comes after it), the hashes (count × 32 bytes), the vectors (count × dimension, float32, little-endian); where
they are many, their codes (core.index.codes): bytes, scales, sums.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from core.index.codes import CODES_FROM_BYTES, Coded, coded
from core.protocols import Ids, Vectors

SCHEMA = 1
HASH_BYTES = 32
_HEADER_BYTES = 4096
_AT_ONCE = 4096
_SUFFIX = ".rows"
Hashes = npt.NDArray[np.uint8]


class RowFileUnusable(ValueError):
    """The file is cut off, damaged, or of another embedder; make it again from the store."""


@dataclass(frozen=True, slots=True)
class Header:
    """What a row file says of itself."""

    schema: int
    fingerprint: str
    dimension: int
    count: int
    has_codes: bool
    sha256: str


@dataclass(frozen=True)
class RowFile:
    """An open one. `hashes`: n × 32 bytes, ascending; `vectors`: n × dimension; `coded`: None where the vectors are
    few enough to be read at each query."""

    path: Path
    hashes: Hashes
    vectors: Vectors
    coded: Coded | None


def newest(folder: Path, fingerprint: str) -> Path | None:
    """The newest file of an embedder in that folder; None: there is none."""
    found = _numbered(folder, fingerprint)
    return found[max(found)] if found else None


def read_row_file(path: Path, fingerprint: str, dimension: int) -> RowFile:
    """Open it, mapped. Checks the header, the size and the order of hashes, not the checksum (`is_damaged` does).
    Raises RowFileUnusable, OSError."""
    header = _header(path)
    if (header.schema, header.fingerprint, header.dimension) != (SCHEMA, fingerprint, dimension):
        raise RowFileUnusable(f"written for {header.fingerprint}, schema {header.schema}")
    count = header.count
    shapes: list[tuple[type[np.generic], tuple[int, ...]]] = [
        (np.uint8, (count, HASH_BYTES)),
        (np.float32, (count, dimension)),
    ]
    if header.has_codes:
        shapes += [(np.uint8, (count, dimension)), (np.float32, (count,)), (np.int32, (count,))]
    expected = _HEADER_BYTES + sum(np.dtype(kind).itemsize * int(np.prod(shape)) for kind, shape in shapes)
    if count < 1 or path.stat().st_size != expected:
        raise RowFileUnusable(f"{path.stat().st_size} bytes instead of {expected}")
    sections: list[npt.NDArray[Any]] = []
    offset = _HEADER_BYTES
    for kind, shape in shapes:
        mapped = np.memmap(path, dtype=np.dtype(kind).newbyteorder("<"), mode="r", offset=offset, shape=shape)
        sections.append(np.asarray(mapped))  # slices of np.memmap itself cost some microseconds each
        offset += mapped.nbytes
    hashes, vectors, *codes = sections
    return RowFile(path, hashes, vectors, Coded(*codes) if codes else None)


def write_row_file(
    folder: Path,
    fingerprint: str,
    hashes: Hashes,
    vectors_at: Callable[[Ids], Vectors],
    *,
    dimension: int,
    codes_from: int = CODES_FROM_BYTES,
) -> Path:
    """Write the next file of that embedder: it is there whole or not at all; older ones stay, they may be mapped.
    `vectors_at`: gives the vectors of some places in `hashes`. More than `codes_from` bytes of vectors get codes.
    Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    number = max(_numbered(folder, fingerprint), default=0) + 1
    path = folder / f"{_stem(fingerprint)}-{number}{_SUFFIX}"
    beside = path.with_name(f"{path.name}.{os.getpid()}.new")  # another process may write as well
    order = np.argsort(keys_of(hashes), kind="stable")
    has_codes = 4 * dimension * len(hashes) > codes_from
    try:
        with beside.open("wb") as file:
            file.write(b" " * _HEADER_BYTES)
            digest = hashlib.sha256()
            for section in _sections(hashes, order, vectors_at, has_codes=has_codes):
                data = np.ascontiguousarray(section).data.cast("B")
                digest.update(data)
                file.write(data)
            header = Header(SCHEMA, fingerprint, dimension, len(hashes), has_codes, digest.hexdigest())
            _write_header(file, header)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
    return path


def is_damaged(path: Path) -> bool:
    """Whether what it holds is not what was written; reads all of it. Raises OSError."""
    try:
        wanted = _header(path).sha256
    except RowFileUnusable:
        return True
    digest = hashlib.sha256()
    with path.open("rb") as file:
        file.seek(_HEADER_BYTES)
        while data := file.read(1 << 20):
            digest.update(data)
    return digest.hexdigest() != wanted


def sweep(folder: Path, fingerprint: str, current: Path) -> None:
    """Delete older files of the embedder and what killed processes left; one that is mapped elsewhere stays until next
    time."""
    number = int(current.stem.rsplit("-", 1)[1])
    leftovers = list(folder.glob(f"{_stem(fingerprint)}-*.new"))
    for path in (*leftovers, *(path for older, path in _numbered(folder, fingerprint).items() if older < number)):
        with suppress(OSError):  # Windows: somebody has it mapped
            path.unlink()


def keys_of(hashes: Hashes) -> npt.NDArray[np.uint64]:
    """The first eight bytes of each hash as a number, in the same order: what they are looked up by. No two texts of
    one base share them."""
    keys = np.ascontiguousarray(hashes[:, :8]).view(np.dtype(">u8")).reshape(-1)
    return keys.astype(np.uint64)


def hashes_from(texts: Sequence[str]) -> Hashes:
    """Hashes in hex as rows of bytes."""
    return np.frombuffer(bytes.fromhex("".join(texts)), dtype=np.uint8).reshape(-1, HASH_BYTES)


def _sections(
    hashes: Hashes, order: npt.NDArray[np.intp], vectors_at: Callable[[Ids], Vectors], *, has_codes: bool
) -> Iterator[npt.NDArray[Any]]:
    """Everything after the header, in portions: no second copy of all in memory."""
    yield hashes[order]
    portions = [order[at : at + _AT_ONCE] for at in range(0, len(order), _AT_ONCE)]
    for portion in portions:
        yield vectors_at(portion).astype("<f4", copy=False)
    if has_codes:
        scales, sums = [], []
        for portion in portions:
            part = coded(vectors_at(portion))
            scales.append(part.scales)
            sums.append(part.sums)
            yield part.codes
        yield np.concatenate(scales).astype("<f4", copy=False)
        yield np.concatenate(sums).astype("<i4", copy=False)


def _write_header(file: BinaryIO, header: Header) -> None:
    line = json.dumps(asdict(header)).encode("ascii")
    if len(line) >= _HEADER_BYTES:
        raise ValueError("a fingerprint of more than 3,000 letters")
    file.seek(0)
    file.write(line.ljust(_HEADER_BYTES - 1) + b"\n")


def _header(path: Path) -> Header:
    with path.open("rb") as file:
        line = file.read(_HEADER_BYTES)
    try:
        header = Header(**json.loads(line))
        whole = all(type(number) is int for number in (header.dimension, header.count))
        if len(line) != _HEADER_BYTES or not whole:
            raise ValueError("not the expected values")
    except (ValueError, TypeError) as error:
        raise RowFileUnusable(str(error)) from error
    return header


def _stem(fingerprint: str) -> str:
    """A name that every file system takes, another for each fingerprint."""
    return hashlib.sha256(fingerprint.encode("utf-8")).hexdigest()[:16]


def _numbered(folder: Path, fingerprint: str) -> dict[int, Path]:
    found = {}
    for path in folder.glob(f"{_stem(fingerprint)}-*{_SUFFIX}"):
        number = path.stem.rsplit("-", 1)[1]
        if number.isdigit():
            found[int(number)] = path
    return found
