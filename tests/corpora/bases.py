"""The knowledge bases and benchmarks of a corpora folder: what is imported, and what is asked of it."""

from __future__ import annotations

import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.embedding.profile import HASHED
from core.engine import Engine
from core.evaluation import Query, load_qrels, load_queries
from core.job import Job
from core.report import Progress

ARCHIVES = {
    "m365": "m365-insights-zh",
    "winserver": "windows-server-zh",
    "tidb": "tidb-zh",
    "office": "office-support-en",
}
STARTER = "starter"
OWN_CORPUS = "bench"


@dataclass(frozen=True, slots=True)
class Base:
    """Something to import and the benches that are asked of it."""

    name: str
    source: Path
    benches: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """What of the corpora is measured; empty: all of it. `every`: only each so-manieth query of a bench."""

    bases: tuple[str, ...] = ()
    benches: tuple[str, ...] = ()
    split: str = "dev"
    every: int = 1

    def asked(self, bench: Path) -> tuple[Query, ...]:
        """The queries of a bench, in its order."""
        return load_queries(bench / f"queries.{self.split}.jsonl")[:: self.every]

    def qrels(self, bench: Path) -> dict[str, dict[str, int]]:
        """The right articles of a bench's queries."""
        return load_qrels(bench / f"qrels.{self.split}.tsv")

    def wants(self, base: str, bench: Path) -> bool:
        """Whether this bench of this base is measured."""
        return (
            (not self.bases or base in self.bases)
            and (not self.benches or bench.name in self.benches)
            and (bench / f"queries.{self.split}.jsonl").exists()
        )


def bases(corpora: Path, work: Path, choice: Choice) -> Iterator[Base]:
    """The bases that have something to be asked; archives are unpacked as they come up."""
    starter = corpora / "starter-zh"
    if choice.wants(STARTER, starter):
        yield Base(STARTER, starter / "articles", (starter,))
    benches = sorted((corpora / "bench").iterdir())
    own = [bench for bench in benches if (bench / "corpus.jsonl.gz").exists()]
    for name, archive in ARCHIVES.items():
        asked = tuple(
            bench
            for bench in benches
            if bench not in own and bench.name.startswith(name + "-") and choice.wants(name, bench)
        )
        if asked:
            yield Base(name, _unpacked(corpora / "kb" / f"{archive}.tar.gz", work / "kb"), asked)
    for bench in own:
        if choice.wants(OWN_CORPUS, bench):
            yield Base(bench.name, bench / "corpus.jsonl.gz", (bench,))


def open_with(base: Base, data: Path, *, as_is: bool) -> Engine:
    """The base imported into its data folder, without the starter articles; `as_is`: what the folder holds. The model
    that the environment names has vectors of all of it. Raises RuntimeError where it does not serve."""
    data.mkdir(parents=True, exist_ok=True)
    engine = Engine.open(data)
    if as_is:
        out(f"\n{base.name}: {engine.status().articles} articles as they are")
    else:
        _import(engine, base)
    _embed(engine, base)
    return engine


def _embed(engine: Engine, base: Base) -> None:
    def progress(now: Progress) -> None:
        note(f"{base.name}: {now.done}/{now.total} texts")

    started = time.monotonic()
    engine.models.load()
    engine.models.embed(Job(progress))
    note("")
    status = engine.models.status()
    if status.serving != status.chosen:
        raise RuntimeError(f"{status.chosen} does not serve: {status}")
    if status.serving != HASHED:
        out(f"{base.name}: {status.done} texts of {status.serving}, {time.monotonic() - started:.1f} s")


def _import(engine: Engine, base: Base) -> None:
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


def _unpacked(archive: Path, into: Path) -> Path:
    """The archive's top folder, unpacked once."""
    top = into / archive.name.removesuffix(".tar.gz")
    if not top.exists():
        with tarfile.open(archive) as tar:
            tar.extractall(into, filter="data")
    return top


def out(text: str) -> None:
    """A line of the report."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    """What is going on, written over the last such line."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()
