"""Reasons: why a file or an article of an import came out as it did. Stable codes with facts, and their words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

Fact = str | int


@dataclass(frozen=True, slots=True)
class Reason:
    """A stable code and the values that its sentence needs; can be told in either language at any time."""

    code: str
    facts: tuple[tuple[str, Fact], ...] = ()

    @classmethod
    def of(cls, code: str, /, **facts: Fact) -> Reason:
        """The reason of that code; `facts` are those that its words name (a test holds this)."""
        return cls(code, tuple(facts.items()))


def sentence(reasons: Sequence[Reason], language: str) -> str | None:
    """All of them as one sentence in "zh_CN" or "en"; None when there are none. A code of a newer program is shown
    as it is."""
    told = []
    for reason in reasons:
        words = WORDS.get(reason.code)
        told.append(reason.code if words is None else words[language == "en"].format(**dict(reason.facts)))
    return ("; " if language == "en" else "；").join(told) or None


def as_json(reasons: Sequence[Reason]) -> str:
    """How reasons are stored: [[code, {fact: value}], …]."""
    return json.dumps([[reason.code, dict(reason.facts)] for reason in reasons])


def from_json(text: str | None) -> tuple[Reason, ...]:
    """What `as_json` stored; none for NULL."""
    return tuple(Reason.of(code, **facts) for code, facts in json.loads(text)) if text else ()


# code: (zh_CN, en). Each says what to do where there is something to do.
WORDS: dict[str, tuple[str, str]] = {
    # files and folders that are left out
    "system_file": ("系统文件，不用导入", "A system file; nothing to import"),
    "hidden_file": ("隐藏文件，不导入", "A hidden file; not imported"),
    "hidden_folder": ("隐藏文件夹或系统文件夹，不导入", "A hidden or system folder; not imported"),
    "data_folder": ("这是本程序自己的数据文件夹，不导入", "The program's own data folder; not imported"),
    "folder_read_before": ("这个文件夹已经从另一处读过了", "This folder was already read under another path"),
    "picture": ("图片，不导入", "A picture; not imported"),
    "format_unknown": (
        "不支持 {suffix} 格式；请另存为文本、Markdown、HTML 或 CSV 再导入",
        "{suffix} files cannot be read; save it as text, Markdown, HTML or CSV and import that",
    ),
    "suffix_missing": (
        "没有扩展名，也不是 UTF-8 文本；如果是文本，请加上 .txt 再导入",
        "No suffix, and not UTF-8 text; if it is text, add .txt to its name and import it again",
    ),
    "not_regular": ("不是普通文件，不导入", "Not a regular file; not imported"),
    "dead_link": ("链接失效：它指向的文件已不在", "A dead link: what it leads to is not there"),
    "link_hidden": ("链接指向隐藏文件夹，没有跟进", "A link into a hidden folder; it was not followed"),
    "link_inside": (
        "链接指向同一文件夹里的 {path}，那里已经读了",
        "A link inside the folder; {path} is read where it stands",
    ),
    "link_outside": (
        "链接指向文件夹之外，没有跟进；需要的话请直接导入它指向的文件",
        "A link out of the folder; it was not followed. Import what it leads to if you need it",
    ),
    "same_file": ("与 {path} 是同一个文件", "The same file as {path}"),
    "state_file": ("它写的是同一文件夹里各文件的状态，本身不是文章", "It sets the states of the files beside it"),
    # what cannot be opened
    "file_forbidden": (
        "没有权限读这个文件；请检查文件权限后再导入",
        "No permission to read this file; check its permissions and import it again",
    ),
    "file_unreadable": (
        "读不了这个文件（{detail}）；请看它是否正被别的程序占用，再导入一次",
        "This file cannot be read ({detail}); check whether another program holds it, then import it again",
    ),
    "folder_forbidden": (
        "没有权限打开这个文件夹；请检查权限后再导入",
        "No permission to open this folder; check its permissions and import it again",
    ),
    "folder_unreadable": (
        "打不开这个文件夹（{detail}）；请检查它还在不在，再导入一次",
        "This folder cannot be opened ({detail}); check that it is there, then import it again",
    ),
    "too_large": (
        "文件太大：{size} MB，最多 {limit} MB；请拆成几个文件再导入",
        "Too large: {size} MB, the limit is {limit} MB; split it and import the parts",
    ),
    "too_large_unpacked": (
        "解压后超过 {limit} MB；请拆成几个文件再导入",
        "Over {limit} MB when unpacked; split it and import the parts",
    ),
    # files without an article
    "no_text": ("文件里没有文字", "The file has no text"),
    "only_pictures": (
        "只有图片或连成一片的字符，没有能读的文字",
        "Nothing but pictures or characters without any break",
    ),
    "only_front_matter": ("只有文件头，下面没有正文", "Nothing stands below the front matter"),
    "moved": ("这篇已移到 {target}，这里只是一条转向", "Only a redirect: the article has moved to {target}"),
    "no_rows": ("表头下面没有数据行", "The table has no rows below its header"),
    "no_records": ("没有带文字的记录", "It holds no records with text"),
    "no_known_fields": (
        "JSON 里没有标题或正文；请用 title、content 这样的字段名",
        "A JSON object without title or content; name its fields title and content",
    ),
    # files that cannot be used
    "nul_bytes": (
        "看不出文字编码，里面有空字节，多半不是文本；是文本就另存为 UTF-8 再导入",
        "Encoding unknown: it holds NUL bytes and is probably no text; if it is, save it as UTF-8 and import it again",
    ),
    "encoding_unknown": (
        "看不出文字编码；请另存为 UTF-8 再导入",
        "Encoding unknown; save it as UTF-8 and import it again",
    ),
    "mark_contradicted": (
        "文件开头标明是 {encoding}，内容却不是；请另存为 UTF-8 再导入",
        "Its byte-order mark says {encoding}, but the rest is not; save it as UTF-8 and import it again",
    ),
    "bad_gzip": ("压缩包损坏，解不开；请重新打包", "Not a sound gzip file; pack it again"),
    "too_deep": ("JSON 嵌套太深，读不了", "JSON nested too deeply to be read"),
    "not_json": (
        "不是正确的 JSON，第 {line} 行第 {column} 列出错；请改正后再导入",
        "Not valid JSON (line {line}, column {column}); correct it and import it again",
    ),
    "reader_failed": (
        "读到一半出错（{detail}）；请用原来的软件打开检查，另存一份再导入",
        "The reader failed ({detail}); open it in its own program, save it anew and import it again",
    ),
    # what went, or was kept
    "file_gone": ("文件已不在原处", "Its file is gone"),
    "folder_gone": ("文件夹已不在原处", "Its folder is gone"),
    "source_removed": ("它的来源已移除", "Its source was removed"),
    "gone_from_file": ("文件里已没有这一条", "It is no longer in its file"),
    "read_with_folder": ("现在随它所在的文件夹一起导入", "It is now read with its folder"),
    "file_gone_kept": (
        "文件已不在原处，文章先留着：一次要移除 {total} 篇中的 {lost} 篇，怕是误删；"
        "确实要移除，请用命令行 import --allow-removal 再导入一次",
        "Its file is gone; kept, because {lost} of {total} articles would go at once; to remove them, import again "
        "on the command line with --allow-removal",
    ),
    "would_lose": (
        "没有采用新内容：一次会少掉 {total} 篇中的 {lost} 篇，怕是误改；"
        "确实如此，请用命令行 import --allow-removal 再导入一次",
        "Not taken over: {lost} of {total} articles would go at once; if that is meant, import again on the command "
        "line with --allow-removal",
    ),
    # what was odd but kept
    "pictures_left_out": ("略去了内嵌图片 {count} 张", "Embedded pictures left out: {count}"),
    "unbroken_left_out": (
        "略去了连成一片、不像文字的 {count} 个字符",
        "Characters without any break (not text) left out: {count}",
    ),
    "controls_left_out": ("略去了控制字符 {count} 个", "Control characters left out: {count}"),
    "surrogates_shown": (
        "有 {count} 个残缺字符，显示为 \ufffd",
        "Broken characters (lone surrogates) shown as \ufffd: {count}",
    ),
    "marks_in_file": (
        "文件里本来就有 {count} 个 \ufffd（早先转码时丢了字）",
        "The file itself holds replacement characters (\ufffd): {count}",
    ),
    "bytes_damaged": (
        "从第 {byte} 字节起有损坏，显示为 \ufffd；请核对原文件",
        "Damaged bytes from byte {byte} on are shown as \ufffd; check the file",
    ),
    "characters_damaged": (
        "有 {count} 处字符损坏（最早在第 {line} 行），显示为 \ufffd；请核对原文件",
        "Damaged characters shown as \ufffd: {count}, the first in line {line}; check the file",
    ),
    "state_unknown": ("不认识状态“{word}”，按现行处理", 'State "{word}" is not known; taken as current'),
    "date_unreadable": (
        "日期“{text}”看不懂，当作没有；请写成 2025-04-02 这样",
        'Date "{text}" cannot be read; write it like 2025-04-02',
    ),
    "redirects": ("文件头说这篇已移到 {target}", "The front matter redirects to {target}"),
    "front_matter_broken": (
        "文件头不是正确的 YAML，已当作正文保留；请检查引号和冒号",
        "The front matter is not valid YAML; it was kept as text. Check quotation marks and colons",
    ),
    "front_matter_broken_at": (
        "文件头第 {line} 行不是正确的 YAML，文件头已当作正文保留；请检查引号和冒号",
        "The front matter is not valid YAML (line {line}); it was kept as text. Check quotation marks and colons",
    ),
    "front_matter_empty": (
        "文件头里没有“名称: 值”，已当作正文保留",
        "The front matter holds no keys; it was kept as text",
    ),
    "lines_left_out": (
        "不是正确的 JSON、已略去的行：第 {lines} 行",
        "Not valid JSON, left out: line {lines}",
    ),
    "more_lines_left_out": (
        "不是正确的 JSON、已略去的行：第 {lines} 行，另有 {more} 行",
        "Not valid JSON, left out: line {lines} and {more} more",
    ),
    "quote_open": (
        "第 {line} 行的引号没有配对，这一行按没有引号读",
        "Line {line}: a quotation mark opens and is never closed; read without it",
    ),
}
