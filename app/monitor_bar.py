"""The line above the monitor: which sub-page, over which time, of which type, instance and domain; how fresh it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QDateTime, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QDateTimeEdit, QHBoxLayout, QLabel, QTabBar, QVBoxLayout, QWidget

from app.flow_layout import FlowRow
from app.i18n import Language
from app.monitor_feed import ENGINES, SERVICE, View
from app.period import EARLIEST, LATEST, TimeRange, span_of
from core.figures import AgentFigures, Period, Selection

_PAGES = (SERVICE, ENGINES)
_RANGES = {
    TimeRange.HOUR: "monitor.range_hour",
    TimeRange.DAY: "monitor.range_day",
    TimeRange.WEEK: "monitor.range_week",
    TimeRange.MONTH: "monitor.range_month",
    TimeRange.CUSTOM: "monitor.range_custom",
}


class MonitorBar(QWidget):
    """`changed`: something else is looked at; `view` says what."""

    changed = Signal()

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._agents: Sequence[tuple[str, str]] = ()
        self._types: Mapping[str, str] = {}
        self._domains: Mapping[str, str] = {}
        self._at: datetime | None = None
        self._failed = False
        self.pages = QTabBar()
        self.pages.setObjectName("monitorPages")
        self.pages.setDrawBase(False)
        self.pages.setExpanding(False)
        self.pages.setUsesScrollButtons(False)
        for page in _PAGES:
            self.pages.setTabData(self.pages.addTab(""), page)
        self.range, self.type, self.agent, self.domain = (QComboBox() for _ in range(4))
        for box, name in (
            (self.range, "monitorRange"),
            (self.type, "monitorType"),
            (self.agent, "monitorAgent"),
            (self.domain, "monitorDomain"),
        ):
            box.setObjectName(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)  # another language, another width
        for chosen in _RANGES:
            self.range.addItem("", chosen.value)
        self.range.setCurrentIndex(1)
        for box in (self.type, self.agent, self.domain):
            box.addItem("", None)
        self.first, self.last = QDateTimeEdit(), QDateTimeEdit()
        for edit, name in ((self.first, "monitorFrom"), (self.last, "monitorUntil")):
            edit.setObjectName(name)
            edit.setCalendarPopup(True)
            edit.setDisplayFormat("yyyy-MM-dd HH:mm")
            edit.setDateTimeRange(_local(EARLIEST), _local(LATEST))
            edit.hide()
            edit.dateTimeChanged.connect(self.changed)
        self.fresh = QLabel()
        self.fresh.setObjectName("monitorFresh")
        self.fresh.setTextFormat(Qt.TextFormat.PlainText)
        self.fresh.setProperty("role", "faint")
        self.fresh.setMinimumHeight(self.pages.sizeHint().height())
        self._build()
        self.pages.currentChanged.connect(self.changed)
        self.range.currentIndexChanged.connect(self._range_chosen)
        self.type.currentIndexChanged.connect(self._type_chosen)
        self.agent.currentIndexChanged.connect(self.changed)
        self.domain.currentIndexChanged.connect(self.changed)
        language.changed.connect(self._retranslate)
        self._retranslate()

    def _build(self) -> None:
        filters = FlowRow()
        filters.fill([self.range, self.first, self.last, self.type, self.agent, self.domain])
        for edit in (self.first, self.last):
            edit.hide()
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(self.pages, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(filters, 1)
        row.addWidget(self.fresh, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 8, 0)
        column.addLayout(row)

    # ---------------------------------------------------------------- what is looked at
    @property
    def page(self) -> str:
        """service or engines."""
        return str(self.pages.tabData(self.pages.currentIndex()))

    @property
    def view(self) -> View:
        """As chosen."""
        chosen = TimeRange(self.range.currentData())
        ends = (_moment(self.first), _moment(self.last)) if chosen is TimeRange.CUSTOM else None
        selection = Selection(self.type.currentData(), self.agent.currentData(), self.domain.currentData())
        return View(self.page, chosen, ends, selection)

    def period_text(self, period: Period, *, by_ends: bool) -> str:
        """The range in words; a custom one, or one that was not chosen here (`by_ends`), by its ends."""
        chosen = TimeRange(self.range.currentData())
        if chosen is not TimeRange.CUSTOM and not by_ends:
            return self._language(_RANGES[chosen])
        first, last = (moment.astimezone().strftime("%Y-%m-%d %H:%M") for moment in (period.start, period.end))
        return self._language("monitor.range_from_to", first=first, last=last)

    def selection_text(self, selection: Selection) -> str:
        """What is left out of everything, in words; "" for everything."""
        parts = (
            self._types.get(selection.type, selection.type) if selection.type else "",
            selection.agent or "",
            self._domains.get(selection.domain, selection.domain) if selection.domain else "",
        )
        return " · ".join(part for part in parts if part)

    # ---------------------------------------------------------------- what there is
    def show_agents(self, agents: Sequence[AgentFigures], types: Mapping[str, str]) -> None:
        """What can be chosen; a choice that is no longer there is kept until another is made."""
        self._agents, self._types = tuple((agent.id, agent.type) for agent in agents), types
        self._fill_choices()

    def set_domain_names(self, names: Mapping[str, str]) -> None:
        """Domains that have articles."""
        self._domains = names
        self._fill_choices()

    def show_fresh(self, at: datetime) -> None:
        """The figures are of that moment."""
        self._at, self._failed = at, False
        self._say_fresh()

    def show_failed(self) -> None:
        """New figures could not be had; the old ones stand."""
        self._failed = True
        self._say_fresh()

    # ---------------------------------------------------------------- inside
    def _range_chosen(self) -> None:
        custom = self.range.currentData() == TimeRange.CUSTOM.value
        if custom and self.first.isHidden():
            period = span_of(TimeRange.DAY, datetime.now(UTC)).period
            for edit, moment in ((self.first, period.start), (self.last, period.end)):
                blocked = QSignalBlocker(edit)
                edit.setDateTime(_local(moment))
                blocked.unblock()
        for edit in (self.first, self.last):
            edit.setVisible(custom)
        self.changed.emit()

    def _type_chosen(self) -> None:
        blocked = QSignalBlocker(self.agent)
        self.agent.setCurrentIndex(0)
        blocked.unblock()
        self._fill_choices()
        self.changed.emit()

    def _fill_choices(self) -> None:
        say, kind = self._language, self.type.currentData()
        agents = {name: name for name, own in self._agents if kind in {None, own}}
        _fill(self.type, say("monitor.all_types"), self._types)
        _fill(self.agent, say("monitor.all_agents"), agents)
        _fill(self.domain, say("search.all_domains"), self._domains)

    def _say_fresh(self) -> None:
        say = self._language
        if self._failed:
            text = say("monitor.not_fresh")
        elif self._at is None:
            text = say("monitor.fetching")
        else:
            text = say("monitor.fresh", time=self._at.astimezone().strftime("%H:%M:%S"))
        self.fresh.setText(text)

    def _retranslate(self) -> None:
        say = self._language
        self.pages.setAccessibleName(say("monitor.pages"))
        for place, name in enumerate(("monitor.service", "monitor.engines")):
            self.pages.setTabText(place, say(name))
        for place, name in enumerate(_RANGES.values()):
            self.range.setItemText(place, say(name))
        for widget, name in (
            (self.range, "monitor.range"),
            (self.first, "monitor.from"),
            (self.last, "monitor.until"),
            (self.type, "monitor.type"),
            (self.agent, "monitor.agent"),
            (self.domain, "search.domain"),
        ):
            widget.setAccessibleName(say(name))
            widget.setToolTip(say(name))
        self._fill_choices()
        self._say_fresh()


def _fill(box: QComboBox, everything: str, names: Mapping[str, str]) -> None:
    """Fill without a word to anyone, and not at all where nothing is new: a list that is open stays open."""
    wanted = [(everything, None), *((name, key) for key, name in names.items())]
    chosen = box.currentData()
    if chosen is not None and chosen not in names:
        wanted.append((str(chosen), chosen))
    if [(box.itemText(place), box.itemData(place)) for place in range(box.count())] == wanted:
        return
    blocked = QSignalBlocker(box)
    box.clear()
    for name, key in wanted:
        box.addItem(name, key)
    box.setCurrentIndex(max(0, box.findData(chosen)) if chosen is not None else 0)
    blocked.unblock()


def _local(moment: datetime) -> QDateTime:
    return QDateTime.fromSecsSinceEpoch(int(moment.timestamp()))


def _moment(edit: QDateTimeEdit) -> datetime:
    return datetime.fromtimestamp(edit.dateTime().toSecsSinceEpoch(), UTC)
