"""Contract §2: one text is one row, whatever happens on it; typed and cleared is none; what counts as retrieved."""

from __future__ import annotations

from app.lookup_flow import DWELL_MS, LookupFlow, Recording
from core.model import EventKind, Trigger


class ManualTimer:
    """Fires when told to."""

    def __init__(self) -> None:
        self.running: int | None = None

    def start(self, milliseconds: int) -> None:
        self.running = milliseconds

    def stop(self) -> None:
        self.running = None


class Desk:
    """A flow with hand-driven time, and what it asked for, in order."""

    def __init__(self, settle_seconds: float = 3) -> None:
        self.settle, self.dwell, self.now = ManualTimer(), ManualTimer(), 0.0
        self.rows: list[Recording] = []
        self.acts: list[tuple[int | None, EventKind, str]] = []
        self.held: list[tuple[int | None, str]] = []
        self.superseded: list[int | None] = []
        self.flow = LookupFlow(
            self, settle=self.settle, dwell=self.dwell, clock=lambda: self.now, settle_seconds=settle_seconds
        )

    def record(self, recording: Recording) -> None:
        self.rows.append(recording)

    def act(self, recording: Recording, kind: EventKind, doc_key: str, value: int | None) -> None:
        self.acts.append((recording.invocation_id, kind, doc_key))
        assert (value is not None) == (kind is EventKind.VOTED)

    def retrieved(self, recording: Recording, doc_key: str) -> None:
        self.held.append((recording.invocation_id, doc_key))

    def supersede(self, recording: Recording) -> None:
        self.superseded.append(recording.invocation_id)

    # ------------------------------------------------------------ what a person does
    def type(self, text: str, *, results: bool = True) -> None:
        for end in range(1, len(text) + 1):
            self.flow.text_changed(text[:end])
        self.flow.results_shown(results)

    def time_out(self, timer: ManualTimer) -> None:
        assert timer.running is not None, "the timer does not run"
        timer.stop()
        if timer is self.settle:
            self.flow.settled()
        else:
            self.flow.dwelt()

    def answer(self, number: int = -1, session: str = "S") -> None:
        recording = self.rows[number]
        self.flow.recorded(recording, session, self.rows.index(recording) + 1)

    @property
    def triggers(self) -> list[Trigger]:
        return [row.trigger for row in self.rows]


def test_typing_letter_by_letter_and_enter_is_one_row() -> None:
    desk = Desk()
    desk.type("ERR_TIMEOUT")
    desk.flow.enter()
    assert desk.triggers == [Trigger.ENTER]
    assert desk.rows[0].text == "ERR_TIMEOUT"


def test_typed_and_cleared_is_no_row() -> None:
    desk = Desk()
    desk.type("ERR_TIMEOUT")
    desk.flow.text_changed("")
    desk.flow.enter()
    assert desk.rows == []
    assert desk.settle.running is None


def test_a_second_enter_is_a_new_lookup() -> None:
    desk = Desk()
    desk.type("VPN 691")
    desk.flow.enter()
    desk.answer()
    desk.flow.enter()
    assert desk.triggers == [Trigger.ENTER, Trigger.ENTER]


def test_any_number_of_acts_on_one_text_share_its_row() -> None:
    desk = Desk()
    desk.type("VPN 691")
    desk.flow.acted(EventKind.OPENED, "a.md")
    desk.answer()
    desk.flow.acted(EventKind.COPIED, "a.md")
    desk.flow.acted(EventKind.VOTED, "b.md", value=1)
    assert desk.triggers == [Trigger.OPEN]
    assert desk.acts == [
        (1, EventKind.OPENED, "a.md"),
        (1, EventKind.COPIED, "a.md"),
        (1, EventKind.VOTED, "b.md"),
    ]


def test_the_first_enter_after_another_act_writes_no_second_row() -> None:
    desk = Desk()
    desk.type("VPN 691")
    desk.flow.acted(EventKind.COPIED, "a.md")
    desk.answer()
    desk.flow.enter()
    assert desk.triggers == [Trigger.COPY]
    desk.flow.enter()
    assert desk.triggers == [Trigger.COPY, Trigger.ENTER]


def test_acts_wait_for_the_row_they_belong_to() -> None:
    desk = Desk()
    desk.type("VPN")
    desk.flow.acted(EventKind.OPENED, "a.md")
    desk.flow.text_changed("other")
    assert desk.acts == []
    desk.answer()
    assert desk.acts == [(1, EventKind.OPENED, "a.md")]


def test_a_text_left_standing_with_results_settles_once() -> None:
    desk = Desk()
    desk.type("打印机")
    assert desk.settle.running == 3000
    desk.time_out(desk.settle)
    desk.answer()
    desk.flow.results_shown(True)
    assert desk.triggers == [Trigger.SETTLE]
    assert desk.settle.running is None


def test_nothing_settles_without_results_or_when_switched_off_or_while_composing() -> None:
    desk = Desk()
    desk.type("qqq", results=False)
    assert desk.settle.running is None
    off = Desk(settle_seconds=0)
    off.type("打印机")
    assert off.settle.running is None
    composing = Desk()
    composing.type("打印")
    composing.flow.pause()
    assert composing.settle.running is None


