"""Domains: which one an article belongs to by its folder (contract §1), and what domains are called."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.paths import resources_dir

GENERAL = "general"
_SHARE = 0.9


def shared_folders(folders: Mapping[tuple[str, ...], int]) -> tuple[str, ...]:
    """The folders that at least 90 % of a source's articles share. `folders`: folder path → articles in it."""
    total = sum(folders.values())
    shared: tuple[str, ...] = ()
    while True:
        depth = len(shared)
        below: Counter[str] = Counter()
        for path, count in folders.items():
            if len(path) > depth and path[:depth] == shared:
                below[path[depth]] += count
        name, count = max(below.items(), key=lambda item: item[1], default=("", 0))
        if not count or count < _SHARE * total:
            return shared
        shared = (*shared, name)


def domain_of(folder: Sequence[str], shared: Sequence[str]) -> str:
    """The first folder below the shared ones; outside of these the first folder; `general` where there is none."""
    folder = tuple(folder)
    depth = len(shared)
    below = folder[depth:] if folder[:depth] == tuple(shared) else folder
    return unicodedata.normalize("NFC", below[0]) if below else GENERAL


def display_names(language: str, user_file: Path) -> dict[str, str]:
    """Domain → display name in `language` ("zh_CN" or "en"), the shipped names with the user's own over them.

    A user file that cannot be read changes nothing.
    """
    names = _names(resources_dir() / "domains.yaml", language)
    return {**names, **_names(user_file, language)}


def _names(path: Path, language: str) -> dict[str, str]:
    import yaml

    try:
        document: Any = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, yaml.YAMLError):
        return {}
    if not isinstance(document, dict):
        return {}
    found: dict[str, str] = {}
    for key, value in document.items():
        name = value.get(language) or value.get(language.partition("_")[0]) if isinstance(value, dict) else value
        if isinstance(name, str) and name.strip():
            found[str(key)] = name.strip()
    return found
