"""knowledgePage: bring knowledge in, see what became of every file, what there is; remove the starter base."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.empty_state import EmptyState
from app.i18n import Language
from app.notes_folder import NotesFolder
from app.tool_tips import plain_tip
from app.two_line_delegate import AT_RIGHT, TwoLineDelegate
from app.unfinished_banner import UnfinishedBanner
from core.reasons import sentence
from core.report import ImportItem, ImportOutcome, ImportReport, KnowledgeStatus

_ORDER = tuple(ImportOutcome[name] for name in ("FAILED", "SKIPPED", "REMOVED", "UPDATED", "ADDED", "UNCHANGED"))


class ReportModel(QAbstractTableModel):
    """An import's items, what went wrong first: outcome, file, reason."""

    def __init__(self, language: Language) -> None:
        super().__init__()
        self._language = language
        self._items: list[ImportItem] = []
        self._shared = ""
        language.changed.connect(self._retranslate)

    def show_items(self, items: Sequence[ImportItem]) -> None:
        """Other items."""
        self.beginResetModel()
        folders = {posixpath.dirname(item.path) for item in items}
        # Files of several sources may share no folder at all.
        alike = len({folder.startswith("/") for folder in folders}) == 1
        self._shared = posixpath.commonpath(folders).rstrip("/") if alike else ""
        self._items = sorted(items, key=lambda item: _ORDER.index(item.outcome))
        self.endResetModel()

    def _retranslate(self) -> None:
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, 2)
        if self._items:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._items) - 1, 2))

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        """One a file or article."""
        return 0 if parent is not None and parent.isValid() else len(self._items)

    def columnCount(self, _parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        """Three."""
        return 3

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts; paths below the folder that all share. The whole text as tool tip."""
        if not index.isValid() or role not in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return None
        item = self._items[index.row()]
        tip = role == Qt.ItemDataRole.ToolTipRole
        if index.column() == 0:
            text = self._language(f"outcome.{item.outcome}")
        elif index.column() == 1:
            whole = tip or not self._shared
            text = (item.path if whole else posixpath.relpath(item.path, self._shared)) + _row_of(item)
        else:
            text = sentence(item.why, self._language.code) or ""
        return plain_tip(text) if tip else text

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' names."""
        if orientation != Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return self._language(("knowledge.outcome", "knowledge.file", "knowledge.reason")[section])


class KnowledgePage(QWidget):
    """Asks with signals: `import_wanted(list of Path)`, `remove_starter_wanted`, and those of `unfinished`."""

    import_wanted = Signal(list)
    remove_starter_wanted = Signal()

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("knowledgePage")
        self.setAcceptDrops(True)
        self._language = language
        self._report: ImportReport | None = None
        self._failed: tuple[ImportItem, ...] = ()
        self._status: KnowledgeStatus | None = None
        self._names: Mapping[str, str] = {}
        self.drop = QFrame()
        self.drop.setProperty("drop", True)
        self._drop_words, self._formats, self._starter_words = QLabel(), QLabel(), QLabel()
        self._domains_head, self._report_head, self._counts = QLabel(), QLabel(), QLabel()
        self._formats.setProperty("role", "faint")
        self._domains_head.setProperty("role", "section")
        self._report_head.setProperty("role", "section")
        for label in (self._drop_words, self._formats, self._starter_words, self._counts):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        self.import_button = QPushButton()
        self.import_button.setObjectName("importButton")
        self.import_button.setProperty("primary", True)
        menu = QMenu(self.import_button)
        self._folder, self._files = QAction(menu), QAction(menu)
        self._folder.triggered.connect(self._choose_folder)
        self._files.triggered.connect(self._choose_files)
        menu.addActions([self._folder, self._files])
        self.import_button.setMenu(menu)
        self.starter = QFrame()
        self.starter.setProperty("banner", True)
        self.remove_starter = QPushButton()
        self.remove_starter.setObjectName("removeStarterButton")
        self.remove_starter.clicked.connect(self.remove_starter_wanted)
        self.domains = QListWidget()
        self.domains.setObjectName("knowledgeDomains")
        self.domains.setItemDelegate(TwoLineDelegate(self.domains))
        self.domains.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.report_model = ReportModel(language)
        self.report = QTableView()
        self.report.setObjectName("importReport")
        self.report.setModel(self.report_model)
        self.unfinished = UnfinishedBanner(language)
        self.notes = NotesFolder(language)
        self._build()
        language.changed.connect(self._retranslate)
        self._retranslate()

    def _build(self) -> None:
        inside = QVBoxLayout(self.drop)
        inside.setContentsMargins(24, 24, 24, 24)
        inside.setSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(12)
        self._drop_words.setWordWrap(False)
        row.addStretch(1)
        row.addWidget(self._drop_words)
        row.addWidget(self.import_button)
        row.addStretch(1)
        inside.addLayout(row)
        self._formats.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        inside.addWidget(self._formats)
        row = QHBoxLayout(self.starter)
        row.setContentsMargins(16, 8, 8, 8)
        row.addWidget(self._starter_words, 1)
        row.addWidget(self.remove_starter)
        self.report.setShowGrid(False)
        self.report.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.report.verticalHeader().hide()
        self.report.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 12)
        header = self.report.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(1, 240)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        below = QHBoxLayout()
        below.setSpacing(16)
        below.addLayout(_column(self._domains_head, None, _card(self.domains)), 2)
        self._report_card = QStackedWidget()
        self._report_card.addWidget(_card(EmptyState(self._language, "knowledge.report_none", "knowledge.report_what")))
        self._report_card.addWidget(_card(self.report))
        below.addLayout(_column(self._report_head, self._counts, self._report_card), 5)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 8)
        column.setSpacing(16)
        column.addWidget(self.drop)
        column.addWidget(self.unfinished)
        column.addWidget(self.starter)
        column.addWidget(self.notes)
        column.addLayout(below, 1)

    # ---------------------------------------------------------------- showing
    def show_status(self, status: KnowledgeStatus, names: Mapping[str, str], *, starter: bool) -> None:
        """What there is."""
        self._status, self._names = status, names
        self.starter.setVisible(starter)
        self.unfinished.show_unfinished(status.unfinished)
        self.domains.clear()
        for key, count in status.domains:
            entry = QListWidgetItem(names.get(key, key))
            entry.setData(AT_RIGHT, f"{count:,}")
            entry.setData(Qt.ItemDataRole.AccessibleTextRole, f"{names.get(key, key)} {count:,}")
            entry.setData(Qt.ItemDataRole.UserRole, key)
            self.domains.addItem(entry)

    def show_report(self, report: ImportReport) -> None:
        """What an import did."""
        self._report, self._failed = report, ()
        self.report_model.show_items(report.items)
        self._retranslate()

    def show_failed(self, items: Sequence[ImportItem]) -> None:
        """The files that their last import could not read, in the place of the report."""
        self._report, self._failed = None, tuple(items)
        self.report_model.show_items(items)
        self._retranslate()
        self.report.setFocus()

    def set_busy(self, busy: bool) -> None:
        """One import at a time."""
        self.import_button.setEnabled(not busy)
        self.remove_starter.setEnabled(not busy)
        self.unfinished.set_busy(busy)

    # ---------------------------------------------------------------- asking
    def _choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, self._language("knowledge.import_folder"))
        if chosen:
            self.import_wanted.emit([Path(chosen)])

    def _choose_files(self) -> None:
        chosen, _ = QFileDialog.getOpenFileNames(self, self._language("knowledge.import_files"))
        if chosen:
            self.import_wanted.emit([Path(name) for name in chosen])

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files and folders of this computer."""
        if self.import_button.isEnabled() and _local_paths(event):
            event.acceptProposedAction()
            self._over(over=True)

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:
        """Gone again."""
        self._over(over=False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Import what was dropped."""
        self._over(over=False)
        paths = _local_paths(event)
        if paths:
            event.acceptProposedAction()
            self.import_wanted.emit(paths)

    def _over(self, *, over: bool) -> None:
        self.drop.setProperty("over", over)
        self.drop.style().unpolish(self.drop)
        self.drop.style().polish(self.drop)

    # ---------------------------------------------------------------- words
    def _retranslate(self) -> None:
        say = self._language
        self.setAccessibleName(say("tab.knowledge"))
        self._drop_words.setText(say("knowledge.drop"))
        self._formats.setText(say("knowledge.formats"))
        self._starter_words.setText(say("knowledge.starter"))
        self._domains_head.setText(say("knowledge.domains"))
        self._report_head.setText(say("knowledge.failed_files" if self._failed else "knowledge.report"))
        self._folder.setText(say("knowledge.import_folder"))
        self._files.setText(say("knowledge.import_files"))
        for button, name in (
            (self.import_button, "knowledge.import"),
            (self.remove_starter, "knowledge.remove_starter"),
        ):
            button.setText(say(name))
            button.setAccessibleName(say(name))
        self.domains.setAccessibleName(say("knowledge.domains"))
        self.report.setAccessibleName(say("knowledge.report"))
        self._counts.setVisible(self._report is not None)
        self._report_card.setCurrentIndex(0 if self._report is None and not self._failed else 1)
        if self._report is not None:
            counts = say("knowledge.counts", **{name: f"{n:,}" for name, n in self._report.counts.items()})
            self._counts.setText(counts + ("\n" + say("knowledge.cancelled") if self._report.cancelled else ""))


def _row_of(item: ImportItem) -> str:
    """Which row of its file an article is, as its key says (`#3`); "" for whole files."""
    _, mark, row = (item.doc_key or "").rpartition(posixpath.basename(item.path) + "#")
    return f"#{row}" if mark else ""


def _local_paths(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]


def _card(inside: QWidget) -> QFrame:
    card = QFrame()
    card.setProperty("card", True)
    row = QVBoxLayout(card)
    row.setContentsMargins(1, 8, 1, 8)
    row.addWidget(inside)
    return card


def _column(head: QWidget, line: QWidget | None, body: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(8)
    column.addWidget(head)
    if line is not None:
        column.addWidget(line)
    column.addWidget(body, 1)
    return column
