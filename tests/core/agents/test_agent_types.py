"""Domains name the agent type; the map is a setting (contract §8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.agents.agent_types import GENERAL, AgentTypes
from core.paths import resources_dir


@pytest.fixture
def shipped(tmp_path: Path) -> AgentTypes:
    return AgentTypes.load(tmp_path / "agent_types.yaml")


def with_user_file(folder: Path, text: str) -> AgentTypes:
    (folder / "agent_types.yaml").write_text(text, encoding="utf-8")
    return AgentTypes.load(folder / "agent_types.yaml")


def test_the_shipped_types_have_a_name_in_each_language(shipped: AgentTypes) -> None:
    assert shipped.types == ("network", "workplace", GENERAL)
    for language in ("zh_CN", "en"):
        assert list(shipped.names(language)) == list(shipped.types)
        assert all(shipped.names(language).values())
    assert set(shipped.names("zh_CN").values()).isdisjoint(shipped.names("en").values())


def test_the_starter_knowledge_base_has_a_desk_for_every_subject(shipped: AgentTypes) -> None:
    domains = [folder.name for folder in (resources_dir() / "starter").iterdir() if folder.is_dir()]
    of = {domain: shipped.of({domain: 1.0}) for domain in domains}
    assert of["network"] == "network"
    assert of["printing"] == of["mail"] == of["accounts"] == "workplace"
    assert set(of.values()) == set(shipped.types)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ({}, GENERAL),
        ({"never-heard-of": 1.0}, GENERAL),
        ({"network": 1.0, "printing": 0.9}, "network"),
        ({"network": 1.0, "printing": 0.6, "mail": 0.6}, "workplace"),  # summed over the domains of a type
        ({"network": 1.0, "printing": 1.0}, "network"),  # a tie goes to the earlier
        ({"network": 1.0, "somewhere": 1.0}, "network"),
        ({"network": 1.0, "somewhere": 1.1}, GENERAL),
        ({"Outlook": 1.0, "SkypeforBusiness": 1.0, "network": 1.5}, "workplace"),  # however it is written
        ({"network": float("nan"), "printing": 0.1}, "workplace"),
        ({"network": -5.0}, GENERAL),
        ({"network": 0.0}, GENERAL),
    ],
)
def test_what_weighs_most_names_the_type(shipped: AgentTypes, weights: dict[str, float], expected: str) -> None:
    assert shipped.of(weights) == expected


def test_the_users_file_adds_renames_and_moves(tmp_path: Path) -> None:
    types = with_user_file(
        tmp_path,
        "network: {zh: 网管组}\n"
        "printers: {zh: 打印组, domains: [printing, Plotters]}\n"
        "workplace: {domains: [network]}\n",
    )
    assert types.types == ("network", "workplace", "printers", GENERAL)
    assert types.names("zh_CN")["network"] == "网管组"
    assert types.names("en")["network"] == "Network and systems"
    assert types.names("en")["printers"] == "打印组"  # no English name: better than the id
    assert types.of({"printing": 1.0}) == types.of({"plotters": 1.0}) == "printers"
    assert types.of({"network": 1.0}) == "workplace"
    assert types.of({"mail": 1.0}) == "workplace"
    assert types.of({"networking": 1.0}) == "network"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- a\n- b\n",
        "just words",
        "network: [",
        "network: 7\nworkplace: {domains: nothing}\n",
        "a/b: {zh: 斜线, domains: [network]}\n' ': {domains: [network]}\n7: {domains: [network]}\n",
        "network: {zh: '', en: [x]}\n",
        "\x00",
    ],
)
def test_what_cannot_be_read_changes_nothing(tmp_path: Path, shipped: AgentTypes, text: str) -> None:
    assert with_user_file(tmp_path, text) == shipped


def test_a_file_that_is_not_utf8_changes_nothing(tmp_path: Path, shipped: AgentTypes) -> None:
    (tmp_path / "agent_types.yaml").write_bytes("network: {zh: 网管组}".encode("gbk"))
    assert AgentTypes.load(tmp_path / "agent_types.yaml") == shipped


def test_every_named_domain_has_a_display_name(shipped: AgentTypes) -> None:
    """So that a map that was mistyped shows: what the shipped knowledge calls a domain is in domains.yaml."""
    import yaml

    known = yaml.safe_load((resources_dir() / "domains.yaml").read_text(encoding="utf-8"))
    starter = {folder.name for folder in (resources_dir() / "starter").iterdir() if folder.is_dir()}
    assert starter <= set(known)
    assert starter - {"troubleshooting"} <= set(shipped.domains)
