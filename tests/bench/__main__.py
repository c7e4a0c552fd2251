"""`python -m tests.bench [--chunks N] [--json] [--only PART …]`: the figures that README quotes.

Ratios come from one run in which all contenders take turns, measured as CPU time of the process, one thread each.
Needs `packaging/requirements-bench.txt`; a peer that is not installed is left out.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import sys
import tempfile
from pathlib import Path

# Before numpy loads its libraries: one thread, and the processor's own kernels.
for _name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(_name, None)
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

from tests.bench.timing import Row  # noqa: E402

PARTS = ("tokens", "window", "changes", "lexical", "fused", "whole")


def main() -> int:
    """Run the parts and print a table, or JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deskside-bench-") as folder:
        rows = _run(options.chunks, frozenset(options.only), Path(folder))
    if options.json:
        machine = {"python": platform.python_version(), "system": platform.platform(), "processor": _processor()}
        rows_out = [dataclasses.asdict(row) for row in rows]
        print(json.dumps({"chunks": options.chunks, **machine, "rows": rows_out}, ensure_ascii=False, indent=1))
    else:
        print(f"{options.chunks:,} chunks, CPU time, Python {platform.python_version()}, {_processor()}\n")
        print(_table(rows))
    return 0 if all(row.met is not False for row in rows) else 1


def _run(chunks: int, parts: frozenset[str], folder: Path) -> list[Row]:
    from tests.bench.corpus import make_corpus

    _say("corpus")
    corpus = make_corpus(chunks)
    rows: list[Row] = []
    if "tokens" in parts:
        from tests.bench.tokens import tokens

        _say("tokenising")
        rows += tokens(corpus)
    if "window" in parts:
        from tests.bench.window import window

        _say("window")
        rows += window(folder)
    if parts & {"changes", "lexical", "fused"}:
        rows += _indexes(corpus, parts, folder)
    if "whole" in parts:
        from tests.bench.whole import whole

        _say("whole lookup")
        rows += whole(corpus, folder)
    return rows


def _indexes(corpus: object, parts: frozenset[str], folder: Path) -> list[Row]:
    from tests.bench import changes
    from tests.bench.corpus import Corpus, make_corpus
    from tests.bench.timing import cpu_seconds

    assert isinstance(corpus, Corpus)
    _say("index")
    index, row = changes.build(corpus)
    rows = [row]
    if "changes" in parts:
        rows += changes.changes(corpus, index, make_corpus(230), folder)
    if parts & {"lexical", "fused"}:
        from rank_bm25 import BM25Okapi

        from tests.bench.fused import fused
        from tests.bench.lexical import lexical

        _say("rank_bm25")
        seconds, oracle = cpu_seconds(lambda: BM25Okapi(corpus.chunks))
        rows.append(Row("Changes", "build of rank_bm25", seconds, "s", seconds / row.value))
        if "lexical" in parts:
            _say("BM25")
            rows += lexical(corpus, index, oracle, folder)
        if "fused" in parts:
            _say("both legs")
            rows += fused(corpus, index, oracle)
    return rows


def _table(rows: list[Row]) -> str:
    lines = ["| what | | value | ours is faster by | goal |", "| --- | --- | ---: | ---: | --- |"]
    group = ""
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:,.2f} x" if row.ratio < 10 else f"{row.ratio:,.0f} x"
        goal = row.goal and f"{row.goal} {'met' if row.met else 'MISSED'}"
        value = f"{row.value:,.2f}" if row.value < 100 else f"{row.value:,.0f}"
        lines.append(
            f"| {row.group if row.group != group else ''} | {row.name} | {value} {row.unit} | {ratio} | {goal} |"
        )
        group = row.group
    return "\n".join(lines)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _say(what: str) -> None:
    print(f"… {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
