"""Kills an import with SIGKILL at random moments and checks that nothing committed is lost. By hand:
`python -m tests.kill_import --times 20 [--seed N]`; two kills of it run in tests/e2e.

Each round: a complete base of the first edition; import of the second edition (files changed, added, removed), killed;
then every article is whole and of one edition or the other, what was committed is there, and a second run ends as if
nothing had happened, with `doctor` content.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from core.engine import Engine
from core.store.articles import Articles
from core.store.database import Database

FILES = 300
_CHILD = """
import sys
from pathlib import Path
from core.engine import Engine
from core.job import Job
from core.store.articles import Articles
from core.store.database import Database
from core.paths import DataFolder

data, knowledge = Path(sys.argv[1]), Path(sys.argv[2])
print("begin", flush=True)
watch = Database.open(DataFolder(data).create().database)
engine = Engine.open(data)
engine.ingest([knowledge], job=Job(lambda _: print(Articles(watch).version(), flush=True)))
engine.close()
print("done", flush=True)
"""


def write_edition(folder: Path, edition: int, files: int) -> None:
    """The knowledge base: some files of each edition are the same, some differ, some are in one only."""
    shutil.rmtree(folder, ignore_errors=True)
    for number in range(files):
        if number % 20 == 5 + edition:
            continue
        text = f"第 {edition if number % 3 == 0 else 1} 版。" + f"步骤 {number}：重启服务并检查日志。\n\n" * (
            20 + number % 80
        )
        path = folder / f"d{number % 7}" / f"{number:03}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# 标题 {number} ERR-{1000 + number}\n\n{text}", encoding="utf-8")
    rows = "".join(f"R{number},问题 {number},第 {edition} 版答案 {number} {'字' * 600}\n" for number in range(files))
    (folder / "d3" / "faq.csv").write_text("编号,问题,答案\n" + rows, encoding="utf-8")


@dataclass(frozen=True)
class State:
    """doc_key → content hash, and the knowledge version."""

    articles: dict[str, str]
    version: int

    @classmethod
    def of(cls, data: Path) -> State:
        """What a data folder holds; fails when an article is not whole or the database is not sound."""
        database = Database.open(data / "deskside.sqlite3")
        try:
            assert all(check.status == "ok" for check in database.check()), database.check()
            rows = database.connection().execute("SELECT id, doc_key, content_hash, body FROM article").fetchall()
            articles = Articles(database)
            pieces_of = {row["id"]: [] for row in rows}
            found = articles.chunks([chunk.id for chunk in articles.all_chunks()])
            for chunk in sorted(found.values(), key=lambda chunk: chunk.position):
                pieces_of[chunk.article_id].append(chunk)
            for row in rows:
                pieces = pieces_of[row["id"]]
                assert [piece.position for piece in pieces] == list(range(len(pieces))) and pieces
                assert all(row["body"].startswith(piece.text, piece.start) for piece in pieces)
                assert pieces[-1].start + len(pieces[-1].text) >= len(row["body"].rstrip())
            return cls({row["doc_key"]: row["content_hash"] for row in rows}, articles.version())
        finally:
            database.close()


def start(data: Path, knowledge: Path) -> subprocess.Popen[str]:
    """An import in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(data), str(knowledge)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parent.parent,
    )


def run_whole(data: Path, knowledge: Path) -> None:
    """Let an import end."""
    output, _ = start(data, knowledge).communicate()
    assert output.endswith("done\n"), output[-500:]


@dataclass(frozen=True)
class Moment:
    """When to kill: after so many files of the import were begun, and a pause."""

    files: int
    pause: float

    @classmethod
    def random(cls, chance: random.Random, files: int = FILES) -> Moment:
        """Most within the import itself, some before it or while the index is written after it."""
        return cls(chance.randrange(-files // 15, files + files // 8), chance.random() * 0.1)


def kill_at(data: Path, knowledge: Path, moment: Moment) -> tuple[int, bool]:
    """Kill an import; returns (last version it had seen committed, whether it had ended by itself)."""
    process = start(data, knowledge)
    assert process.stdout is not None and process.stdout.readline() == "begin\n"
    lines = []
    while len(lines) < moment.files and (line := process.stdout.readline()):
        lines.append(line.strip())
    time.sleep(moment.pause)
    process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    lines += process.stdout.read().splitlines()
    process.stdout.close()
    process.wait()
    versions = [int(line) for line in lines if line.isdigit()]
    return max(versions, default=0), "done" in lines


class Rounds:
    """The editions, and complete bases of both to compare with."""

    def __init__(self, folder: Path, files: int = FILES) -> None:
        self.folder = folder
        self.knowledge = folder / "kb"
        self.first = folder / "first"
        write_edition(self.knowledge, 1, files)
        run_whole(self.first, self.knowledge)
        self.one = State.of(self.first)
        reference = folder / "reference"
        shutil.copytree(self.first, reference)
        write_edition(self.knowledge, 2, files)
        run_whole(reference, self.knowledge)
        self.two = State.of(reference)
        assert self.one.articles != self.two.articles

    def round(self, moment: Moment, *, fresh: bool) -> str:
        """One kill, of an import into a new data folder or over edition one."""
        data = self.folder / "killed"
        shutil.rmtree(data, ignore_errors=True)
        if not fresh:
            shutil.copytree(self.first, data)
        seen, ended = kill_at(data, self.knowledge, moment)
        after = State.of(data) if (data / "deskside.sqlite3").exists() else State({}, 0)
        assert after.version >= seen, f"version {seen} was committed, {after.version} is left"
        for key, content in after.articles.items():
            assert content in (self.one.articles.get(key), self.two.articles.get(key)), key
        if not fresh:
            missing = set(self.one.articles) - set(after.articles)
            assert missing <= set(self.one.articles) - set(self.two.articles), missing
        run_whole(data, self.knowledge)
        final = State.of(data)
        assert final.articles == self.two.articles
        assert not (data / "knowledge.lock").exists()
        with contextlib.closing(Engine.open(data)) as engine:
            checks = engine.doctor()
        assert all(check.status in ("ok", "repaired") for check in checks), checks
        changed = sum(self.one.articles.get(key) != content for key, content in after.articles.items())
        state = "ended" if ended else f"{len(after.articles)} articles, {changed} not of the first edition"
        return f"{state}; doctor: {', '.join(f'{check.name} {check.status}' for check in checks)}"


def main() -> int:
    """Run the rounds and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)  # noqa: T201
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        rounds = Rounds(Path(folder))
        for number in range(options.times):
            moment, fresh = Moment.random(chance), chance.random() < 0.4
            told = rounds.round(moment, fresh=fresh)
            print(f"{number + 1:3} at file {moment.files:4} {'new ' if fresh else 'over'} {told}", flush=True)  # noqa: T201
    print("nothing was lost")  # noqa: T201
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
