"""`python -m tests.bench.vectors [--count N] [--dimension D] [--json]`: what a model's vectors cost a query.

All contenders take turns in one run, measured as CPU time of the process, one thread each: one streaming read of the
float32 matrix, which is the yardstick, FAISS, and ours, exact and with codes of a byte, both through the class that the
index asks (core.index.attached), rows mapped from a file. Made-up vectors in bunches, as a model's are; each query
stands near one of them.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

_FOREIGN = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_QUERIES = 60
_TOP = 10
_EXACT, _CODES, _RECALL = 1.20, 0.60, 0.99
_READ = "one read of the vectors"


def main() -> int:
    """Run it in a child with numpy's own kernels, and print a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.vectors", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--dimension", type=int, default=1024)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.child:
        clean = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
        command = [sys.executable, "-m", "tests.bench.vectors", "--child", *sys.argv[1:]]
        return subprocess.run(command, env={**clean, **_ONE_THREAD}, check=False).returncode
    return _run(options)


def _run(options: argparse.Namespace) -> int:
    from tests.bench.__main__ import _processor, _table

    with tempfile.TemporaryDirectory(prefix="deskside-bench-") as folder:
        rows = vectors(options.count, options.dimension, Path(folder))
    facts = {
        "count": options.count,
        "dimension": options.dimension,
        "python": platform.python_version(),
        "processor": _processor(),
    }
    if options.json:
        print(json.dumps({**facts, "rows": [dataclasses.asdict(row) for row in rows]}, ensure_ascii=False, indent=1))
    else:
        print(f"{options.count:,} x {options.dimension}, CPU time, one thread, {facts['processor']}\n")
        print(_table(rows).replace("ours is faster by", "x one read"))
    return 0 if all(row.met is not False for row in rows) else 1


def vectors(count: int, dimension: int, folder: Path) -> list[Any]:
    """Rows of the table; `ratio` is of one read of the matrix."""
    import faiss
    import numpy as np

    from core.index.attached import AttachedRows
    from core.index.model_rows import ModelRows
    from core.index.row_file import hashes_from, read_row_file, write_row_file
    from tests.bench.timing import Row, cpu_seconds, interleaved

    faiss.omp_set_num_threads(1)
    matrix = bunches(count, dimension)
    queries = near(matrix, _QUERIES)
    hashes = hashes_from([hashlib.sha256(str(number).encode()).hexdigest() for number in range(count)])

    def opened(name: str, codes_from: int) -> tuple[AttachedRows, float, Path]:
        seconds, path = cpu_seconds(
            lambda: write_row_file(
                folder / name, name, hashes, lambda rows: matrix[rows], dimension=dimension, codes_from=codes_from
            )
        )
        held = ModelRows(dimension, read_row_file(path, name, dimension))
        texts = [one.tobytes().hex() for one in hashes]
        everything = np.ones(count, dtype=np.bool_)
        return AttachedRows(held.rows_of(texts), everything, held.now()), seconds, path

    exact, _, _ = opened("exact", 2**62)
    coded, written, path = opened("coded", 0)
    opening, _ = cpu_seconds(lambda: ModelRows(dimension, read_row_file(path, "coded", dimension)))
    flat_l2, flat_ip = faiss.IndexFlatL2(dimension), faiss.IndexFlatIP(dimension)
    flat_l2.add(matrix)
    flat_ip.add(matrix)
    everything = matrix.reshape(-1)
    contenders: dict[str, Any] = {
        _READ: lambda query: everything @ everything,
        "FAISS IndexFlatL2, 10 nearest": lambda query: flat_l2.search(query[np.newaxis], _TOP),
        "FAISS IndexFlatIP, 10 nearest": lambda query: flat_ip.search(query[np.newaxis], _TOP),
        "ours, exact, every distance": exact.distances,
        "ours, 8 bit, every distance, 40 exact": coded.distances,
    }
    medians = interleaved(contenders, list(queries))
    found, right = 0, 0
    for query in queries:
        best = set(flat_ip.search(query[np.newaxis], _TOP)[1][0].tolist())
        assert set(np.argsort(exact.distances(query))[:_TOP].tolist()) == best
        found += len(best & set(np.argsort(coded.distances(query))[:_TOP].tolist()))
        right += _TOP
    goals = {"ours, exact, every distance": _EXACT, "ours, 8 bit, every distance, 40 exact": _CODES}
    rows = []
    for name, value in medians.items():
        ratio, goal = value / medians[_READ], goals.get(name)
        told = f"<= {goal} x" if goal else ""
        rows.append(Row("Vectors", name, value, "ms", ratio, told, ratio <= goal if goal else None))
    recall = found / right
    rows.append(Row("Vectors", "8 bit, recall@10", recall, "", None, f">= {_RECALL}", recall >= _RECALL))
    rows.append(Row("Vectors", "8 bit, row file written", written, "s"))
    rows.append(Row("Vectors", "8 bit, row file opened", opening * 1000, "ms"))
    return rows


def bunches(count: int, dimension: int) -> Any:
    """Unit vectors, float32: 64 directions mixed for each of a thousand subjects, and noise."""
    import numpy as np

    random = np.random.default_rng(5)
    directions = random.normal(size=(64, dimension)).astype(np.float32)
    subjects = random.normal(size=(1000, 64)).astype(np.float32)
    matrix = np.empty((count, dimension), dtype=np.float32)
    for start in range(0, count, 10_000):
        rows = matrix[start : start + 10_000]
        mixed = subjects[random.integers(0, 1000, len(rows))]
        mixed = mixed + 0.5 * random.normal(size=mixed.shape).astype(np.float32)
        rows[:] = mixed @ directions + random.normal(size=rows.shape).astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return matrix


def near(matrix: Any, count: int) -> Any:
    """Unit vectors, each a row of the matrix and noise of a third of its length."""
    import numpy as np

    random = np.random.default_rng(6)
    picked = matrix[random.integers(0, len(matrix), count)]
    noise = random.normal(size=picked.shape).astype(np.float32) / (3 * picked.shape[1] ** 0.5)
    queries = picked + noise
    return queries / np.linalg.norm(queries, axis=1, keepdims=True)


if __name__ == "__main__":
    sys.exit(main())
