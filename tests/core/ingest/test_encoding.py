"""Every file is read right or reported, and nothing odd passes in silence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.encoding import clean, decode
from core.ingest.unusable import BadContent
from core.reasons import WORDS, Reason

CHINESE = "编号,标题\nNET-02,龘字工号无法登录：工号里含生僻字（如䶮、㙍、𠮷）时，改用数字工号登录。"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "gb18030"])
def test_chinese_is_read_in_every_encoding_that_editors_write(encoding: str) -> None:
    assert decode(CHINESE.encode(encoding)).text == CHINESE


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("打印机卡纸", "gb18030"),
        ("缴费", "gb18030"),
        ("编号,标题\n1,是", "gb18030"),
        ("VPN 691 错误：账号密码不对", "gb18030"),
        ("朱镕基喆䶮", "gb18030"),
        ("印表機卡紙", "big5"),
        ("網路連線失敗，請重設網路介面卡。", "big5"),
        ("重启客户端", "utf-16-le"),
        ("it’s “ok” – fine… ……", "cp1252"),
        ("The user’s mailbox", "cp1252"),
        ("déjà vu, garçon naïve à la carte", "cp1252"),
        ("エラーが発生しました。再起動してください", "shift_jis"),
        ("Ошибка входа в систему, проверьте пароль", "cp1251"),
    ],
)
def test_short_texts_without_a_mark(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_two_high_bytes_in_a_western_page_are_no_chinese() -> None:
    text = "Wait for the service to start…… then sign in again. " * 20
    assert decode((text + "x").encode("cp1252")).text.startswith("Wait for the service to start…… then")


def test_utf8_with_a_damaged_byte_stays_utf8_and_says_so() -> None:
    data = ("正文一行。\n" * 20).encode() + b"\xff" + "最后一行".encode()
    decoded = decode(data)
    assert decoded.text.startswith("正文一行。") and decoded.text.endswith("最后一行")
    assert decoded.notes == (Reason.of("characters_damaged", count=1, line=21),)


def test_nul_bytes_in_utf8_are_left_out_with_a_note() -> None:
    decoded = decode("标题\0\0正文 GOOD".encode())
    assert decoded.text == "标题正文 GOOD"
    assert decoded.notes


def test_a_false_byte_order_mark_is_reported() -> None:
    with pytest.raises(BadContent, match="mark_contradicted"):
        decode(b"\xff\xfe" + b"\x00\xd8" * 50)


def test_line_ends_become_one_kind() -> None:
    assert decode(b"a\r\nb\rc\nd").text == "a\nb\nc\nd"


@given(st.text(st.characters(blacklist_characters="\0")))
def test_any_text_survives_utf8_but_for_what_cannot_be_stored(text: str) -> None:
    storable = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    assert decode(storable.encode()).text == clean(storable)[0].removeprefix("\ufeff")


@given(st.binary(max_size=300))
def test_any_bytes_give_storable_text_or_a_reason(data: bytes) -> None:
    try:
        decoded = decode(data)
    except BadContent as error:
        assert error.reason.code in WORDS
        return
    assert "\0" not in decoded.text and "\r" not in decoded.text
    decoded.text.encode("utf-8")
    assert "\ufffd" not in decoded.text or decoded.notes