def test_a_text_that_was_put_there_does_not_settle_but_what_is_done_counts() -> None:
    desk = Desk()
    desk.flow.text_put("打印机")
    desk.flow.results_shown(True)
    desk.flow.session_changed("s-2")
    desk.flow.results_shown(True)
    assert desk.settle.running is None
    desk.flow.enter()
    assert desk.triggers == [Trigger.ENTER]
    desk.type("打印机卡纸")
    assert desk.settle.running == 3000


def test_a_change_of_the_text_stops_settling() -> None:
    desk = Desk()
    desk.type("打印")
    desk.flow.text_changed("打印机")
    assert desk.settle.running is None


def settled_then(text: str, after: float, session: str = "S") -> Desk:
    desk = Desk()
    desk.type("VPN")
    desk.time_out(desk.settle)
    desk.answer(session=session)
    desk.now += after
    desk.flow.text_changed(text)
    desk.flow.enter()
    return desk


def test_a_settle_row_that_was_only_the_beginning_is_superseded() -> None:
    assert settled_then("VPN 691", 15.0).superseded == [1]


def test_it_is_not_superseded_later_or_by_another_text_or_by_itself() -> None:
    assert settled_then("VPN 691", 15.1).superseded == []
    assert settled_then("打印机", 1).superseded == []
    assert settled_then("VPN", 1).superseded == []


def test_it_is_not_superseded_by_a_lookup_of_another_session() -> None:
    desk = Desk()
    desk.type("VPN")
    desk.time_out(desk.settle)
    desk.answer()
    desk.flow.session_changed("T-2")
    desk.flow.text_changed("VPN 691")
    desk.flow.enter()
    assert desk.superseded == []


def test_only_settle_rows_are_superseded() -> None:
    desk = Desk()
    desk.type("VPN")
    desk.flow.enter()
    desk.answer()
    desk.flow.text_changed("VPN 691")
    desk.flow.enter()
    assert desk.superseded == []


def test_superseding_waits_for_the_id_of_the_row() -> None:
    desk = Desk()
    desk.type("VPN")
    desk.time_out(desk.settle)
    desk.flow.text_changed("VPN 691")
    desk.flow.enter()
    assert desk.superseded == []
    desk.answer(0)
    assert desk.superseded == [1]


def test_the_primary_counts_after_three_seconds_in_the_pane() -> None:
    desk = Desk()
    desk.type("VPN 691")
    desk.flow.enter()
    desk.answer()
    desk.flow.article_shown_after_enter("a.md")
    assert desk.held == []
    assert desk.dwell.running == DWELL_MS == 3000
    desk.time_out(desk.dwell)
    assert desk.held == [(1, "a.md")]


def test_typing_on_or_leaving_the_article_before_that_retrieves_nothing() -> None:
    for leave in (lambda flow: flow.text_changed("x"), lambda flow: flow.article_left(), lambda flow: flow.enter()):
        desk = Desk()
        desk.type("VPN 691")
        desk.flow.enter()
        desk.answer()
        desk.flow.article_shown_after_enter("a.md")
        leave(desk.flow)
        assert desk.dwell.running is None
        assert desk.held == []


def test_without_enter_nothing_dwells() -> None:
    desk = Desk()
    desk.type("VPN 691")
    desk.flow.article_shown_after_enter("a.md")
    assert desk.dwell.running is None


def test_an_act_on_the_article_in_the_pane_belongs_to_the_lookup_that_opened_it() -> None:
    desk = Desk()
    desk.type("VPN 691")
    desk.flow.enter()
    desk.answer()
    origin = desk.flow.current
    desk.flow.text_changed("打印机")
    desk.flow.acted(EventKind.COPIED, "a.md", origin)
    assert desk.triggers == [Trigger.ENTER]
    assert desk.acts == [(1, EventKind.COPIED, "a.md")]


def test_a_failed_lookup_leaves_the_text_as_it_was() -> None:
    desk = Desk()
    desk.type("VPN")
    desk.flow.acted(EventKind.OPENED, "a.md")
    desk.flow.failed(desk.rows[0])
    desk.flow.enter()
    assert desk.triggers == [Trigger.OPEN, Trigger.ENTER]
    assert desk.acts == []


def test_the_same_text_in_another_session_is_a_new_question() -> None:
    desk = Desk()
    desk.type("VPN")
    desk.flow.enter()
    desk.answer()
    desk.flow.session_changed("T-2")
    desk.flow.enter()
    assert desk.triggers == [Trigger.ENTER, Trigger.ENTER]


def test_rows_of_a_session_that_was_put_back_go_on_in_the_earlier_one() -> None:
    desk = Desk()
    desk.type("VPN")
    desk.flow.enter()
    desk.answer(session="S-2")
    desk.flow.session_merged("S-2", "S-1")
    assert desk.rows[0].session_id == "S-1"
    desk.flow.acted(EventKind.OPENED, "a.md")
    assert desk.triggers == [Trigger.ENTER]
