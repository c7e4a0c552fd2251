"""Folders that look like models, made in milliseconds: the right files, and weights of the right length."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

HEADS = ("colbert_linear.pt", "sparse_linear.pt")


def made_model(folder: Path, *, dimension: int = 1024, heads: bool = True, **config: Any) -> Path:
    """BGE-M3 by its files; `config` overrides what config.json says."""
    folder.mkdir(parents=True)
    said = {
        "architectures": ["XLMRobertaModel"],
        "model_type": "xlm-roberta",
        "hidden_size": dimension,
        "max_position_embeddings": 8194,
    }
    (folder / "config.json").write_text(json.dumps({**said, **config}), encoding="utf-8")
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text("{}", encoding="utf-8")
    safetensors(folder / "model.safetensors", dimension)
    for head in HEADS if heads else ():
        torch_file(folder / head)
    return folder


def small_dense(folder: Path, **config: Any) -> Path:
    return made_model(
        folder,
        dimension=512,
        heads=False,
        **{"architectures": ["BertModel"], "model_type": "bert", "max_position_embeddings": 512, **config},
    )


def safetensors(path: Path, dimension: int, name: str = "embeddings.word_embeddings.weight") -> None:
    numbers = bytes(3 * dimension * 4)
    entry = {"dtype": "F32", "shape": [3, dimension], "data_offsets": [0, len(numbers)]}
    header = json.dumps({"__metadata__": {"format": "pt"}, name: entry}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + numbers)


def torch_file(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{path.stem}/data.pkl", b"\x80\x02}.")
        archive.writestr(f"{path.stem}/data/0", bytes(4096))


def cut(path: Path) -> None:
    """As a copy leaves it that was broken off."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) - 100])
