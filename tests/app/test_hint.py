"""Contract §10: one badge and one line an answer, by its state; the most important thing comes first."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.hint import NOT_FOUND, Surroundings, Verdict, verdict
from app.words import word
from core.model import (
    Answer,
    ArticleState,
    DedupReason,
    Degraded,
    Dimension,
    Facet,
    Hit,
    LookupResult,
    NearCode,
    Outcome,
    Passage,
    RelevanceLevel,
)

PRECISE, HIGHLY, REFERENCE, DEDUPED = RelevanceLevel
CALM = Surroundings()


def answer(
    outcome: Outcome = Outcome.FOUND,
    level: RelevanceLevel | None = PRECISE,
    *,
    evidence: RelevanceLevel | None = None,
    hits: int = 2,
    unheld: tuple[str, ...] = (),
    **more: Any,
) -> Answer:
    keys = [f"{n}.md" for n in range(hits)]
    found = tuple(
        Hit(n, key, f"文{n}", "d", None, ArticleState.CURRENT, None, (), "", 0, 0, "", (), (), ())
        for n, key in enumerate(keys)
    )
    primary = None
    if hits:
        primary = Passage("0.md", "文0", "d", "", 0, "", None, "current", None, (), False)
    values: dict[str, Any] = {
        "dedup_reason": None,
        "missing_legs": (),
        "missing_dimensions": (),
        "unknown_words": (),
        "degraded": None,
    } | more
    result = LookupResult(
        outcome=outcome,
        found=True,
        session_id="S",
        query="q",
        primary=primary,
        supplement=(),
        relevance_level=level,
        evidence_level=evidence or level,
        completeness_hint=None,
        retrieved_domains_this_session=(),
        cached=False,
        message="",
        **values,
    )
    return Answer(result, found, tuple(keys), {}, 1, unheld)


@pytest.mark.parametrize(
    ("level", "hint"), [(PRECISE, "hint.precise"), (HIGHLY, "hint.highly"), (REFERENCE, "hint.reference_plain")]
)
def test_a_level_has_its_badge_and_its_line(level: RelevanceLevel, hint: str) -> None:
    assert verdict(answer(level=level), CALM) == Verdict(level.value, hint)


def test_a_reference_names_what_is_missing() -> None:
    open_ones = (Dimension(Facet.SYSTEM, ("Windows 11", "Windows 10")), Dimension(Facet.ERROR_CODE, ("0x0000011b",)))
    said = verdict(replace(answer(level=REFERENCE), dimensions=open_ones), CALM)
    assert said == Verdict("REFERENCE", "hint.reference")  # the buttons below the line name them


def test_a_seen_answer_keeps_its_level_and_says_so() -> None:
    said = verdict(answer(Outcome.DEDUPED, DEDUPED, evidence=HIGHLY, dedup_reason=DedupReason.DOC_RETRIEVED), CALM)
    assert said == Verdict("HIGHLY_RELEVANT", "hint.all_seen", {}, seen=True)


def test_not_found_names_the_words_that_are_not_held() -> None:
    said = verdict(answer(Outcome.NOT_FOUND, None, hits=0, unknown_words=("曲速引擎",)), CALM)
    assert said == Verdict(NOT_FOUND, "hint.not_found_words", {"words": ('"曲速引擎"',)})
    assert verdict(answer(Outcome.NOT_FOUND, None, hits=0), CALM).hint == "hint.not_found"


def test_a_code_nobody_has_warns_of_the_codes_below() -> None:
    said = verdict(answer(level=REFERENCE, unheld=("0x80004005",)), CALM)
    assert said == Verdict("REFERENCE", "hint.unknown_code", {"codes": ("0x80004005",)})


def test_where_nothing_stands_below_no_codes_below_are_spoken_of() -> None:
    said = verdict(answer(Outcome.NOT_FOUND, None, hits=0, unheld=("0x80004005",), unknown_words=("0x80004005",)), CALM)
    assert said == Verdict(NOT_FOUND, "hint.unknown_code_alone", {"codes": ("0x80004005",)})
    for language in ("zh_CN", "en"):
        text = word(said.hint, language, codes="0x80004005")
        assert "0x80004005" in text
        assert "下面" not in text
        assert "below" not in text


def test_codes_that_are_near_are_codes_below() -> None:
    near = (NearCode("0x80004005", "0x80070005", (), "a.md", "拒绝访问"),)
    nothing = answer(Outcome.NOT_FOUND, None, hits=0, unheld=("0x80004005",))
    assert verdict(replace(nothing, neighbours=near), CALM).hint == "hint.unknown_code"


def test_degraded_shows_no_level_and_offers_another_try() -> None:
    said = verdict(answer(Outcome.DEGRADED, None, hits=0, degraded=Degraded("timeout", "")), CALM)
    assert said == Verdict("", "hint.degraded_timeout", retry=True)
    said = verdict(answer(Outcome.DEGRADED, None, hits=0, degraded=Degraded("error", "")), CALM)
    assert said.hint == "hint.degraded_other"


def test_courtesy_alone_is_told_so() -> None:
    assert verdict(answer(Outcome.GATED, None, hits=0), CALM) == Verdict("", "hint.gated")


def test_while_knowledge_changes_nobody_is_told_to_stop_searching() -> None:
    for around in (Surroundings(pending=True), Surroundings(importing=(3120, 6775))):
        assert verdict(answer(), around).hint == "hint.precise_pending"
    said = verdict(answer(level=HIGHLY), Surroundings(importing=(3120, 6775)))
    assert (said.hint, said.values) == ("hint.importing", {"done": "3,120", "total": "6,775"})


def test_a_replaced_article_on_top_names_its_successor_by_title() -> None:
    said = verdict(answer(level=REFERENCE), Surroundings(successor="新版"))
    assert (said.hint, said.values) == ("hint.superseded", {"title": "新版"})


def test_the_same_query_again_says_what_changed() -> None:
    same = verdict(answer(), Surroundings(earlier=("10:42", ("0.md", "1.md"))))
    assert (same.hint, same.values) == ("hint.again_same", {"time": "10:42"})
    more = verdict(answer(hits=3), Surroundings(earlier=("10:42", ("0.md", "1.md"))))
    assert (more.hint, more.values) == ("hint.again_more", {"time": "10:42", "count": "1"})


def test_a_missing_leg_comes_before_everything_but_failure() -> None:
    around = Surroundings(importing=(1, 2), earlier=("10:42", ()))
    assert verdict(answer(missing_legs=("L1",), unheld=("x1",)), around).hint == "hint.leg_vector"
    assert verdict(answer(missing_legs=("BM25",)), around).hint == "hint.leg_keyword"


@pytest.mark.parametrize("state", [state for state in ArticleState if state is not ArticleState.CURRENT])
def test_a_best_article_that_is_not_current_is_the_thing_to_know(state: ArticleState) -> None:
    found = answer(level=REFERENCE)
    assert found.result.primary is not None
    primary = replace(found.result.primary, state=state.value)
    stated = replace(found, result=replace(found.result, primary=primary))
    said = word(verdict(stated, CALM).hint, "zh_CN")
    assert "先核实" in said
    assert said != word(verdict(found, CALM).hint, "zh_CN")
    assert verdict(stated, Surroundings(successor="新版")).hint == "hint.superseded"


def test_a_first_article_that_replaced_another_says_which() -> None:
    found = answer(level=REFERENCE)
    first, second = found.hits
    replaced = replace(found, hits=(first, replace(second, superseded_by=first.doc_key)))
    said = verdict(replaced, CALM)
    assert (said.hint, said.values) == ("hint.replaces", {"title": second.title})
    sure = answer(level=HIGHLY)
    assert verdict(replace(sure, hits=replaced.hits), CALM).hint == "hint.highly"
