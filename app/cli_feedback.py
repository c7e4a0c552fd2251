"""The command `evaluate --from-feedback`: how reliable levels are by the votes, and the thresholds they speak for."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from app.cli_output import Printer, put, put_json
from core.engine import Engine
from core.report import LevelShare, Reliability, Thresholds

DONE, FAILED = 0, 1


def run(engine: Engine, options: argparse.Namespace) -> int:
    """Only shows, unless told to --apply (1 when there are too few votes) or to --undo (1 when nothing is applied)."""
    undone = options.undo and engine.feedback.undo() is not None
    told = engine.feedback.reliability()
    applied = options.apply and told.changes
    if applied:
        engine.feedback.apply(told.proposed, votes=told.fresh)
    if options.json:
        put_json(
            {
                "votes": told.votes,
                "since_last_step": told.fresh,
                "refused": asdict(told.refused) if told.refused is not None else None,
                "before": {"levels": _levels(told.before)},
                "after": {"levels": _levels(told.after)},
                "thresholds": {"before": asdict(told.thresholds), "after": asdict(told.proposed)},
                "applied": applied,
                "undone": undone,
                "undone_before": told.undone_before,
            }
        )
    else:
        put(_lines(Printer(options.lang), told, applied=applied, undone=undone if options.undo else None))
    return FAILED if (options.apply and told.refused) or (options.undo and not undone) else DONE


def _levels(shares: Mapping[str, LevelShare]) -> dict[str, dict[str, float | None]]:
    return {level: asdict(share) for level, share in shares.items()}


def _lines(words: Printer, told: Reliability, *, applied: bool, undone: bool | None) -> Iterator[str]:
    if undone is not None:
        yield words.word("feedback.undone" if undone else "feedback.nothing_to_undo")
    yield words.word("feedback.votes", n=told.votes)
    yield words.word("feedback.before")
    yield from _table(words, told.before, told.thresholds)
    if told.refused is not None:
        name = "feedback.refused_since" if told.votes > told.fresh else "feedback.refused"
        yield words.word(name, **asdict(told.refused))
    elif not told.changes:
        yield words.word("feedback.kept" if told.holds else "feedback.unclear")
    else:
        yield words.word("feedback.after")
        yield from _table(words, told.after, told.proposed)
        if told.undone_before:
            yield words.word("feedback.undone_before")
        yield words.word("feedback.applied" if applied else "feedback.not_applied")


def _table(words: Printer, shares: Mapping[str, LevelShare], thresholds: Thresholds) -> Iterator[str]:
    for level, share in shares.items():
        figures = words.word("feedback.share", **asdict(share)) if share.count else words.word("feedback.none")
        yield f"  {words.word(f'level.{level}')}: {figures}"
    yield "  " + words.word("feedback.thresholds", **asdict(thresholds))
