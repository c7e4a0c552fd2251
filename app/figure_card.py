"""A card around a table or a list of the monitor: title, layer, what it counts, export; words where nothing is yet."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QToolTip, QVBoxLayout, QWidget

from app.export_button import ExportButton
from app.i18n import Language
from app.tool_tips import plain_tip
from core.figures import Layer

_LAYERS = {
    Layer.REQUEST: ("plot.layer_request", "plot.about_request"),
    Layer.TOOL: ("plot.layer_tool", "plot.about_tool"),
    Layer.AGENT: ("plot.layer_agent", "plot.about_agent"),
}


class FigureCard(QFrame):
    """`title`, `tip` and `empty` are names of words; `layer` None: about no layer of measurement. `fills`: the body
    takes all the height there is; else the card is as high as it. It looks as a chart's card does."""

    def __init__(
        self,
        language: Language,
        body: QWidget,
        *,
        title: str,
        tip: str,
        empty: str,
        layer: Layer | None,
        export: ExportButton | None = None,
        fills: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._language, self._names, self._layer = language, (title, tip, empty), layer
        self._title, self._tag, self._note, self._told, self._empty = (QLabel(self) for _ in range(5))
        self._title.setProperty("role", "title")
        self._tag.setProperty("chip", True)
        self._tag.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._tag.setVisible(layer is not None)
        for label in (self._note, self._told, self._empty):
            label.setProperty("role", "faint")
        for label in (self._title, self._note, self._told, self._empty):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._tag.setTextFormat(Qt.TextFormat.PlainText)
        self.body = body
        self._about = QToolButton(self)
        self._about.setProperty("flat", True)
        self._about.clicked.connect(self._tell_about)
        self.foot = QHBoxLayout()
        self.foot.setSpacing(8)
        self._build(export, fills=fills)
        for label in (self._note, self._told):
            label.hide()
        if export is not None:
            export.told.connect(self._tell)
        self.show_body(shown=False)
        language.changed.connect(self._retell)
        self._retell()

    def _build(self, export: ExportButton | None, *, fills: bool) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title, 1)
        for widget in (self._about, *([export] if export is not None else [])):
            head.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        second = QHBoxLayout()
        second.setSpacing(8)
        second.addWidget(self._tag, 0, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        second.addWidget(self._note, 1)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(16, 12, 12, 12)
        inside.setSpacing(8)
        inside.addLayout(head)
        inside.addLayout(second)
        inside.addWidget(self._told)
        inside.addWidget(self._empty)
        inside.addWidget(self.body, int(fills))
        inside.addLayout(self.foot)
        inside.addStretch(0 if fills else 1)

    def show_body(self, *, shown: bool) -> None:
        """The table, or the words for nothing."""
        self.body.setVisible(shown)
        self._empty.setVisible(not shown)

    def say(self, text: str) -> None:
        """A line below the title; "" for none."""
        self._note.setText(text)
        self._note.setVisible(bool(text))

    def _tell(self, text: str) -> None:
        self._told.setText(text)
        self._told.show()

    def _tell_about(self) -> None:
        QToolTip.showText(self._about.mapToGlobal(QPoint(0, self._about.height())), self._about.toolTip(), self._about)

    def _retell(self) -> None:
        say = self._language
        title, tip, empty = (say(name) for name in self._names)
        self._title.setText(title)
        self._empty.setText(empty)
        self._told.hide()
        if self._layer is not None:
            name, about = _LAYERS[self._layer]
            self._tag.setText(say(name))
            tip = f"{tip}\n{say(about)}"
        self._about.setText(say("plot.about"))
        self._about.setAccessibleName(say("plot.about_name", title=title))
        self._about.setAccessibleDescription(tip)
        for widget in (self._about, self._title, self._tag):
            widget.setToolTip(plain_tip(tip))
        self.setAccessibleName(title)
        self.body.setAccessibleName(title)
        self.setAccessibleDescription(tip)
