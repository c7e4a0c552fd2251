"""Profile: what stands for similarity with an embedder, the thresholds on it, and what they were calibrated on.

Profiles are data files, `resources/profiles/<embedder>.json`; contract §4 and Decisions 1, 4.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from core.paths import resources_dir

DISTANCE = "distance"
EVIDENCE = "evidence"
# The first seed's numbers, for any embedder without a profile of its own.
SEED = "bge-m3"
HASHED = "hashed"


@dataclass(frozen=True, slots=True)
class Profile:
    """`similarity` says what is judged: `distance` (squared L2, as Milvus and FAISS return it) or `evidence` (how much
    of the question the primary answers, and by how much it leads: `core.relevance.evidence_similarity`). `subject` and
    `answer` are the two lines of that: feature → weight, and `offset`. `reached`: the figures of the calibration."""

    name: str
    similarity: str
    max_l2_distance: float
    highly_relevant_threshold: float
    reference_threshold: float
    calibrated_on: str
    subject: Mapping[str, float] = field(default_factory=dict)
    answer: Mapping[str, float] = field(default_factory=dict)
    reached: Mapping[str, Any] = field(default_factory=dict)


@cache
def profile_of(embedder_name: str) -> Profile:
    """The shipped profile of an embedder, else the first seed's."""
    path = profile_path(embedder_name)
    if not path.exists():
        path = path.with_name(f"{SEED}.json")
    values: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return Profile(**values)


def profile_path(embedder_name: str) -> Path:
    """Where the shipped profile of an embedder lies, if there is one."""
    return resources_dir() / "profiles" / f"{embedder_name}.json"


def is_calibrated(embedder_name: str) -> bool:
    """Whether the thresholds by which an embedder's answers are judged were measured with it."""
    profile = profile_of(embedder_name)
    return profile.name == embedder_name and bool(profile.calibrated_on)
