"""What changes cost: build, add, delete, open; and how large an index is, on disk and in private memory."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.embedding.hashed import HashedEmbedder
from core.index.snapshot import ChunkIndex, IndexedChunk
from tests.bench.corpus import Corpus
from tests.bench.timing import Row, cpu_seconds

_CHUNKS_AN_ARTICLE = 4
# Opens an index in a process of its own and answers: CPU and private memory without anything else.
_OPENER = """
import json, sys, time
from pathlib import Path
import numpy
from core.index.snapshot import ChunkIndex
from core.embedding.hashed import HashedEmbedder
def anonymous():  # what is not a mapped file, which the system can drop at any time
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Anonymous:"))
folder, queries = Path(sys.argv[1]), json.loads(sys.argv[2])
before, start = anonymous(), time.process_time()
index = ChunkIndex.load(folder, HashedEmbedder())
opened = time.process_time()
index.recall(queries[0])
first = time.process_time()
for query in queries:
    index.recall(query)
private = anonymous() - before
print(json.dumps({"open": opened - start, "first": first - start, "private": private}))
"""


def indexed(corpus: Corpus) -> list[IndexedChunk]:
    """The chunks as the index takes them, four an article."""
    return [IndexedChunk(n, n // _CHUNKS_AN_ARTICLE, words, "") for n, words in enumerate(corpus.chunks, start=1)]


def build(corpus: Corpus) -> tuple[ChunkIndex, Row]:
    """The index in memory, and how long that took."""
    chunks = indexed(corpus)
    seconds, index = cpu_seconds(lambda: ChunkIndex.build(chunks, HashedEmbedder(), 0))
    return index, Row("Changes", "build, tokens given", seconds, "s")


def changes(corpus: Corpus, index: ChunkIndex, extra: Corpus, folder: Path) -> list[Row]:
    """Rows for a generation written, opened, added to and deleted from. Leaves `index` as it was."""
    generation = folder / "generation"
    saved, _ = cpu_seconds(lambda: index.save(generation))
    opened = _opened(generation, corpus)
    working = ChunkIndex.load(generation, HashedEmbedder())
    new = [IndexedChunk(10**9 + n, 10**9 + n, words, "") for n, words in enumerate(extra.chunks)]
    batch, _ = cpu_seconds(lambda: working.apply(new[:200], (), 1))
    singles = [_milliseconds(working, [chunk], ()) for chunk in new[200:230]]
    deletes = [_milliseconds(working, (), [article]) for article in range(1, 600, 20)]
    size = sum(path.stat().st_size for path in generation.iterdir()) / len(index)
    return [
        Row("Changes", "write a generation", saved, "s"),
        Row("Changes", "open", 1000 * opened["open"], "ms"),
        Row("Changes", "open, to the first result", 1000 * opened["first"], "ms"),
        Row("Changes", "add 200 chunks", 1000 * batch, "ms", None, "<= 300 ms", batch <= 0.3),
        Row("Changes", "add a chunk", statistics.median(singles), "ms"),
        Row(
            "Changes",
            "delete an article",
            statistics.median(deletes),
            "ms",
            None,
            "<= 2 ms",
            statistics.median(deletes) <= 2,
        ),
        Row("Size", "on disk, a chunk", size, "bytes"),
        Row("Size", "private memory, a chunk", opened["private"] / len(index), "bytes"),
    ]


def _milliseconds(index: ChunkIndex, added: Any, removed: Any) -> float:
    run: Callable[[], None] = lambda: index.apply(added, removed, 2)  # noqa: E731
    return 1000 * cpu_seconds(run)[0]


def _opened(generation: Path, corpus: Corpus) -> dict[str, float]:
    arguments = [sys.executable, "-c", _OPENER, str(generation), json.dumps(corpus.queries(5, 10))]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result
