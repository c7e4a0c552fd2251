"""Retrieval figures and the honesty of the badges, measured on queries with known right articles (contract §9, §11.3).

Measures are trec_eval's: gains are the qrels scores, discounted by log2(rank + 1); a query without any hit counts as 0.
They are means over the answerable queries. A level's share is taken over all queries that bear it, the unanswerable
and left-out ones included, so that a badge on a question without an answer counts against it.
"""

from __future__ import annotations

import gzip
import json
import math
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import InvalidInput, PathMissing
from core.job import Job
from core.model import Answer, Outcome, RelevanceLevel
from core.relevance import FIRST

CANDIDATES = 50
BADGES = (RelevanceLevel.PRECISE, RelevanceLevel.HIGHLY_RELEVANT, RelevanceLevel.REFERENCE)
_Z_95 = 1.959963984540054
_QRELS_COLUMNS = 3

Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Query:
    """One line of a BEIR query file; `fields` holds what else stands in the line (`session`, `expect` …)."""

    id: str
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Judged:
    """One query's answer held against its qrels. `left_out`: its right articles are, so that it has no answer now.
    `rank` of the first right article counts from 1; None = not there. `among_first`: one is among the first three
    results, whatever the level. `parts`: what took part in the search beside
    its words: `l0`, steps of rewriting."""

    query: Query
    answerable: bool
    left_out: bool
    outcome: Outcome
    level: RelevanceLevel | None
    right: bool
    among_first: bool
    rank: int | None
    ndcg10: float
    recall10: float
    reciprocal10: float
    recall50: float
    parts: frozenset[str]


# -------------------------------------------------------------------- files


def load_queries(path: Path, *, unique: bool = True) -> tuple[Query, ...]:
    """BEIR queries, one JSON object a line (`_id`, `text`), also gzipped; an `_id` twice is an error when `unique`.

    Raises PathMissing, and InvalidInput naming the first line that cannot be used.
    """
    queries: list[Query] = []
    seen: set[str] = set()
    for number, line in _lines(path):
        try:
            fields = json.loads(line)
        except ValueError as error:
            raise InvalidInput(path=str(path), line=number, detail=f"not JSON: {error}") from error
        if not isinstance(fields, dict):
            raise InvalidInput(path=str(path), line=number, detail="not a JSON object")
        identity, text = fields.pop("_id", None), fields.pop("text", None)
        if not isinstance(identity, str | int) or isinstance(identity, bool) or not isinstance(text, str):
            raise InvalidInput(path=str(path), line=number, detail='"_id" or "text" is missing or no text')
        if unique and str(identity) in seen:
            raise InvalidInput(path=str(path), line=number, detail=f'the "_id" {identity} was used before')
        seen.add(str(identity))
        queries.append(Query(str(identity), text, fields, number))
    return tuple(queries)


def load_qrels(path: Path) -> dict[str, dict[str, int]]:
    """BEIR qrels, tab-separated `query-id corpus-id score` with or without a header: query → article → score.

    Raises PathMissing, and InvalidInput naming the first line that cannot be used.
    """
    qrels: dict[str, dict[str, int]] = {}
    for number, line in _lines(path):
        parts = line.split("\t")
        if number == 1 and parts[-1].strip().lower() == "score":
            continue
        if len(parts) != _QRELS_COLUMNS:
            raise InvalidInput(path=str(path), line=number, detail="three columns separated by tabs are expected")
        query_id, article, score = (part.strip() for part in parts)
        try:
            qrels.setdefault(query_id, {})[unicodedata.normalize("NFC", article)] = int(score)
        except ValueError as error:
            raise InvalidInput(path=str(path), line=number, detail="the score is no whole number") from error
    return qrels


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Line number from 1 and text of every line that is not blank."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, data in enumerate(file, start=1):
                try:
                    line = data.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                except UnicodeDecodeError as error:
                    raise InvalidInput(path=str(path), line=number, detail="not UTF-8") from error
                if line.strip():
                    yield number, line
    except (FileNotFoundError, IsADirectoryError) as error:
        raise PathMissing(path=str(path)) from error
    except (OSError, EOFError) as error:
        raise InvalidInput(path=str(path), line=1, detail=str(error)) from error


# ----------------------------------------------------------------- one query


def qrels_id(doc_key: str, scores: Mapping[str, int]) -> str:
    """The name under which the qrels know an article: its doc_key, else what stands after a `#` in it."""
    name = doc_key
    while name not in scores:
        _, mark, name = name.partition("#")
        if not mark:
            return doc_key
    return name


def ndcg(gains: Sequence[int], all_gains: Sequence[int], depth: int = 10) -> float:
    """nDCG of a ranking's gains, best first, against everything judged; 0 when nothing judged is positive."""
    ideal = _dcg(sorted((gain for gain in all_gains if gain > 0), reverse=True)[:depth])
    return _dcg(gains[:depth]) / ideal if ideal else 0.0


