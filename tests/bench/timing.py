"""How the bench measures: CPU time of this process, contenders taking turns query by query."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

Input = TypeVar("Input")


@dataclass(frozen=True)
class Row:
    """One line of the table. `ratio`: how many times ours is faster (or smaller) than the other; `goal` as text."""

    group: str
    name: str
    value: float
    unit: str
    ratio: float | None = None
    goal: str = ""
    met: bool | None = None


def interleaved(
    contenders: Mapping[str, Callable[[Input], Any]], inputs: Sequence[Input], *, warm: int = 2
) -> dict[str, float]:
    """Median CPU milliseconds of each contender. Every input is given to all of them in turn, so that whatever else
    the machine does meets all alike; the first `warm` inputs are not counted."""
    times: dict[str, list[float]] = {name: [] for name in contenders}
    gc.collect()
    for number, value in enumerate(inputs):
        for name, run in contenders.items():
            start = time.process_time_ns()
            run(value)
            elapsed = (time.process_time_ns() - start) / 1e6
            if number >= warm or len(inputs) <= warm:
                times[name].append(elapsed)
    return {name: statistics.median(values) for name, values in times.items()}


def cpu_seconds(run: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of one call, and what it returned."""
    start = time.process_time_ns()
    result = run()
    return (time.process_time_ns() - start) / 1e9, result
