"""A note's file: whatever was asked and typed, the Markdown reader finds just that, under a name for every system."""

from __future__ import annotations

import threading
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.ingest.drafting import ready_text
from core.ingest.readers.markdown import MarkdownReader
from core.model import ArticleState
from core.note_file import TITLE_LENGTH, NoteFile, codes_in, publish, title_of

DAY = "2026-11-30"
# Letters of all kinds, and often the signs that mean something to YAML, Markdown or a file system.
SIGNS = st.sampled_from(
    [*"\n\r\t \"'`#:-[]{}|>&*!%@,?~<>/\\$=+_.…《》，\0\x85\u2028\ufeff😀", "---", "\n---\n", "<!--", "-->"]
)
ANYTHING = st.lists(st.one_of(SIGNS, st.text(max_size=8)), max_size=30).map("".join)


def note_of(query: str, text: str, domain: str = "notes") -> NoteFile | None:
    return NoteFile.of(query, text, domain=domain, updated=DAY)


@given(ANYTHING, ANYTHING)
@example("---\ntitle: x\n---", "---\n\n---")
@example("null", "ok")
@example("#[x]: 'y' \"z\"", "# Titel\n\n1. eins")
@example("@everyone", "<!-- nur das -->")
@example("0012", "<a name=x>ok</a>")
@example("- [ ] todo", "``` <!-- a --> ```")
def test_what_went_in_is_read_again(query: str, text: str) -> None:
    note = note_of(query, text)
    if note is None:
        return
    (record,) = MarkdownReader().read(note.markdown(), "2026-11-30 x.md")
    assert {reason.code for reason in record.notes} <= {"marks_in_file"}
    assert record.state is ArticleState.UNREVIEWED
    assert (record.keywords, record.domain, record.updated) == (note.keywords, "notes", DAY)
    ready = ready_text(record, "otherwise")
    assert ready is not None
    assert (ready.body, ready.notes) == (note.body, ())
    if note.title:
        assert (record.title, ready.title) == (note.title, note.title)


@given(ANYTHING)
def test_no_word_of_the_text_is_lost(text: str) -> None:
    note = note_of("VPN", text)
    kept = [word for word in text.replace("\0", "").split() if word.isalpha() and len(word) < 1000]
    assert note is not None or not any(sign.isalnum() for sign in text)
    assert all(word in (note.body if note is not None else "") for word in kept)


@given(ANYTHING)
def test_names_are_allowed_on_every_system(query: str) -> None:
    note = note_of(query, "ok")
    assert note is not None
    names = list(islice(note.names(), 3))
    assert len(set(names)) == 3
    for name in names:
        assert name.startswith(DAY)
        assert name.endswith(".md")
        assert not set(name) & set('<>:"/\\|?*') and name.isprintable()
        assert not name.removesuffix(".md").endswith((" ", "."))
        assert len(name.encode("utf-8")) <= 120


def test_a_title_is_one_line_and_has_an_end() -> None:
    assert title_of("  打印机\n 脱机\t了 ") == "打印机 脱机 了"
    assert title_of("长" * 999) == "长" * (TITLE_LENGTH - 1) + "…"


def test_codes_are_kept_as_typed_once_each() -> None:
    assert codes_in("ERR_TIMEOUT 和 0x80070005，又是 ERR_TIMEOUT；等 5 分钟") == ("ERR_TIMEOUT", "0x80070005")
    assert codes_in("打印机脱机") == ()


def test_text_that_looks_like_a_comment_stays_readable() -> None:
    note = note_of("VPN", "先删 <!-- proxy --> 再重启")
    assert note is not None
    assert note.body == "```\n先删 <!-- proxy --> 再重启\n```"


@pytest.mark.parametrize("text", ["", "  \n ", "---", "…！"])
def test_a_text_that_says_nothing_is_no_note(text: str) -> None:
    assert note_of("VPN", text) is None


@pytest.mark.parametrize("hard_links", [True, False])
def test_a_name_is_given_to_one_writer_only(tmp_path: Path, hard_links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not hard_links:

        def refuse(*_: object) -> None:
            raise PermissionError

        monkeypatch.setattr("core.note_file.os.link", refuse)
    together = threading.Barrier(8)
    won: list[int] = []

    def write(number: int) -> None:
        together.wait()
        if publish(tmp_path, "同一个名字.md", str(number).encode()):
            won.append(number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["同一个名字.md"]
    assert (tmp_path / "同一个名字.md").read_text() == str(won[0])


def test_what_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        publish(tmp_path / "gone", "x.md", b"x")
    with pytest.raises(OSError):
        publish(tmp_path, "n" * 300 + ".md", b"x")
    assert list(tmp_path.iterdir()) == []
