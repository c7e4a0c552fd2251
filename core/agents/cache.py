"""SearchCache: searches that may be reused while nothing they rest on has changed (contract §3, step 2)."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from cachetools import TTLCache

from core.clock import Clock
from core.figures import CacheFigures

MOST_ENTRIES = 256  # a search holds its candidates' scores, up to about 100 kB


@dataclass(frozen=True, slots=True)
class CacheKey:
    """What is asked. `query`: the whole text folded, so every identifier and number is in it as it stands; `filters`:
    all that narrows the search (domain …); `engine`: embedder and tier; `profile`: the profile that judges."""

    query: str
    top_k: int
    filters: tuple[str, ...]
    engine: str
    profile: str


@dataclass(frozen=True, slots=True)
class Versions:
    """What a search rests on, as read *before* it began: a search that a change overtook is never taken for newer."""

    settings: str
    votes: int
    knowledge: int


class _Legged(Protocol):
    @property
    def missing_legs(self) -> tuple[str, ...]: ...


S = TypeVar("S", bound=_Legged)


class SearchCache(Generic[S]):
    """Key → search, without anything of a session. Safe under threads. At most 256, each for `ttl_s` seconds by the
    clock's monotonic hand; `ttl_s` 0: off (every `get` is a miss). What is taken out is shared: never change it."""

    def __init__(self, ttl_s: float, clock: Clock, most: int = MOST_ENTRIES) -> None:
        self._lock = threading.Lock()
        self._entries: TTLCache[CacheKey, tuple[Versions, S]] = TTLCache(most, ttl_s, timer=clock.monotonic)
        self._off = ttl_s <= 0
        self._hits = self._misses = self._stale = 0

    def get(self, key: CacheKey, versions: Versions) -> S | None:
        """The search, if one was put with these very versions. One of other versions is dropped and counted as a
        stale hit prevented, and as a miss."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and entry[0] == versions:
                self._hits += 1
                return entry[1]
            self._misses += 1
            if entry is not None:
                self._stale += 1
                with suppress(KeyError):  # it may expire this very moment
                    del self._entries[key]
            return None

    def peek(self, key: CacheKey, versions: Versions) -> S | None:
        """The same for who only looks: counts nothing."""
        with self._lock:
            entry = self._entries.get(key)
            return entry[1] if entry is not None and entry[0] == versions else None

    def put(self, key: CacheKey, versions: Versions, found: S | BaseException) -> bool:
        """Keeps a search. Refused, and False: a failure, a search without one of its legs."""
        if self._off or isinstance(found, BaseException) or found.missing_legs:
            return False
        with self._lock:
            self._entries[key] = (versions, found)
        return True

    def figures(self) -> CacheFigures:
        """Counts since the cache was made."""
        with self._lock:
            return CacheFigures(self._hits, self._misses, self._stale)
