"""Keys of questions: near-equal ones share theirs, those that differ in one number never do."""

from __future__ import annotations

import random
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon import Lexicon
from core.query_key import keys_fingerprint, query_key
from core.text import fold

LEXICON = Lexicon.load()


def key(text: str) -> str:
    return query_key(text, LEXICON)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("VPN 错误 691", "691 错误 VPN 怎么办"),
        ("VPN，691", "ｖｐｎ ６９１"),
        ("打印机脱机", "请问脱机的打印机怎么处理"),
        ("更新 0x80070005", "0X80070005 更新"),
        ("E-0012 打印机", "e0012 打印机"),
    ],
)
def test_near_equal_questions_share_a_key(one: str, other: str) -> None:
    assert key(one) == key(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("更新 0x80070005", "更新 0x80070057"),
        ("VPN 691", "VPN 6910"),
        ("VPN 691", "VPN 0691"),
        ("错误 1", "错误 -1"),
        ("v2.1.1 升级", "v2.1.10 升级"),
        ("三楼的打印机脱机", "四楼的打印机脱机"),
        ("占用 90% 内存", "占用 90 内存"),
        ("C++ 运行库", "C# 运行库"),
        ("打印机 连不上", "打印机 卡纸"),
        ('"显示脱机" 打印机', "显示脱机 打印机"),
    ],
)
def test_questions_that_differ_in_what_counts_do_not(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_synonyms_are_one_word() -> None:
    group = next(g for g in LEXICON.groups if all(w.isalpha() and LEXICON.informative(w) for w in g))
    assert key(f"{group[0]} zzqx") == key(f"zzqx {group[1]}")


@pytest.mark.parametrize("text", ["", "   ", "请问", "你好，谢谢", "？！"])
def test_a_text_that_says_nothing_has_no_key(text: str) -> None:
    assert key(text) == ""


@given(
    st.integers(min_value=0, max_value=10**12), st.integers(min_value=0, max_value=10**12), st.sampled_from("-.:/#x")
)
def test_one_number_apart_is_apart(first: int, second: int, mark: str) -> None:
    for form in ("错误 {} 连接", "code{} 连接", f"a{mark}{{}} 连接", f"{{}}{mark}7 连接"):
        same = key(form.format(first)) == key(form.format(second))
        assert same == (first == second), form


@given(st.text(max_size=60))
def test_folding_changes_no_key(text: str) -> None:
    assert key(text) == key(fold(text))


def test_the_order_of_words_does_not_matter() -> None:
    words = ["打印机", "脱机", "驱动", "0x0000011b", "共享"]
    seed = random.randrange(2**32)
    sys.stdout.write(f"seed {seed}\n")
    shuffled = random.Random(seed).sample(words, len(words))
    assert key(" ".join(words)) == key(" ".join(shuffled))


def test_other_word_lists_have_another_fingerprint() -> None:
    other = replace(LEXICON, stop=LEXICON.stop | {"zzqx"})
    assert keys_fingerprint(other) != keys_fingerprint(LEXICON)
