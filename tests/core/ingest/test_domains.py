"""The domain of an article by its folder, to the letter of the contract."""

from __future__ import annotations

from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.domains import display_names, domain_of, shared_folders
from core.paths import resources_dir


def test_the_first_folder_below_what_nine_of_ten_share() -> None:
    shared = shared_folders({("Docs", "net"): 50, ("Docs", "mail", "deep"): 45, ("Other", "x"): 4, (): 1})
    assert shared == ("Docs",)
    assert domain_of(("Docs", "net"), shared) == "net"
    assert domain_of(("Docs", "mail", "deep"), shared) == "mail"
    assert domain_of(("Docs",), shared) == "general"
    assert domain_of(("Other", "x"), shared) == "Other"
    assert domain_of((), shared) == "general"


def test_exactly_nine_of_ten_is_enough_and_less_is_not() -> None:
    assert shared_folders({("a",): 9, ("b",): 1}) == ("a",)
    assert shared_folders({("a",): 89, ("b",): 11}) == ()


def test_shared_folders_go_as_deep_as_they_are_shared() -> None:
    assert shared_folders({("a", "b", "c"): 10, ("a", "b", "d"): 10}) == ("a", "b")
    assert shared_folders({}) == ()


FOLDERS = st.dictionaries(st.lists(st.sampled_from("abc"), max_size=4).map(tuple), st.integers(0, 20), max_size=8)


@given(FOLDERS)
def test_shared_folders_are_shared(folders: dict[tuple[str, ...], int]) -> None:
    shared = shared_folders(folders)
    inside = sum(count for path, count in folders.items() if path[: len(shared)] == shared)
    assert inside * 10 >= 9 * sum(folders.values())


def test_display_names_in_both_languages_and_the_users_own(tmp_path: Path) -> None:
    own = tmp_path / "domains.yaml"
    assert display_names("zh_CN", own)["network"] == "网络"
    assert display_names("en", own)["network"] == "Network"
    own.write_text("network: 网络组\nhr: {zh: 人事, en: HR}\n", encoding="utf-8")
    assert display_names("zh_CN", own)["network"] == "网络组"
    assert display_names("en", own)["hr"] == "HR"
    own.write_text("[broken", encoding="utf-8")
    assert display_names("zh_CN", own)["network"] == "网络"


def test_every_starter_domain_has_a_name_in_both_languages() -> None:
    names = yaml.safe_load((resources_dir() / "domains.yaml").read_text(encoding="utf-8"))
    assert all(set(value) == {"zh", "en"} for value in names.values())
    folders = {path.name for path in (resources_dir() / "starter").iterdir() if path.is_dir()}
    assert len(folders) == 8 and folders <= set(names)
