"""meta.csv: what it says about the files beside it."""

from __future__ import annotations

from core.ingest.states import FileState, applied, place, read_states
from core.model import ArticleState, Record

META = """file,status,effective,supersedes
old.md,superseded,2023-01-01,
mid.md,,2024-01-01,old.md
new.md,current,2026-01-01,mid.md
plan.md,草稿,,
"""


def test_states_and_successors() -> None:
    states = read_states(META.encode(), "policy")
    assert states == {
        "policy/old.md": FileState(ArticleState.SUPERSEDED, "2023-01-01", "policy/mid.md"),
        "policy/mid.md": FileState(ArticleState.SUPERSEDED, "2024-01-01", "policy/new.md"),
        "policy/new.md": FileState(ArticleState.CURRENT, "2026-01-01", None),
        "policy/plan.md": FileState(ArticleState.DRAFT, None, None),
    }


def test_another_table_called_meta_is_a_table() -> None:
    assert read_states(b"title,content\na,b\n", "") is None
    assert read_states(b"", "") is None


def test_front_matter_is_not_overruled() -> None:
    record = Record("T", "B", state=ArticleState.DRAFT, superseded_by="other.md", updated="2020-01-01")
    states = {"a.md": FileState(ArticleState.CURRENT, "2026-01-01", "new.md")}
    assert applied(record, "a.md", states, {"a.md"}) == record


def test_a_successor_is_named_from_the_files_own_folder() -> None:
    record = Record("T", "B", superseded_by="../b/new.md")
    assert applied(record, "a/old.md", {}, {"b/new.md"}).superseded_by == "b/new.md"
    assert applied(record, "a/old.md", {}, set()).superseded_by == "../b/new.md"


def test_places() -> None:
    assert place("a/b", "..\\c.md") == "a/c.md"
    assert place("", "Cafe\u0301.md") == "Café.md"
    assert place("", "../x.md") == "../x.md"
