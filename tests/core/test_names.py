"""The short numbers, letters and Latin names of a question, and whether an article bears them."""

from __future__ import annotations

import pytest

from core.lexicon import Lexicon
from core.names import names_of
from core.query import read_query
from core.text import fold, squeeze


def bears(question: str, text: str) -> bool:
    lexicon = Lexicon.load()
    return names_of(read_query(question, lexicon), lexicon).all_in(squeeze(fold(text)))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("3 楼打印机", "3楼打印机在走廊"),
        ("3楼打印机", "位于 3 楼"),
        ("iOS 17 邮箱", "适用于 iOS17"),
        ("投影仪 HDMI 2", "接 HDMI2 口"),
        ("Word 打不开", "word 文档"),
        ("C盘满了", "清理 C 盘"),
        ("Outlook 登录", "outlook 邮箱"),
    ],
)
def test_the_same_name_in_any_spelling(question: str, text: str) -> None:
    assert bears(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("2 楼打印机", "3 楼打印机，第 2 步添加"),
        ("3 楼打印机", "13 楼打印机"),
        ("iOS 16 邮箱", "iOS 17 邮箱 16 项"),
        ("投影仪 HDMI 1", "1. 接 HDMI 2"),
        ("Word 打不开", "Excel 打不开"),
        ("C盘满了", "D 盘满了"),
        ("5 号会议室", "第 5 步：8 号会议室"),
    ],
)
def test_another_name_however_much_else_is_alike(question: str, text: str) -> None:
    assert not bears(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("等了 5 分钟没反应", "没反应"),
        ("打印 2 份出来 3 份", "打印份数"),
        ("how to print", "drucken"),
        ("错误 691", "错误"),
        ("版本 7.60 安装", "安装"),
    ],
)
def test_amounts_and_plain_words_name_nothing_and_codes_are_others_business(question: str, text: str) -> None:
    assert bears(question, text)
