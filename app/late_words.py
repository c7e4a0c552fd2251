"""Words about a leg that an answer did not wait for."""

from __future__ import annotations

# name: (zh_CN, en), as in app/words.py.
LATE_WORDS: dict[str, tuple[str, str]] = {
    "late.arrived": ("语义结果到了", "Semantic results have arrived"),
    "late.update": ("更新", "Update"),
    "late.tip": ("换成完整的结果（{keys}）", "Show the complete results ({keys})"),
}
