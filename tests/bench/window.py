"""How long until the window is painted, against an empty window."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

from tests.bench.timing import Row

_STARTS = 5
_GOAL = 1.4

_STOP_AT_PAINT = """
import os, sys, time
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QMainWindow
class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, QMainWindow):
            print(time.process_time(), flush=True)
            os._exit(0)
        return False
application = QApplication(["bench"])
painted = Painted()
application.installEventFilter(painted)
"""
_EMPTY = _STOP_AT_PAINT + "window = QMainWindow(); window.resize(1200, 800); window.show(); application.exec()"
_OURS = _STOP_AT_PAINT + "from app.application import run_window; run_window(sys.argv[1], None)"


def window(folder: Path) -> list[Row]:
    """CPU of the whole process up to the first paint, alternating; the engine opens in the background meanwhile."""
    times: dict[str, list[float]] = {"an empty window": [], "deskside": []}
    for number in range(_STARTS + 1):
        for name, code in (("an empty window", _EMPTY), ("deskside", _OURS)):
            seconds = _started(code, folder / "window")
            if seconds is None:
                print(f"window: skipped, {name} did not paint", file=sys.stderr)
                return []
            if number:  # the first start fills caches and creates the data folder
                times[name].append(seconds)
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratio = medians["deskside"] / medians["an empty window"]
    goal = f"<= {_GOAL} x the empty one"
    return [
        Row("Window", "an empty window", 1000 * medians["an empty window"], "ms"),
        Row("Window", "deskside", 1000 * medians["deskside"], "ms", ratio, goal, ratio <= _GOAL),
    ]


def _started(code: str, data_dir: Path) -> float | None:
    environment = os.environ | {"QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    arguments = [sys.executable, "-c", code, str(data_dir)]
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, env=environment, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return None
    return float(done.stdout.split()[-1]) if done.returncode == 0 and done.stdout.strip() else None
