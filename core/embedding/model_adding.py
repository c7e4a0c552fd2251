"""ModelAdding: a model's folder or archive is copied into the data folder, whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import posixpath
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from core.embedding.model_fault import ModelUnusable
from core.embedding.model_folder import (
    BGE_M3,
    CONFIG,
    HEADS,
    POOLING,
    PROMPTS,
    TOKENIZERS,
    check,
    facts_of,
    is_m3,
    safe_name,
    write_manifest,
)
from core.embedding.model_source import ModelSource, opened
from core.embedding.weights import INDEX, SAFETENSORS, TORCH
from core.embedding_status import ModelFault, ModelStatus
from core.errors import PathMissing
from core.job import Job

STAGE = ".adding-"
_BLOCK = 1 << 22
_SPARE = 64 << 20  # bytes left free on the disk
_HALF = (".part", ".crdownload", ".incomplete", ".tmp", ".download")
_SMALL = frozenset(
    {CONFIG, PROMPTS, "modules.json", "sentence_bert_config.json", "special_tokens_map.json", "tokenizer_config.json"}
    | {"added_tokens.json", "merges.txt", "vocab.json", *TOKENIZERS, *HEADS}
)
_MOST_CONFIG = 10 << 20
_MOST_SMALL = 100 << 20  # of any file but weights; a large tokenizer takes 20 MB


def add(path: Path, models_dir: Path, job: Job) -> ModelStatus:
    """Copy the model at `path` into `models_dir/<name>`, replacing one of that name; what the copy then says of itself.

    Nothing is left of one that is unsound or cancelled. Reports bytes. Raises PathMissing, Cancelled, OSError (ENOSPC
    where the disk is too full), ModelUnusable."""
    if not path.exists():
        raise PathMissing(path=str(path))
    models_dir.mkdir(parents=True, exist_ok=True)
    for left in models_dir.glob(f"{STAGE}*"):  # of a program that was ended
        shutil.rmtree(left, ignore_errors=True)
    with opened(path, job) as source:
        root = _root(source)
        names = _wanted(source, root)
        name = safe_name(posixpath.basename(root) if root and not _is_snapshot(root) else _label(source, root))
        if is_m3(name, _config(source, posixpath.join(root, CONFIG)), any(_has(source, root, head) for head in HEADS)):
            name = BGE_M3
        stage = models_dir / f"{STAGE}{os.getpid()}" / name
        try:
            hashes = _copy(source, names, stage, job)
            return _taken(stage, models_dir / name, hashes)
        finally:
            shutil.rmtree(stage.parent, ignore_errors=True)


def _taken(stage: Path, folder: Path, hashes: dict[str, str]) -> ModelStatus:
    facts = facts_of(stage)
    if len(facts.files) == 1:
        whole = hashes[facts.files[0].name]
    else:
        whole = hashlib.sha256("".join(hashes[one.name] for one in facts.files).encode()).hexdigest()
    write_manifest(stage, facts, whole)
    status = check(stage)
    if folder.exists():
        before = folder.with_name(f"{STAGE}{os.getpid()}") / "before"
        folder.replace(before)
    stage.replace(folder)
    return replace(status, is_added=True)


def _root(source: ModelSource) -> str:
    """The folder inside that holds the model: the outermost with a configuration of one, the newest snapshot. Raises
    ModelUnusable."""
    found = sorted({posixpath.dirname(name) for name in source.sizes if posixpath.basename(name) == CONFIG})
    found = [one for one in found if posixpath.basename(one) not in (POOLING, "onnx", "openvino")]
    found = [one for one in found if _config(source, posixpath.join(one, CONFIG))]
    if not found:
        if "" in (folders := {posixpath.dirname(name) for name in source.sizes}) or not folders:
            return ""
        return min(folders, key=lambda one: (one.count("/"), one))
    least = min(one.count("/") for one in found)
    shallow = [one for one in found if one.count("/") == least]
    current = _current(source)
    return next((one for one in shallow if posixpath.basename(one) == current), shallow[0])


def _current(source: ModelSource) -> str:
    """The revision that a hub cache calls its main one."""
    name = next((one for one in source.sizes if one.endswith("refs/main")), None)
    return _text(source, name).strip() if name else ""


def _wanted(source: ModelSource, root: str) -> dict[str, str]:
    """Name in the source → name in the copy, of what the model needs; safetensors before torch's own weights. Raises
    ModelUnusable (WEIGHTS) for a download that has not ended, (NOT_A_MODEL) where what should be small is not."""
    here = {posixpath.relpath(name, root or "."): name for name in source.sizes if _is_in(name, root)}
    half = [name for name in here if name.endswith(_HALF) and "/" not in name]
    if half:
        raise ModelUnusable(ModelFault.WEIGHTS, ", ".join(sorted(half)))
    wanted = {name for name in here if name in _SMALL or name == f"{POOLING}/{CONFIG}"}
    huge = sorted(name for name in wanted if source.sizes[here[name]] > _MOST_SMALL)
    if huge:
        raise ModelUnusable(ModelFault.NOT_A_MODEL, ", ".join(huge))
    for weights in (SAFETENSORS, TORCH):
        if weights in here:
            wanted.add(weights)
            break
        if weights + INDEX in here:
            ending = posixpath.splitext(weights)[1]
            wanted.update(name for name in here if "/" not in name and name.endswith(ending))
            wanted.add(weights + INDEX)
            break
    return {here[name]: name for name in sorted(wanted)}


def _copy(source: ModelSource, names: dict[str, str], stage: Path, job: Job) -> dict[str, str]:
    """SHA-256 of each file, by its name in the copy. Raises Cancelled, OSError, ModelUnusable."""
    total = sum(source.sizes[name] for name in names)
    stage.mkdir(parents=True)
    if shutil.disk_usage(stage).free < total + _SPARE:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(stage.parent.parent))
    done, hashes = 0, {}
    job.report(0, total, source.label)
    for name, file in source.read(frozenset(names)):
        target = stage / names[name]
        target.parent.mkdir(exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with target.open("wb") as copy:
            for block in _blocks(file):
                job.checkpoint()
                copy.write(block)
                digest.update(block)
                size += len(block)
                if size > source.sizes[name]:  # it grows as it is read
                    break
                job.report(done + size, total, source.label)
            copy.flush()
            os.fsync(copy.fileno())
        if size != source.sizes[name]:
            raise ModelUnusable(ModelFault.WEIGHTS, names[name])
        done += size
        hashes[names[name]] = digest.hexdigest()
    return hashes


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _config(source: ModelSource, name: str) -> dict[str, Any]:
    """A configuration of a model; empty where it is none."""
    if source.sizes.get(name, _MOST_CONFIG) >= _MOST_CONFIG:
        return {}
    try:
        told = json.loads(_text(source, name))
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) and ("model_type" in told or "architectures" in told) else {}


def _text(source: ModelSource, name: str) -> str:
    if source.sizes[name] >= _MOST_CONFIG:
        return ""
    return "".join(file.read().decode("utf-8", "replace") for _, file in source.read(frozenset({name})))


def _label(source: ModelSource, root: str) -> str:
    """What a snapshot, or the source itself, is called."""
    return next((part for part in root.split("/") if part.startswith("models--")), source.label)


def _is_snapshot(root: str) -> bool:
    return "snapshots" in root.split("/")


def _is_in(name: str, root: str) -> bool:
    return not root or name.startswith(f"{root}/")


def _has(source: ModelSource, root: str, name: str) -> bool:
    return posixpath.join(root, name) in source.sizes
