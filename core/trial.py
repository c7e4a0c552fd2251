"""Trial: a knowledge base as `evaluate` asks it: no session, nothing written, articles left out where wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.evaluation import CANDIDATES
from core.leave_out import LeftOut, leaving_out
from core.model import Actor, Answer, Mode, Trigger
from core.request import Request
from core.store.articles import Articles
from core.switches import ALL_ON, Switches
from core.text import writable

if TYPE_CHECKING:
    from core.asking import Asking
    from core.indexing import IndexKeeper
    from core.store.database import Database

_SHOWN = 10  # what is shown below takes time and is not judged


@dataclass(frozen=True, slots=True)
class Trial:
    """Whom to ask, in which language its messages are, and which articles (doc_keys) are there and were left out."""

    asking: Asking
    language: str
    kept: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def lookup(self, text: str, switches: Switches = ALL_ON) -> Answer:
        """One throw-away lookup in soft mode that ranks CANDIDATES articles. Raises RuntimeError where a person is
        told that it failed: figures over failures measure nothing."""
        request = Request(writable(text), None, Mode.SOFT, _SHOWN, self.language, throwaway=True, ranked=CANDIDATES)
        answer = self.asking.lookup(
            request, domain=None, actor=Actor.PERSON, trigger=Trigger.CLI, job=None, switches=switches
        )
        if answer.result.degraded is not None and answer.result.degraded.reason == "error":
            raise RuntimeError(answer.result.degraded.detail)
        return answer


@contextmanager
def trial(
    database: Database,
    keeper: IndexKeeper,
    asking_over: Callable[[Database, IndexKeeper], Asking],
    *,
    language: str,
    left_out: LeftOut | None,
) -> Iterator[Trial]:
    """All of the knowledge, or what is left without the articles whose doc_key `left_out` names."""
    if left_out is None:
        yield Trial(asking_over(database, keeper), language, tuple(Articles(database).doc_keys()))
        return
    with leaving_out(database, keeper, left_out) as part:
        yield Trial(asking_over(part.database, part.keeper), language, part.kept, part.gone)
