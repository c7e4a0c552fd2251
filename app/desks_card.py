"""More than one desk: what desks reported to the shared folder, which are silent, and which have old knowledge."""

from __future__ import annotations

from datetime import UTC, datetime

from PySide6.QtWidgets import QWidget

from app.export_button import ExportButton
from app.figure_card import FigureCard
from app.figure_table import Column, FigureTable
from app.figure_text import NONE, age_text, count_text, rate_text
from app.i18n import Language
from core.desks import DeskFolder, DeskReport, DesksFigures
from core.figures import Layer


class DesksCard(FigureCard):
    """Hidden while no folder is set. Desks stand by name, with no rate of their own: nobody is ranked."""

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        self._desks: DesksFigures | None = None
        self._at = datetime.now(UTC)
        self.table = FigureTable(language, self._columns(language), lambda row: row.id, sortable=False)
        self.table.setObjectName("desksTable")
        self.table.show_all_rows(12)
        super().__init__(
            language,
            self.table,
            title="monitor.desks",
            tip="monitor.desks_counts",
            empty="monitor.desks_none",
            layer=Layer.REQUEST,
            export=ExportButton(language, self.table, "monitor.desks"),
            parent=parent,
        )
        self.setObjectName("desksCard")
        self.hide()
        language.changed.connect(self._redraw)

    def show_desks(self, told: DesksFigures) -> None:
        """What was read of the folder just now."""
        self._desks, self._at = told, datetime.now(UTC)
        self.setVisible(told.folder is not DeskFolder.OFF)
        self._redraw()

    def _redraw(self) -> None:
        if self._desks is not None:
            self.table.show_rows(self._desks.desks)
            self.show_body(shown=bool(self._desks.desks))
            self.say(self._sums(self._desks))

    def _sums(self, told: DesksFigures) -> str:
        say = self._language
        parts = []
        if told.folder is DeskFolder.UNREACHABLE:
            parts.append(say("monitor.desks_unreachable", path=told.path))
        if told.desks:
            parts.append(
                say(
                    "monitor.desks_sums",
                    desks=len(told.desks),
                    lookups=count_text(told.lookups),
                    sessions=count_text(told.sessions),
                    answered=rate_text(told.answered, say),
                    without=rate_text(told.without_result, say),
                    adopted=rate_text(told.adopted, say),
                )
            )
        if told.skipped:
            parts.append(say("monitor.desks_skipped", names=tuple(file.name for file in told.skipped[:3])))
        return "\n".join(parts)

    def _columns(self, say: Language) -> list[Column]:
        def name(row: DeskReport) -> str:
            return say("monitor.desk_here", name=row.name) if row.here else row.name

        def last(row: DeskReport) -> str:
            age = age_text(row.last_at, self._at, say)
            return say("monitor.desk_silent", age=age) if row.silent else age

        def knowledge(row: DeskReport) -> str:
            text = row.newest_update or NONE
            return say("monitor.desk_behind", date=text) if row.behind else text

        return [
            Column("monitor.desk", name),
            Column("monitor.desk_last", last, lambda row: row.last_at),
            Column("monitor.desk_knowledge", knowledge),
            Column("monitor.articles", lambda row: count_text(row.articles), lambda row: row.articles, number=True),
            Column("monitor.lookups", lambda row: count_text(row.lookups), lambda row: row.lookups, number=True),
        ]
