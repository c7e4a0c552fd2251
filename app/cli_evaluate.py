"""The command `evaluate`: ranking figures and what badges are worth, on queries with known answers (contract §9)."""

from __future__ import annotations

import argparse

from app.cli_files import refuse_folders
from app.cli_output import Printer, put, put_json
from app.cli_progress import cancelled_by_signals
from core.ablation import ablated, table
from core.engine import Engine
from core.evaluation import evaluate, load_qrels, load_queries, summary
from core.leave_out import is_left_out, qrels_left

DONE = 0


def run(engine: Engine, options: argparse.Namespace) -> int:
    """Every query in a throw-away session; nothing is written."""
    refuse_folders(options.lang, options.queries, options.qrels)
    queries, all_qrels = load_queries(options.queries), load_qrels(options.qrels)
    left_out = is_left_out if options.leave_out else None
    with cancelled_by_signals(options.lang) as job, engine.trial(left_out) as trial:
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
