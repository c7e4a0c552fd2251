"""Stands for a model's own process: speaks as it does, holds no model, and does wrong what its argument says."""

from __future__ import annotations

import os
import signal
import struct
import sys
from typing import Any

from core.embedding.model_wire import get, put

WRONG = ("", "dies", "says_why", "hangs", "prints", "no_unit", "narrow", "no_memory")


def command(wrong: str = "", *, dimension: int = 1024) -> list[str]:
    return [sys.executable, "-P", "-m", "tests.core.embedding.fake_worker", str(dimension), wrong]


def _row(text: str, dimension: int, wrong: str) -> bytes:
    row = [0.0] * (dimension - 1 if wrong == "narrow" else dimension)
    row[len(text) % len(row)] = 0.5 if wrong == "no_unit" else 1.0
    return struct.pack(f"{len(row)}f", *row)


def _answer(head: dict[str, Any], dimension: int, wrong: str) -> tuple[dict[str, Any], bytes]:
    number = {"id": head["id"]}
    if head["do"] == "load":
        return {**number, "device": "cpu", "dimension": dimension}, b""
    if head["do"] == "scores":
        return {**number, "shape": [len(head["texts"])]}, struct.pack(
            f"{len(head['texts'])}f", *(float(text.count(head["query"])) for text in head["texts"])
        )
    rows = [_row(text, dimension, wrong) for text in head["texts"]]
    return {**number, "shape": [len(rows), len(rows[0]) // 4]}, b"".join(rows)


def main(dimension: int, wrong: str) -> None:
    while (message := get(sys.stdin.buffer)) is not None:
        head = message[0]
        if head["do"] == "drop":
            continue
        if wrong == "no_memory" and head["do"] == "load":
            put(sys.stdout.buffer, {"id": head["id"], "fault": "memory", "detail": ""})
            continue
        if head["do"] in ("passages", "scores"):
            if wrong == "dies":
                os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
            if wrong == "says_why":
                sys.exit("the last words")
        if wrong == "hangs" and head.get("texts") == ["hang"]:
            continue
        if wrong == "prints":
            sys.stdout.buffer.write(b"\xff\xff\xff\xffLoading weights")
            sys.stdout.buffer.flush()
        put(sys.stdout.buffer, *_answer(head, dimension, wrong))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
