"""The texts that core itself hands out, zh and en, to executors and the command line: hints, messages (§4, §6) and
suggestions (§8)."""

from __future__ import annotations

from collections.abc import Mapping

from core.model import Facet, RelevanceLevel

_HINTS = {
    RelevanceLevel.PRECISE: (
        "知识库中不存在比上述结果更精准的文档",
        "No document in the knowledge base is more precise than this one",
    ),
    RelevanceLevel.HIGHLY_RELEVANT: (
        "当前结果已高度相关，继续检索不太可能找到更精准的文档",
        "These results are highly relevant; searching further is unlikely to find a more precise document",
    ),
    RelevanceLevel.REFERENCE: (
        "当前结果为相关参考，如需更精准信息请明确缺少的具体维度",
        "These results are for reference; for something more precise, name the dimension that is missing",
    ),
}

_MESSAGES = {
    "found": ("找到 {count} 篇。{hint}", "{count} found. {hint}"),
    "not_found": ("知识库里没有答案。", "The knowledge base holds no answer."),
    "unknown_words": ("没收录的词：{words}", "Words it does not hold: {words}"),
    "unheld_code": ("没有收录 {codes}。", "{codes} is not in the knowledge base."),
    "unheld_code_but_others": (
        "没有收录 {codes}；相近代码的处理不同，请勿照搬。",
        "{codes} is not in the knowledge base; what holds for similar codes does not hold for this one.",
    ),
    "unheld_code_near": (
        "没有收录 {codes}。相近的 {near} 是别的代码，处理不同，请勿照搬。",
        "{codes} is not in the knowledge base. There is {near}, but what holds for other codes does not hold for "
        "this one.",
    ),
    "index_sound": ("{chunks} 个片段", "{chunks} chunks"),
    "index_differs": (
        "缺 {missing} 个片段，多 {extra} 个片段",
        "{missing} chunks missing, {extra} too many",
    ),
    "index_gone": ("索引文件不见了", "the index files are gone"),
    "index_damaged": ("文件损坏：{names}", "damaged files: {names}"),
    "index_repaired": ("{faults}；已重建，共 {chunks} 个片段", "{faults}; rebuilt with {chunks} chunks"),
    "vectors_sound": (
        "{model}：{total} 条文本，{left} 条还没有向量",
        "{model}: texts: {total}, without a vector: {left}",
    ),
    "vectors_of_none": ("向量文件可读；没有模型在用", "the file of vectors can be read; no model is in use"),
    "vectors_repaired": (
        "{model}：丢弃了 {bad} 处损坏的向量；{total} 条文本中 {left} 条没有向量，下次嵌入时补上",
        "{model}: damaged vectors dropped: {bad}; texts: {total}, without a vector: {left}, made at the next embedding",
    ),
    "vectors_begun_anew": (
        "向量文件已损坏（{fault}），换成了空文件；缺少的向量会重新生成",
        "the file of vectors was damaged ({fault}) and is begun anew; vectors that are missing are made again",
    ),
    "vectors_damaged": ("向量文件已损坏：{fault}", "the file of vectors is damaged: {fault}"),
    "sums_sound": ("监控的合计与日志一致", "the monitor's sums are those of the log"),
    "sums_repaired": (
        "监控的合计与日志不符；已按日志重新统计",
        "the monitor's sums were not those of the log; counted anew",
    ),
    "advice_index": (
        "删除 index 文件夹（或同名文件），确认有写权限后再运行 doctor；索引会由数据库重建。",
        "Remove the folder (or file) called index, make sure that it may be written, and run doctor again; the index "
        "is rebuilt from the database.",
    ),
    "advice_vectors": (
        "退出所有 Deskside 窗口后，删除 vectors 文件夹和 vectors.sqlite3；向量会重新生成。",
        "Quit every Deskside window and remove the folder vectors and the file vectors.sqlite3; vectors are made anew.",
    ),
    "advice_database": (
        "请从备份恢复数据库，或者换一个新的数据文件夹重新导入。",
        "Restore the database from a backup, or start with a new data folder and import again.",
    ),
    "import_unfinished": (
        "上次导入没做完：{path}，已导入 {articles} 篇；再次导入会接着做",
        "The last import was cut off: {path}, articles imported: {articles}; importing it again goes on",
    ),
    "gated": (
        "这句话里没有要查的内容；请输入错误码、软件名或来电人的原话。",
        "There is nothing to search for in this text; enter an error code, a product name or the caller's words.",
    ),
    "degraded": (
        "这次没查成（{reason}），不代表没有答案；请重试。",
        "The search failed ({reason}); this does not mean that there is no answer. Try again.",
    ),
    "all_seen": (
        "这几篇本单都看过了，没有新的内容。",
        "This session has already read all of these; there is nothing new.",
    ),
    "withheld_docs": (
        "相关文章本次会话已提供过（查询“{query}”），不再重复返回。请使用已有内容；若仍不够，先说明缺少的具体维度。",
        'What is relevant was already handed over in this session (for "{query}"). Use it; if it is not enough, '
        "name the dimension that is missing first.",
    ),
    "withheld_domain": (
        "“{domain}”域本次会话已检索过（查询“{query}”），不再返回内容。请使用已有内容；若仍不够，先说明缺少的具体维度。",
        'The domain "{domain}" was already covered in this session (by "{query}"). Use what you have; if it is not '
        "enough, name the dimension that is missing first.",
    ),
}


