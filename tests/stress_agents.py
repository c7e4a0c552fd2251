"""Retrieval agents under stress: failures, timeouts, slow calls, sixteen threads at once. By hand:
`python -m tests.stress_agents --threads 16 --lookups 2000 [--seed N]`; small ones run in tests/core/agents, tests/e2e.

First the parts alone (pool, workers, cache: tests.stress_parts), then the whole engine (tests.stress_lookups). What
must hold: success + failure = total, degraded within failure, exactly one probe of a half-open breaker at any time,
nothing degraded or without a leg in the cache, one row a lookup.
"""

from __future__ import annotations

import argparse
import functools
import logging
import random
import sys
import time
from collections.abc import Callable

from tests import stress_lookups, stress_parts

_SAY = functools.partial(print, flush=True)


def main() -> int:
    """The exit status: 0 when everything held."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--lookups", type=int, default=2000, help="of each thread")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)  # the failures are the script's own
    _SAY(f"seed {options.seed}")
    runs: list[tuple[str, Callable[..., list[str]]]] = [
        ("pool, workers and cache", stress_parts.stress),
        ("the engine", stress_lookups.stress),
    ]
    broken = []
    for name, stress in runs:
        began = time.perf_counter(), time.process_time()
        _SAY(f"\n{name}: {options.threads} threads × {options.lookups} lookups")
        broken += stress(options.threads, options.lookups, options.seed, _SAY)
        _SAY(f"{time.perf_counter() - began[0]:.0f} s, {time.process_time() - began[1]:.0f} s of processor time")
    _SAY("\n" + ("\n".join(broken) or "everything held"))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
