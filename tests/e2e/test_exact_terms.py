"""L0 and PRECISE on a small stated base: each group of rows is a sentence of contract §4."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.engine import Engine
from core.model import LookupResult, Outcome, RelevanceLevel

FILLER = "这台设备在每天交接班时检查一次，登记到台账，由班长签字。"
# doc key: (title, body, further front matter)
ARTICLES = {
    "net/ipsec.md": ("端口放行说明", "防火墙请放行 UDP 500 与 UDP 4500，见工单 77123。", "keywords: [UDP 500, IPsec]"),
    "net/smb.md": ("共享无法访问", "检查 445 端口是否放行。", "keywords: [445 端口, SMB]"),
    "net/vpn691.md": ("VPN 登录认证失败", "用户名或密码错误时提示 691。", "keywords: [错误 691, VPN]"),
    "net/vpn789.md": ("VPN 协商不通", "L2TP 隧道建立失败，另见 691。", 'keywords: ["789", VPN]'),
    "net/watchdog.md": ("看门狗", "值 300 表示复位。", 'keywords: ["300"]'),
    "net/year.md": ("年度计划", "见附件。", "keywords: [2025]"),
    "net/window.md": ("变更窗口", "窗口在 2025-04-02，要等 300 秒。", ""),
    "win/bsod.md": ("蓝屏排查", "停止代码 0x0000007B 表示找不到启动盘。", "keywords: [0x0000007B]"),
    "win/denied.md": ("更新安装不上", "报 0x80070005 是权限不足。", "keywords: [0x80070005]"),
    "win/decimal.md": ("四位码", "见 0x00001234。", "keywords: [0x00001234]"),
    "prn/e0012.md": ("进纸器告警", "告警 E-0012 先断电。", "keywords: [E-0012]"),
    "prn/e12.md": ("定影告警", "告警 E-12 要报修。", "keywords: [E-12]"),
    "prn/printer.md": ("打印机", "打印机开机自检，查看指示灯。", ""),
    "prn/offline.md": ("打印机脱机怎么恢复", "打印机脱机时重新添加端口。", "keywords: [打印机, 脱机]"),
    "prn/roller.md": ("滚轮更换", "PPR-9087 滚轮。", "keywords: [PPR-9087]"),
    "app/timeout.md": ("接口超时", "出现 ERR_TIMEOUT 时加大等待。", "keywords: [ERR_TIMEOUT]"),
    "app/patch1.md": ("补丁说明甲", "版本 v2.1.1 修复登录。", ""),
    "app/patch10.md": ("补丁说明乙", "版本 v2.1.10 修复导出。", ""),
    "app/gateway.md": ("网关地址", "网关是 10.69.1.254。", ""),
    "app/serial.md": ("查看串号", "拨 *#06# 可以看到。", ""),
    "app/listener.md": ("数据库监听", "ORA-12541 监听未启动，与 ORA-01653 无关。", "keywords: [ORA-12541]"),
    "app/space.md": ("数据库空间不足", "ORA-01653 表空间满。", ""),
    "app/both.md": ("双码甲", "QX-100 与 QX-200 同时出现时换板。", "keywords: [QX-100, QX-200]"),
    "app/one.md": ("双码乙", "QX-200 单独出现时重启。", "keywords: [QX-200]"),
    "app/locked.md": ("域账户锁定", "联系管理员解锁，清凭据。", "keywords: [账户锁定]"),
    "app/amber.md": ("琥珀平台使用", "登录琥珀平台。", "keywords: [琥珀]"),
    "app/third.md": ("第三方接入", "可以接入琥珀平台。", ""),
    "app/star.md": ("星辰报表导出", "点击导出按钮。", "keywords: [泓图星辰]"),
    "app/draft.md": ("草稿文", "DR-5001 处理。", "keywords: [DR-5001]\nstate: draft"),
    "app/expired.md": ("过期文", "EX-6001 处理。", "keywords: [EX-6001]\nreview_by: 2020-01-01"),
    "app/note.md": ("现场笔记文", "FN-6101 处理。", "keywords: [FN-6101]\nstate: unreviewed"),
    "app/valid.md": ("未过期文", "EX-7001 处理。", "keywords: [EX-7001]\nreview_by: 2099-01-01"),
    "app/copy1.md": ("复制文", "CP-8001 处理方法。", "keywords: [CP-8001]"),
    "app/copy2.md": ("复制文", "CP-8001 处理方法。", "keywords: [CP-8001]"),
    "app/sections.md": (
        "多节文",
        "# 甲节\nMS-4401 出现时换电池。\n# 乙节\n打印颜色偏黄时校准。",
        "keywords: [MS-4401]",
    ),
    "app/event.md": ("登录事件", "安全日志 4625 是登录失败。", "keywords: [事件 4625]"),
    "app/events.md": ("日志总览", "常见有 4625、4740、5805。", ""),
    "app/joined.md": ("Windows10 镜像", "镜像 windows10 放在共享里。", ""),
    "app/win10a.md": ("升级前备份", "升级 Windows 10 前备份。", ""),
    "app/win10b.md": ("升级后检查", "升级 Windows 10 后检查驱动。", ""),
}
PRECISE = {
    # Declared: keywords, the title as a whole, identifiers in both.
    "ERR_TIMEOUT": "app/timeout.md",
    "星辰报表导出": "app/star.md",
    "泓图星辰": "app/star.md",
    "域账户锁定": "app/locked.md",
    "789": "net/vpn789.md",
    # Declared before mentioned.
    "691": "net/vpn691.md",
    "VPN 691": "net/vpn691.md",
    "错误代码：691": "net/vpn691.md",
    # A number beside a code word is declared; among other words the whole is the term.
    "事件 4625": "app/event.md",
    "UDP 500": "net/ipsec.md",
    "445端口": "net/smb.md",
    # Mentioned, and the delimited digits of a code.
    "v2.1.1": "app/patch1.md",
    "v2.1.10": "app/patch10.md",
    "10.69.1.254": "app/gateway.md",
    "*#06#": "app/serial.md",
    "9087": "prn/roller.md",
    "12541": "app/listener.md",
    # Dash, underscore, blank and nothing alike; edge marks stripped; folded.
    "e 0012": "prn/e0012.md",
    "E0012": "prn/e0012.md",
    "e_0012": "prn/e0012.md",
    "Ｅ－００１２": "prn/e0012.md",
    "**E-0012**，": "prn/e0012.md",
    "错误码E-0012怎么办": "prn/e0012.md",
    "err timeout": "app/timeout.md",
    "err-timeout": "app/timeout.md",
    "errtimeout": "app/timeout.md",
    # 0x terms also answer without 0x or leading zeros, when that holds a-f or is at least 6 long.
    "0x7b 蓝屏": "win/bsod.md",
    "7B": "win/bsod.md",
    "0000007B": "win/bsod.md",
    "80070005": "win/denied.md",
    # The intersection of what the terms leave.
    "QX-100 QX-200": "app/both.md",
    "EX-7001": "app/valid.md",
    "MS-4401 换电池": "app/sections.md",
}
NOT_PRECISE = (
    # Whole and exact: length and zeros count.
    "6910", "1691", "0691", "10.69.1", "E-012", "2.1.1", "254", "ERR_TIME", "ERR_TIMEOUT_X", "1234",
    # A bare number that is only mentioned.
    "500", "445", "77123", "4740",
    # Several articles are left.
    "QX-200", "ORA-01653", "VPN",
    # A word that another article holds as well.
    "打印机", "琥珀",
    # An informative word of the question is missing, or stands in another section.
    "ERR_TIMEOUT 数据库", "ERR_TIMEOUT 打印机 脱机", "MS-4401 颜色 换电池",
    # Dates and numbers before a unit are no identifiers.
    "2025-04-02", "2025 年", "300 秒", "500 MB",
    # Words that many articles write apart are no code.
    "Windows 10",
)  # fmt: skip
CAPPED = ("QX-100 QX-999", "E-0012 ZZ-9999", "0x80004005", "PPR-9088", "DR-5001", "EX-6001", "FN-6101")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    kb = tmp_path_factory.mktemp("kb")
    for key, (title, body, more) in ARTICLES.items():
        path = kb / key
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"---\ntitle: {title}\n{more}\n---\n{body}{FILLER}\n", encoding="utf-8")
    opened = Engine.open(tmp_path_factory.mktemp("data"))
    opened.remove_starter()
    assert opened.ingest([kb]).counts["added"] == len(ARTICLES)
    yield opened
    opened.close()


def ask(engine: Engine, query: str, domain: str | None = None) -> LookupResult:
    return engine.lookup(query, throwaway=True, domain=domain).result


@pytest.mark.parametrize(("query", "key"), PRECISE.items())
def test_the_whole_question_is_answered_by_one_article(engine: Engine, query: str, key: str) -> None:
    result = ask(engine, query)
    assert (result.relevance_level, result.primary and result.primary.doc_key) == (RelevanceLevel.PRECISE, key)
    assert result.supplement == ()
    assert result.unknown_words == ()


@pytest.mark.parametrize("query", NOT_PRECISE)
def test_no_promise_without_its_ground(engine: Engine, query: str) -> None:
    assert ask(engine, query).relevance_level is not RelevanceLevel.PRECISE


@pytest.mark.parametrize("query", CAPPED)
def test_unheld_codes_and_untrusted_articles_are_at_most_reference(engine: Engine, query: str) -> None:
    assert ask(engine, query).relevance_level in (None, RelevanceLevel.REFERENCE)


def test_copies_count_once_and_are_listed(engine: Engine) -> None:
    result = ask(engine, "CP-8001")
    assert result.relevance_level is RelevanceLevel.PRECISE
    assert result.primary is not None
    assert {result.primary.doc_key, *result.primary.copies} == {"app/copy1.md", "app/copy2.md"}


def test_the_match_is_counted_before_any_filter(engine: Engine) -> None:
    assert ask(engine, "E-0012", domain="app").outcome is Outcome.NOT_FOUND
    assert ask(engine, "QX-200", domain="app").relevance_level is not RelevanceLevel.PRECISE


def test_a_quoted_phrase_stands_word_for_word(engine: Engine) -> None:
    assert [hit.doc_key for hit in engine.preview('"升级 windows 10 后"').hits] == ["app/win10b.md"]
    assert ask(engine, '"后升级"').outcome is Outcome.NOT_FOUND


@pytest.mark.parametrize("text", ["", "  ", "。？！", "你好", "谢谢，请问", "hello, thanks!"])
def test_courtesy_alone_does_not_search(engine: Engine, text: str) -> None:
    assert ask(engine, text).outcome is Outcome.GATED


@pytest.mark.parametrize("text", ["你好 691", "请问 VPN", "报错"])
def test_a_word_left_over_is_business(engine: Engine, text: str) -> None:
    assert ask(engine, text).outcome is not Outcome.GATED