def _dcg(gains: Sequence[int]) -> float:
    return math.fsum(max(gain, 0) / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def judge(query: Query, scores: Mapping[str, int], answer: Answer, *, left_out: bool = False) -> Judged:
    """Hold one answer against the qrels of its query (empty or without a positive score: unanswerable).

    Right articles are those with the query's highest score. A PRECISE answer is right when its primary, or a copy
    of it, is one of them; any other when one of them is among its first three results.
    """
    best = max(scores.values(), default=0)
    right = {article for article, score in scores.items() if score == best > 0}
    relevant = {article for article, score in scores.items() if score > 0}
    ranked = list(dict.fromkeys(qrels_id(key, scores) for key in answer.ranking))
    gains = [scores.get(article, 0) for article in ranked]
    first_relevant = next((rank for rank, gain in enumerate(gains, start=1) if gain > 0), None)
    result = answer.result
    level = result.evidence_level if result.relevance_level is RelevanceLevel.DEDUPED else result.relevance_level
    results = [(hit.doc_key, *hit.copies) for hit in answer.hits] or [(key,) for key in ranked]
    first = [any(qrels_id(key, scores) in right for key in keys) for keys in results[:FIRST]]
    among_first = any(first)
    return Judged(
        query=query,
        answerable=bool(relevant),
        left_out=left_out,
        outcome=result.outcome,
        level=level,
        right=any(first[:1]) if level is RelevanceLevel.PRECISE else among_first,
        among_first=among_first,
        rank=next((rank for rank, article in enumerate(ranked, start=1) if article in right), None),
        ndcg10=ndcg(gains, list(scores.values())),
        recall10=_recall(gains[:10], relevant),
        reciprocal10=1 / first_relevant if first_relevant and first_relevant <= 10 else 0.0,
        recall50=_recall(gains[:CANDIDATES], relevant),
        parts=_parts(answer.details),
    )


def _parts(details: Mapping[str, Any]) -> frozenset[str]:
    rewritten = {rewrite["kind"] for rewrite in details.get("rewrites", ())}
    return frozenset(rewritten | {"l0"} if details.get("l0_terms") else rewritten)


def _recall(gains: Sequence[int], relevant: set[str]) -> float:
    return sum(gain > 0 for gain in gains) / len(relevant) if relevant else 0.0


# ---------------------------------------------------------------- all of them


def evaluate(
    queries: Sequence[Query],
    qrels: Qrels,
    search: Callable[[str], Answer],
    *,
    left_out: Collection[str] = (),
    job: Job | None = None,
) -> list[Judged]:
    """Ask every query once, in order. `search` must write nothing and rank at least CANDIDATES articles. `left_out`:
    ids of the queries whose right articles were left out."""
    judged = []
    for number, query in enumerate(queries):
        if job is not None:
            job.checkpoint()
            job.report(number, len(queries), query.text)
        answer = search(query.text)
        judged.append(judge(query, qrels.get(query.id, {}), answer, left_out=query.id in left_out))
    return judged


def summary(judged: Sequence[Judged], embedder: str, *, leave_out: bool = False) -> dict[str, Any]:
    """The contract's JSON of `evaluate`; with `leave_out` the queries whose articles were left out as well. A figure
    over no query at all is None."""
    answerable = [one for one in judged if one.answerable]
    unanswerable = [one for one in judged if not one.answerable and not one.left_out]
    left_out = [one for one in judged if one.left_out]
    return {
        "queries": len(judged),
        "ndcg@10": _mean([one.ndcg10 for one in answerable]),
        "recall@10": _mean([one.recall10 for one in answerable]),
        "mrr@10": _mean([one.reciprocal10 for one in answerable]),
        "recall@50": _mean([one.recall50 for one in answerable]),
        "levels": {str(level): _level([one for one in judged if one.level is level]) for level in BADGES},
        "unanswerable": _without_answer(unanswerable),
        **({"left_out": _without_answer(left_out)} if leave_out else {}),
        "answerable": {"n": len(answerable), "not_found": sum(nothing_found(one) for one in answerable)},
        "embedder": embedder,
    }


def _without_answer(judged: Sequence[Judged]) -> dict[str, int]:
    return {
        "n": len(judged),
        "not_found": sum(nothing_found(one) for one in judged),
        "precise": sum(one.level is RelevanceLevel.PRECISE for one in judged),
        "highly": sum(one.level is RelevanceLevel.HIGHLY_RELEVANT for one in judged),
    }


def wilson_low(right: int, count: int) -> float:
    """Lower end of the 95 % Wilson interval of a share; `count` at least 1."""
    share = right / count
    square = _Z_95 * _Z_95
    middle = share + square / (2 * count)
    spread = _Z_95 * math.sqrt((share * (1 - share) + square / (4 * count)) / count)
    return max(0.0, (middle - spread) / (1 + square / count))


def _level(judged: Sequence[Judged]) -> dict[str, Any]:
    count, right = len(judged), sum(one.right for one in judged)
    return {
        "count": count,
        "right": right,
        "share": round(right / count, 4) if count else None,
        "wilson_low": round(wilson_low(right, count), 4) if count else None,
    }


def nothing_found(one: Judged) -> bool:
    """The user was told that there is nothing; a gated text says so as well."""
    return one.outcome in (Outcome.NOT_FOUND, Outcome.GATED)


def _mean(values: Sequence[float]) -> float | None:
    return round(math.fsum(values) / len(values), 4) if values else None
