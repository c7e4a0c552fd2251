"""Measures retrieval on a folder of real knowledge bases and benchmarks; run by hand, never by the test run.

    python -m tests.corpora FOLDER [--base m365 …] [--only tidb-code …] [--keep DIR] [--queries FILE.jsonl]

FOLDER holds `kb/*.tar.gz`, `bench/<set>/` (BEIR layout; sets with a `corpus.jsonl.gz` are bases of their own) and
`starter-zh/`. Each base goes into a data folder of its own, its top folder the source; `--keep` keeps and reuses them.
`--queries` writes one line a query: what it asked, its badge, whether that was right, where the right article stood.
"""

from __future__ import annotations

import argparse
import json
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from core.engine import Engine
from core.evaluation import CANDIDATES, Judged, evaluate, load_qrels, load_queries, summary
from core.job import Job
from core.model import Actor, RelevanceLevel, Trigger
from core.report import Progress

ARCHIVES = {
    "m365": "m365-insights-zh",
    "winserver": "windows-server-zh",
    "tidb": "tidb-zh",
    "office": "office-support-en",
}
# nDCG@10 of BM25Okapi over jieba tokens of title + text, untuned.
BASELINES = {
    "cmrc2018": 0.980,
    "drcd": 0.926,
    "xquad-zh-zh": 0.963,
    "xquad-en-en": 0.967,
    "xquad-zh-en": 0.141,
    "xquad-en-zh": 0.132,
    "tidb-faq": 0.756,
    "m365-title-body": 0.627,
    "winserver-title-body": 0.562,
    "office-title-body": 0.874,
    "m365-title": 0.946,
    "winserver-title": 0.812,
    "tidb-title": 0.834,
    "office-title": 0.971,
    "m365-former-title": 0.793,
    "winserver-former-title": 0.636,
    "tidb-former-title": 0.617,
    "m365-en-slug": 0.360,
    "m365-zhtw-title": 0.433,
    "m365-code": 0.955,
    "winserver-code": 0.900,
    "tidb-code": 0.837,
    "office-code": 0.961,
    "office-errmsg": 0.972,
    "starter-zh": 0.829,
}
FLOORS = {"m365-zhtw-title": 0.80, "m365-code": 0.97, "winserver-code": 0.97, "tidb-code": 0.97, "office-code": 0.97}
ACROSS_LANGUAGES = {"xquad-zh-en", "xquad-en-zh"}
# No part of the pooled badges: the question is in another language than the articles.
NOT_PLAIN = ACROSS_LANGUAGES | {"m365-en-slug"}


@dataclass(frozen=True, slots=True)
class Base:
    """Something to import and the benches that are asked of it."""

    name: str
    source: Path
    benches: tuple[Path, ...]


