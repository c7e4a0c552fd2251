"""Agent types: which desk's subject a domain is (a setting: resources/agent_types.yaml, then the user's own)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.paths import resources_dir

GENERAL = "general"


@dataclass(frozen=True, slots=True)
class AgentTypes:
    """`types`: in order, `general` last; `named`: language → type → display name; `domains`: domain, casefolded →
    type. Every other domain is `general`'s."""

    types: tuple[str, ...]
    named: Mapping[str, Mapping[str, str]]
    domains: Mapping[str, str]

    @classmethod
    def load(cls, user_file: Path) -> AgentTypes:
        """The shipped types with the user's own over them: names are replaced, types added, and a domain that the
        user's file names leaves the type that had it. A file, or an entry, that cannot be read changes nothing."""
        named: dict[str, dict[str, str]] = {}
        domains: dict[str, str] = {}
        for path in (resources_dir() / "agent_types.yaml", user_file):
            for type_, entry in _entries(path).items():
                named.setdefault(type_, {}).update(_names(entry))
                domains.update(dict.fromkeys(_domains(entry), type_))
        types = (*(type_ for type_ in named if type_ != GENERAL), GENERAL)
        languages = ("zh", "en")
        return cls(types, {language: _in(named, types, language) for language in languages}, domains)

    def of(self, weights: Mapping[str, float]) -> str:
        """The type that the domains weigh most for: domain → weight of what was recalled there. A tie goes to the
        earlier type; `general` where nothing was recalled. Names the type, filters nothing (contract §8)."""
        sums = dict.fromkeys(self.types, 0.0)
        for domain, weight in weights.items():
            if math.isfinite(weight) and weight > 0:
                sums[self.domains.get(domain.casefold(), GENERAL)] += weight
        best = max(self.types, key=sums.__getitem__)
        return best if sums[best] > 0 else GENERAL

    def names(self, language: str) -> dict[str, str]:
        """Type → display name in "zh_CN" or "en", in order."""
        return dict(self.named["zh" if language.startswith("zh") else "en"])


def _entries(path: Path) -> dict[str, Mapping[str, Any]]:
    """Type → what a file says of it. An id holds no `/`: that ends it in the id of an instance."""
    import yaml

    try:
        document: Any = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return {}
    if not isinstance(document, dict):
        return {}
    return {
        type_: entry
        for type_, entry in document.items()
        if isinstance(type_, str) and isinstance(entry, dict) and type_.strip() == type_ != "" and "/" not in type_
    }


def _names(entry: Mapping[str, Any]) -> dict[str, str]:
    texts = {language: entry.get(language) for language in ("zh", "en")}
    return {language: text.strip() for language, text in texts.items() if isinstance(text, str) and text.strip()}


def _domains(entry: Mapping[str, Any]) -> list[str]:
    listed = entry.get("domains")
    return [str(domain).casefold() for domain in listed] if isinstance(listed, list) else []


def _in(named: Mapping[str, Mapping[str, str]], types: tuple[str, ...], language: str) -> dict[str, str]:
    """Without a name in this language: the other one's, else the id."""
    names = {type_: named.get(type_, {}) for type_ in types}
    return {type_: known.get(language) or next(iter(known.values()), type_) for type_, known in names.items()}
