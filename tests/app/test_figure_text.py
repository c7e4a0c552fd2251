"""How figures read: too few is said, no rate without its n, ages in their unit, the repeated hour told apart."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from app.figure_text import age_text, duration_text, exact_moment_text, of_text, rate_text, share_text
from app.i18n import Language
from core.figures import ENOUGH, Rate

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)


@pytest.fixture
def berlin() -> Iterator[None]:
    """The process's local time is Berlin's."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "Europe/Berlin"
    time.tzset()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


@pytest.mark.parametrize(
    ("rate", "text", "of"),
    [
        (Rate(0, 0), "–", "0 / 0"),
        (Rate(ENOUGH - 1, ENOUGH - 1), "样本不足", "19 / 19"),
        (Rate(ENOUGH, ENOUGH), "100.0%", "20 / 20"),
        (Rate(1234, 12340), "10.0%", "1,234 / 12,340"),
    ],
)
def test_a_rate_never_stands_without_its_n_and_too_few_is_said(rate: Rate, text: str, of: str) -> None:
    assert rate_text(rate, Language()) == text
    assert of_text(rate, Language()) == of


def test_what_is_no_number_is_a_dash() -> None:
    assert {share_text(None), share_text(math.nan), duration_text(None), duration_text(math.inf)} == {"–"}


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0 ms"), (999.4, "999 ms"), (999.5, "1.0 s"), (4100, "4.1 s"), (99_940, "99.9 s"), (99_960, "1.7 min")],
)
def test_durations_change_their_unit_without_a_leap(ms: float, text: str) -> None:
    assert duration_text(ms) == text


@pytest.mark.parametrize(
    ("ago", "text"),
    [
        (timedelta(seconds=-5), "刚刚"),
        (timedelta(seconds=59), "刚刚"),
        (timedelta(minutes=1), "1 分钟前"),
        (timedelta(minutes=59, seconds=59), "59 分钟前"),
        (timedelta(hours=1), "1 小时前"),
        (timedelta(hours=47), "47 小时前"),
        (timedelta(hours=48), "2 天前"),
    ],
)
def test_ages_are_told_in_the_largest_unit_that_fits(ago: timedelta, text: str) -> None:
    assert age_text(NOW - ago, NOW, Language()) == text


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its zone")
def test_the_hour_that_comes_twice_is_told_apart(berlin: None) -> None:
    assert exact_moment_text(datetime(2026, 10, 25, 0, 30, tzinfo=UTC)) == "2026-10-25 02:30:00 +0200"
    assert exact_moment_text(datetime(2026, 10, 25, 1, 30, tzinfo=UTC)) == "2026-10-25 02:30:00 +0100"
    assert exact_moment_text(datetime(2026, 10, 25, 2, 30, tzinfo=UTC)) == "2026-10-25 03:30:00"
