"""Tables: every row an article, whatever spreadsheet programs and people have done to the file."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.readers.table import TableReader, find_delimiter, rows
from core.ingest.unusable import NoArticle
from core.model import Record
from core.reasons import Reason


def read(text: str | bytes, name: str = "t.csv") -> list[Record]:
    return TableReader().read(text if isinstance(text, bytes) else text.encode(), name)


def test_chinese_columns() -> None:
    (record,) = read("编号,标题,正文,关键词,更新时间,部门\nPRT-07,缺纸,清洁搓纸轮。,打印;纸盒,2025/1/2,行政\n")
    assert record == Record(
        "缺纸", "清洁搓纸轮。\n\n部门: 行政", row_id="PRT-07", keywords=("打印", "纸盒", "PRT-07"), updated="2025-01-02"
    )


def test_question_and_answer() -> None:
    (record,) = read("问题,答案\n怎么重置密码,打开自助页面\n")
    assert (record.title, record.body, record.row_id) == ("怎么重置密码", "打开自助页面", "1")
    (record,) = read("title,question,answer\nT,Q?,A.\n")
    assert (record.title, record.body) == ("T", "Q?\n\nA.")


def test_a_code_names_its_row_and_a_running_number_does_not() -> None:
    (record,) = read("code,title,answer\n691,VPN,重置\n")
    assert record.keywords == ("691",)
    (record,) = read("id,title,answer\n691,VPN,重置\n")
    assert record.keywords == ()


def test_a_question_as_long_as_a_text_is_body_too() -> None:
    (record,) = read(f"问题,答案\n{'长' * 300},答\n")
    assert record.title == "长" * 200 + "…" and record.body == "长" * 300 + "\n\n答"


def test_a_status_of_the_case_is_content() -> None:
    (record,) = read("title,content,status,date\nT,text,已解决,上周三\n")
    assert record.body == "text\n\nstatus: 已解决\ndate: 上周三"


def test_rows_over_several_lines() -> None:
    records = read('标题,正文\n"VPN 断线","第一步\n第二步：报 ""断线码"" 给二线"\n"打印慢","改用后台打印"\n')
    assert [(record.title, record.body) for record in records] == [
        ("VPN 断线", '第一步\n第二步：报 "断线码" 给二线'),
        ("打印慢", "改用后台打印"),
    ]


def test_a_cell_of_any_size() -> None:
    long = "这一格很长。" * 40_000
    records = read(f'标题,正文\n长,"{long}TAIL"\n下一条,NEXT\n')
    assert records[0].body.endswith("TAIL") and records[1].body == "NEXT"


def test_an_unclosed_quote_costs_no_row_and_names_its_line() -> None:
    records = read('标题,正文\n正常一,ROW1\n坏引号,"少了收尾引号\n正常二,ROW2\n正常三,ROW3\n')
    assert [record.title for record in records] == ["正常一", "坏引号", "正常二", "正常三"]
    assert records[1].body == "少了收尾引号"
    assert records[1].notes == (Reason.of("quote_open", line=3),)
    assert not records[2].notes


def test_a_quote_left_open_before_good_quotes() -> None:
    records = read('标题,正文\n坏,"没有收尾\n好一,"有收尾"\n好二,"多行\n正文"\n')
    assert [(record.title, record.body) for record in records] == [
        ("坏", "没有收尾"),
        ("好一", "有收尾"),
        ("好二", "多行\n正文"),
    ]


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_every_usual_delimiter(delimiter: str) -> None:
    text = delimiter.join(("标题", "正文")) + "\n" + delimiter.join(("题", "一，二")) + "\n"
    (record,) = read("\ufeff" + text)
    assert (record.title, record.body) == ("题", "一，二")


def test_a_sep_line_is_obeyed() -> None:
    (record,) = read("sep=;\n标题;正文\nT;a,b,c\n")
    assert (record.title, record.body) == ("T", "a,b,c")


def test_duplicate_headers_and_ragged_rows() -> None:
    records = read("标题,正文,正文,\n重复列名,第一份,第二份,多一列,再多\n只有一列\n")
    assert records[0].body == "第一份\n\n正文: 第二份\n多一列\n再多"
    assert (records[1].title, records[1].body) == ("只有一列", "只有一列")


def test_without_a_header_the_first_row_is_data() -> None:
    records = read("没有表头,FIRST\n第二行,SECOND\n")
    assert [(record.title, record.body, record.row_id) for record in records] == [
        ("没有表头", "FIRST", "1"),
        ("第二行", "SECOND", "2"),
    ]


def test_row_numbers_count_data_rows() -> None:
    records = read("标题,正文\n\n,,\na,b\nc,d\n")
    assert [record.row_id for record in records] == ["1", "2"]


def test_a_table_with_a_header_only_is_no_article() -> None:
    with pytest.raises(NoArticle):
        read("标题,正文\n")


CELLS = st.text(st.characters(blacklist_categories=("Cs", "Cc"), whitelist_characters='\n",;|\t'), max_size=12)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=8), st.sampled_from(",;|\t"))
def test_what_the_csv_module_writes_is_read_back(table: list[list[str]], delimiter: str) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(table)
    found = [row.cells for row in rows(file.getvalue(), delimiter)]
    assert found == [cells for cells in table if any(cell.strip() for cell in cells)]


@given(st.text(st.sampled_from('a",\n;字'), max_size=200))
def test_no_text_is_lost_or_hangs_whatever_the_quotes(text: str) -> None:
    letters = [character for row in rows(text, find_delimiter(text)) for cell in row.cells for character in cell]
    for character in "a字":
        assert letters.count(character) == text.count(character)
