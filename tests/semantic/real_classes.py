"""Makes tiny models and loads them by FlagEmbedding's own classes, without a network; prints what they gave as JSON.

A process of its own: importing torch takes long, warns, and stays in memory.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from core.embedding.flag_worker import Runner, forbid_network
from tests.semantic.tiny_model import tiny_dense, tiny_m3, tiny_reranker

TEXTS = ["VPN 连不上 691", "打印机打不开", "my password has expired, restart it"] * 3
QUERY = "VPN 连不上"


def main(folder: Path) -> dict[str, Any]:
    sys.addaudithook(forbid_network)
    m3, dense, judge = (
        make(folder / name) for make, name in ((tiny_m3, "bge-m3"), (tiny_dense, "small-zh"), (tiny_reranker, "judge"))
    )
    tiny_m3(folder / "narrow", dimension=64)
    (folder / "narrow").rename(folder / "narrow-m3")
    from FlagEmbedding import BGEM3FlagModel, FlagModel, FlagReranker

    own = {"use_fp16": False, "devices": "cpu"}
    whole = BGEM3FlagModel(str(m3), **own).encode(
        TEXTS, batch_size=len(TEXTS) + 1, return_dense=True, return_sparse=True, return_colbert_vecs=True
    )
    plain = FlagModel(str(dense), query_instruction_for_retrieval="为这个句子生成表示以用于检索相关文章：", **own)
    judged = FlagReranker(str(judge), **own).compute_score([(QUERY, text) for text in TEXTS])
    return {
        "dense": whole["dense_vecs"].tolist(),
        "sparse": [len(weights) for weights in whole["lexical_weights"]],
        "colbert": [list(rows.shape) for rows in whole["colbert_vecs"]],
        "plain": plain.encode_corpus(TEXTS).tolist(),
        "plain_query": plain.encode_queries([QUERY]).tolist(),
        "scores": judged,
        "runs": {name: runs_of(folder / name) for name in ("bge-m3", "small-zh", "judge")},
    }


def runs_of(folder: Path) -> int:
    """How often the worker's model runs for one batch."""
    runner = Runner(folder)
    model = runner._flag.model._model
    ran, inner = [], model.forward

    def forward(*values: Any, **named: Any) -> Any:
        ran.append(1)
        return inner(*values, **named)

    model.forward = forward
    if folder.name == "judge":
        runner.scores(QUERY, TEXTS)
    else:
        runner.passages(TEXTS)
    return len(ran)


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(main(Path(sys.argv[1]))) + "\n")
