"""The command `evaluate`: ranking figures and what badges are worth, on queries with known answers (contract §9)."""

from __future__ import annotations

import argparse
from collections.abc import Collection

from app import cli_models
from app.cli_files import refuse_folders
from app.cli_output import Printer, put, put_json, say
from app.cli_progress import cancelled_by_signals
from core.ablation import ablated, table
from core.engine import Engine
from core.evaluation import Qrels, evaluate, load_qrels, load_queries, summary
from core.leave_out import is_left_out, names_of, qrels_left

DONE = 0


def run(engine: Engine, options: argparse.Namespace) -> int:
    """Every query in a throw-away session; nothing is written. Figures over answers that this knowledge cannot hold are
    given all the same, with a word about it on standard error."""
    refuse_folders(options.lang, options.queries, options.qrels)
    queries, all_qrels = load_queries(options.queries), load_qrels(options.qrels)
    left_out = is_left_out if options.leave_out else None
    with cancelled_by_signals(options.lang) as job:
        cli_models.embed(engine, options.lang, job)
        cli_models.load(engine, options.lang)
    with cancelled_by_signals(options.lang) as job, engine.trial(left_out) as trial:
        articles = (*trial.kept, *trial.gone)
        if doubt := _doubt(all_qrels, articles):
            say(Printer(options.lang).word(doubt, n=len(articles)))
        qrels, without = qrels_left(all_qrels, trial.kept, trial.gone)
        judged = evaluate(queries, qrels, trial.lookup, left_out=without, job=job)
        document = summary(judged, engine.status().embedder, leave_out=options.leave_out)
        if options.ablate:
            document["ablation"] = table(ablated(judged, qrels, trial.lookup, job=job))
    if options.json:
        put_json(document)
    else:
        put(Printer(options.lang).evaluation(document))
    return DONE


def _doubt(qrels: Qrels, articles: Collection[str]) -> str | None:
    """The word for why the figures will say nothing, or None."""
    named = {article for scores in qrels.values() for article in scores}
    if not named:
        return "evaluate.no_qrels"
    return "evaluate.other_knowledge" if named.isdisjoint(names_of(articles)) else None
