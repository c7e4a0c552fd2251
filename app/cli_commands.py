"""The commands themselves: each asks the engine and prints what it says (contract §9)."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app import cli_models
from app.cli_files import output, refuse_folders
from app.cli_output import LANGUAGES, Printer, UsageError, as_json, put, put_json, say
from app.cli_progress import cancelled_by_signals
from app.notices import sentence
from core.engine import Engine
from core.errors import Cancelled, ExpectedError, InvalidInput
from core.evaluation import Query, load_queries
from core.model import Actor, Answer, Mode, Outcome, Trigger
from core.report import Check

DONE, FAILED = 0, 1
ALL_SESSIONS = 1_000_000


def check_usage(options: argparse.Namespace) -> None:
    """What the parser alone cannot see. Raises UsageError."""
    if options.command == "lookup":
        words = Printer(options.lang or LANGUAGES[0])
        if bool(options.query) == (options.batch is not None):
            raise UsageError(words.word("usage.query"))
        if options.out is not None and options.batch is None:
            raise UsageError(words.word("usage.out"))
        if options.out is not None and _is_same(options.out, options.batch):
            raise UsageError(words.word("usage.same_file", path=options.out))
    if options.command == "stats" and options.export is not None and not _is_exportable(options.export):
        raise UsageError(Printer(options.lang or LANGUAGES[0]).word("usage.export", path=options.export))
    if options.command == "evaluate":
        _check_evaluate(options, Printer(options.lang or LANGUAGES[0]))


def _check_evaluate(options: argparse.Namespace, words: Printer) -> None:
    files = (options.queries, options.qrels)
    if options.from_feedback:
        if any(files) or options.ablate or options.leave_out or (options.apply and options.undo):
            raise UsageError(words.word("usage.feedback"))
    elif not all(files) or options.apply or options.undo:
        raise UsageError(words.word("usage.evaluate"))


def _is_exportable(path: Path) -> bool:
    """A folder is refused where it is written to, as everywhere."""
    from app.stats_export import SUFFIXES

    return path.suffix.lower() in SUFFIXES or path.is_dir()


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return one.resolve() == other.resolve()


# ----------------------------------------------------------------- knowledge


def run_import(engine: Engine, options: argparse.Namespace) -> int:
    """0 when every file got an outcome, failed ones included."""
    with cancelled_by_signals(options.lang) as job:
        report = engine.ingest(options.paths, domain=options.domain, allow_removal=options.allow_removal, job=job)
        if not report.cancelled:
            with suppress(Cancelled):  # what was imported stays, and what was embedded
                cli_models.embed(engine, options.lang, job, cli_models.AFTER_IMPORT_S)
    if options.json:
        put_json(
            {
                "counts": report.counts,
                "items": [
                    {"path": item.path, "doc_key": item.doc_key, "outcome": item.outcome, "reason": item.reason}
                    for item in report.items
                ],
                "cancelled": report.cancelled,
                "knowledge_version": report.knowledge_version,
            }
        )
    else:
        put(Printer(options.lang).report(report))
    return FAILED if report.cancelled else DONE


def run_doctor(engine: Engine, options: argparse.Namespace) -> int:
    """0 when clean or repaired."""
    with cancelled_by_signals(options.lang) as job:
        cli_models.load(engine, options.lang)  # its vectors are looked at as well
        return _put_checks(engine.doctor(job=job), options)


DIAGNOSES = {
    "database_damaged": "database",
    "database_too_new": "database",
    "data_folder_unusable": "data_folder",
    "settings_unusable": "settings",
    "invalid_setting": "settings",
}
"""Code of what keeps a data folder from opening → the check of `doctor` that it fails."""


def put_diagnosis(error: ExpectedError, options: argparse.Namespace) -> int:
    """What `doctor` says of a data folder that cannot be opened."""
    language = options.lang or LANGUAGES[0]
    advice = Printer(language).word(f"advice.{error.code}")
    return _put_checks((Check(DIAGNOSES[error.code], "failed", sentence(error, language), advice),), options)


def run_reindex(engine: Engine, options: argparse.Namespace) -> int:
    """Rebuild every index."""
    with cancelled_by_signals(options.lang) as job:
        status = engine.reindex(job=job)
        cli_models.embed(engine, options.lang, job)
    words = Printer(options.lang).word("reindexed", articles=status.articles, chunks=status.chunks)
    return _put_checks((Check("index", "ok", words),), options)


def _put_checks(checks: tuple[Check, ...], options: argparse.Namespace) -> int:
    ok = all(check.status != "failed" for check in checks)
    if options.json:
        put_json({"ok": ok, "checks": [asdict(check) for check in checks]})
    else:
        put(Printer(options.lang or LANGUAGES[0]).checks(checks))
    return DONE if ok else FAILED


# -------------------------------------------------------------------- lookup


def run_lookup(engine: Engine, options: argparse.Namespace) -> int:
    """One lookup, or one a line of a batch. A degraded one is a failure, and still printed."""
    cli_models.load(engine, options.lang)
    if options.batch is not None:
        return _run_batch(engine, options)
    answer = _lookup(engine, options, _clean(" ".join(options.query)), options.session)
    if options.json:
        put_json(_document(answer, explain=options.explain))
    else:
        printer = Printer(options.lang, engine.domain_names())
        put(printer.answer(answer, explain=options.explain))
        if answer.suggestion is not None:
            say(printer.word("suggestion", query=answer.suggestion))
    return FAILED if answer.result.outcome is Outcome.DEGRADED else DONE


def _run_batch(engine: Engine, options: argparse.Namespace) -> int:
    """The whole file is read before the first lookup, so that a bad line costs nothing."""
    refuse_folders(options.lang, options.batch)
    queries = load_queries(options.batch, unique=False)
    sessions = [_line_session(options.batch, query) or options.session for query in queries]
    degraded = False
    with output(options.out, options.lang) as file, cancelled_by_signals(options.lang) as job:
        for number, (query, session) in enumerate(zip(queries, sessions, strict=True)):
            job.checkpoint()
            job.report(number, len(queries), query.text)
            answer = _lookup(engine, options, _clean(query.text), session, throwaway=session is None)
            degraded = degraded or answer.result.outcome is Outcome.DEGRADED
            document = {"_id": query.id, **_document(answer, explain=options.explain)}
            file.write(as_json(document) + "\n")
        file.flush()
    if options.out is not None:
        say(Printer(options.lang).word("batch.done", n=len(queries), path=options.out))
    return FAILED if degraded else DONE


def _lookup(
    engine: Engine, options: argparse.Namespace, text: str, session: str | None, *, throwaway: bool = False
) -> Answer:
    mode = Mode(options.mode)
    return engine.lookup(
        text,
        session_id=session,
        domain=options.domain,
        top_k=options.top_k,
        mode=mode,
        actor=Actor.EXECUTOR if mode is Mode.HARD else Actor.PERSON,
        trigger=Trigger.CLI,
        throwaway=throwaway,
    )


def _document(answer: Answer, *, explain: bool) -> dict[str, Any]:
    """Contract §6, and with `explain` the scores and the whole ranking."""
    document = answer.result.as_json()
    if explain:
        document |= {"retrieval_details": answer.details, "ranking": list(answer.ranking)}
    return document


def _line_session(path: Path, query: Query) -> str | None:
    session = query.fields.get("session")
    if session is not None and (not isinstance(session, str) or not session):
        raise InvalidInput(path=str(path), line=query.line, detail='"session" is no text')
    return session


def _clean(text: str) -> str:
    """Bytes of the command line that were no text become a replacement character."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


