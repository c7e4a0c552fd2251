"""Error → words, once: the sentence that a person reads about an expected failure."""

from __future__ import annotations

from collections import defaultdict

from app.words import WORDS, word
from core.errors import DesksideError


def sentence(error: DesksideError, language: str) -> str:
    """One sentence that says what happened and what to do. Facts that an error lacks are shown as "?".

    Guarantee: every class of core.errors but Cancelled (which is silence: an empty sentence) has its own words.
    """
    if error.code == "cancelled":
        return ""
    name = f"error.{error.code}"
    if name not in WORDS:
        return word("error.expected", language, detail=str(error) or error.code)
    facts: defaultdict[str, object] = defaultdict(lambda: "?", error.facts)
    facts.setdefault("detail", str(error) or error.code)
    return word(name, language).format_map(facts)
