"""core.monitor.masking: what is somebody's own becomes a star, what everybody says stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon import Lexicon
from core.monitor.masking import STAR, Masking

HELD = frozenset({"outlook", "visio", "打印机", "smb3", "13900000000"})
LEXICON = Lexicon.load()


def masked(query: str) -> str:
    return Masking(LEXICON, HELD.__contains__).masked(query)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("投影仪没信号", "投影仪没信号"),
        ("打印机 0x0000011b", "打印机 0x0000011b"),
        ("VPN 错误 691", "vpn 错误 691"),
        ("Outlook 打不开", "outlook 打不开"),
        ("退信 550", "退信 550"),
        ("smb3 打不开", "smb3 打不开"),
    ],
)
def test_what_everybody_says_stays(query: str, told: str) -> None:
    assert masked(query) == told


@pytest.mark.parametrize(
    ("query", "own"),
    [
        ("给张伟重置密码", "张伟"),
        ("王小明的电脑打不开", "王小明"),
        ("李工说打印机脱机", "李工"),
        ("客户电话 13812345678 打不通", "13812345678"),
        ("分机 021-5566-7788", "5566"),
        ("zhangwei 登录不上", "zhangwei"),
        ("wang12 登录不上", "wang12"),
        ("热线 13900000000", "13900000000"),
        ("zhang.wei@example.com 收不到邮件", "example"),
        ("身份证 110101199003071234 报错", "110101"),
        ("资产 PC-20314 开不了机", "20314"),
        ("电脑 10.20.30.44 上不了网", "10.20"),
        (r"打不开 \\fileserver\wang", "wang"),
        ("订单号 2026113000017", "2026113000017"),
        ("Иванов не может войти", "иванов"),
        ("ｚｈａｎｇｗｅｉ 登录不上", "zhangwei"),
    ],
)
def test_what_is_somebodys_own_goes(query: str, own: str) -> None:
    told = masked(query)
    assert own not in told
    assert STAR in told


def test_a_star_alone_is_all_that_is_left_of_a_name() -> None:
    assert masked("张伟") == STAR
    assert masked("???") == STAR
    assert masked("") == STAR


@given(st.text())
def test_no_long_number_is_ever_told(query: str) -> None:
    told = masked(query)
    digits = "".join(character if character.isdigit() else " " for character in told.replace("0x", ""))
    assert all(len(run) <= 8 for run in digits.split())


@given(
    st.from_regex(r"1[3-9][0-9]{9}", fullmatch=True), st.sampled_from(["打印机{}", "{} 连不上", "a{}b", "电话:{}。"])
)
def test_no_telephone_is_ever_told(number: str, text: str) -> None:
    assert number not in masked(text.format(number))
    assert number[-6:] not in masked(text.format(number))
