"""The whole lookup through the engine, session and log included."""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path

from core.engine import Engine
from tests.bench.corpus import Corpus
from tests.bench.timing import Row, cpu_seconds

_LOOKUPS = 40
_GOAL_MS = 15.0
_RECORDS = 5_000


def write_articles(corpus: Corpus, source: Path) -> None:
    """The corpus as files of 5,000 records."""
    source.mkdir()
    for start in range(0, len(corpus.chunks), _RECORDS):
        with (source / f"articles-{start}.jsonl").open("w", encoding="utf-8") as file:
            for number in range(start, min(start + _RECORDS, len(corpus.chunks))):
                title = " ".join(corpus.chunks[number][:2])
                row = {"id": str(number), "title": title, "content": corpus.text(number)}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def whole(corpus: Corpus, folder: Path) -> list[Row]:
    """Rows for import and lookups of 2, 5 and 12 words; none while the engine is not there."""
    source = folder / "source"
    write_articles(corpus, source)
    try:
        engine = Engine.open(folder / "data")
    except NotImplementedError:
        print("whole lookup: skipped, the engine is not there", file=sys.stderr)
        return []
    try:
        seconds, _ = cpu_seconds(lambda: engine.ingest([source]))
        rows = [Row("Whole", f"import of {len(corpus.chunks):,} articles", seconds, "s")]
        session = engine.new_session()
        for count in (2, 5, 12):
            times = []
            for query in corpus.queries(count, _LOOKUPS):
                text = " ".join(query)
                times.append(1000 * cpu_seconds(lambda text=text: engine.lookup(text, session_id=session))[0])
            median = statistics.median(times[2:])
            rows.append(
                Row("Whole", f"lookup, {count} words", median, "ms", None, f"<= {_GOAL_MS:.0f} ms", median <= _GOAL_MS)
            )
            rows.append(Row("Whole", f"lookup, {count} words, 95th percentile", sorted(times[2:])[-2], "ms"))
        return rows
    finally:
        engine.close()
