"""`--demo`: the window on a simulated day, in a temporary folder that is made before it and removed after it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QProgressBar, QVBoxLayout

from app.i18n import Language
from app.main_window import MainWindow
from app.shutdown import stop_on_signals
from app.tasks import Lane, TaskRunner
from core.job import Job
from core.paths import DataFolder
from core.report import Progress

Make = Callable[[Path, str, Job], None]


def make_day(folder: Path, language: str, job: Job) -> None:
    """The day that ends now."""
    from core.simulation.demonstration import make

    make(folder, now=datetime.now(UTC), language=language, job=job)


@contextmanager
def demo_folder(language: Language, make: Make | None = None) -> Iterator[DataFolder | None]:
    """A data folder with the day, for as long as it is used; None: whoever waited for it did not want it any more.
    `make` None: make_day. Raises whatever making it raised."""
    with tempfile.TemporaryDirectory(prefix="deskside-demo-", ignore_cleanup_errors=True) as name:
        tasks = TaskRunner()
        preparing = Preparing(Path(name), language, tasks, make or make_day)
        keep = stop_on_signals(preparing.reject)
        try:
            made = preparing.exec() == QDialog.DialogCode.Accepted
        finally:
            keep.release()
            tasks.close()
        if preparing.failure is not None:
            raise preparing.failure
        yield DataFolder(Path(name)) if made else None


def mark(window: MainWindow, language: Language) -> None:
    """The window's title says that nothing in it is real, in the language of the moment."""
    # Setting the title that it has already tells nobody, so this comes to an end.
    window.windowTitleChanged.connect(lambda _: window.setWindowTitle(language("demo.title")))
    window.setWindowTitle(language("demo.title"))


class Preparing(QDialog):
    """Shows how far the day is. Accepted when it is made; rejected when it was cancelled, or could not be made for
    `failure`."""

    def __init__(self, folder: Path, language: Language, tasks: TaskRunner, make: Make) -> None:
        super().__init__()
        self.failure: BaseException | None = None
        self._language = language
        self.setObjectName("preparingDemo")
        self.setWindowTitle(language("demo.title"))
        self.setAccessibleName(language("demo.title"))
        text, self._bar, self._count = QLabel(language("demo.preparing")), QProgressBar(), QLabel(" ")
        for label in (text, self._count):
            label.setTextFormat(Qt.TextFormat.PlainText)
        text.setWordWrap(True)
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(language("demo.preparing"))
        buttons = QDialogButtonBox()
        cancel = buttons.addButton(language("demo.cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.clicked.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 16)
        column.setSpacing(12)
        for widget in (text, self._bar, self._count, buttons):
            column.addWidget(widget)
        self.setMinimumWidth(60 * text.fontMetrics().averageCharWidth())
        tasks.bug.connect(self._failed)
        self._job = tasks.start(
            self,
            lambda job: make(folder, language.code, job),
            on_done=lambda _: self.accept(),
            on_error=self._failed,
            on_progress=self._progressed,
            lane=Lane.LONG,
        )

    def reject(self) -> None:
        """Make it no further."""
        self._job.cancel()
        super().reject()

    def _progressed(self, progress: Progress) -> None:
        self._bar.setRange(0, progress.total)
        self._bar.setValue(progress.done)
        self._count.setText(self._language("demo.progress", done=progress.done, total=progress.total))

    def _failed(self, error: BaseException) -> None:
        self.failure = error
        self.reject()
