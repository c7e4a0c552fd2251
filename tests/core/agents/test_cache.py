"""What is reused, and what never is (contract §3, step 2)."""

from __future__ import annotations

import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest

from core.agents.cache import CacheKey, SearchCache, Versions
from core.figures import CacheFigures
from tests.manual_clock import ManualClock


@dataclass(frozen=True)
class Found:
    text: str
    missing_legs: tuple[str, ...] = ()


KEY = CacheKey("vpn 691", 10, (), "hashed/hybrid-hashed", "hashed")
NOW = Versions("a1", 3, 17)
FOUND = Found("vpn 691")


def cache(ttl_s: float = 300, most: int = 256) -> tuple[SearchCache[Found], ManualClock]:
    clock = ManualClock()
    return SearchCache(ttl_s, clock, most), clock


def test_the_same_again_is_a_hit() -> None:
    searches, _ = cache()
    assert searches.get(KEY, NOW) is None
    assert searches.put(KEY, NOW, FOUND)
    assert searches.get(KEY, NOW) is FOUND
    assert searches.figures() == CacheFigures(hits=1, misses=1, stale_prevented=0)


@pytest.mark.parametrize(
    "other",
    [
        replace(KEY, query="vpn 692"),
        replace(KEY, query="vpn 0691"),
        replace(KEY, top_k=5),
        replace(KEY, filters=("network",)),
        replace(KEY, engine="bge-m3/semantic"),
        replace(KEY, profile="hashed-2"),
    ],
)
def test_whatever_else_is_asked_is_a_miss(other: CacheKey) -> None:
    searches, _ = cache()
    searches.put(KEY, NOW, FOUND)
    assert searches.get(other, NOW) is None
    assert searches.figures() == CacheFigures(hits=0, misses=1, stale_prevented=0)


@pytest.mark.parametrize("later", [replace(NOW, settings="a2"), replace(NOW, votes=4), replace(NOW, knowledge=18)])
def test_a_change_makes_it_unreachable_and_is_counted_once(later: Versions) -> None:
    searches, _ = cache()
    searches.put(KEY, NOW, FOUND)
    assert searches.get(KEY, later) is None
    assert searches.get(KEY, later) is None
    assert searches.get(KEY, NOW) is None  # it is gone, not hidden
    assert searches.figures() == CacheFigures(hits=0, misses=3, stale_prevented=1)


def test_a_search_that_a_change_overtook_is_never_found() -> None:
    searches, _ = cache()
    searches.put(KEY, NOW, FOUND)  # begun before the change, put after it
    assert searches.get(KEY, replace(NOW, knowledge=18)) is None


def test_it_lasts_for_its_time_and_no_longer() -> None:
    searches, clock = cache(ttl_s=300)
    searches.put(KEY, NOW, FOUND)
    clock.advance(299.999)
    assert searches.get(KEY, NOW) is FOUND
    clock.set_back(3600)  # the time of day is none of its business
    clock.advance(0.001)
    assert searches.get(KEY, NOW) is None


def test_no_time_is_off() -> None:
    searches, _ = cache(ttl_s=0)
    assert not searches.put(KEY, NOW, FOUND)
    assert searches.get(KEY, NOW) is None
    assert searches.figures().misses == 1


def test_failures_and_searches_without_a_leg_are_refused() -> None:
    searches, _ = cache()
    assert not searches.put(KEY, NOW, replace(FOUND, missing_legs=("vector",)))
    assert not searches.put(KEY, NOW, TimeoutError())
    assert searches.get(KEY, NOW) is None


def test_it_is_bounded_and_what_was_used_last_stays() -> None:
    searches, _ = cache(most=3)
    keys = [replace(KEY, query=str(number)) for number in range(4)]
    for key in keys[:3]:
        searches.put(key, NOW, FOUND)
    searches.get(keys[0], NOW)
    searches.put(keys[3], NOW, FOUND)
    assert [searches.get(key, NOW) is not None for key in keys] == [True, False, True, True]


def test_threads_find_what_they_asked_for_and_every_get_is_counted() -> None:
    seed = random.randrange(2**32)
    sys.stdout.write(f"seed {seed}\n")
    clock = ManualClock()
    searches: SearchCache[Found] = SearchCache(300, clock, most=8)
    ready = threading.Barrier(8)

    def ask(number: int) -> int:
        chance = random.Random(seed + number)
        ready.wait()
        wrong = 0
        for _ in range(500):
            text, versions = str(chance.randrange(12)), replace(NOW, knowledge=chance.randrange(3))
            key = replace(KEY, query=text)
            found = searches.get(key, versions)
            if found is None:
                searches.put(key, versions, Found(f"{text}@{versions.knowledge}"))
            else:
                wrong += found.text != f"{text}@{versions.knowledge}"
        return wrong

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(ask, range(8))) == 0
    figures = searches.figures()
    assert figures.hits + figures.misses == 8 * 500
    assert figures.stale_prevented <= figures.misses
