"""What was shown with a badge in place of an article that was left out, and how near it is to that article."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.engine import Engine
from core.evaluation import Judged, qrels_id
from core.model import Answer
from core.text import fold, squeeze
from tests.corpora.floors import badged

_PIECE = 8  # characters; long enough that two texts on different things share few of them
_COPIED = 0.5


@dataclass(frozen=True, slots=True)
class Near:
    """`shared`: the share of the left-out article's text that stands in the shown one, too."""

    query: str
    level: str
    left_out: str
    left_out_title: str
    shown: str
    shown_title: str
    shared: float

    @property
    def is_near_copy(self) -> bool:
        """Who reads the shown article reads most of what the left-out one says, or what was asked for by its title."""
        return self.shared >= _COPIED or squeeze(fold(self.query)) == squeeze(fold(self.shown_title))

    def __str__(self) -> str:
        return (
            f"{self.level[0]}  {self.query[:80]!r}\n"
            f"       left out: {self.left_out} 《{self.left_out_title[:60]}》\n"
            f"       shown:    {self.shown} 《{self.shown_title[:60]}》\n"
            f"       {self.shared:.0%} of the left-out text stands there"
        )


def near_answers(
    engine: Engine,
    judged: Sequence[Judged],
    answers: Sequence[Answer],
    qrels: Mapping[str, Mapping[str, int]],
    gone: Sequence[str],
) -> Iterator[Near]:
    """The left-out queries that got a badge. `engine`: with all articles; `qrels` of all of them."""
    for one, answer in zip(judged, answers, strict=True):
        primary = answer.result.primary
        if not one.left_out or not badged(one) or primary is None:
            continue
        scores = qrels[one.query.id]
        best = max(scores.values())
        lost = [key for key in gone if scores.get(qrels_id(key, scores)) == best]
        shown = engine.read(primary.doc_key).article
        pieces = _pieces([shown.title, shown.body])
        nearest = max(lost, key=lambda key: _shared(engine, key, pieces))
        article = engine.read(nearest).article
        yield Near(
            one.query.text,
            str(one.level),
            nearest,
            article.title,
            shown.doc_key,
            shown.title,
            _shared(engine, nearest, pieces),
        )


def _shared(engine: Engine, key: str, pieces: set[str]) -> float:
    article = engine.read(key).article
    mine = _pieces([article.title, article.body])
    return len(mine & pieces) / len(mine) if mine else 0.0


def _pieces(texts: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for text in texts:
        squeezed = squeeze(fold(text))
        found.update(squeezed[at : at + _PIECE] for at in range(max(1, len(squeezed) - _PIECE + 1)))
    return found
