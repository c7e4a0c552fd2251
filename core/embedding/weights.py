"""Weights: whether a model's weight files are whole, and the shapes they name. Reads headers, never the numbers."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

from core.embedding.model_fault import ModelUnusable
from core.embedding_status import ModelFault

SAFETENSORS, TORCH = "model.safetensors", "pytorch_model.bin"
INDEX = ".index.json"

_MOST_HEADER = 100_000_000  # bytes; the format allows no more
_WORDS = "word_embeddings.weight"
_PICKLED = b"\x80"  # how a file begins that torch wrote before it wrote zip archives


def weight_files(folder: Path) -> list[Path]:
    """The files that hold the weights, all of them there. Raises ModelUnusable (FILES: the names that are missing;
    WEIGHTS: a list of shards that cannot be read), OSError."""
    for name in (SAFETENSORS, TORCH):
        if (folder / name).is_file():
            return [folder / name]
        index = folder / (name + INDEX)
        if index.is_file():
            shards = [folder / shard for shard in _shards(index)]
            missing = [shard.name for shard in shards if not shard.is_file()]
            if missing:
                raise ModelUnusable(ModelFault.FILES, ", ".join(missing))
            return [index, *shards]
    raise ModelUnusable(ModelFault.FILES, SAFETENSORS)


def check_whole(path: Path) -> None:
    """Raises ModelUnusable (WEIGHTS) where a weight file is cut off or no such file, OSError."""
    if path.name.endswith(INDEX):
        return
    if path.suffix == ".safetensors":
        header, start = _header(path)
        ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
        if path.stat().st_size != start + max(ends, default=0):
            raise ModelUnusable(ModelFault.WEIGHTS, path.name)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            if not any(name.endswith("/data.pkl") for name in archive.namelist()):
                raise ModelUnusable(ModelFault.WEIGHTS, path.name)
    except zipfile.BadZipFile as error:
        with path.open("rb") as file:
            if file.read(1) != _PICKLED:
                raise ModelUnusable(ModelFault.WEIGHTS, path.name) from error


def width(paths: list[Path]) -> int | None:
    """Numbers a vector, by the table of word vectors; None where no file says. Raises ModelUnusable, OSError."""
    for path in paths:
        if path.suffix != ".safetensors":
            continue
        for name, entry in _header(path)[0].items():
            if name.endswith(_WORDS):
                return int(entry["shape"][1])
    return None


def _header(path: Path) -> tuple[dict[str, dict[str, list[int]]], int]:
    """What a safetensors file says of itself, and where its numbers begin."""
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            text = file.read(length) if length <= _MOST_HEADER else b""
            header = json.loads(text)
            _ = [entry["data_offsets"][1] + sum(entry["shape"]) for name, entry in header.items() if name[:2] != "__"]
    except (struct.error, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise ModelUnusable(ModelFault.WEIGHTS, path.name) from error
    return header, 8 + length


def _shards(index: Path) -> list[str]:
    try:
        names = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
        if not names or not all(isinstance(name, str) and Path(name).name == name for name in names):
            raise ValueError(names)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelUnusable(ModelFault.WEIGHTS, index.name) from error
    return names
