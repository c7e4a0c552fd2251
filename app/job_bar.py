"""The job bar: a long job's counts, file name, rate and time left, and the button that stops it."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton, QSizePolicy, QWidget

from app.i18n import Language
from app.tool_tips import plain_tip
from core.report import Progress

_FIRST_RATE_S = 1.0
# Job: what the bar is called, its rate, and the button. None: it cannot be stopped.
_IMPORT = ("job.progress", "job.rate", "job.cancel")
_WORDS: dict[str, tuple[str, str, str | None]] = {
    "job.embedding": ("job.embedding_progress", "job.embedding_rate", "job.embedding_pause"),
    "job.adding_model": ("job.model_progress", "job.rate", "job.adding_stop"),
    "job.loading_model": ("job.model_progress", "job.rate", None),
}


class JobBar(QFrame):
    """Visible while a job runs. `clock` gives seconds. `cancel_wanted` when the button is pressed."""

    cancel_wanted = Signal()

    def __init__(
        self, language: Language, clock: Callable[[], float] = time.monotonic, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("jobBar")
        self._language = language
        self._clock = clock
        self._name = "job.importing"
        self._began, self._before = 0.0, 0
        self._progress = Progress(0, 0)
        self._stopping = False
        self._what, self._file, self._pace = QLabel(), QLabel(), QLabel()
        for label in (self._what, self._file, self._pace):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._file.setProperty("role", "faint")
        self._pace.setProperty("role", "faint")
        self._file.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.bar = QProgressBar()
        self.bar.setObjectName("importProgress")
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(160)
        self.cancel = QPushButton()
        self.cancel.setObjectName("cancelImportButton")
        self.cancel.clicked.connect(self._cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 4, 16, 4)
        row.setSpacing(12)
        row.addWidget(self._what)
        row.addWidget(self.bar)
        row.addWidget(self._file, 1)
        row.addWidget(self._pace)
        row.addWidget(self.cancel)
        language.changed.connect(self._redraw)
        self._redraw()
        self.hide()

    @property
    def progress(self) -> Progress:
        """What was told last."""
        return self._progress

    def begin(self, name: str, before: int = 0) -> None:
        """A job begins; `name` is that of its word. `before`: what was done already, which says nothing of its rate."""
        self._name, self._began, self._before, self._stopping = name, self._clock(), before, False
        self._progress = Progress(0, 0)
        self._redraw()
        self.show()

    def show_progress(self, progress: Progress) -> None:
        """How far it is."""
        self._progress = progress
        self._redraw()

    def stopping(self) -> None:
        """It was asked to stop."""
        self._stopping = True
        self._redraw()

    def end(self) -> None:
        """It ended."""
        self.hide()

    def _cancel(self) -> None:
        self.stopping()
        self.cancel_wanted.emit()

    def pace(self) -> str:
        """Files or texts a second and the time left, in words; "" while nobody can know."""
        passed, done, total = self._clock() - self._began, self._progress.done, self._progress.total
        if passed < _FIRST_RATE_S or done <= self._before:
            return ""
        rate = (done - self._before) / passed
        words = [self._language(self._words[1], rate=f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}")]
        if total > done:
            left = (total - done) / rate
            minutes = round(left / 60)
            name, count = ("job.left_minutes", minutes) if left >= 90 else ("job.left_seconds", max(1, round(left)))
            words.append(self._language(name, count=count))
        return " · ".join(words)

    @property
    def _words(self) -> tuple[str, str, str | None]:
        return _WORDS.get(self._name, _IMPORT)

    def _redraw(self) -> None:
        say, progress = self._language, self._progress
        called, _, stop = self._words
        self.setAccessibleName(say(called))
        self.bar.setAccessibleName(say(called))
        self.bar.setRange(0, progress.total)
        self.bar.setValue(progress.done)
        what = say("job.stopping") if self._stopping else say(self._name)
        if progress.done or progress.total:
            total = f"{progress.total:,}" if progress.total else "…"
            what += " " + say("job.counts", done=f"{progress.done:,}", total=total)
        self._what.setText(what)
        self.bar.setAccessibleDescription(what)
        metrics = self._file.fontMetrics()
        self._file.setText(
            metrics.elidedText(progress.label, Qt.TextElideMode.ElideMiddle, max(80, self._file.width()))
        )
        self._file.setToolTip(plain_tip(progress.label))
        self._pace.setText(self.pace())
        self.cancel.setText(say(stop or "job.cancel"))
        self.cancel.setAccessibleName(say(stop or "job.cancel"))
        self.cancel.setVisible(stop is not None)
        self.cancel.setEnabled(not self._stopping)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The file name fits the room."""
        super().resizeEvent(event)
        self._redraw()
