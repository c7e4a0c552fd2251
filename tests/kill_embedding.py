"""Kills an embedding with SIGKILL at random moments and checks that nothing committed is lost. By hand:
`python -m tests.kill_embedding --times 20 [--seed N]`; two kills of it run in tests/e2e.

Each round: a base without vectors; its embedding by a slow model is killed, up to three times in a row; after each kill
every vector that was told to be made is there and is what the model makes of its text. Then the embedding is let run:
it encodes exactly what is missing, and `doctor` is content.
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
from pathlib import Path

import numpy as np

from core.attaching import ModelVectors
from core.embedding.shipped import hash_of
from core.engine import Engine
from core.job import Job
from core.store.vector_store import VectorStore
from tests.counted_embedder import SlowEmbedder

TEXTS = 700  # more than go without a file of rows
PAUSE_S = 0.004


def write_base(data: Path, texts: int) -> None:
    """A data folder of so many articles of one chunk, no two the same."""
    knowledge = data.with_name("kb")
    knowledge.mkdir()
    rows = "".join(f"R{number},问题 {number},第 {number} 条答案\n" for number in range(texts))
    (knowledge / "faq.csv").write_text("编号,问题,答案\n" + rows, encoding="utf-8")
    with contextlib.closing(Engine.open(data)) as engine:
        engine.remove_starter()
        engine.ingest([knowledge])


def embed(data: Path, pause_s: float) -> None:
    """The child: embed what is missing and tell how far it is; at the end, how many it encoded."""
    model = SlowEmbedder(pause_s)
    with contextlib.closing(Engine.open(data)) as engine:
        vectors = ModelVectors(engine._database, engine._articles, engine._keeper)
        vectors.set_model(model)
        _tell("begin")
        assert vectors.embed_missing(Job(lambda progress: _tell(progress.done)))
        assert vectors.coverage()[0] == vectors.coverage()[1] > 0
        check = vectors.check("en")
        assert check.status == "ok", check
        vectors.close()
    _tell(f"encoded {len(model.encoded)}")


def start(data: Path, pause_s: float) -> subprocess.Popen[str]:
    """An embedding in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.kill_embedding", "--child", str(data), "--pause", str(pause_s)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parent.parent,
    )


def kept(data: Path) -> set[str]:
    """The hashes of the texts that have a vector; fails where one is not what the model makes."""
    model = SlowEmbedder(0)
    with contextlib.closing(Engine.open(data)) as engine:
        texts = [f"{row.heading}\n{row.text}".strip() for row in engine._articles.all_chunks()]
    of_hash = {hash_of(text): text for text in texts}
    found = dict(VectorStore(data / "vectors.sqlite3").each(model.fingerprint))
    for text_hash, vector in found.items():
        assert np.array_equal(np.frombuffer(vector, dtype=np.float32), model.vector(of_hash[text_hash]))
    return set(found)


def kill(data: Path, steps: int, pause: float, pause_s: float) -> tuple[int, bool]:
    """Kill an embedding after so many steps and a pause; how many texts it had told to be made, and whether it had
    ended by itself."""
    process = start(data, pause_s)
    assert process.stdout is not None and process.stdout.readline() == "begin\n"
    lines = []
    while len(lines) < steps and (line := process.stdout.readline()):
        lines.append(line.strip())
    time.sleep(pause)
    process.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    lines += process.stdout.read().splitlines()
    process.stdout.close()
    process.wait()
    return max((int(line) for line in lines if line.isdigit()), default=0), any("encoded" in line for line in lines)


def round_of(base: Path, chance: random.Random, texts: int, pause_s: float = PAUSE_S) -> str:
    """One base, killed one to three times, then let run."""
    data = base.with_name("killed")
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(base, data)
    there: set[str] = set()
    told = []
    for _ in range(chance.randint(1, 3)):
        steps, pause = chance.randrange(0, texts // 32 + 6), chance.random() * 0.1
        made, ended = kill(data, steps, pause, pause_s)
        now = kept(data)
        assert there <= now, "vectors are gone"
        assert len(now) >= made, f"{made} were made, {len(now)} are left"
        there = now
        told.append(f"{len(now)}{' (ended)' if ended else ''}")
    output, _ = start(data, pause_s).communicate()
    assert output.endswith(f"encoded {texts - len(there)}\n"), output[-300:]
    assert len(kept(data)) == texts
    left = [path.name for path in (data / "vectors").glob("*.new")] if (data / "vectors").exists() else []
    assert left == [] or len(there) == texts, left
    with contextlib.closing(Engine.open(data)) as engine:
        checks = engine.doctor()
    assert all(check.status in ("ok", "repaired") for check in checks), checks
    return f"killed at {', '.join(told)} of {texts}; then {texts - len(there)} encoded"


def _tell(what: object) -> None:
    print(what, flush=True)  # noqa: T201


def main() -> int:
    """Run the rounds and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--pause", type=float, default=PAUSE_S, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        embed(options.child, options.pause)
        return 0
    _tell(f"seed {options.seed}")
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "base"
        write_base(base, TEXTS)
        for number in range(options.times):
            _tell(f"{number + 1:3} {round_of(base, chance, TEXTS)}")
    _tell("nothing was lost")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
