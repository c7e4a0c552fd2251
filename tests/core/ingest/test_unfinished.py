"""core.ingest.unfinished: an import that was cut off is known until it is done, whatever cut it off."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.engine import Engine
from core.ingest.unfinished import begin, unfinished
from core.ingest.walk import shown_path
from core.job import Job
from core.report import Progress, UnfinishedImport
from tests.core.ingest.conftest import Base, write


def many(kb: Path, count: int = 450) -> Path:
    for number in range(count):
        write(kb / f"{number:03}.md", f"# 文章 {number}\n\n内容 {number}。\n")
    return kb


def stopping_at(file: int) -> Job:
    """A job that is cancelled when it comes to that file."""

    def report(progress: Progress) -> None:
        if progress.done == file:
            job.cancel()

    job = Job(report)
    return job


def test_a_cancelled_import_is_unfinished_until_it_is_done(base: Base, kb: Path) -> None:
    assert unfinished(base.sources) == ()
    report = base.run(many(kb), domain="network", job=stopping_at(300))
    assert report.cancelled
    assert 0 < report.counts["added"] < 450
    path = shown_path(kb)
    assert unfinished(base.sources) == (UnfinishedImport(path, "network", report.counts["added"]),)
    other = write(kb.parent / "other" / "a.md", "# 另一篇\n\n内容。\n")
    base.run(other)
    assert [cut_off.path for cut_off in unfinished(base.sources)] == [path], "another import does not end it"
    base.run(kb)
    assert unfinished(base.sources) == ()


@pytest.mark.parametrize("ending", ["folder above", "removed", "gone"])
def test_what_else_ends_it(base: Base, kb: Path, ending: str) -> None:
    inner = kb / "inner"
    base.run(many(inner, 250), job=stopping_at(240))
    assert len(unfinished(base.sources)) == 1
    if ending == "folder above":
        base.run(kb)
    elif ending == "removed":
        base.importer.remove_source(shown_path(inner))
    else:
        inner.rename(kb / "moved")
        base.run(inner, allow_removal=True)
    assert unfinished(base.sources) == ()


def test_a_fault_on_the_way_leaves_it_unfinished(base: Base, kb: Path) -> None:
    def fail() -> None:
        raise OSError(28, "No space left on device")

    write(kb / "a.md", "# 一\n\n内容。\n")
    with pytest.raises(OSError, match="No space"):
        base.run(kb, on_commit=fail)
    assert [cut_off.path for cut_off in unfinished(base.sources)] == [shown_path(kb)]


def test_a_single_file_counts_its_own_articles(base: Base, kb: Path) -> None:
    rows = "".join(f"{number},问题 {number}\n" for number in range(5))
    table = write(kb / "faq.csv", "编号,标题\n" + rows)
    base.run(table)
    base.run(write(kb / "note.md", "# 便条\n\n内容。\n"))
    begin(base.sources, [shown_path(table)], None)
    assert unfinished(base.sources) == (UnfinishedImport(shown_path(table), None, 5),)


_KILLED = """
import os, signal, sys
from pathlib import Path
from core.engine import Engine
from core.job import Job
engine = Engine.open(Path(sys.argv[1]))
def report(progress):
    if progress.done == 300:
        os.kill(os.getpid(), signal.SIGKILL)
engine.ingest([Path(sys.argv[2])], job=Job(report))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_import_is_told_by_the_next_start(tmp_path: Path, kb: Path) -> None:
    many(kb)
    root = Path(__file__).resolve().parents[3]
    child = subprocess.run([sys.executable, "-c", _KILLED, str(tmp_path / "data"), str(kb)], cwd=root, check=False)
    assert child.returncode < 0
    with closing(Engine.open(tmp_path / "data", language="en")) as engine:
        (cut_off,) = engine.status().unfinished
        assert cut_off.path == shown_path(kb)
        assert 0 < cut_off.articles < 450
        told = {check.name: check for check in engine.doctor()}["import"]
        assert told.status == "ok"
        assert shown_path(kb) in told.detail
        assert str(cut_off.articles) in told.detail
        engine.ingest([kb])
        assert engine.status().unfinished == ()
        assert "import" not in {check.name for check in engine.doctor()}


@pytest.mark.parametrize("forget", [True, False])
def test_it_can_be_forgotten_and_is_not_told_while_knowledge_is_written(base: Base, kb: Path, forget: bool) -> None:
    base.run(many(kb, 250), job=stopping_at(240))
    base.database.close()
    seen: list[int] = []
    with closing(Engine.open(base.folder.root)) as engine:
        if forget:
            engine.forget_unfinished([shown_path(kb)])
            assert engine.status().unfinished == ()
            return
        look: Callable[[Progress], None] = lambda _: seen.append(len(engine.unfinished_imports()))  # noqa: E731
        engine.ingest([kb], job=Job(look))
        assert set(seen) == {0}
