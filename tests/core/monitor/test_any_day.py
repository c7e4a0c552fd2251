"""Whatever a day brings: an alert stands exactly while its reason does, once; penalties are those of the formula."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from core.agents.routing import penalty
from core.agents.window import Call
from core.figures import ENOUGH, Alert, AlertState
from core.monitor.alerting import AVG_MS, SUCCESS_RATE
from core.store.alerts import Alerts
from tests.core.monitor.desk import LOADED, Desk
from tests.manual_clock import START, ManualClock

_ENDED = {AlertState.RESOLVED}


def standing_reasons(desk: Desk) -> set[str]:
    """The names of what should be warned of, worked out from the figures once more."""
    found = set()
    for agent in desk.pool.figures():
        if agent.total >= ENOUGH and agent.success_rate < 0.9:
            found.add(f"{SUCCESS_RATE}:{agent.id}")
        if agent.total >= ENOUGH and agent.avg_ms > 3000:
            found.add(f"{AVG_MS}:{agent.id}")
    return found


def live_a_little(desk: Desk, chance: random.Random) -> None:
    """A burst of calls that are alike, some time, perhaps somebody who looks at an alert."""
    agent, count = chance.choice(LOADED), chance.choice((0, 1, 19, 20, 60, 200))
    duration_ms, fails = chance.choice((5, 2999, 3000, 3001, 9000)), chance.choice((0.0, 0.0, 0.1, 0.5))
    for _ in range(count):
        desk.pool.restore([Call(agent, desk.clock.now(), duration_ms, chance.random() >= fails)])
    desk.clock.advance(chance.choice((10, 10, 10, 600, 30_000, 90_000)))
    standing = Alerts(desk.database).standing()
    if standing and chance.random() < 0.3:
        Alerts(desk.database).acknowledge(chance.choice(standing).id, desk.clock.now())


@settings(max_examples=15)
@given(st.integers(0, 2**32))
def test_alerts_stand_while_their_reason_does_and_once(seed: int) -> None:
    with TemporaryDirectory() as folder:
        desk = Desk(Path(folder) / "deskside.db", ManualClock())
        try:
            live(desk, random.Random(seed))
        finally:
            desk.close()


def live(desk: Desk, chance: random.Random) -> None:
    """A day, looked at after every collection."""
    before: dict[int, Alert] = {}
    for _ in range(25):
        live_a_little(desk, chance)
        seen = {alert.id for alert in Alerts(desk.database).standing() if alert.state is AlertState.ACKNOWLEDGED}
        assert desk.collecting.collect()
        alerts = {alert.id: alert for alert in Alerts(desk.database).listed(START)}
        standing = [alert for alert in alerts.values() if alert.state not in _ENDED]
        assert sorted(alert.name for alert in standing) == sorted(standing_reasons(desk))
        assert {alert.id for alert in standing if alert.state is AlertState.ACKNOWLEDGED} == seen & {
            alert.id for alert in standing
        }
        for number, alert in before.items():
            assert alert.state not in _ENDED or alerts[number] == alert, "what is settled stays as it is"
        for agent in desk.pool.figures():
            assert agent.monitor_penalty == penalty(agent.success_rate, agent.avg_ms, n=agent.total)
        before = alerts
