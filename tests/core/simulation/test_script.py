"""core.simulation.script: the same for the same seed, in order of time, with what it promises."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from core.simulation.day import questions
from core.simulation.script import Act, Day, day

QUESTIONS = questions()


def of(seed: int, hours: float = 9, sessions: int = 120) -> Day:
    return day(QUESTIONS, seed, hours=hours, sessions=sessions)


@given(st.integers(0, 2**32), st.floats(0.5, 24), st.integers(0, 60))
def test_a_day_is_the_same_for_the_same_seed_and_in_order(seed: int, hours: float, sessions: int) -> None:
    one = of(seed, hours, sessions)
    assert one == of(seed, hours, sessions)
    moments = [ask.at for ask in one.asks]
    assert moments == sorted(moments)
    assert all(0 <= at < one.length for at in moments)


def test_another_seed_is_another_day() -> None:
    assert of(1) != of(2)


def test_everything_that_a_help_desk_does_is_done() -> None:
    asks = of(3, sessions=400).asks
    texts = [ask.text for ask in asks]
    assert len({ask.session for ask in asks}) > 400
    assert any(ask.executor for ask in asks)
    assert any(ask.left_standing for ask in asks)
    assert any(ask.closes for ask in asks)
    assert {act for ask in asks for _, act in ask.then} == set(Act)
    assert any(not ask.helps for ask in asks)
    assert len(texts) > len(set(texts))


def test_a_spell_befalls_its_instances_for_its_time_alone() -> None:
    one, chance = of(1), random.Random(1)
    for spell in one.spells:
        middle, after = (spell.start + spell.end) / 2 * one.length, spell.end * one.length
        low, high = spell.ms
        for agent in spell.agents:
            milliseconds, succeeds = one.call(agent, "hybrid-hashed", middle, chance)
            assert low <= milliseconds <= high
            assert succeeds == (spell.failing == 0)
            usual = [one.call(agent, "hybrid-hashed", after, chance) for _ in range(200)]
            assert sum(milliseconds < 300 and succeeds for milliseconds, succeeds in usual) > 150


def test_a_suspected_outage_is_many_callers_within_minutes() -> None:
    one = of(5)
    asked = [ask for ask in one.asks if "企业微信" in ask.text]
    assert len({ask.session for ask in asked}) == len(asked) >= 10
    assert asked[-1].at - asked[0].at < 10 * 60
