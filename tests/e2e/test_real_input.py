"""What users really import, from file to answer: encodings, damaged files, odd names, links, copies, edits, states."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.engine import Engine
from core.model import Answer, RelevanceLevel
from tests.core.ingest.conftest import outcomes, write

posix = pytest.mark.skipif(os.name != "posix", reason="links and byte names of POSIX file systems")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Engine]:
    engine = Engine.open(tmp_path / "客服 资料 库" / "数据")
    engine.remove_starter()
    yield engine
    engine.close()


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    folder = tmp_path / "kb"
    folder.mkdir()
    return folder


def ask(desk: Engine, query: str) -> Answer:
    return desk.lookup(query, throwaway=True)


def top(desk: Engine, query: str) -> str:
    return ask(desk, query).ranking[0]


@pytest.mark.parametrize("encoding", ["gb18030", "utf-8-sig", "utf-8"])
def test_a_table_that_chinese_excel_saved(desk: Engine, kb: Path, encoding: str) -> None:
    text = (
        "编号,问题,答案\nNET-01,访客无线连不上怎么办,先确认访客账号未过期。\n"
        "NET-02,龘字工号无法登录,工号里含生僻字（如䶮、㙍、𠮷）时，改用数字工号登录。\n"
        "PRT-07,打印机提示缺纸但纸盒是满的,清洁搓纸轮，再推回。\n"
    )
    assert desk.ingest([write(kb / "faq.csv", text.encode(encoding))]).counts["added"] == 3
    for query, row in {"搓纸轮": "PRT-07", "䶮": "NET-02", "𠮷": "NET-02", "访客无线": "NET-01"}.items():
        assert top(desk, query) == f"faq.csv#{row}"
    assert ask(desk, "prt 07").result.relevance_level is RelevanceLevel.PRECISE
    assert not {"\ufffd", "\ufeff"} & set("".join(hit.content + hit.title for hit in ask(desk, "工号").hits))


def test_one_text_in_three_kinds_of_utf16_is_one_result(desk: Engine, kb: Path) -> None:
    text = "电话转接说明\n按 Flash 键后拨分机号，再按 # 完成转接。\nTransfer a call: dial the extension."
    write(kb / "le_bom.txt", b"\xff\xfe" + text.encode("utf-16-le"))
    write(kb / "be_bom.txt", b"\xfe\xff" + text.encode("utf-16-be"))
    write(kb / "le_nobom.txt", text.encode("utf-16-le"))
    write(kb / "other.txt", "午餐\n食堂十二点开门。")
    write(kb / "another.txt", "停车\n车位先到先得。")
    desk.ingest([kb])
    (hit,) = ask(desk, "Flash 键 转接").hits
    assert {hit.doc_key, *hit.copies} == {"le_bom.txt", "be_bom.txt", "le_nobom.txt"}


def test_bad_files_do_not_stop_the_batch(desk: Engine, kb: Path) -> None:
    write(kb / "a.md", "# 键盘失灵\n\n换一个 USB 口。标记 GOOD-A8。")
    write(kb / "b.txt", "")
    write(kb / "c.csv", b"\0\xff\xfe\xd8\xd8\0\x01")
    write(kb / "d.xlsx", os.urandom(50))
    write(kb / "f.txt", "正文\0前 标记 GOOD-F8".encode())
    write(kb / "z.md", "# 鼠标漂移\n\n清洁传感器。标记 GOOD-Z8。")
    report = desk.ingest([kb])
    assert sum(report.counts.values()) == 6 and report.counts["added"] == 3
    assert [top(desk, f"GOOD-{letter}8") for letter in "AFZ"] == ["a.md", "f.txt", "z.md"]
    assert desk.status().failed_files == 1


def test_hard_tables(desk: Engine, kb: Path) -> None:
    write(kb / "a.csv", '标题,正文\n"VPN 断线","第一步：看指示灯\n第二步：报 ""断线码"" 给二线"\n')
    write(kb / "b.csv", f'标题,正文\n"超长","{"这一格很长。" * 30_000}TAIL-10B"\n"下一条","NEXT-10B"\n')
    write(kb / "c.csv", '标题,正文\n正常一,ROW1-10C\n坏引号,"少了引号\n正常二,ROW2-10C\n正常三,ROW3-10C\n')
    write(kb / "d.csv", "标题\t正文\n制表符,SEP-10D\n")
    write(kb / "e.csv", "\ufeff标题;正文\n分号,SEP-10E\n")
    write(kb / "f.csv", "标题,正文,正文,\n重复列名,第一份,第二份 DUP-10F,多一列\n")
    write(kb / "g.csv", "没有表头的第一行,FIRST-10G\n第二行,SECOND-10G\n")
    report = desk.ingest([kb])
    assert [item.doc_key for item in report.items if item.reason] == ["c.csv#2"]
    expected = {
        "断线码": "a.csv#1", "TAIL-10B": "b.csv#1", "NEXT-10B": "b.csv#2", "ROW3-10C": "c.csv#4", "SEP-10D": "d.csv#1",
        "SEP-10E": "e.csv#1", "DUP-10F": "f.csv#1", "FIRST-10G": "g.csv#1",
    }  # fmt: skip
    assert {query: top(desk, query) for query in expected} == expected
    shown = ask(desk, "断线码").hits[0].content
    assert "看指示灯" in shown and '"断线码"' in shown


@posix
def test_odd_file_names(desk: Engine, kb: Path) -> None:
    names = [
        "长" * 84 + ".md", "a" * 252 + ".md", "🙂客服👩‍💻手册🏳️‍🌈.md", "  前后有空格 .md", "点结尾..md", "-rf.md",
        "100%s%n.md", "a#b?c=d&e.md", "'单引号\"双引号.md", "换\n行.md", "tab\t.md", "Cafe\u0301.md", "Café.md",
        "CON.md", "a:b.md", "\u202e倒写.md", "[括号](x).md", "<b>x<b>.md", ".隐藏.md", "无扩展名", "双扩展.md.txt",
        "/".join(f"很深的目录层级名称{number:02}" for number in range(14)) + "/深处.md",
    ]  # fmt: skip
    for number, name in enumerate(names):
        write(kb / name, f"# 文件名样本 {number}\n\n标记 FN13-{number:02}。\n")
    raw = os.fsencode(kb) + b"/" + "打印".encode("gb18030") + b".md"
    with open(raw, "w", encoding="utf-8") as file:  # noqa: PTH123 - a bytes path
        file.write("# 非 UTF-8 文件名\n\n标记 FN13-99。\n")
    assert desk.ingest([kb]).counts["added"] == len(names) + 1
    for number in range(len(names)):
        answer = ask(desk, f"FN13-{number:02}")
        assert answer.result.relevance_level is RelevanceLevel.PRECISE
        assert f"FN13-{number:02}" in desk.read(answer.ranking[0]).article.body
    assert top(desk, "FN13-99") == "打印.md"
    assert desk.ingest([kb]).counts["unchanged"] == len(names) + 1


@posix
def test_links_lead_nowhere_twice(desk: Engine, kb: Path) -> None:
    write(kb / "x" / "真文件.md", "# 换班登记\n\n标记 LINK-14：提前一天登记。\n")
    (kb / "x" / "自己").symlink_to("..")
    (kb / "同一文件.md").symlink_to("x/真文件.md")
    os.link(kb / "x" / "真文件.md", kb / "x" / "硬链接.md")
    os.mkfifo(kb / "x" / "管道.md")
    report = desk.ingest([kb])
    assert report.counts["added"] == 1 and report.counts["skipped"] == 4
    assert ask(desk, "LINK-14").ranking == ("x/真文件.md",)


def test_an_edited_article_is_found_by_its_new_text_only_and_is_unread(desk: Engine, kb: Path) -> None:
    path = write(kb / "热线时间.md", "# 热线服务时间\n\n工作日九点到十八点。标记 OLD-17。\n")
    write(kb / "无关.md", "# 茶水间\n\n一楼有咖啡机。\n")
    write(kb / "别的.md", "# 停车场\n\n车位先到先得。\n")
    desk.ingest([kb])
    session = desk.new_session("T-17")
    desk.retrieved(session, "热线时间.md", query="热线")
    assert desk.preview("热线服务时间", session_id=session).hits[0].held_at
    write(path, "# 热线服务时间\n\n每天八点到二十点。标记 NEW-17。\n", age=5)
    assert outcomes(desk.ingest([kb]))["热线时间.md"] == "updated"
    hit = desk.preview("热线服务时间", session_id=session).hits[0]
    assert "NEW-17" in hit.content and hit.held_at is None
    assert all("OLD-17" not in hit.content for hit in ask(desk, "OLD-17").hits)


def test_a_retired_version_stands_below_the_valid_one(desk: Engine, kb: Path) -> None:
    write(
        kb / "2023.md",
        "# 密码策略（2023 版）\n\n密码策略：密码不少于 8 位，每 90 天更换密码一次。密码策略适用于全部密码。\n",
    )
    write(kb / "2024.md", "# 密码策略（2024 版）\n\n密码策略：长度不少于 10 位，每 180 天更换一次。\n")
    write(kb / "2026.md", "# 密码策略（2026 版，现行）\n\n长度不少于 14 位，不再要求定期更换；启用两步验证。\n")
    write(kb / "meta.csv", "file,status,effective,supersedes\n2024.md,superseded,,2023.md\n2026.md,current,,2024.md\n")
    write(kb / "无关.md", "# 茶水间\n\n一楼有咖啡机。\n")
    desk.ingest([kb])
    answer = ask(desk, "密码多久要换一次")
    assert answer.ranking[0] == "2026.md"
    assert {hit.doc_key: hit.state.value for hit in answer.hits if hit.doc_key != "2026.md"} == {
        "2023.md": "superseded",
        "2024.md": "superseded",
    }
    assert "2023.md" in ask(desk, "密码策略 2023").ranking


def test_the_code_of_a_replaced_article_leads_to_what_replaced_it(desk: Engine, kb: Path) -> None:
    write(kb / "旧.md", "---\ntitle: OLD-77 旧流程\nsuperseded_by: 新.md\n---\n旧流程 OLD-77：先打电话登记。\n")
    write(kb / "新.md", "---\ntitle: NEW-78 新流程\n---\n在线登记。\n")
    desk.ingest([kb])
    result = ask(desk, "旧流程 OLD-77").result
    assert result.primary is not None and result.primary.doc_key == "新.md"
    assert result.relevance_level is RelevanceLevel.REFERENCE


def test_what_replaced_a_found_article_stands_above_it_though_no_word_of_the_question_is_in_it(
    desk: Engine, kb: Path
) -> None:
    write(kb / "a.md", "---\ntitle: 电话报修\nsuperseded_by: b.md\n---\n报修请拨分机号码。\n")
    write(kb / "b.md", "---\ntitle: 邮件受理\nsuperseded_by: c.md\n---\n写信到信箱。\n")
    write(kb / "c.md", "---\ntitle: 网页表单\n---\n填写表单。\n")
    write(kb / "d.md", "---\ntitle: 食堂\n---\n开门时间。\n")
    desk.ingest([kb])
    answer = ask(desk, "电话报修的分机")
    assert answer.ranking == ("c.md", "b.md", "a.md")
    assert answer.result.evidence_level is not RelevanceLevel.PRECISE
    with_domain = desk.lookup("电话报修的分机", domain="no-such-domain")
    assert with_domain.ranking == ()


def test_markup_stays_text(desk: Engine, kb: Path) -> None:
    title = '<img src="http://127.0.0.1:9/t.png"> <b>粗体</b> & <script>alert(1)</script> 标题 TAG-34'
    write(kb / "标题.md", f'# {title}\n\n正文里写着 <a href="file:///etc/passwd">点我</a>。\n')
    write(kb / "网页.html", "<title>外链图 TAG-34B</title><p>说明 TAG-34B</p><img src='http://127.0.0.1:9/x.png'>")
    desk.ingest([kb])
    assert ask(desk, "TAG-34").hits[0].title == title
    assert top(desk, "TAG-34B") == "网页.html"


def test_a_long_line_is_searchable_at_both_ends_and_pictures_are_no_words(desk: Engine, kb: Path) -> None:
    write(
        kb / "one_line.txt",
        "开头HEAD11Z。" + "通话结束后请登记工单并选择分类，" * 5000 + "结尾TAIL11Z：备用线路号码写在机柜门内侧。",
    )
    picture = "iVBORw0KGgo" * 5000
    write(kb / "page.html", f"<p>图前IMG11</p><img src='data:image/png;base64,{picture}'><p>图后文字IMG12</p>")
    write(kb / "A.txt", "A" * 50_000)
    assert outcomes(desk.ingest([kb])) == {"one_line.txt": "added", "page.html": "added", "A.txt": "skipped"}
    answer = ask(desk, "TAIL11Z")
    assert answer.ranking[0] == "one_line.txt" and "机柜门内侧" in answer.hits[0].content
    assert top(desk, "HEAD11Z") == "one_line.txt" and top(desk, "IMG12") == "page.html"
    assert ask(desk, "iVBORw0KGgo").result.relevance_level is None
