"""The composition root: a command goes to the command line without Qt, no command opens the window."""

from __future__ import annotations

import logging
import logging.handlers
import os
import runpy
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import DesksideError
from core.paths import DataFolder, default_data_dir
from core.settings import Settings

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.i18n import Language
    from app.main_window import MainWindow

_WITH_VALUE = ("--data-dir", "--lang")
_DEMO = "--demo"
MODEL_WORKER = "--model-worker"  # how a bundle, which has no Python to start, starts a model's own process
LOG_BYTES = 1_000_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; the exit status. Options before a command: --data-dir DIR, --lang zh_CN|en; instead of one:
    --demo."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == [MODEL_WORKER]:
        runpy.run_module("core.embedding.flag_worker", run_name="__main__")
        return 0
    options = window_options(arguments)
    if options is None:
        from app.cli import run

        return run(arguments)
    return run_window(options.get("--data-dir"), options.get("--lang"), demo=_DEMO in options)


def window_options(arguments: Sequence[str]) -> dict[str, str] | None:
    """The options of a start without a command; None when the command line has to read them (a command, an error)."""
    found: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        name, equals, value = rest.pop(0).partition("=")
        if name == _DEMO and not equals:
            found[name] = ""
            continue
        if name not in _WITH_VALUE:
            return None
        if not equals:
            if not rest:
                return None
            value = rest.pop(0)
        found[name] = value
    fits = found.get("--lang", "en") in {"zh_CN", "en"} and not {_DEMO, "--data-dir"} <= set(found)
    return found if fits else None


def run_window(data_dir: str | None, lang: str | None, *, demo: bool = False) -> int:
    """Open the one window of that data folder, or a window on a simulated day, and stay until it is closed."""
    if not has_screen(sys.platform, os.environ):
        from app.words import LANGUAGES, word

        # Nothing was read yet that says which language, unless the command line did.
        for language in (lang,) if lang else LANGUAGES:
            sys.stderr.write(word("error.no_screen", language) + "\n")
        return 1
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance() or QApplication(["deskside"])
    assert isinstance(application, QApplication)
    application.setApplicationName("Deskside")
    application.setDesktopFileName("deskside")
    folder = DataFolder(Path(data_dir) if data_dir else default_data_dir())
    language = lang or "zh_CN"
    try:
        if demo:
            return _demo_window(application, language)
        folder.create()
        settings = Settings.load(folder.settings)
        language = lang or settings.word("language")
        return _one_window(application, folder, settings, language)
    except DesksideError as error:
        return _say_and_leave(application, error, language)


def has_screen(platform: str, environment: Mapping[str, str]) -> bool:
    """Whether a window can be shown. Without a screen Qt would break the process off with a dump of its plug-ins."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not platform.startswith("linux") or any(environment.get(name) for name in names)


def _one_window(application: QApplication, folder: DataFolder, settings: Settings, code: str) -> int:
    from app.single_window import SingleWindow

    single = SingleWindow(folder.root)
    if not single.claim():
        return 0
    try:
        log_to(folder.logs / "deskside.log")
        window = build_window(application, folder, settings, code)
        single.listen(lambda: raise_window(window))
        return _stay(application, window)
    finally:
        single.release()


def _demo_window(application: QApplication, code: str) -> int:
    from app.demo import demo_folder, mark
    from app.i18n import Language
    from app.theme import Theme

    language = Language(code)
    Theme(application)
    with demo_folder(language) as folder:
        if folder is None:
            return 0
        stop_logging = log_to(folder.logs / "deskside.log")
        try:
            window = build_window(application, folder, Settings.load(folder.settings), code, spoken=language)
            mark(window, language)
            return _stay(application, window)
        finally:
            stop_logging()


def build_window(
    application: QApplication, folder: DataFolder, settings: Settings, code: str, *, spoken: Language | None = None
) -> MainWindow:
    """The window with all that belongs to it, not yet shown; the engine opens in the background. `spoken`: the
    window's language, where others listen to its changes."""
    from app.i18n import Language
    from app.main_window import MainWindow
    from app.search_control import SearchControl
    from app.tasks import TaskRunner
    from app.theme import Theme
    from core.engine import Engine

    language = spoken or Language(code)
    tasks = TaskRunner()
    control = SearchControl(
        tasks,
        settle_seconds=settings.number("settle_seconds"),
        idle_minutes=settings.number("session_idle_minutes"),
    )
    return MainWindow(
        folder,
        lambda: Engine.open(folder.root, language=code),
        language=language,
        theme=Theme(application, settings.word("theme")),
        tasks=tasks,
        control=control,
    )


def raise_window(window: MainWindow) -> None:
    """Bring it to the front, whatever it was doing."""
    if window.isMinimized():
        window.showNormal()
    window.show()
    window.raise_()
    window.activateWindow()


def _stay(application: QApplication, window: MainWindow) -> int:
    from app.shutdown import stop_on_signals

    hook = sys.excepthook
    sys.excepthook = lambda _kind, error, _trace: window.show_bug(error)
    keep = stop_on_signals(window.stop_and_close)
    if os.environ.get("DESKSIDE_EXIT_AFTER_PAINT") == "1":
        window.painted.connect(window.close)
    try:
        window.show()
        return int(application.exec())
    finally:
        keep.release()
        sys.excepthook = hook
        window.work.finish()


def _say_and_leave(application: QApplication, error: DesksideError, language: str) -> int:
    """Nothing can be opened: say why, in a dialog and on standard error."""
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QMessageBox

    from app.notices import sentence
    from app.theme import Theme

    text = sentence(error, language)
    sys.stderr.write(text + "\n")
    Theme(application)
    box = QMessageBox(QMessageBox.Icon.Critical, "Deskside", text)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.exec()
    return 1


def log_to(path: Path) -> Callable[[], None]:
    """Faults go to a small file that turns over, until what is given back is called. It holds no queries."""
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    for package in ("app", "core"):
        logger = logging.getLogger(package)
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False

    def stop() -> None:
        for package in ("app", "core"):
            logging.getLogger(package).removeHandler(handler)
        handler.close()

    return stop
