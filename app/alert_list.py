"""alertList: what is to be warned of, open ones first; acknowledged with the space bar or the button."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton, QWidget

from app.figure_card import FigureCard
from app.figure_text import count_text, duration_text, moment_text, share_text
from app.i18n import Language
from app.tool_tips import plain_tip
from app.two_line_delegate import AT_RIGHT, SECOND_LINE, TwoLineDelegate
from core.figures import Alert, AlertState

_ORDER = tuple(AlertState)
_STATES = {
    AlertState.OPEN: "monitor.alert_open",
    AlertState.ACKNOWLEDGED: "monitor.alert_acknowledged",
    AlertState.RESOLVED: "monitor.alert_resolved",
}
_SUCCESS, _SLOW, _OUTAGE = "agent_success_rate", "agent_avg_ms", "suspected_outage"
_ROWS = 5


def subject_of(alert: Alert) -> tuple[str, str]:
    """What an alert's name says: its kind, and the instance or the normalised query."""
    kind, _, subject = alert.name.partition(":")
    return kind, subject


def is_outage(alert: Alert) -> bool:
    """About a question that many ask at once; else about an instance."""
    return subject_of(alert)[0] == _OUTAGE


def is_slow(alert: Alert) -> bool:
    """About how long an instance takes."""
    return subject_of(alert)[0] == _SLOW


class FittingList(QListWidget):
    """As high as its rows, up to `_ROWS`; its keys come first to `on_key`, which says whether it took them."""

    def __init__(self, on_key: Callable[[Qt.Key], bool]) -> None:
        super().__init__()
        self._on_key = on_key
        self.setItemDelegate(TwoLineDelegate(self))
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def fill(self, entries: Sequence[tuple[int | str, str, str, str]]) -> None:
        """Key (UserRole), first line, what stands at its end, second line; the current key stays the current one."""
        current = self.currentItem()
        kept = current.data(Qt.ItemDataRole.UserRole) if current is not None else None
        self.clear()
        for key, text, right, second in entries:
            entry = QListWidgetItem(text)
            entry.setData(Qt.ItemDataRole.UserRole, key)
            entry.setData(AT_RIGHT, right)
            entry.setData(SECOND_LINE, second)
            entry.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(part for part in (text, right, second) if part))
            entry.setToolTip(plain_tip(f"{text}\n{second}"))
            self.addItem(entry)
            if key == kept:
                self.setCurrentItem(entry)
        if self.currentItem() is None:
            self.setCurrentRow(0)
        seen = range(min(self.count(), _ROWS))
        self.setFixedHeight(sum(self.sizeHintForRow(row) for row in seen) + 2 * self.frameWidth() + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and the space bar are the card's."""
        if not self._on_key(Qt.Key(event.key())):
            super().keyPressEvent(event)


class AlertCard(FigureCard):
    """`acknowledge_wanted(id)`; `behind(Alert)`: the lookups behind it are wanted."""

    acknowledge_wanted = Signal(int)
    behind = Signal(object)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        self._alerts: Sequence[Alert] = ()
        self.list = FittingList(self._key)
        self.list.setObjectName("alertList")
        self.acknowledge, self.show_lookups = QPushButton(), QPushButton()
        super().__init__(
            language,
            self.list,
            title="monitor.alerts",
            tip="monitor.alerts_counts",
            empty="monitor.alerts_none",
            layer=None,
            parent=parent,
        )
        for button, name in ((self.acknowledge, "acknowledgeAlert"), (self.show_lookups, "alertLookups")):
            button.setObjectName(name)
            button.setAutoDefault(False)
            self.foot.addWidget(button)
        self.foot.addStretch(1)
        self.acknowledge.clicked.connect(self._acknowledge)
        self.show_lookups.clicked.connect(self._behind)
        self.list.itemDoubleClicked.connect(lambda _: self._behind())
        self.list.currentRowChanged.connect(self._current_changed)
        language.changed.connect(self._redraw)
        self._redraw()

    def show_alerts(self, alerts: Sequence[Alert]) -> None:
        """Open, then acknowledged, then resolved ones; each by when it opened, newest first."""
        newest = sorted(alerts, key=lambda alert: alert.opened_at, reverse=True)
        self._alerts = sorted(newest, key=lambda alert: _ORDER.index(alert.state))
        self._redraw()

    @property
    def current(self) -> Alert | None:
        """The one that the buttons act on."""
        row = self.list.currentRow()
        return self._alerts[row] if 0 <= row < len(self._alerts) else None

    def title_of(self, alert: Alert) -> str:
        """What is the matter, in one line."""
        kind, subject = subject_of(alert)
        say = self._language
        if kind == _SUCCESS:
            return say("monitor.alert_success", agent=subject)
        if kind == _SLOW:
            return say("monitor.alert_slow", agent=subject)
        return say("monitor.alert_outage", query=alert.detail or subject)

    def _detail(self, alert: Alert) -> str:
        kind, _ = subject_of(alert)
        say, values = self._language, (alert.value, alert.threshold)
        if kind == _OUTAGE:
            text = say("monitor.alert_sessions", count=count_text(round(alert.value)))
        else:
            value, threshold = map(share_text if kind == _SUCCESS else duration_text, values)
            text = say("monitor.alert_value", value=value, threshold=threshold)
        moments = [say("monitor.alert_since", time=moment_text(alert.opened_at))]
        if alert.state is AlertState.RESOLVED:
            moments.append(say("monitor.alert_until", time=_until_text(alert)))
        return " · ".join([text, *moments])

    # ---------------------------------------------------------------- inside
    def _redraw(self) -> None:
        say = self._language
        self.list.fill(
            [(alert.id, self.title_of(alert), say(_STATES[alert.state]), self._detail(alert)) for alert in self._alerts]
        )
        self.show_body(shown=bool(self._alerts))
        self.list.setAccessibleDescription(say("monitor.alert_keys"))
        for button, name in (
            (self.acknowledge, "monitor.acknowledge"),
            (self.show_lookups, "monitor.show_lookups"),
        ):
            button.setText(say(name))
            button.setVisible(bool(self._alerts))
        self._current_changed()

    def _current_changed(self) -> None:
        alert = self.current
        self.acknowledge.setEnabled(alert is not None and alert.state is AlertState.OPEN)
        for button in (self.acknowledge, self.show_lookups):
            button.setAccessibleName(button.text() + (f": {self.title_of(alert)}" if alert is not None else ""))

    def _key(self, key: Qt.Key) -> bool:
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._behind()
        elif key == Qt.Key.Key_Space:
            self._acknowledge()
        else:
            return False
        return True

    def _acknowledge(self) -> None:
        alert = self.current
        if alert is not None and alert.state is AlertState.OPEN:
            self.acknowledge_wanted.emit(alert.id)

    def _behind(self) -> None:
        if self.current is not None:
            self.behind.emit(self.current)


def _until_text(alert: Alert) -> str:
    """Only hours and minutes where it ended on the day that it began."""
    began, ended = moment_text(alert.opened_at), moment_text(alert.resolved_at)
    return ended.removeprefix(began[: began.index(" ") + 1])
