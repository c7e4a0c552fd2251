"""Who is said to serve is who the pool gives the next lookup to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.agents.pool import Pool
from core.agents.tier import tiers
from core.monitor.serving import serving
from core.settings import Settings
from tests.manual_clock import ManualClock

TYPES = ("network", "general")
IDS = [
    f"{type_}/{tier}-{n}"
    for type_ in TYPES
    for tier, count in tiers(with_model=True).items()
    for n in range(1, count + 1)
]

calls = st.lists(st.tuples(st.sampled_from(TYPES), st.booleans(), st.sampled_from((5.0, 900.0, 8000.0))), max_size=80)
penalties = st.dictionaries(st.sampled_from(IDS), st.floats(0, 0.9), max_size=6)


@given(calls, penalties)
def test_who_serves_is_who_the_pool_would_choose(
    made: list[tuple[str, bool, float]], given_penalties: dict[str, float]
) -> None:
    pool = Pool(TYPES, tiers(with_model=True), Settings(), ManualClock(), on_call=lambda call: None)
    pool.set_penalties(given_penalties)
    for type_, ok, duration_ms in made:
        if assignment := pool.route(type_):
            pool.finish(assignment, ok=ok, duration_ms=duration_ms)
    told = serving(pool.figures())
    for type_ in TYPES:
        assignment = pool.route(type_)
        assert told.get(type_) == (assignment.agent if assignment else None)


def test_without_instances_nobody_serves() -> None:
    assert serving(()) == {}
