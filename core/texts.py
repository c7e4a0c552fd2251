"""The texts that core itself hands out, zh and en, to executors and the command line: hints, messages (§4, §6)."""

from __future__ import annotations

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
    "advice_index": (
        "删除 index 文件夹（或同名文件），确认有写权限后再运行 doctor；索引会由数据库重建。",
        "Remove the folder (or file) called index, make sure that it may be written, and run doctor again; the index "
        "is rebuilt from the database.",
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


_FACETS = {
    Facet.PRODUCT: ("软件或设备", "product"),
    Facet.VERSION: ("版本", "version"),
    Facet.SYSTEM: ("系统版本", "operating system"),
    Facet.ERROR_CODE: ("错误码", "error code"),
    Facet.SYMPTOM: ("具体现象", "symptom"),
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
