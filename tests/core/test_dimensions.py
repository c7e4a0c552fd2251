"""What a question leaves open: facets in which the articles differ and of which the question says nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.dimensions import MOST, MOST_VALUES, Candidate, dimensions_of
from core.lexicon import Lexicon
from core.model import Dimension, Facet
from core.query import read_query

LEXICON = Lexicon.load()


def article(title: str, body: str = "", keywords: tuple[str, ...] = ()) -> Candidate:
    return Candidate(title, keywords, (), (body,))


PRINTERS = [
    article("HP 打印机无法打印的处理", "在 Windows 11 上重装驱动。"),
    article("佳能打印机无法打印", "在 Windows 10 上清空队列。"),
    article("共享打印机报错 0x0000011b", "Windows 11 更新后出现 0x0000011b。"),
    article("打印机脱机", "检查网线。"),
]


def open_in(query: str, candidates: list[Candidate]) -> dict[Facet, tuple[str, ...]]:
    found = dimensions_of(read_query(query, LEXICON), candidates, LEXICON)
    return {one.facet: one.values for one in found}


def test_the_facets_that_tell_the_articles_apart_are_named_with_the_values_as_written() -> None:
    found = open_in("打印机无法打印", PRINTERS)
    assert found[Facet.SYSTEM] == ("Windows 11", "Windows 10")
    assert found[Facet.ERROR_CODE] == ("0x0000011b",)
    assert found[Facet.PRODUCT] == ("HP", "佳能")


@pytest.mark.parametrize(
    ("query", "facet"),
    [
        ("Windows 10 打印机无法打印", Facet.SYSTEM),
        ("win11 打印机", Facet.SYSTEM),
        ("打印机 0x00000709", Facet.ERROR_CODE),
        ("打印机 709", Facet.ERROR_CODE),
        ("惠普打印机", Facet.PRODUCT),
        ("打印机离线", Facet.SYMPTOM),
    ],
)
def test_a_facet_that_the_question_has_named_is_not_asked_for(query: str, facet: Facet) -> None:
    assert facet in open_in("打印机有问题", [*PRINTERS, article("打印机卡纸")])
    assert facet not in open_in(query, [*PRINTERS, article("打印机卡纸")])


def test_a_system_without_its_version_leaves_the_version_open() -> None:
    candidates = [article(f"{name} 升级失败") for name in ("Windows 11", "Windows Server 2019", "macOS")]
    assert open_in("Windows 升级失败", candidates)[Facet.SYSTEM] == ("Windows 11", "Windows Server 2019")


def test_what_all_articles_share_is_not_asked_for() -> None:
    same = [article(f"Outlook 在 Windows 11 上{what}") for what in ("闪退", "变慢")]
    assert open_in("打不开", same) == {Facet.SYMPTOM: ("闪退", "变慢")}


@pytest.mark.parametrize("candidates", [[], PRINTERS[:1], [article("甲"), article("乙")]])
def test_nothing_is_open_where_nothing_differs(candidates: list[Candidate]) -> None:
    assert open_in("打印机", candidates) == {}


def test_one_odd_article_far_down_asks_nothing() -> None:
    assert open_in("报销", [*(article(f"报销流程{n}") for n in range(9)), article("HP 报销")]) == {}


def test_a_kind_of_device_is_asked_for_only_where_no_make_or_program_is() -> None:
    devices = [article("耳机没有声音"), article("投影仪没有声音")]
    assert open_in("没反应", devices)[Facet.PRODUCT] == ("耳机", "投影仪")
    assert open_in("没反应", [*devices, article("Teams 没有声音")])[Facet.PRODUCT] == ("Teams",)


def test_latin_names_in_chinese_titles_are_products() -> None:
    candidates = [article("使用 TiUP 升级"), article("Dumpling 导出失败"), article("升级常见问题")]
    assert open_in("升级失败", candidates)[Facet.PRODUCT] == ("TiUP", "Dumpling")


def test_versions_are_named_beside_what_they_are_versions_of() -> None:
    candidates = [article("Excel 2013 crashes"), article("Excel 2016 crashes"), article("2.4 Excel crashes")]
    assert open_in("excel crashes", candidates) == {Facet.VERSION: ("2013", "2016")}


@pytest.mark.parametrize("text", ["tidb_error_count", "重试 3 次", "端口 8080", "2025-04-18", "第 404 页"])
def test_settings_numbers_and_dates_are_no_error_codes(text: str) -> None:
    assert Facet.ERROR_CODE not in open_in("升级", [article("升级甲", text), article("升级乙")])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("错误 691", "691"),
        ("事件 ID 4625", "4625"),
        ("Error code: 1603", "1603"),
        ("HTTP 502", "502"),
        ("返回 ERR_TIMEOUT。", "ERR_TIMEOUT"),
        ("0X8024402C", "0X8024402C"),
        ("故障代码 E-0012", "E-0012"),
    ],
)
def test_codes_are_found_in_what_an_article_says(text: str, code: str) -> None:
    assert open_in("升级", [article("升级甲", text), article("升级乙")])[Facet.ERROR_CODE] == (code,)


def test_keywords_that_several_articles_declare_name_what_they_are_about() -> None:
    candidates = [
        article("锁定怎么办", keywords=("域账号",)),
        article("解锁", keywords=("域账号",)),
        article("改期", keywords=("会议室",)),
    ]
    assert open_in("打不开", candidates)[Facet.PRODUCT] == ("域账号",)


PIECES = st.sampled_from(
    ["Windows 11", "win10", "HP", "Outlook", "0x80070005", "错误 691", "v2.1", "Excel 2016", "卡纸", "脱机", "打印机"]
)
TEXTS = st.lists(PIECES | st.text(max_size=12), max_size=5).map(" ".join)
SOME_TEXTS = st.lists(TEXTS, max_size=3).map(tuple)
CANDIDATES = st.lists(st.builds(Candidate, TEXTS, SOME_TEXTS, st.just(()), SOME_TEXTS), max_size=12)


@given(TEXTS, CANDIDATES)
def test_never_more_than_fits_and_never_what_the_question_holds(query: str, candidates: list[Candidate]) -> None:
    read = read_query(query, LEXICON)
    found: tuple[Dimension, ...] = dimensions_of(read, candidates, LEXICON)
    assert len(found) <= MOST
    assert len({one.facet for one in found}) == len(found)
    for one in found:
        assert 1 <= len(one.values) <= MOST_VALUES
        assert len(set(one.values)) == len(one.values)
        assert all(value and value in "\n".join(map(str, candidates)) for value in one.values if value.isalnum())
