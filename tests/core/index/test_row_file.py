"""A row file gives back what was written, and says when it is not whole or another model's."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from core.index.row_file import (
    RowFile,
    RowFileUnusable,
    hashes_from,
    is_damaged,
    newest,
    read_row_file,
    sweep,
    write_row_file,
)
from core.protocols import Vectors

MODEL, DIMENSION = "model-1:16", 16


def texts(count: int) -> list[str]:
    return [hashlib.sha256(str(number).encode()).hexdigest() for number in range(count)]


def vectors(count: int) -> Vectors:
    return np.random.default_rng(count).normal(size=(count, DIMENSION)).astype(np.float32)


def written(folder: Path, count: int = 50, *, fingerprint: str = MODEL, codes_from: int = 10**9) -> Path:
    rows = vectors(count)
    return write_row_file(
        folder,
        fingerprint,
        hashes_from(texts(count)),
        lambda places: rows[places],
        dimension=DIMENSION,
        codes_from=codes_from,
    )


def by_hash(file: RowFile) -> dict[str, list[float]]:
    return {one.tobytes().hex(): row.tolist() for one, row in zip(file.hashes, file.vectors, strict=True)}


@pytest.mark.parametrize("count", [1, 50, 5000])
def test_every_text_has_its_vector(tmp_path: Path, count: int) -> None:
    file = read_row_file(written(tmp_path / "服务台", count), MODEL, DIMENSION)
    assert by_hash(file) == {one: row.tolist() for one, row in zip(texts(count), vectors(count), strict=True)}
    assert [one.tobytes() for one in file.hashes] == sorted(one.tobytes() for one in file.hashes)
    assert file.coded is None
    assert not file.vectors.flags.writeable


def test_many_bytes_of_vectors_have_codes(tmp_path: Path) -> None:
    without = read_row_file(written(tmp_path, 50, codes_from=50 * DIMENSION * 4), MODEL, DIMENSION)
    file = read_row_file(written(tmp_path, 50, codes_from=50 * DIMENSION * 4 - 1), MODEL, DIMENSION)
    assert without.coded is None
    assert file.coded is not None
    assert by_hash(file) == by_hash(without)
    decoded = (file.coded.codes.astype(np.float32) - 128) * file.coded.scales[:, np.newaxis]
    assert np.abs(decoded - file.vectors).max() <= file.coded.scales.max() / 2 + 1e-6
    assert file.coded.sums.tolist() == file.coded.codes.sum(axis=1, dtype=np.int64).tolist()


def test_the_newest_of_a_model_is_found_and_older_ones_are_swept(tmp_path: Path) -> None:
    assert newest(tmp_path / "nothing", MODEL) is None
    first, other, second = written(tmp_path), written(tmp_path, fingerprint="another"), written(tmp_path, 60)
    (tmp_path / f"{first.name}.4711.new").write_bytes(b"left by a process that was killed")
    assert newest(tmp_path, MODEL) == second
    sweep(tmp_path, MODEL, second)
    assert sorted(tmp_path.iterdir()) == sorted((other, second))


def test_another_models_file_is_never_used(tmp_path: Path) -> None:
    path = written(tmp_path, fingerprint="another")
    path.rename(tmp_path / "copied")
    with pytest.raises(RowFileUnusable, match="another"):
        read_row_file(tmp_path / "copied", MODEL, DIMENSION)
    with pytest.raises(RowFileUnusable):
        read_row_file(written(tmp_path), MODEL, DIMENSION + 1)


@pytest.mark.parametrize("kept", [0, 100, 4096, 5000, -1])
def test_a_file_that_was_cut_off_is_not_used(tmp_path: Path, kept: int) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(RowFileUnusable):
        read_row_file(path, MODEL, DIMENSION)
    assert is_damaged(path)


@pytest.mark.parametrize("header", [b"\0" * 4096, b'{"schema": 1}'.ljust(4096), b"[]".ljust(4096)])
def test_a_file_with_another_beginning_is_not_used(tmp_path: Path, header: bytes) -> None:
    path = written(tmp_path)
    path.write_bytes(header + path.read_bytes()[4096:])
    with pytest.raises(RowFileUnusable):
        read_row_file(path, MODEL, DIMENSION)


def test_a_single_changed_byte_is_told(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert not is_damaged(path)
    data = bytearray(path.read_bytes())
    data[-7] ^= 1
    path.write_bytes(data)
    assert is_damaged(path)


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fails(_: object) -> Vectors:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space"):
        write_row_file(tmp_path, MODEL, hashes_from(texts(3)), fails, dimension=DIMENSION)
    assert list(tmp_path.iterdir()) == []
