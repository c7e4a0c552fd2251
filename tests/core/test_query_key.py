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
        ("VPN 连不上", "连不上 VPN"),
        ("重启一下打印机", "打印机重启"),
        ("打印机一直脱机", "脱机 打印机"),
        ("三楼的打印机脱机", "打印机 脱机 三楼"),
        ("能不能共享打印机", "打印机 共享"),
        ("请问从 windows 迁移到 mac 怎么办", "从 windows 迁移到 mac"),
        ("后台 登录 系统", "系统 登录 后台"),
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
        ("服务器离线一天", "服务器离线两天"),
        ("请假一份", "请假两份"),
        ("重启 一遍", "重启 几遍"),
        ("打印十一点的单据", "打印十二点的单据"),
        ("上午打印机脱机", "下午打印机脱机"),
        ("上周 发票 导出", "下周 发票 导出"),
        ("能打印不能扫描", "能扫描不能打印"),
        ("从 windows 迁移到 mac", "从 mac 迁移到 windows"),
        ("migrate from windows to mac", "migrate from mac to windows"),
        ("从 10.1 升级到 11.2", "从 11.2 升级到 10.1"),
        ("装 office", "不装 office"),
        ("外网打不开内网能打开", "内网打不开外网能打开"),
        ("只有微信 连不上 邮箱", "只有邮箱 连不上 微信"),
        ("安装前 office 备份", "安装后 office 备份"),
        ("占用 90% 以上", "占用 90% 以下"),
        ("can print cannot scan", "can scan cannot print"),
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


@given(
    st.text("一二两三四五六七八九十百千万几", min_size=1, max_size=3),
    st.text("一二两三四五六七八九十百千万几", min_size=1, max_size=3),
    st.sampled_from("天份遍次台张条楼层名位件封周年月日页行"),
)
def test_one_han_number_apart_is_apart_whatever_it_counts(first: str, second: str, measure: str) -> None:
    for form in ("服务器离线{}{}", "{}{}打印机脱机", "打印机第{}{}脱机"):
        same = key(form.format(first, measure)) == key(form.format(second, measure))
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
