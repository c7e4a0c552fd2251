"""Reasons: words in both languages for every code, and every code given with exactly the facts its words name."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.reasons import WORDS, Reason, as_json, from_json, sentence

INGEST = Path(__file__).resolve().parents[2] / "core" / "ingest"
HAN = re.compile("[\u4e00-\u9fff]")


def facts_in(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("code", sorted(WORDS))
def test_both_languages_have_words_with_the_same_facts(code: str) -> None:
    chinese, english = WORDS[code]
    assert HAN.search(chinese) and not HAN.search(english)
    assert facts_in(chinese) == facts_in(english)
    reason = Reason.of(code, **dict.fromkeys(facts_in(english), 7))
    for language in ("zh_CN", "en"):
        told = sentence([reason], language)
        assert told and told[0] not in "{ " and told[-1] not in ".。 " and "{" not in told


def given() -> Iterator[tuple[str, str, set[str]]]:
    """(place, code, names of facts) of every reason that the import can give."""
    for path in sorted(INGEST.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Reason.of", "NoArticle", "BadContent"):
                (code,) = node.args
                if isinstance(code, ast.Constant):
                    yield f"{path.name}:{node.lineno}", str(code.value), {word.arg or "" for word in node.keywords}
                else:
                    assert path.stem == "unusable", "a code is a constant"


def test_every_reason_has_words_that_its_facts_fill_and_no_words_are_left_over() -> None:
    reasons = list(given())
    unknown = [(place, code) for place, code, _ in reasons if code not in WORDS]
    assert unknown == []
    assert [(place, code) for place, code, facts in reasons if facts != facts_in(WORDS[code][1])] == []
    assert set(WORDS) - {code for _, code, _ in reasons} == set()


def test_reasons_come_back_from_their_stored_form() -> None:
    reasons = (Reason.of("no_text"), Reason.of("not_json", line=3, column=1), Reason.of("moved", target="文 \udc80"))
    assert from_json(as_json(reasons)) == reasons
    assert from_json(None) == ()


def test_several_reasons_are_one_sentence_and_none_is_none() -> None:
    reasons = (Reason.of("pictures_left_out", count=2), Reason.of("state_unknown", word="x"))
    assert sentence(reasons, "zh_CN") == "略去了内嵌图片 2 张；不认识状态“x”，按现行处理"
    assert sentence(reasons, "en") == 'Embedded pictures left out: 2; State "x" is not known; taken as current'
    assert sentence((), "en") is None


def test_a_code_of_a_newer_program_is_shown_as_it_is() -> None:
    assert sentence([Reason.of("from_tomorrow", count=1)], "zh_CN") == "from_tomorrow"