def out(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    sys.stderr.write(f"\r\033[K{text}")
    sys.stderr.flush()


def unpacked(archive: Path, into: Path) -> Path:
    """The archive's top folder, unpacked once."""
    top = into / archive.name.removesuffix(".tar.gz")
    if not top.exists():
        with tarfile.open(archive) as tar:
            tar.extractall(into, filter="data")
    return top


def bases(corpora: Path, work: Path, wanted: list[str], only: list[str]) -> Iterator[Base]:
    """The bases that were asked for; archives are unpacked as they come up."""
    benches = [path for path in sorted((corpora / "bench").iterdir()) if not only or path.name in only]
    if (not wanted or "starter" in wanted) and (not only or "starter-zh" in only):
        yield Base("starter", corpora / "starter-zh/articles", (corpora / "starter-zh",))
    for name, archive in ARCHIVES.items():
        asked = [
            path for path in benches if path.name.startswith(name + "-") and not (path / "corpus.jsonl.gz").exists()
        ]
        if asked and (not wanted or name in wanted):
            yield Base(name, unpacked(corpora / "kb" / f"{archive}.tar.gz", work / "kb"), tuple(asked))
    if not wanted or "bench" in wanted:
        for path in benches:
            if (path / "corpus.jsonl.gz").exists():
                yield Base(path.name, path / "corpus.jsonl.gz", (path,))


def open_with(base: Base, data: Path) -> Engine:
    """The base imported into its data folder, without the starter articles."""
    data.mkdir(parents=True, exist_ok=True)
    engine = Engine.open(data)
    if engine.has_starter():
        engine.remove_starter()

    def progress(now: Progress) -> None:
        note(f"{base.name}: {now.done}/{now.total} {now.label[-60:]}")

    started, cpu = time.monotonic(), time.process_time()
    report = engine.ingest([base.source], job=Job(progress))
    note("")
    status = engine.status()
    out(
        f"\n{base.name}: {len(report.items)} items, {report.counts}, {status.articles} articles, "
        f"{status.chunks} chunks, {time.monotonic() - started:.1f} s, {time.process_time() - cpu:.1f} s CPU, "
        f"{status.embedder}"
    )
    for item in report.items:
        if item.outcome == "failed":
            out(f"  failed: {item.path}: {item.reason}")
    return engine


HEAD = (
    f"{'bench':24}{'n':>6}{'nDCG@10':>9}{'base':>7}{'diff':>8}{'R@10':>7}{'MRR':>7}{'R@50':>7}{'ms':>7}"
    "  levels: right/count"
)


def row(name: str, document: dict[str, Any], milliseconds: float) -> str:
    """One line of the table."""

    def figure(value: float | None, width: int) -> str:
        return f"{value:>{width}.3f}" if value is not None else f"{'-':>{width}}"

    ndcg, base = document["ndcg@10"], BASELINES.get(name)
    diff = ndcg - base if ndcg is not None and base is not None else None
    levels = "  ".join(
        f"{short} {document['levels'][level]['right']}/{document['levels'][level]['count']}"
        for short, level in (("P", "PRECISE"), ("H", "HIGHLY_RELEVANT"), ("R", "REFERENCE"))
    )
    line = f"{name:24}{document['queries']:>6}{figure(ndcg, 9)}{figure(base, 7)}"
    line += f"{diff:>+8.3f}" if diff is not None else f"{'-':>8}"
    line += "".join(figure(document[measure], 7) for measure in ("recall@10", "mrr@10", "recall@50"))
    return (
        line
        + f"{milliseconds:>7.1f}  {levels}  none {document['answerable']['not_found']}/{document['answerable']['n']}"
    )


def write_queries(path: Path, bench: str, judged: list[Judged]) -> None:
    with path.open("a", encoding="utf-8") as file:
        for one in judged:
            line = {
                "bench": bench,
                "_id": one.query.id,
                "text": one.query.text,
                "answerable": one.answerable,
                "outcome": one.outcome,
                "level": one.level,
                "right": one.right,
                "rank": one.rank,
                "ndcg": round(one.ndcg10, 3),
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def badged(one: Judged) -> bool:
    return one.level in (RelevanceLevel.PRECISE, RelevanceLevel.HIGHLY_RELEVANT)


def share(judged: list[Judged], holds: Callable[[Judged], bool]) -> str:
    count = sum(map(holds, judged))
    return f"{count}/{len(judged)} = {count / len(judged):.1%}" if judged else "none asked"


def starter_checks(judged: list[Judged]) -> None:
    """What the starter set must show."""
    answerable = [one for one in judged if one.answerable]
    first = sum(one.rank == 1 for one in answerable) / len(answerable)
    three = sum(one.rank is not None and one.rank <= 3 for one in answerable) / len(answerable)
    promised = [one for one in judged if one.query.fields.get("expect") == "PRECISE"]
    missed = [one.query.text for one in promised if one.level is not RelevanceLevel.PRECISE or not one.right]
    false = [one.query.text for one in judged if not one.answerable and badged(one)]
    misplaced = [f"{one.query.text} (rank {one.rank})" for one in answerable if one.rank != 1]
    out(f"  right first {first:.1%} (>= 80 %)   among three {three:.1%} (>= 88 %)")
    out(f"  expected PRECISE and not: {missed or 'none'}   unanswerable with a badge: {false or 'none'}")
    out(f"  not first: {misplaced or 'none'}")


def verdict(figures: dict[str, float], judged: list[Judged]) -> None:
    """The issue's limits over all benches that were run, and the badges pooled."""
    diffs = {
        name: round(value - BASELINES[name], 4)
        for name, value in figures.items()
        if name in BASELINES and name not in ACROSS_LANGUAGES
    }
    low = {name: diff for name, diff in diffs.items() if diff < -0.005}
    under = {
        name: (figures[name], floor) for name, floor in FLOORS.items() if name in figures and figures[name] < floor
    }
    out(f"\nbelow the baseline by more than 0.005: {low or 'none'}")
    out(f">= 0.02 above it: {sum(diff >= 0.02 for diff in diffs.values())} of {len(diffs)}")
    out(f"below a floor of their own: {under or 'none'}")
    document = summary(judged, "")
    out("pooled over same-language benches:")
    for level, floor in (("PRECISE", ">= 98 %"), ("HIGHLY_RELEVANT", ">= 95 %"), ("REFERENCE", "")):
        out(f"  {level}: {json.dumps(document['levels'][level])} {floor}")
    answerable = [one for one in judged if one.answerable]
    codes = [one for one in judged if one.query.fields.get("articles_with_code") == 1]
    out(f"  answerable with PRECISE or HIGHLY_RELEVANT: {share(answerable, badged)} (>= 55 %)")
    out(f"  answerable told nothing was found: {share(answerable, lambda one: one.level is None)} (<= 5 %)")
    out(f"  code of one article is PRECISE: {share(codes, lambda one: one.level is RelevanceLevel.PRECISE)} (>= 80 %)")
    unanswerable = [one for one in judged if not one.answerable]
    out(f"  unanswerable with a badge: {share(unanswerable, badged)} (<= 1 %)")
    out(f"  unanswerable told so: {share(unanswerable, lambda one: one.level is None)} (>= 90 %)")


def measure(base: Base, data: Path, queries_file: Path | None) -> tuple[dict[str, float], list[Judged]]:
    """Import one base, run its benches, print them. Returns nDCG@10 by bench and every judged query."""
    engine = open_with(base, data)
    figures: dict[str, float] = {}
    everything: list[Judged] = []
    try:
        search = partial(engine.lookup, top_k=CANDIDATES, actor=Actor.PERSON, trigger=Trigger.CLI, throwaway=True)
        out(HEAD)
        for bench in base.benches:
            queries, qrels = load_queries(bench / "queries.dev.jsonl"), load_qrels(bench / "qrels.dev.tsv")
            cpu = time.process_time()
            judged = evaluate(
                queries, qrels, search, job=Job(lambda now, bench=bench: note(f"{bench.name}: {now.done}/{now.total}"))
            )
            milliseconds = (time.process_time() - cpu) * 1000 / max(1, len(queries))
            note("")
            document = summary(judged, engine.status().embedder)
            out(row(bench.name, document, milliseconds))
            if document["unanswerable"]["n"]:
                out(f"  unanswerable: {document['unanswerable']}")
            if bench.name == "starter-zh":
                starter_checks(judged)
            if queries_file is not None:
                write_queries(queries_file, bench.name, judged)
            if document["ndcg@10"] is not None:
                figures[bench.name] = document["ndcg@10"]
            if bench.name not in NOT_PLAIN:
                everything += judged
    finally:
        engine.close()
    return figures, everything


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.corpora", description="Measure on real knowledge bases.")
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--base", action="append", default=[], choices=["starter", *ARCHIVES, "bench"])
    parser.add_argument("--only", action="append", default=[], metavar="BENCH")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the data folders here and use them again")
    parser.add_argument("--queries", type=Path, metavar="FILE", help="write one JSON line a query")
    options = parser.parse_args()
    if options.queries is not None:
        options.queries.write_text("", encoding="utf-8")
    figures: dict[str, float] = {}
    judged: list[Judged] = []
    with tempfile.TemporaryDirectory(prefix="deskside-corpora-") as scratch:
        work = options.keep or Path(scratch)
        (work / "kb").mkdir(parents=True, exist_ok=True)
        for base in bases(options.corpora, work, options.base, options.only):
            more_figures, more_judged = measure(base, work / "data" / base.name, options.queries)
            figures |= more_figures
            judged += more_judged
    if judged:
        verdict(figures, judged)


if __name__ == "__main__":
    main()
