"""Links, loops, pipes and odd names: the walk ends, reads each file once and says what it left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.ingest.walk import Walk, shown_name, walk_folder
from core.reasons import Reason
from tests.core.ingest.conftest import write

posix = pytest.mark.skipif(os.name != "posix", reason="links, pipes and byte names of POSIX file systems")


def left_out(walk: Walk) -> dict[str, Reason]:
    return dict(walk.left_out)


@posix
def test_links_and_pipes(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    write(kb / "x" / "真文件.md", "LINK-14")
    write(tmp_path / "外部" / "树外.md", "OUT")
    (kb / "x" / "y").mkdir()
    for name, target in {
        "自己": ".", "x/y/上两级": "../..", "x/绝对": str(kb), "x/同一文件.md": "真文件.md", "x/断链.md": "不存在.md",
        "指向树外": str(tmp_path / "外部"), "x/外文件.md": str(tmp_path / "外部" / "树外.md"),
    }.items():  # fmt: skip
        (kb / name).symlink_to(target)
    os.link(kb / "x" / "真文件.md", kb / "x" / "硬链接.md")
    os.mkfifo(kb / "x" / "管道.md")
    walk = walk_folder(kb)
    assert [file.key for file in walk.files] == ["x/真文件.md"]
    reasons = left_out(walk)
    assert set(reasons) == {
        "自己", "x/y/上两级", "x/绝对", "x/同一文件.md", "x/断链.md", "指向树外", "x/外文件.md", "x/硬链接.md",
        "x/管道.md",
    }  # fmt: skip
    assert reasons["x/同一文件.md"] == Reason.of("link_inside", path="x/真文件.md")
    assert reasons["x/硬链接.md"] == Reason.of("same_file", path="x/真文件.md")
    assert reasons["x/断链.md"] == Reason.of("dead_link")
    assert reasons["指向树外"] == reasons["x/外文件.md"] == Reason.of("link_outside")
    assert reasons["x/管道.md"] == Reason.of("not_regular")


@posix
def test_names_in_two_compositions_are_two_files(kb: Path) -> None:
    write(kb / "Café.md", "composed")
    write(kb / "Cafe\u0301.md", "decomposed")
    if len(list(kb.iterdir())) == 1:
        pytest.skip("this file system holds them for one name")
    assert [(file.key, file.path.read_text()) for file in walk_folder(kb).files] == [
        ("Café.md", "decomposed"),
        ("Café.md~2", "composed"),
    ]


@posix
def test_names_that_are_no_utf8_are_shown_readably(kb: Path) -> None:
    raw = os.fsencode(kb) + b"/" + "打印".encode("gb18030") + b".md"
    with open(raw, "w") as file:  # noqa: PTH123 - a bytes path
        file.write("text")
    (found,) = walk_folder(kb).files
    assert found.key == "打印.md" and found.path.read_text() == "text"
    assert shown_name(os.fsdecode(b"\xff.md")) == "\\xff.md"


def test_order_is_that_of_the_bytes(kb: Path) -> None:
    for name in ("b.md", "a/z.md", "a.md", "B.md", "é.md", "z.md"):
        write(kb / name, "x")
    keys = [file.key for file in walk_folder(kb).files]
    assert keys == sorted(keys, key=lambda key: str(kb / key).encode())


def test_what_is_passed_over(kb: Path) -> None:
    for name in (".git/a.md", "__MACOSX/a.md", "._a.md", "~$a.md", "Thumbs.db", "a.png", "b.docx", ".env", "data/x.md"):
        write(kb / name, "x")
    write(kb / ".隐藏.md", "x")
    write(kb / "无扩展名", "x")
    walk = walk_folder(kb, leave_out=kb / "data")
    assert [file.key for file in walk.files] == [".隐藏.md", "无扩展名"]
    assert left_out(walk) == {
        ".git": Reason.of("hidden_folder"),
        "__MACOSX": Reason.of("hidden_folder"),
        "._a.md": Reason.of("system_file"),
        "~$a.md": Reason.of("system_file"),
        "Thumbs.db": Reason.of("system_file"),
        "a.png": Reason.of("picture"),
        "b.docx": Reason.of("format_unknown", suffix=".docx"),
        ".env": Reason.of("hidden_file"),
        "data": Reason.of("data_folder"),
    }
