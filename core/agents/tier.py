"""Tiers: how good an answer an instance can give, best first, and how many instances of a type stand in each."""

from __future__ import annotations

from enum import StrEnum


class Tier(StrEnum):
    """In order: a model's vectors, hashed vectors, words alone."""

    SEMANTIC = "semantic"
    HYBRID_HASHED = "hybrid-hashed"
    KEYWORD = "keyword"


def tiers(*, with_model: bool) -> dict[str, int]:
    """Tier → instances of each type, best first; `semantic` only where the engine has a model."""
    standing = {str(Tier.SEMANTIC): 2} if with_model else {}
    return {**standing, str(Tier.HYBRID_HASHED): 2, str(Tier.KEYWORD): 1}