# ------------------------------------------------------------------ sessions


def run_session(engine: Engine, options: argparse.Namespace) -> int:
    """list, show, clear."""
    printer = Printer(options.lang, engine.domain_names())
    if options.action == "list":
        sessions = engine.sessions(limit=ALL_SESSIONS)
        names = ("id", "title", "created_at", "lookups", "domains")
        document: Any = [{name: asdict(session)[name] for name in names} for session in sessions]
        lines = printer.sessions(sessions)
    elif options.action == "show":
        memory = engine.session_memory(options.id)
        document = {
            "id": memory.id,
            "domains": [
                {
                    "domain": domain,
                    "docs": [{"doc_key": doc.doc_key, "first_at": doc.first_at, "query": doc.query} for doc in docs],
                }
                for domain, docs in memory.domains
            ],
        }
        lines = printer.memory(memory)
    else:
        cleared = engine.clear_session(options.id)
        document = {"cleared": cleared}
        lines = iter([printer.word("cleared", n=cleared)])
    if options.json:
        put_json(document)
    else:
        put(lines)
    return DONE


# ------------------------------------------------------------------- figures


def run_evaluate(engine: Engine, options: argparse.Namespace) -> int:
    """What searching and badges are worth."""
    if options.from_feedback:
        from app import cli_feedback

        return cli_feedback.run(engine, options)
    from app import cli_evaluate  # with what searching needs, which no other command does at its start

    return cli_evaluate.run(engine, options)


def run_models(engine: Engine, options: argparse.Namespace) -> int:
    """Which embedder answers and why; adding and choosing models."""
    return cli_models.run(engine, options)


def run_stats(engine: Engine, options: argparse.Namespace) -> int:
    """What the log adds up to."""
    document = engine.stats(options.since) | engine.monitor.summary(options.since)
    if options.export is not None:
        from app import stats_export

        stats_export.write(options.export, document, options.lang)
    if options.json:
        put_json(document)
    else:
        put(Printer(options.lang).statistics(document))
    return DONE
