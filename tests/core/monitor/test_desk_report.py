"""core.monitor.desk_report: a report comes back as it was written, and nothing else passes for one."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.desks import SkippedBecause
from core.monitor.desk_report import LEVELS, DeskDay, DeskHour, UnreadableReport, decode, desk_and_day, encode

DAY = date(2026, 11, 30)
START = datetime(2026, 11, 30, tzinfo=UTC)


def hour(number: int = 9, lookups: int = 10, **others: int) -> DeskHour:
    counts = {"sessions": 4, "not_found": 2, "degraded": 1, "adopted": 3, "repeated": 1} | others
    answered = lookups - counts["degraded"]
    levels = dict.fromkeys(LEVELS, 0) | {"PRECISE": answered, "degraded": counts["degraded"]}
    return DeskHour(START + timedelta(hours=number), lookups=lookups, answered=answered, levels=levels, **counts)


def report(**others: Any) -> DeskDay:
    values = {
        "desk": "0123abcd",
        "name": "二楼服务台",
        "day": DAY,
        "written_at": START + timedelta(hours=10, minutes=1),
        "articles": 53,
        "newest_update": "2025-05-20",
        "hours": (hour(9), hour(10)),
        "unanswered": (("投影仪没信号", 4),),
        "untold": 2,
    } | others
    return DeskDay(**values)


@st.composite
def reports(draw: st.DrawFn) -> DeskDay:
    hours = []
    for number in sorted(draw(st.sets(st.integers(0, 23)))):
        degraded, answered = draw(st.integers(0, 50)), draw(st.integers(0, 500))
        if lookups := degraded + answered:
            sessions = draw(st.integers(0, lookups))
            counts = {
                "sessions": sessions,
                "degraded": degraded,
                "not_found": draw(st.integers(0, answered)),
                "adopted": draw(st.integers(0, sessions)),
                "repeated": draw(st.integers(0, lookups)),
            }
            hours.append(hour(number, lookups, **counts))
    text = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
    return report(
        hours=tuple(hours),
        name=draw(text),
        unanswered=tuple(draw(st.lists(st.tuples(text, st.integers(0, 999)), max_size=5))),
        newest_update=draw(st.none() | st.just("2025-05-20")),
    )


@given(reports())
def test_a_report_comes_back_as_it_was(one: DeskDay) -> None:
    assert decode(one.file_name, encode(one)) == one


def test_its_name_says_whose_and_of_which_day_it_is() -> None:
    assert report().file_name == "deskside-0123abcd-2026-11-30.json"
    assert desk_and_day("deskside-0123abcd-2026-11-30.json") == ("0123abcd", DAY)
    assert desk_and_day("deskside-0123abcd-2026-13-30.json") is None
    assert desk_and_day("deskside-0123abcd-2026-11-30 (1).json") is None


def why_not(content: bytes, name: str = "deskside-0123abcd-2026-11-30.json") -> SkippedBecause:
    with pytest.raises(UnreadableReport) as told:
        decode(name, content)
    return told.value.why


@pytest.mark.parametrize("length", [0, 1, 40, 400, -3])
def test_half_a_file_is_broken(length: int) -> None:
    assert why_not(encode(report())[:length]) is SkippedBecause.BROKEN


@pytest.mark.parametrize("content", [b"[]", b"{}", b'"text"', b"null", b'{"format": "other", "schema": 1}'])
def test_other_json_is_foreign(content: bytes) -> None:
    assert why_not(content) is SkippedBecause.FOREIGN


def test_a_copy_under_another_name_counts_for_nothing() -> None:
    assert why_not(encode(report()), "deskside-0123abcd-2026-11-29.json") is SkippedBecause.FOREIGN


def test_a_newer_one_says_so_whatever_else_it_holds() -> None:
    assert why_not(json.dumps({"format": "deskside-report", "schema": 2}).encode()) is SkippedBecause.NEWER


def _more_answered(document: dict[str, Any]) -> None:
    document["hours"][0]["answered"] += 1


def _levels_of_others(document: dict[str, Any]) -> None:
    document["hours"][0]["levels"]["none"] += 1


def _negative(document: dict[str, Any]) -> None:
    document["hours"][0]["adopted"] = -1


def _text_for_count(document: dict[str, Any]) -> None:
    document["hours"][0]["repeated"] = "1"


def _another_day(document: dict[str, Any]) -> None:
    document["hours"][0]["start"] = "2026-11-29T09:00:00.000Z"


def _twice(document: dict[str, Any]) -> None:
    document["hours"].append(document["hours"][0])


def _no_levels(document: dict[str, Any]) -> None:
    del document["hours"][0]["levels"]


def _huge(document: dict[str, Any]) -> None:
    document["untold"] = 10**400


@pytest.mark.parametrize(
    "spoil",
    [
        _more_answered,
        _levels_of_others,
        _negative,
        _text_for_count,
        _another_day,
        _twice,
        _no_levels,
        _huge,
    ],
)
def test_figures_that_cannot_be_make_it_broken(spoil: Callable[[dict[str, Any]], None]) -> None:
    document = json.loads(encode(report()))
    spoil(document)
    assert why_not(json.dumps(document).encode()) is SkippedBecause.BROKEN


@given(st.binary(max_size=200))
def test_no_bytes_do_harm(content: bytes) -> None:
    assert why_not(content) in SkippedBecause


@given(
    st.recursive(
        st.none() | st.integers() | st.text() | st.floats(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["desk", "id", "name", "day", "hours", "knowledge", "levels", "start"]), inner
            )
        ),
    )
)
def test_no_document_does_harm(inner: Any) -> None:
    document = json.loads(encode(report())) | {"hours": inner}
    try:
        decode(report().file_name, json.dumps(document).encode())
    except UnreadableReport:
        return
    assert inner == []
