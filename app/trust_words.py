"""Words about how far an answer can be trusted: the foot line, what badges mean, why a hit is there."""

from __future__ import annotations

# name: (zh_CN, en), as in app/words.py.
TRUST_WORDS: dict[str, tuple[str, str]] = {
    # the foot line
    "foot.date": ("知识截至 {date}（{days} 天前）", "Knowledge as of {date} ({days} days ago)"),
    "foot.date_today": ("知识截至 {date}（今天）", "Knowledge as of {date} (today)"),
    "foot.date_yesterday": ("知识截至 {date}（昨天）", "Knowledge as of {date} (yesterday)"),
    "foot.date_old": ("知识截至 {date}（{days} 天前，偏旧）", "Knowledge as of {date} ({days} days ago: old)"),
    "foot.date_old_tip": (
        "半年多没有更新过的文章了；照做前先核实",
        "No article has been updated for more than half a year; check before you follow one",
    ),
    "foot.knowledge": ("{articles} 篇", "{articles} articles"),
    "foot.overdue": ("过复核期 {count}", "{count} past review"),
    "foot.overdue_tip": (
        "这些文章过了复核日期，还没有人再核实过；检索到时会标出来",
        "Nobody has checked these articles since their review date; they are marked where they are found",
    ),
    "foot.failed": ("失败 {count}", "{count} failed"),
    "foot.failed_tip": ("看看哪些文件没能导入", "Show which files could not be imported"),
    "knowledge.failed_files": ("没能导入的文件", "Files that could not be imported"),
    "foot.pending": ("索引正在更新", "index is being updated"),
    "foot.engine": ("引擎：{name}", "engine: {name}"),
    # states of articles
    "state.expired_since": ("已过复核期 {date}", "Past its review date {date}"),
}
