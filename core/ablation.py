"""Ablation: what each part of a search is worth: its ranking figures with that part off (contract §9, `--ablate`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from core.evaluation import Judged, Qrels, judge, summary
from core.job import Job
from core.model import Answer
from core.switches import ALL_LEGS, ALL_ON, Switches

_STEPS = ("taiwan", "synonyms", "part", "identifier")
_MEASURES = ("ndcg@10", "recall@10", "mrr@10")

# Name of a row → what is on. `no rerank` is the fused order itself, whose Recall@10 is that before reranking.
ROWS: dict[str, Switches] = {
    **{f"no {leg}": replace(ALL_ON, legs=ALL_LEGS - {leg}) for leg in ("l0", "bm25", "vector")},
    **{f"only {leg}": replace(ALL_ON, legs=frozenset({leg})) for leg in ("bm25", "vector")},
    **{f"no {step}": replace(ALL_ON, rewriting=ALL_ON.rewriting - {step}) for step in _STEPS},
    "no whole article": replace(ALL_ON, whole_article=False),
    "no verbatim": replace(ALL_ON, verbatim=False),
    "no exact first": replace(ALL_ON, exact_first=False),
    "no confirmed": replace(ALL_ON, confirmed=False),
    "no rerank": replace(ALL_ON, exact_first=False, verbatim=False, confirmed=False, reranker=False),
}
ALL = "all"
# Switching these off changes nothing where they took no part.
_PART = {"no l0": "l0", "no exact first": "l0", **{f"no {step}": step for step in _STEPS}}


def ablated(
    judged: Sequence[Judged], qrels: Qrels, lookup: Callable[[str, Switches], Answer], *, job: Job | None = None
) -> dict[str, list[Judged]]:
    """Row by row the same queries with that part off; `judged`: with all of them on, itself the first row. Only the
    queries that the part had to do with are asked again."""
    rows: dict[str, list[Judged]] = {ALL: list(judged)}
    rows |= {name: [] for name in ROWS}
    for done, (name, one) in enumerate(product(ROWS, judged)):
        if job is not None:
            job.checkpoint()
            job.report(done, len(ROWS) * len(judged), name)
        rows[name].append(_again(one, name, qrels, lookup))
    return rows


def _again(one: Judged, name: str, qrels: Qrels, lookup: Callable[[str, Switches], Answer]) -> Judged:
    if name in _PART and _PART[name] not in one.parts:
        return one
    answer = lookup(one.query.text, ROWS[name])
    return judge(one.query, qrels.get(one.query.id, {}), answer, left_out=one.left_out)


def table(rows: Mapping[str, Sequence[Judged]]) -> list[dict[str, Any]]:
    """The contract's JSON: name, nDCG@10, Recall@10, MRR@10, and the difference of nDCG@10 to that with all on (None
    without answerable queries)."""
    return list(_table((name, summary(judged, "")) for name, judged in rows.items()))


def _table(documents: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    whole: float | None = None
    for name, document in documents:
        ndcg = document["ndcg@10"]
        if name == ALL:
            whole = ndcg
        difference = None if ndcg is None or whole is None else round(ndcg - whole, 4)
        yield {"name": name, **{measure: document[measure] for measure in _MEASURES}, "difference": difference}
