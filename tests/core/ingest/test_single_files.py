"""Files given singly: copied into the library, independent of each other, taken over by their folder."""

from __future__ import annotations

import os
from pathlib import Path

from core.ingest.library import copy_path
from tests.core.ingest.conftest import Base, outcomes, write


def copies(base: Base) -> list[bytes]:
    return sorted(path.read_bytes() for path in base.folder.library.iterdir())


def test_a_single_file_is_copied_and_keyed_by_its_name(base: Base, kb: Path) -> None:
    write(kb / "a.md", "# A\n\n文")
    write(kb / "b.md", "# B\n\n文")
    assert outcomes(base.run(kb / "a.md")) == {"a.md": "added"}
    assert copies(base) == ["# A\n\n文".encode()]
    assert outcomes(base.run(kb / "b.md")) == {"b.md": "added"}
    assert base.keys() == {"a.md", "b.md"}
    assert [(source.kind, source.path) for source in base.sources.all()] == [("library", kb.as_posix())]


def test_the_article_stays_when_the_original_goes(base: Base, kb: Path) -> None:
    write(kb / "a.md", "# A\n\n文")
    write(kb / "b.md", "# B\n\n文")
    base.run(kb / "a.md")
    (kb / "a.md").unlink()
    base.run(kb / "b.md")
    assert base.keys() == {"a.md", "b.md"}


def test_an_edited_single_file_replaces_article_and_copy(base: Base, kb: Path) -> None:
    path = write(kb / "a.md", "# A\n\n一")
    base.run(path)
    write(path, "# A\n\n二", age=5)
    assert outcomes(base.run(path)) == {"a.md": "updated"}
    assert copies(base) == ["# A\n\n二".encode()]


def test_a_useless_single_file_leaves_no_copy(base: Base, kb: Path) -> None:
    assert outcomes(base.run(write(kb / "a.md", ""))) == {"a.md": "skipped"}
    assert outcomes(base.run(write(kb / "a.png", "x"))) == {"a.png": "skipped"}
    assert copies(base) == []


def test_the_option_gives_the_domain(base: Base, kb: Path) -> None:
    base.run(write(kb / "a.md", "# A\n\n文"), domain="vpn")
    base.run(write(kb / "b.md", "# B\n\n文"))
    assert base.articles.domains() == [("general", 1), ("vpn", 1)]
    assert base.run(kb / "a.md").counts["unchanged"] == 1


def test_a_file_of_an_imported_folder_belongs_to_that_folder(base: Base, kb: Path) -> None:
    path = write(kb / "net" / "a.md", "# A\n\n一")
    write(kb / "mail" / "b.md", "# B\n\n文")
    base.run(kb)
    write(path, "# A\n\n二", age=5)
    assert outcomes(base.run(path)) == {"net/a.md": "updated"}
    assert base.keys() == {"net/a.md", "mail/b.md"} and copies(base) == []
    assert base.all()["net/a.md"].domain == "net"
    assert base.run(kb).counts["unchanged"] == 2


def test_importing_the_folder_takes_single_files_over(base: Base, kb: Path) -> None:
    path = write(kb / "net" / "a.md", "# A\n\n文")
    base.run(path)
    assert outcomes(base.run(kb)) == {"net/a.md": "added", "a.md": "removed"}
    assert base.keys() == {"net/a.md"} and copies(base) == []


def test_importing_the_very_folder_keeps_the_key(base: Base, kb: Path) -> None:
    path = write(kb / "a.md", "# A\n\n文")
    base.run(path)
    assert outcomes(base.run(kb)) == {"a.md": "unchanged"}
    assert [source.kind for source in base.sources.all()] == ["folder"] and copies(base) == []


def test_the_state_beside_a_single_file_counts(base: Base, kb: Path) -> None:
    write(kb / "meta.csv", "file,status,effective,supersedes\na.md,draft,,\n")
    base.run(write(kb / "a.md", "# A\n\n文"))
    assert base.all()["a.md"].state == "draft"


def test_copy_names_are_short_whatever_the_file_is_called(tmp_path: Path) -> None:
    for name in ("长" * 84 + ".md", "a" * 250 + ".jsonl.gz", "x." + "后缀" * 30, os.fsdecode(b"\xb4.md")):
        assert len(os.fsencode(copy_path(tmp_path, "/很长" * 50, name).name)) <= 48
    assert copy_path(tmp_path, "/a", "x.md") != copy_path(tmp_path, "/b", "x.md")


def test_a_long_name_is_imported(base: Base, kb: Path) -> None:
    path = write(kb / ("长" * 84 + ".md"), "# A\n\n文")
    assert base.run(path).counts["added"] == 1
    assert base.keys() == {path.name}
