"""What performance is worth: the penalty and the routing score of an instance (contract §8, second seed). Pure."""

from __future__ import annotations

from core.figures import ENOUGH

INELIGIBLE_FROM = 0.10  # an instance penalised this much serves only where no other of its type can
MOST_PENALTY = 0.9


def penalty(
    success_rate: float,
    avg_ms: float,
    *,
    n: int,
    success_rate_threshold: float = 0.90,
    latency_ms_threshold: float = 3000.0,
) -> float:
    """0 … 0.9: up to 0.5 for a success rate below its threshold, up to 0.4 for an average above its. 0 while n < 20."""
    if n < ENOUGH:
        return 0.0
    failing = min(0.5, (success_rate_threshold - success_rate) * 2) if success_rate < success_rate_threshold else 0.0
    slow = min(0.4, (avg_ms - latency_ms_threshold) / 10_000) if avg_ms > latency_ms_threshold else 0.0
    # Rounded, so that what is 0.10 on paper is not below 0.10 here.
    return round(min(MOST_PENALTY, failing + slow), 12)


def routing_score(success_rate: float, avg_ms: float, penalty: float) -> float:
    """(0.7·sr + 0.3/(1 + seconds))·(1 − penalty); 1.0 for an instance without calls."""
    return (0.7 * success_rate + 0.3 / (1 + avg_ms / 1000)) * (1 - penalty)
