"""What is worth an alert, and what is not yet."""

from __future__ import annotations

import pytest

from core.figures import AgentFigures
from core.monitor.alerting import agent_conditions, is_outage, outage_conditions
from core.store.surges import Surge
from tests.core.monitor.agent_figures import agent

ASKED = Surge("0x0000011b 打印机", "打印机 0x0000011b", 5)
NAME = "suspected_outage:0x0000011b 打印机"


def names(*agents: AgentFigures) -> list[str]:
    return [c.name for c in agent_conditions(agents, success_rate_threshold=0.90, latency_ms_threshold=3000)]


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        (agent(success_rate=0.90), []),
        (agent(success_rate=0.8999), ["agent_success_rate:network/semantic-1"]),
        (agent(avg_ms=3000), []),
        (agent(avg_ms=3000.1), ["agent_avg_ms:network/semantic-1"]),
        (agent(total=19, success_rate=0.0, avg_ms=9999), []),
        (
            agent(total=20, success_rate=0.0, avg_ms=9999),
            ["agent_success_rate:network/semantic-1", "agent_avg_ms:network/semantic-1"],
        ),
        (agent(total=0, success_rate=1.0, avg_ms=0), []),
    ],
)
def test_an_agent_is_warned_of_past_its_thresholds_and_from_twenty_calls_on(
    figures: AgentFigures, expected: list[str]
) -> None:
    assert names(figures) == expected


def test_an_alert_tells_the_value_and_the_threshold_that_hold() -> None:
    (found,) = agent_conditions([agent(avg_ms=4200)], success_rate_threshold=0.90, latency_ms_threshold=4000)
    assert (found.value, found.threshold) == (4200, 4000)


@pytest.mark.parametrize(("sessions", "warned"), [(4, False), (5, True), (50, True)])
def test_a_question_of_five_sessions_is_a_suspected_outage(sessions: int, warned: bool) -> None:
    found = outage_conditions([Surge(ASKED.key, ASKED.query, sessions)], ())
    assert [c.name for c in found] == [NAME] * warned
    assert [(c.value, c.threshold, c.detail) for c in found] == [(sessions, 5, ASKED.query)] * warned


@pytest.mark.parametrize(("sessions", "stays"), [(5, True), (4, True), (3, True), (2, False), (1, False)])
def test_an_open_outage_is_not_over_while_some_still_ask(sessions: int, stays: bool) -> None:
    found = outage_conditions([Surge(ASKED.key, ASKED.query, sessions)], {NAME})
    assert [c.name for c in found] == [NAME] * stays


def test_the_kind_of_an_alert_is_told_from_its_name() -> None:
    assert is_outage(NAME)
    assert not is_outage("agent_avg_ms:network/semantic-1")
