"""Synonyms work both ways; the user's list is read when it changes, and a bad line of it is said (contract §3)."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from core.synonyms import Synonyms


def lists(folder: Path) -> tuple[Path, Path]:
    shipped = folder / "shipped.txt"
    shipped.write_text("# words\n打印机 印表机 printer\nlog_in, login\n", encoding="utf-8")
    return shipped, folder / "own.txt"


def write(path: Path, text: str, *, at: int) -> None:
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(at, at))


def test_every_word_of_a_group_stands_for_every_other(tmp_path: Path) -> None:
    synonyms = Synonyms(*lists(tmp_path))
    assert synonyms.of("printer") == ("打印机", "印表机")
    assert synonyms.of("打印机") == ("印表机", "printer")
    assert synonyms.of("log in") == ("login",)
    assert synonyms.of("屏幕") == ()
    assert "屏幕" not in synonyms


def test_the_users_list_is_read_when_it_appears_changes_and_goes(tmp_path: Path) -> None:
    shipped, own = lists(tmp_path)
    synonyms = Synonyms(shipped, own)
    write(own, "泓图 HTP\n", at=1_000_000_000)
    assert "泓图" not in synonyms
    synonyms.keep_up()
    assert synonyms.of("htp") == ("泓图",)
    write(own, "泓图 HTQ\n", at=2_000_000_000)
    synonyms.keep_up()
    assert synonyms.of("泓图") == ("htq",)
    own.unlink()
    synonyms.keep_up()
    assert synonyms.of("泓图") == ()
    assert synonyms.of("printer") == ("打印机", "印表机")


def test_a_bad_line_is_skipped_and_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    shipped, own = lists(tmp_path)
    own.write_bytes("泓图 HTP\n孤词\n".encode() + b"\xff\xfe broken\n" + "门禁 access_card\n".encode())
    with caplog.at_level(logging.WARNING):
        synonyms = Synonyms(shipped, own)
    assert synonyms.of("泓图") == ("htp",)
    assert synonyms.of("门禁") == ("access card",)
    assert [record.getMessage().split(" makes ")[0] for record in caplog.records] == [
        "own.txt, line 2",
        "own.txt, line 3",
    ]


def test_a_list_that_cannot_be_read_leaves_the_words_as_they_were(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shipped, own = lists(tmp_path)
    write(own, "泓图 HTP\n", at=1_000_000_000)
    synonyms = Synonyms(shipped, own)
    own.unlink()
    own.mkdir()
    with caplog.at_level(logging.WARNING):
        synonyms.keep_up()
    assert synonyms.of("泓图") == ("htp",)
    assert "cannot be read" in caplog.text
