"""The short ways through folding and tokens give what the long ways give, whatever the text."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from core.text import Words, fold, fold_with_map, tokenize

_WORDS = Words()
# What real text is made of, and some of what needs the long way.
_PIECES = ["数据库连接池", "T恤", "ab_", "0x8", "AB", *"哈的是機-.:/#+&@9、，。“”：（—…·°×→😀\n\tﬁﾞΣİ゛ヶ々〇㐀豈\u0301"]
_TEXT = st.lists(st.one_of(st.sampled_from(_PIECES), st.characters(codec="utf-8")), max_size=12).map("".join)


@given(_TEXT)
def test_folding_is_the_same_beside_a_letter_that_needs_the_long_way(text: str) -> None:
    """é is no letter that the short way knows."""
    assert fold(text + " é") == fold(text) + " é"


@given(_TEXT)
def test_tokens_are_the_same_beside_a_letter_of_another_alphabet(text: str) -> None:
    """я sends the text run by run through one pattern."""
    folded = fold(text)
    assert Counter(tokenize(folded + " я", _WORDS)) == Counter([*tokenize(folded, _WORDS), "я"])


@given(_TEXT)
def test_the_map_leads_from_folded_text_to_what_it_was_made_of(text: str) -> None:
    """Folding the original piece of each character gives that character again, or more than it where a piece became
    several."""
    folded, where = fold_with_map(text)
    assert folded == fold(text)
    assert len(where) == len(folded) + 1
    assert list(where) == sorted(where)
    assert where[len(folded)] == len(text)