_DEGRADED = {
    "timeout": ("超时", "timeout"),
    "circuit_open": ("检索引擎暂停服务", "no retrieval agent is in service"),
    "error": ("出错", "error"),
}

_FACETS = {
    Facet.PRODUCT: ("软件或设备", "product"),
    Facet.VERSION: ("版本", "version"),
    Facet.SYSTEM: ("系统版本", "operating system"),
    Facet.ERROR_CODE: ("错误码", "error code"),
    Facet.SYMPTOM: ("具体现象", "symptom"),
}

# name: ((title, detail) in zh, (title, detail) in en). `…_itself`: the instance goes on answering; `…_nobody`: none of
# its type answers.
_SUGGESTIONS = {
    "slow_agent": (
        (
            "{agent} {hours} 小时平均 {seconds:.1f} s：由 {serving} 代答",
            "共 {total} 次调用，p95 {p95_seconds:.1f} s，阈值 {limit_seconds:.1f} s，惩罚分 {penalty:.2f}。"
            "先看它最慢的检索和这台电脑的负载；连续 5 次探测正常后自动恢复。",
        ),
        (
            "{agent} averages {seconds:.1f} s over {hours} h: {serving} answers instead",
            "{total} calls, p95 {p95_seconds:.1f} s, threshold {limit_seconds:.1f} s, penalty {penalty:.2f}. Look at "
            "its slowest lookups and at what else keeps this computer busy; 5 good probes in a row bring it back.",
        ),
    ),
    "slow_agent_itself": (
        (
            "{agent} {hours} 小时平均 {seconds:.1f} s：仍由它应答",
            "共 {total} 次调用，p95 {p95_seconds:.1f} s，阈值 {limit_seconds:.1f} s，惩罚分 {penalty:.2f}。"
            "先看它最慢的检索和这台电脑的负载。",
        ),
        (
            "{agent} averages {seconds:.1f} s over {hours} h: it still answers",
            "{total} calls, p95 {p95_seconds:.1f} s, threshold {limit_seconds:.1f} s, penalty {penalty:.2f}. Look at "
            "its slowest lookups and at what else keeps this computer busy.",
        ),
    ),
    "slow_agent_nobody": (
        (
            "{agent} {hours} 小时平均 {seconds:.1f} s：这一类现在没有实例应答",
            "共 {total} 次调用，p95 {p95_seconds:.1f} s，阈值 {limit_seconds:.1f} s，惩罚分 {penalty:.2f}。"
            "先看它最慢的检索和这台电脑的负载。",
        ),
        (
            "{agent} averages {seconds:.1f} s over {hours} h: nothing answers its type now",
            "{total} calls, p95 {p95_seconds:.1f} s, threshold {limit_seconds:.1f} s, penalty {penalty:.2f}. Look at "
            "its slowest lookups and at what else keeps this computer busy.",
        ),
    ),
    "failing_agent": (
        (
            "{agent} 成功率 {success_rate:.1%}：由 {serving} 代答",
            "{total} 次调用中 {failures} 次失败（其中降级或缺路 {degraded} 次），阈值 {threshold:.0%}。"
            "看看失败的检索；连续 5 次探测正常后自动恢复。",
        ),
        (
            "{agent} succeeds in {success_rate:.1%}: {serving} answers instead",
            "{failures} of {total} calls failed ({degraded} of them degraded or without a leg), threshold "
            "{threshold:.0%}. Look at the lookups that failed; 5 good probes in a row bring it back.",
        ),
    ),
    "failing_agent_itself": (
        (
            "{agent} 成功率 {success_rate:.1%}：仍由它应答",
            "{total} 次调用中 {failures} 次失败（其中降级或缺路 {degraded} 次），阈值 {threshold:.0%}。"
            "看看失败的检索。",
        ),
        (
            "{agent} succeeds in {success_rate:.1%}: it still answers",
            "{failures} of {total} calls failed ({degraded} of them degraded or without a leg), threshold "
            "{threshold:.0%}. Look at the lookups that failed.",
        ),
    ),
    "failing_agent_nobody": (
        (
            "{agent} 成功率 {success_rate:.1%}：这一类现在没有实例应答",
            "{total} 次调用中 {failures} 次失败（其中降级或缺路 {degraded} 次），阈值 {threshold:.0%}。"
            "看看失败的检索。",
        ),
        (
            "{agent} succeeds in {success_rate:.1%}: nothing answers its type now",
            "{failures} of {total} calls failed ({degraded} of them degraded or without a leg), threshold "
            "{threshold:.0%}. Look at the lookups that failed.",
        ),
    ),
    "write_article": (
        (
            "“{query}” {count} 次无结果：写文章",
            "最近 {days} 天有 {sessions} 张工单问过，知识库里没有答案。写一篇文章，或先记一笔。",
        ),
        (
            "“{query}” found nothing {count} times: write an article",
            "Sessions that asked it in {days} days: {sessions}. The knowledge base holds no answer; write an article, "
            "or note down what helped.",
        ),
    ),
    "badge_lies": (
        (
            "“{level_name}”徽章 {n} 次评价只有 {share:.0%} 属实：查看差评",
            "应不低于 {promised:.0%}；95% 置信区间 {low:.0%}–{high:.0%}，属实 {right} 次。"
            "看看被评为没用的检索，必要时按评价调整阈值。",
        ),
        (
            "The badge “{level_name}” was right in {share:.0%} of {n} votes: look at the others",
            "{promised:.0%} was promised; 95% interval {low:.0%} to {high:.0%}, right {right} times. Look at the "
            "lookups voted not useful, and tune the thresholds by the votes if need be.",
        ),
    ),
    "review_article": (
        (
            "《{title}》{count} 次被评为没用：核对内容",
            "最近 {days} 天的评价。打开核对；过时的改写，或标明被哪一篇取代。",
        ),
        (
            "“{title}” was voted not useful {count} times: check it",
            "Votes of the last {days} days. Open it and check; rewrite what is out of date, or name what replaces it.",
        ),
    ),
    "failed_files": (
        ("{count} 个文件没能导入：查看原因", "里面的内容现在检索不到；修好文件后重新导入。"),
        (
            "Files that could not be imported: {count}",
            "What they hold cannot be found now; mend them and import again.",
        ),
    ),
    "expired_articles": (
        ("{count} 篇文章过了复核期：请复核", "过期文章最多只作参考；核实后改写复核日期。"),
        (
            "Articles past their review date: {count}",
            "They are a reference at most; check them and set another review date.",
        ),
    ),
    "outage": (
        (
            "疑似故障：“{query}” 最近 15 分钟有 {sessions} 张工单在问",
            "确认系统是否出了故障，通知值班；有了处理办法先记一笔，大家都能查到。",
        ),
        (
            "Suspected outage: “{query}” was asked in {sessions} sessions in the last 15 minutes",
            "Find out whether something is down and tell who is on duty; note down what helps, so that all find it.",
        ),
    ),
}
_QUOTED = 60  # characters of a query in a sentence
_LEVEL_NAMES = {
    RelevanceLevel.PRECISE: ("精准", "Exact"),
    RelevanceLevel.HIGHLY_RELEVANT: ("高度相关", "Highly relevant"),
}


