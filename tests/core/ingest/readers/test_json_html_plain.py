"""JSON, HTML and plain text files."""

from __future__ import annotations

import gzip
import json

import pytest

from core.ingest.readers import reader_for, stem_of, suffix_of
from core.ingest.readers.html import HtmlReader
from core.ingest.readers.json_records import JsonReader
from core.ingest.readers.plain import PlainReader
from core.ingest.unusable import BadContent, NoArticle
from core.model import Record
from core.reasons import Reason


def lines(*values: object) -> bytes:
    return "\n".join(json.dumps(value, ensure_ascii=False) for value in values).encode()


def test_json_lines_plain_and_packed() -> None:
    data = lines(
        {"_id": "d1", "title": "一", "text": "正文一"}, {"_id": "d2", "title": "", "text": "正文二", "x": {"y": 1}}
    )
    records = JsonReader().read(data, "corpus.jsonl")
    assert records == JsonReader().read(gzip.compress(data), "corpus.jsonl.gz")
    assert records[0] == Record("一", "正文一", row_id="d1")
    assert (records[1].title, records[1].body) == ("正文二", '正文二\n\nx: {"y": 1}')


def test_a_json_list_and_an_object_around_one() -> None:
    value = [{"问题": "q", "答案": "a", "标签": ["x", "y"]}]
    for document in (value, {"data": value}):
        (record,) = JsonReader().read(json.dumps(document).encode(), "a.json")
        assert (record.title, record.body, record.keywords, record.row_id) == ("q", "a", ("x", "y"), "1")


def test_a_bad_line_is_named_and_the_rest_kept() -> None:
    records = JsonReader().read(b'{"title": "a", "text": "b"}\n{broken\n{"title": "c", "text": "d"}\n', "a.jsonl")
    assert [record.title for record in records] == ["a", "c"]
    assert records[0].notes == (Reason.of("lines_left_out", lines="2"),)


def test_a_lone_surrogate_is_shown_and_said() -> None:
    (record,) = JsonReader().read(b'{"title": "\\ud83d broken", "body": "\xe6\xad\xa3"}', "a.json")
    assert record.title == "\ufffd broken" and record.notes


def test_what_is_no_json_is_reported() -> None:
    with pytest.raises(BadContent, match="not_json"):
        JsonReader().read(b"nothing like it", "a.json")
    with pytest.raises(BadContent, match="bad_gzip"):
        JsonReader().read(b"no gzip", "a.jsonl.gz")
    with pytest.raises(BadContent):
        JsonReader().read(b'["a",' + b"[" * 100_000, "a.json")
    with pytest.raises(NoArticle):
        JsonReader().read(b'{"port": 80}', "config.json")


def html(body: str, head: str = "") -> Record:
    (record,) = HtmlReader().read(f"<html><head>{head}</head><body>{body}</body></html>".encode(), "page.html")
    return record


def test_html_text_without_its_machinery() -> None:
    record = html(
        "<nav>menu</nav><h1>大标题</h1><p>一段 <b>粗</b>\n体</p><script>alert(1)</script><style>p{}</style>"
        "<iframe src='http://127.0.0.1:9/'></iframe><img src='data:image/png;base64,AAAA'><p>二段<br>换行</p>",
        "<title>页  名</title>",
    )
    assert record == Record("页 名", "# 大标题\n\n一段 粗 体\n\n二段\n换行")


def test_html_lists_tables_and_code() -> None:
    record = html(
        "<ul><li><p>一</p></li><li>二</li></ul><table><tr><th>代码</th><th>处理</th></tr>"
        "<tr><td><p>691</p></td><td>重置</td></tr></table><pre>a\n  b</pre>"
    )
    assert record.body == "- 一\n- 二\n\n代码 | 处理\n691 | 重置\n\na\n  b"


def test_html_titles_fall_back() -> None:
    assert html("<h1>H</h1>x").title == "H"
    assert html("x").title == "page"


def test_html_in_the_encoding_it_declares() -> None:
    page = '<html><head><meta charset="gbk"><title>标题</title></head><body>正文内容</body></html>'
    (record,) = HtmlReader().read(page.encode("gbk"), "a.html")
    assert (record.title, record.body) == ("标题", "正文内容")


def test_an_html_page_without_text_is_no_article() -> None:
    with pytest.raises(NoArticle):
        html("<img src=x><script>1</script>")


def test_plain_text_has_its_first_line_as_title() -> None:
    (record,) = PlainReader().read("\n电话转接说明\n按 Flash 键。\n".encode(), "a.txt")
    assert record == Record("电话转接说明", "电话转接说明\n按 Flash 键。")
    assert PlainReader().read(("长" * 500).encode(), "a.b.txt")[0].title == "a.b"


def test_without_a_suffix_only_sure_text_is_read() -> None:
    assert PlainReader().read("说明".encode(), "README")[0].body == "说明"
    with pytest.raises(NoArticle, match="suffix_missing"):
        PlainReader().read("说明".encode("gb18030"), "README")
    with pytest.raises(NoArticle):
        PlainReader().read(b"\x7fELF\0\0\1\2", "program")


@pytest.mark.parametrize(
    ("name", "suffix", "stem"),
    [("a.md", ".md", "a"), ("A.MD", ".md", "A"), ("c.jsonl.gz", ".jsonl.gz", "c"), ("x", "", "x"),
     ("点..md", ".md", "点."), (".隐藏.md", ".md", ".隐藏"), ("a.tar.gz", ".tar.gz", "a"), ("end.", "", "end.")],
)  # fmt: skip
def test_suffixes(name: str, suffix: str, stem: str) -> None:
    assert (suffix_of(name), stem_of(name)) == (suffix, stem)


def test_formats_that_are_not_read() -> None:
    assert reader_for("a.png") is None and reader_for("a.tar.gz") is None
