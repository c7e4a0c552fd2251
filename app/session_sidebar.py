"""sessionSidebar: which session is current, what it has retrieved, and the way to the earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.flow_layout import FlowLayout
from app.i18n import Language, local_day_and_time
from app.session_selector import SessionSelector
from app.two_line_delegate import SECOND_LINE, TwoLineDelegate
from core.model import SessionMemory, SessionSummary


class SessionSidebar(QFrame):
    """Shows; asks with signals. `doc_opened(doc_key)`; `new_requested`; the selector's own signals."""

    doc_opened = Signal(str)
    new_requested = Signal()

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sessionSidebar")
        self._language = language
        self._memory: SessionMemory | None = None
        self._domain_names: Mapping[str, str] = {}
        self.selector = SessionSelector(language)
        self.new_button = QPushButton()
        self.new_button.setObjectName("newSessionButton")
        self.new_button.clicked.connect(self.new_requested)
        self._domains_head, self._docs_head, self._nothing = QLabel(), QLabel(), QLabel()
        for label, role in ((self._domains_head, "section"), (self._docs_head, "section"), (self._nothing, "faint")):
            label.setProperty("role", role)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._nothing.setWordWrap(True)
        self.domains = QWidget()
        self.domains.setObjectName("retrievedDomains")
        self._chips = FlowLayout(self.domains)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.domains.setSizePolicy(policy)
        self.docs = QListWidget()
        self.docs.setObjectName("retrievedDocs")
        self.docs.setItemDelegate(TwoLineDelegate(self.docs))
        self.docs.setMouseTracking(True)
        self.docs.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.docs.itemClicked.connect(self._open)
        self.docs.itemActivated.connect(self._open)
        self._build()
        language.changed.connect(self._retranslate)
        self._retranslate()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 8, 8)
        column.setSpacing(8)
        column.addWidget(self.selector)
        column.addWidget(self.new_button)
        column.addSpacing(8)
        column.addWidget(self._domains_head)
        column.addWidget(self.domains)
        column.addSpacing(8)
        column.addWidget(self._docs_head)
        column.addWidget(self._nothing)
        column.addWidget(self.docs, 1)
        self._fill = QWidget()
        column.addWidget(self._fill, 1)

    def sizeHint(self) -> QSize:
        """Wide enough for a title in Chinese."""
        return QSize(240, 400)

    # ---------------------------------------------------------------- showing
    def show_sessions(self, sessions: Sequence[SessionSummary], current: str | None) -> None:
        """The earlier sessions, newest first, and which one is current."""
        self.selector.show_sessions(sessions, current)

    def show_memory(self, memory: SessionMemory | None) -> None:
        """What the current session holds; None: it has not begun."""
        self._memory = memory
        self._redraw()

    def set_domain_names(self, names: Mapping[str, str]) -> None:
        """Display names of domains."""
        self._domain_names = names
        self.selector.set_domain_names(names)
        self._redraw()

    def _redraw(self) -> None:
        while (item := self._chips.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        self.docs.clear()
        domains = self._memory.domains if self._memory is not None else ()
        names = []
        for key, docs in domains:
            chip = QLabel(f"{self._domain_names.get(key, key)} {len(docs)}")
            chip.setTextFormat(Qt.TextFormat.PlainText)
            chip.setProperty("chip", True)
            chip.setProperty("domain", key)
            names.append(chip.text())
            self._chips.addWidget(chip)
            chip.show()
        self.domains.setAccessibleDescription(", ".join(names))
        self.domains.updateGeometry()
        everything = [doc for _, docs in domains for doc in docs]
        for doc in sorted(everything, key=lambda doc: doc.first_at, reverse=True):
            time = local_day_and_time(doc.first_at)
            line = self._language("session.doc_line", time=time, query=doc.query) if doc.query else time
            if not doc.current:
                line = f"{line} · {self._language('session.changed_since')}"
            entry = QListWidgetItem(doc.title)
            entry.setData(Qt.ItemDataRole.UserRole, doc.doc_key)
            entry.setData(SECOND_LINE, line)
            entry.setData(Qt.ItemDataRole.AccessibleTextRole, f"{doc.title}, {line}")
            self.docs.addItem(entry)
        for widget in (self._domains_head, self.domains):
            widget.setVisible(bool(domains))
        self.docs.setVisible(bool(everything))
        self._nothing.setVisible(not everything)
        self._fill.setVisible(not everything)

    def _open(self, entry: QListWidgetItem) -> None:
        self.doc_opened.emit(entry.data(Qt.ItemDataRole.UserRole))

    def _retranslate(self) -> None:
        say = self._language
        self.setAccessibleName(say("session.sidebar"))
        self.new_button.setText(say("session.new"))
        self.new_button.setAccessibleName(say("session.new"))
        keys = QKeySequence("Ctrl+N").toString(QKeySequence.SequenceFormat.NativeText)
        self.new_button.setToolTip(say("session.new_tip") if keys == "Ctrl+N" else f"{say('session.new')} ({keys})")
        self._domains_head.setText(say("session.domains"))
        self._docs_head.setText(say("session.docs"))
        self._nothing.setText(say("session.nothing"))
        self.domains.setAccessibleName(say("session.domains"))
        self.docs.setAccessibleName(say("session.docs"))
        self._redraw()
