"""app.demo: a folder of its own that is gone afterwards, a title that says so, and no way into the user's data."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPushButton

from app.application import window_options
from app.cli import run
from app.demo import Preparing, demo_folder, mark
from app.i18n import Language
from core.errors import DataFolderUnusable
from core.job import Job
from core.paths import DataFolder
from tests.app.desk import Desk

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 20


def test_the_folder_is_there_while_it_is_used_and_gone_afterwards(qapp: QApplication) -> None:
    seen: list[Path] = []

    def make(folder: Path, language: str, job: Job) -> None:
        seen.append(folder)
        job.report(1, 2)
        (folder / language).write_text("made")

    with demo_folder(Language("en"), make) as folder:
        assert folder is not None
        assert (folder.root / "en").read_text() == "made"
        assert seen == [folder.root]
    assert not seen[0].exists()


def test_whoever_cancels_gets_nothing_and_nothing_is_left(qapp: QApplication) -> None:
    seen: list[Path] = []
    begun = threading.Event()

    def make(folder: Path, _: str, job: Job) -> None:
        seen.append(folder)
        begun.set()
        while True:
            job.checkpoint()

    def cancel() -> None:
        assert begun.wait(PATIENCE_S)
        (dialog,) = [one for one in QApplication.topLevelWidgets() if isinstance(one, Preparing) and one.isVisible()]
        (button,) = dialog.findChildren(QPushButton)
        button.click()

    QTimer.singleShot(0, cancel)
    with demo_folder(Language("zh_CN"), make) as folder:
        assert folder is None
    assert not seen[0].exists()


def test_what_cannot_be_made_says_why(qapp: QApplication) -> None:
    def make(folder: Path, _: str, __: Job) -> None:
        raise DataFolderUnusable(path=str(folder), detail="disk full")

    with pytest.raises(DataFolderUnusable), demo_folder(Language("en"), make):
        raise AssertionError("there is no folder")


def test_the_title_says_so_in_every_language(desk: Desk) -> None:
    mark(desk.window, desk.language)
    for code, title in (("en", "Deskside · Demo"), ("zh_CN", "Deskside · 演示 Demo")):
        desk.language.set_code(code)
        assert desk.window.windowTitle() == title


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--demo"], {"--demo": ""}),
        (["--demo", "--lang", "en"], {"--demo": "", "--lang": "en"}),
        (["--lang=zh_CN", "--demo"], {"--demo": "", "--lang": "zh_CN"}),
        (["--demo", "--data-dir", "x"], None),
        (["--demo=1"], None),
        (["--demo", "stats"], None),
    ],
)
def test_it_stands_alone(arguments: list[str], options: dict[str, str] | None) -> None:
    assert window_options(arguments) == options


@pytest.mark.parametrize("arguments", [["--demo", "--data-dir", "DIR"], ["--demo", "--data-dir", "DIR", "stats"]])
def test_the_users_folder_is_refused(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "data"
    assert run([str(folder) if word == "DIR" else word for word in arguments]) == 2
    assert "--demo" in capsys.readouterr().err
    assert not DataFolder(folder).root.exists()


QUICK = """
import sys
import app.demo
from app.application import main
from core.engine import Engine

def quick(folder, language, job):
    Engine.open(folder, language=language).close()
    print(folder, flush=True)

app.demo.make_day = quick
sys.exit(main(["--demo", "--lang", "en"]))
"""


def test_the_program_leaves_nothing_behind_and_the_users_folder_alone(tmp_path: Path) -> None:
    scratch, users = tmp_path / "scratch", tmp_path / "users"
    scratch.mkdir()
    environment = os.environ | {
        "DESKSIDE_EXIT_AFTER_PAINT": "1",
        "DESKSIDE_DATA_DIR": str(users),
        **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch)),
    }
    done = subprocess.run(
        [sys.executable, "-c", QUICK],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).parent == scratch
    assert not list(scratch.glob("deskside-demo-*"))
    assert not users.exists()
