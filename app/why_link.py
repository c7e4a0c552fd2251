"""whyButton: "Why?" beside the badge, on each result and under Ctrl+I; asks the engine and opens the dialog."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QListView, QPushButton

from app.i18n import Language
from app.result_model import HIT
from app.search_control import SearchControl
from app.shown import Shown
from app.why_dialog import WhyDialog
from core.engine import Engine
from core.explanation import Explanation
from core.model import Hit

KEYS = "Ctrl+I"


class WhyLink(QPushButton):
    """Explains the selected result, else the first. `gone`: it is no longer among the hits."""

    def __init__(self, language: Language, control: SearchControl, results: QListView) -> None:
        super().__init__()
        self.setObjectName("whyButton")
        self.setProperty("link", True)
        self._language, self._control, self._results = language, control, results
        self._shown: Shown | None = None
        self.dialog: WhyDialog | None = None
        self.action = QAction(results)
        self.action.setShortcut(QKeySequence(KEYS))
        self.action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        self.action.triggered.connect(self.ask)
        results.addAction(self.action)
        results.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.clicked.connect(self.ask)
        language.changed.connect(self._retranslate)
        self._retranslate()
        self.offer(None)

    def offer(self, shown: Shown | None) -> None:
        """The answer that is to be seen; None: what is to be seen answers an earlier text, or there is nothing."""
        self._shown = shown if shown is not None and shown.answer.hits else None
        self.setVisible(self._shown is not None)
        self.action.setEnabled(self._shown is not None)

    def ask(self) -> None:
        """Work out why, and open the dialog."""
        shown = self._shown
        index = self._results.currentIndex()
        hit: Hit | None = index.data(HIT) if index.isValid() else None
        if shown is None:
            return
        if hit is None:
            hit = shown.answer.hits[0]
        asked, domain, preview = hit, self._control.domain, shown.answer.invocation_id is None

        def work(engine: Engine) -> Explanation | None:
            return engine.explain(shown.text, asked.doc_key, domain=domain, preview=preview)

        self._control.ask_then(work, lambda why: self._open(why, asked))

    def _open(self, why: Any, hit: Hit) -> None:
        if why is None:
            self._control.again()  # the list is older than the knowledge
            return
        self.dialog = WhyDialog(why, hit, self._language, self.window())
        self.dialog.destroyed.connect(self._closed)
        self.dialog.open()

    def _closed(self) -> None:
        self.dialog = None

    def _retranslate(self) -> None:
        say = self._language
        self.setText(say("why.ask"))
        self.setAccessibleName(say("why.ask_tip"))
        self.setToolTip(say("why.ask_tip"))
        self.action.setText(say("why.ask_hit"))
