"""Words that are read alike share a sound; words that are not share none."""

from __future__ import annotations

import pytest

from core.pinyin import readings, sounds


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("打印鸡", "打印机"), ("蜜码", "密码"), ("账好", "账号"), ("登路", "登录"), ("重起", "重启")],
)
def test_homophones_share_a_reading(typed: str, meant: str) -> None:
    assert set(readings(typed)) & set(readings(meant))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("日力", "日里"),
        ("往络", "网落"),
        ("只纸", "子紫"),
        ("上传", "桑川"),
        ("平凡", "贫烦"),
        ("蓝牙", "南牙"),
        ("成功", "层公"),
    ],
)
def test_near_sounds_count_as_one(typed: str, meant: str) -> None:
    assert set(sounds(typed)) & set(sounds(meant))


@pytest.mark.parametrize(("one", "other"), [("打印机", "打字机"), ("密码", "邮箱"), ("网络", "网址"), ("公司", "宫")])
def test_other_sounds_share_none(one: str, other: str) -> None:
    assert not set(sounds(one)) & set(sounds(other))


def test_a_character_that_no_list_holds_cannot_be_read() -> None:
    assert readings("打a") == ()
    assert list(sounds("㐀机")) == []
