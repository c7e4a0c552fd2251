"""The order of Tab: as a reader's eye goes through the layouts, whatever was made first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QWidget


def follow_layouts(root: QWidget) -> None:
    """Tab goes through all that stands in the layouts of `root`, item by item: what is in one is gone through before
    the next. What is hidden has its place too."""
    for before, after in pairwise(one for one in _in_layouts(root) if one.focusPolicy() & Qt.FocusPolicy.TabFocus):
        QWidget.setTabOrder(before, after)


def _in_layouts(widget: QWidget) -> Iterator[QWidget]:
    yield widget
    layout = widget.layout()
    if layout is not None:
        yield from _items(layout)


def _items(layout: QLayout) -> Iterator[QWidget]:
    for place in range(layout.count()):
        item = layout.itemAt(place)
        if item is None:
            continue
        held, inner = item.widget(), item.layout()
        if held is not None:
            yield from _in_layouts(held)
        elif inner is not None:
            yield from _items(inner)