def facet(facet: Facet, language: str) -> str:
    """The name of what a question leaves open (`missing_dimensions`)."""
    return _FACETS[facet][language == "en"]


def hint(level: RelevanceLevel, language: str) -> str:
    """The completeness hint of a level other than DEDUPED."""
    return _HINTS[level][language == "en"]


def message(name: str, language: str, **values: object) -> str:
    """One message, filled in."""
    return _MESSAGES[name][language == "en"].format(**values)


def degraded_reason(reason: str, language: str) -> str:
    """A reason of `degraded` (contract §6) in words."""
    return _DEGRADED.get(reason, (reason, reason))[language == "en"]


def _in_a_line(query: str) -> str:
    """A query as a part of a sentence: pasted text may be long and of several lines."""
    line = " ".join(query.split())
    return line if len(line) <= _QUOTED else line[: _QUOTED - 1] + "…"


def suggestion(name: str, language: str, facts: Mapping[str, str | int | float]) -> tuple[str, str]:
    """Title and detail of a suggestion, filled in; milliseconds are told as seconds."""
    values: dict[str, object] = dict(facts)
    if "avg_ms" in facts:
        told = (("seconds", "avg_ms"), ("p95_seconds", "p95_ms"), ("limit_seconds", "threshold"))
        values.update((second, float(facts[millisecond]) / 1000) for second, millisecond in told)
    if "query" in facts:
        values["query"] = _in_a_line(str(facts["query"]))
    if "level" in facts:
        values["level_name"] = _LEVEL_NAMES[RelevanceLevel(str(facts["level"]))][language == "en"]
    title, detail = _SUGGESTIONS[name][language == "en"]
    return title.format(**values), detail.format(**values)
