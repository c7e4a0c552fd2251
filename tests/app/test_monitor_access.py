"""The monitor without a mouse and without eyes: every control has a name, and Tab goes as the eye does (§10)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QTableView, QWidget

from app.figure_card import FigureCard
from app.figure_tile import FigureTile
from app.plot_frame import Chart
from app.words import LANGUAGES
from tests.app.desk import Desk
from tests.app.monitor_figures import StatedMonitor
from tests.app.test_monitor_page import Supervisor

PAGES = ("service", "engines")


@pytest.fixture
def supervisor(desk: Desk) -> Supervisor:
    return Supervisor(desk, StatedMonitor())


def opened(supervisor: Supervisor, page: str) -> QWidget:
    if page == "engines":
        supervisor.engines()
    QApplication.processEvents()
    view = getattr(supervisor.page, page)
    assert isinstance(view, QWidget)
    return view


def tabbed(view: QWidget) -> Iterator[QWidget]:
    """What Tab comes to on a page, in its order."""
    at = view.nextInFocusChain()
    while at is not view:
        usable = at.isVisible() and at.isEnabled() and at.focusPolicy() & Qt.FocusPolicy.TabFocus
        if usable and at.focusProxy() is None and view.isAncestorOf(at):
            yield at
        at = at.nextInFocusChain()


def place(view: QWidget, widget: QWidget) -> tuple[int, int, int, int]:
    """Where the eye comes to it: tile by tile and card by card, and within one line by line."""
    frame = widget
    while not isinstance(frame, FigureTile | FigureCard | Chart):
        frame = frame.parentWidget()
    outer, inner = frame.mapTo(view, QPoint()), widget.mapTo(view, QPoint())
    return outer.y(), outer.x(), inner.y(), inner.x()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_tab_comes_to_has_a_name_and_tables_say_their_keys(
    supervisor: Supervisor, page: str, language: str
) -> None:
    view = opened(supervisor, page)
    supervisor.desk.language.set_code(language)
    supervisor.desk.drain()
    QApplication.processEvents()
    reached = list(tabbed(view))
    assert len(reached) > 15
    for widget in reached:
        assert widget.accessibleName(), (widget, widget.objectName())
        if isinstance(widget, QTableView):
            assert widget.accessibleDescription(), widget.objectName()


@pytest.mark.parametrize("page", PAGES)
def test_tab_goes_as_the_eye_does(supervisor: Supervisor, page: str) -> None:
    view = opened(supervisor, page)
    reached = list(tabbed(view))
    told = [(place(view, widget), widget.accessibleName()) for widget in reached]
    assert told == sorted(told, key=lambda one: one[0])
