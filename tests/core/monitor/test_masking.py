"""core.monitor.masking: what is somebody's own becomes a star, what everybody says stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.lexicon import Lexicon
from core.monitor.masking import STAR, Masking

HELD = frozenset(
    {"outlook", "visio", "mark", "打印机", "smb3", "kb5034441", "10060", "550", "8.8.8.8", "13900000000", "李想"}
)
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
        ("连接超时 10060", "连接超时 10060"),
        ("kb5034441 安装失败 0x80070643", "kb5034441 安装失败 0x80070643"),
        ("Windows 11 打印机，错误代码：691", "＊ 11 打印机,错误代码:691"),
        ("event id 4625", "event id 4625"),
        ("Outlook 8.8.8.8", "outlook 8.8.8.8"),
        ("2楼3台打印机", "2楼3台打印机"),
        ("程序打不开，许可证过期", "程序打不开,许可证过期"),
        ("账号解锁", "账号解锁"),
        ("用户找不到打印机", "用户找不到打印机"),
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


@pytest.mark.parametrize(
    "name", ["李想", "文静", "高峰", "白雪", "安心", "张伟", "王小明", "欧阳娜娜", "张三丰", "小美"]
)
@pytest.mark.parametrize(
    "text",
    [
        "我是{}，打印机坏了",
        "我是 {} 打印机坏了",
        "我叫{}",
        "找{}",
        "叫{}来",
        "工号{}",
        "用户{}登录不上",
        "用户：{}",
        "同事{}的打印机",
        "{}的电脑打不开",
        "给{}重置密码",
        "{}说打印机脱机",
    ],
)
def test_a_name_goes_where_names_stand(name: str, text: str) -> None:
    told = masked(text.format(name))
    assert name not in told
    assert STAR in told


@pytest.mark.parametrize(
    "text", ["我是{}", "我叫 {}", "用户 {} 打不开", "my name is {}", "this is {}", "找{}", "账号：{}", "同事 {}"]
)
def test_an_english_name_goes_after_what_introduces_one_even_if_the_base_holds_the_word(text: str) -> None:
    assert "mark" not in masked(text.format("Mark"))
    assert "mark" in masked("打印机 Mark")


@pytest.mark.parametrize(
    ("query", "own"),
    [
        ("张 伟 的打印机", "伟"),
        ("李 想 电脑", "想"),
        ("欧阳 娜娜 打印机", "娜娜"),
        ("王主任的电脑", "王"),
        ("陈工 打印机", "陈"),
        ("小陈 打印机", "陈"),
        ("京A12345 门禁", "12345"),
        ("粤B 1234 打印机", "1234"),
        ("aa:bb:cc:dd:ee:ff 打印机", "bb"),
        ("00-11-22-33-44-55 打印机", "11"),
        ("10.0.0.1 打印机", "10.0"),
        ("1.1.1.1 打印机", "1.1"),
        ("fe80::1a2b 打印机", "fe80"),
        ("资产 SH-FS01 打印机", "fs01"),
        ("zhang . wei @ corp . com 打印机", "corp"),
        ("zhang wei@corp.com 打印机", "zhang"),
        ("电话一三八零零一三八零零零", "零零"),
        ("一三八 零零一三 八零零零", "零零"),
        ("1️⃣3️⃣8️⃣0️⃣0️⃣", "1"),
        ("١٣٨٠٠ 打印机", "١"),
        ("身份证 1101 0119 9003 071X 打印机", "071"),
        ("打印机 4567", "4567"),
        ("door code 4567", "4567"),
        ("验证码 4567", "4567"),
    ],
)
def test_however_it_is_written_it_goes(query: str, own: str) -> None:
    assert own not in masked(query)


@pytest.mark.parametrize("number", ["7", "45", "550", "8123", "81 23", "10060", "(021) 10060"])
@pytest.mark.parametrize(
    "text",
    [
        "分机{}",
        "分机 {} 打印机",
        "工号：{}",
        "员工编号 {}",
        "电话是{}",
        "密码 {}",
        "账号{}",
        "ext. {}",
        "room {}",
        "转{}",
    ],
)
def test_a_number_that_is_somebodys_goes_though_it_is_short_or_the_base_holds_it(text: str, number: str) -> None:
    assert not any(character.isdigit() for character in masked(text.format(number)))


CODES = ("10060", "5034441")
RUN = re.compile(rf"\d(?:(?:[^\w{STAR}]|_)*\d)*")
HEXADECIMAL = re.compile(r"(?<![a-z0-9])0x[0-9a-f]{1,8}(?![a-z0-9])")
PIECES = st.one_of(
    st.text(st.sampled_from("0123456789０１²③٣"), min_size=1, max_size=6),
    st.text(st.sampled_from(" -.()+/_,:#·、（）　\n\u200b－"), min_size=1, max_size=3),
    st.sampled_from(
        ["smb3", "kb5034441", "10060", "550", "0x80070005", "错误", "code ", "打印机", "分机", "a", "x", "@"]
    ),
    st.text(max_size=3),
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_five_digits_together_in_any_grouping_are_told_only_as_one_code_of_the_base(query: str) -> None:
    told = HEXADECIMAL.sub(STAR, masked(query))
    for run in RUN.findall(told):
        assert sum(character.isdigit() for character in run) < 5 or run in CODES, (query, told)


@given(
    st.from_regex(r"1[3-9][0-9]{9}|[1-9][0-9]{16}[0-9Xx]", fullmatch=True),
    st.lists(st.sampled_from(["", "", " ", "-", ".", ") ", "  "]), min_size=17, max_size=17),
    st.sampled_from(["打印机{}", "{} 连不上", "a{}b", "电话:{}。", "+86 {}", "错误 {}", "error code {}"]),
)
def test_no_telephone_or_identity_is_ever_told(number: str, gaps: list[str], text: str) -> None:
    told = masked(text.format("".join(digit + gap for digit, gap in zip(number, gaps, strict=False))))
    assert sum(character.isdigit() for character in told) <= 2  # those of +86
