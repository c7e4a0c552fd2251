"""Honesty: how often the badges, as they were told, were right by what people then voted (contract §11.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from core.approval import RIGHT
from core.figures import EVERYTHING, Period, Selection
from core.model import RelevanceLevel
from core.report import LevelShare

if TYPE_CHECKING:
    from core.store.database import Database

_NEWEST = 1000  # lookups with a vote
_FIRST = 3


def kept_its_word(level: str | None, judged: Sequence[str], votes: Mapping[str, int]) -> bool | None:
    """Whether the answer was right as its level promises: PRECISE, the primary is right; else, one of the first three.
    `judged`: doc_keys, the primary first; `votes`: doc_key → value. None: the votes do not say."""
    good = {doc_key for doc_key, value in votes.items() if value > 0}
    if good & set(judged[: 1 if level == RelevanceLevel.PRECISE else _FIRST]):
        return True
    if RIGHT in votes.values() or votes.get(judged[0] if judged else "", 0) < 0:
        return False
    return None


def honesty(database: Database, period: Period, selection: Selection = EVERYTHING) -> Mapping[str, LevelShare]:
    """Level → how often it was right, by the votes cast in the period on lookups of the selection; of the newest 1,000
    lookups that bear one. Each level that a badge can have is named."""
    from core.evaluation import BADGES
    from core.store.voted import voted_lookups
    from core.tuning import share_of

    counts, rights = Counter[str](), Counter[str]()
    for level, judged, votes in voted_lookups(database, period, selection, _NEWEST):
        right = kept_its_word(level, judged, votes)
        if level in BADGES and right is not None:
            counts[level] += 1
            rights[level] += right
    return {str(level): share_of(counts[level], rights[level]) for level in BADGES}
