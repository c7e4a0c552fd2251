"""Embedding job: vectors of the texts that have none yet, in small steps that can be stopped and taken up again."""

from __future__ import annotations

from core.clock import Clock
from core.indexing import IndexKeeper
from core.job import Job


def embed_missing(keeper: IndexKeeper, job: Job, *, clock: Clock, seconds: float | None = None) -> bool:
    """Make the vectors that `keeper`'s model (`IndexKeeper.set_model`) has of none of its texts yet; True when none is
    missing any more, False once `seconds` are over (None: no end). Nothing to do without a model.

    A step encodes for about half a second, a commit keeps at most 200; `job` is asked between steps and told (done,
    total). Cancelled or killed, what was kept stays and the next call goes on from there; the index has it at once.
    Raises Cancelled, DataFolderUnusable, and what the embedder raises."""
    raise NotImplementedError
