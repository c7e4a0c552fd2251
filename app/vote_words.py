"""Words about votes, confirmed articles and how reliable badges are."""

from __future__ import annotations

# name: (zh_CN, en), as in app/words.py.
VOTE_WORDS: dict[str, tuple[str, str]] = {
    "vote.bar": ("这篇怎么样", "How good this article is"),
    "vote.right": ("就是这篇", "This is it"),
    "vote.right_tip": (
        "这篇正好回答了来电人的问题；下次问类似的，它会靠前一点（Ctrl+Enter）",
        "This article answers the caller's question; it will stand a little higher for the like (Ctrl+Enter)",
    ),
    "vote.useful": ("有用", "Useful"),
    "vote.useful_tip": ("这篇帮上了忙", "This article helped"),
    "vote.not_useful": ("没用", "Not useful"),
    "vote.not_useful_tip": ("这篇没有帮上忙", "This article did not help"),
    "vote.given": ("✓ {vote}", "✓ {vote}"),
    "vote.given_name": ("{vote}，已记下；再按一次撤销", "{vote}, noted; press again to take it back"),
    "vote.undo": ("撤销", "Undo"),
    "vote.undo_name": ("撤销“{vote}”", "Take back “{vote}”"),
    "search.confirmed": ("有人确认过 {count} 次", "confirmed {count}×"),
    # the supervisor's dialog
    "menu.tools": ("工具", "Tools"),
    "menu.reliability": ("徽章可靠性…", "Badge reliability…"),
    "reliability.title": ("徽章可靠性", "Badge reliability"),
    "reliability.about": (
        "按大家的反馈，每种徽章有多常是对的；括号里是 95% 的把握范围。复制不算，撤销的也不算。",
        "How often each badge was right, by the votes; in brackets, the 95 % range. Copying does not count, nor do "
        "votes that were taken back.",
    ),
    "reliability.counting": ("正在统计…", "Counting…"),
    "reliability.level": ("徽章", "Badge"),
    "reliability.now": ("现在", "Now"),
    "reliability.then": ("调整后", "After the change"),
    "reliability.cell": (
        "{share}（{low} 至 {high}）· {right}/{count} 次",
        "{share} ({low} to {high}) · {right} of {count}",
    ),
    "reliability.no_votes": ("还没有反馈", "no votes yet"),
    "reliability.threshold": ("相似度 {value} 起", "from similarity {value}"),
    "reliability.none": (
        "还没有人反馈过。打开文章后按“就是这篇”“有用”或“没用”，这里就会有数字。",
        "Nobody has voted yet. Figures appear here once people press “This is it”, “Useful” or “Not useful”.",
    ),
    "reliability.missing": (
        "反馈还太少，不能调整：还差 {missing} 次。",
        "Too few votes to change anything: {missing} more are needed.",
    ),
    "reliability.missing_near": (
        "靠近“高度相关”分界的反馈还太少，不能调整：还差 {missing} 次。",
        "Too few votes near the threshold of “Highly relevant” to change anything: {missing} more are needed.",
    ),
    "reliability.missing_since": (
        "上次调整以后只有 {fresh} 次反馈，不能再调整：还差 {missing} 次。",
        "Only {fresh} votes since the last step, too few to take another: {missing} more are needed.",
    ),
    "reliability.unclear": (
        "一共 {votes} 次反馈；还没有清楚说明该不该调整，先不动。",
        "{votes} votes in all; they do not say clearly whether to change anything, so all stays as it is.",
    ),
    "reliability.undone_before": (
        "同样的调整以前采用过，又撤销了。",
        "The same change was applied before, and taken back.",
    ),
    "reliability.kept": (
        "一共 {votes} 次反馈；现在的分界合适，不用调整。",
        "{votes} votes in all; the thresholds are fine as they are.",
    ),
    "reliability.offer": (
        "一共 {votes} 次反馈；按右边一栏调整，徽章会更可靠。采用后可以撤销。",
        "{votes} votes in all; with the thresholds on the right badges will be more reliable. It can be undone.",
    ),
    "reliability.applied": ("已采用新的分界。", "The new thresholds are in use."),
    "reliability.undone": ("已恢复原来的分界。", "The earlier thresholds are in use again."),
    "reliability.apply": ("采用", "Apply"),
    "reliability.undo": ("撤销上次调整", "Undo the last change"),
    "reliability.close": ("关闭", "Close"),
}
