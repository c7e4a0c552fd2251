"""The program as a process: one window a folder (40), a clean end during an import (41), commands without Qt."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 90
# Runs the window as main.py does, says what happens on standard output, and imports a folder when one is given.
DRIVER = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import app.application as program

def say(word):
    print(word, flush=True)

build, lift = program.build_window, program.raise_window
def build_window(*arguments):
    window = build(*arguments)
    window.work.progressed.connect(lambda progress: progress.done and say("importing"))
    window.work.known.connect(lambda *_: say("known"))
    if len(sys.argv) > 2:
        window.ready.connect(lambda: window.start_import([Path(sys.argv[2])]))
    return window
def raise_window(window):
    lift(window)
    say("raised")
program.build_window, program.raise_window = build_window, raise_window
sys.exit(program.main(["--data-dir", sys.argv[1]]))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="screens of Linux")
@pytest.mark.parametrize(("options", "lines"), [([], 2), (["--lang", "en"], 1)])
def test_without_a_screen_one_sentence_says_what_to_do(tmp_path: Path, options: list[str], lines: int) -> None:
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    environment = {name: value for name, value in os.environ.items() if name not in screens}
    command = [sys.executable, str(ROOT / "main.py"), "--data-dir", str(tmp_path / "data"), *options]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    told = done.stderr.splitlines()
    assert len(told) == lines
    assert "DISPLAY" in told[-1]
    assert "lookup" in told[-1]
    assert not (tmp_path / "data").exists()


class Program:
    """A running window and what it said."""

    def __init__(self, *arguments: Path) -> None:
        command = [sys.executable, "-X", "faulthandler", "-c", DRIVER, *map(str, arguments)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def wait_for(self, word: str) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.strip() == word:
                return
        raise AssertionError(f"never said {word}: {self.process.stderr and self.process.stderr.read()}")

    def end(self) -> tuple[int, str]:
        """Its exit status and what it complained of."""
        _, complaints = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, complaints


@pytest.fixture
def started() -> Iterator[list[Program]]:
    programs: list[Program] = []
    yield programs
    for program in programs:
        program.process.kill()
        program.process.communicate()


@pytest.fixture
def many_files(tmp_path: Path) -> Path:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(3000):
        body = f"第 {number} 篇的正文。" * 60
        (folder / f"{number:04}.md").write_text(f"# 文章 {number}\n\n{body}", encoding="utf-8")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Engine.open(tmp_path / "用户" / "数据").close()
    return tmp_path / "用户" / "数据"


def harmless(complaints: str) -> str:
    """What is left when the X server's and the platform's own remarks are taken away."""
    known = ("propagateSizeHints", "does not support", "XDG_RUNTIME_DIR", "qt.qpa", "locale")
    return "\n".join(line for line in complaints.splitlines() if line and not any(word in line for word in known))


def test_a_second_start_raises_the_first_window_and_ends(folder: Path, started: list[Program]) -> None:
    first = Program(folder)
    started.append(first)
    first.wait_for("known")
    second = Program(folder)
    started.append(second)
    status, complaints = second.end()
    assert (status, harmless(complaints)) == (0, "")
    first.wait_for("raised")
    first.process.send_signal(signal.SIGTERM)
    status, complaints = first.end()
    assert (status, harmless(complaints)) == (0, "")


def test_a_window_that_was_killed_leaves_nothing_in_the_way(folder: Path, started: list[Program]) -> None:
    first = Program(folder)
    started.append(first)
    first.wait_for("known")
    first.process.kill()
    first.process.wait(PATIENCE_S)
    second = Program(folder)
    started.append(second)
    second.wait_for("known")
    second.process.send_signal(signal.SIGTERM)
    status, complaints = second.end()
    assert (status, harmless(complaints)) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="no SIGTERM there")
def test_log_off_during_an_import_ends_cleanly_and_keeps_what_was_done(
    folder: Path, many_files: Path, started: list[Program]
) -> None:
    program = Program(folder, many_files)
    started.append(program)
    program.wait_for("importing")
    program.process.send_signal(signal.SIGTERM)
    status, complaints = program.end()
    assert (status, harmless(complaints)) == (0, "")
    engine = Engine.open(folder)
    try:
        assert [check for check in engine.doctor() if check.status == "failed"] == []
        report = engine.ingest([many_files])
        assert report.counts["failed"] == 0
        assert report.counts["added"] + report.counts["unchanged"] == 3000
    finally:
        engine.close()


def test_a_command_runs_without_qt_beside_an_open_window(folder: Path, started: list[Program]) -> None:
    program = Program(folder)
    started.append(program)
    program.wait_for("known")
    code = (
        "import sys; from app.application import main; status = main(sys.argv[1:]);"
        "assert not any(name.startswith('PySide6') for name in sys.modules); sys.exit(status)"
    )
    command = [sys.executable, "-c", code, "--data-dir", str(folder), "lookup", "ERR_TIMEOUT", "--json"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert answer.returncode == 0, answer.stderr
    assert '"PRECISE"' in answer.stdout
    program.process.send_signal(signal.SIGTERM)
    assert program.end()[0] == 0


def test_a_data_folder_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    code = (
        "import sys; from PySide6.QtWidgets import QMessageBox; QMessageBox.exec = lambda self: 0\n"
        "from app.application import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "--data-dir", str(tmp_path / "file"), "--lang", "zh_CN"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ended.returncode == 1
    assert "不能读写" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_it_can_leave_after_the_first_picture(folder: Path) -> None:
    command = [sys.executable, "main.py", "--data-dir", str(folder)]
    environment = os.environ | {"DESKSIDE_EXIT_AFTER_PAINT": "1"}
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (ended.returncode, harmless(ended.stderr)) == (0, "")
