"""made_once: a part of an object that is made when it is first asked for, by one thread only."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class made_once(cached_property[T]):  # noqa: N801 - reads as the decorator that it is
    """functools.cached_property under a lock, which it has no more from Python 3.12 on."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        super().__init__(make)
        self._making = threading.RLock()

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        with self._making:
            return super().__get__(instance, owner)
