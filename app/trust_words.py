"""Words about how far an answer can be trusted: the foot line, what badges mean, why a hit is there."""

from __future__ import annotations

# name: (zh_CN, en), as in app/words.py.
TRUST_WORDS: dict[str, tuple[str, str]] = {
    # the foot line
    "foot.date": ("知识截至 {date}（{days} 天前）", "Knowledge as of {date} ({days} days ago)"),
    "foot.date_today": ("知识截至 {date}（今天）", "Knowledge as of {date} (today)"),
    "foot.date_yesterday": ("知识截至 {date}（昨天）", "Knowledge as of {date} (yesterday)"),
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
    # states of articles
    "state.expired_since": ("已过复核期 {date}", "Past its review date {date}"),
    "article.superseded_alone": (
        "这篇已被取代，但没有写明新的是哪一篇；照做前先核实",
        "This article was replaced, but by which one is not said; check before you follow it",
    ),
    "article.with_care": ("{state}：照做前先核实", "{state}: check before you follow it"),
    # the hint line, when the best article is not current
    "hint.superseded_alone": ("这篇已被取代，照做前先核实", "This article was replaced; check before you follow it"),
    "hint.replaces": ("这篇取代了下面的《{title}》", "This article replaced “{title}” below"),
    "hint.draft": ("这篇还是草稿，照做前先核实", "This article is a draft; check before you follow it"),
    "hint.unreviewed": (
        "这篇是现场笔记，还没有人审核，照做前先核实",
        "This is a field note that nobody has reviewed; check before you follow it",
    ),
    "hint.expired": (
        "这篇过了复核期，照做前先核实",
        "This article is past its review date; check before you follow it",
    ),
    # what a badge means, and what to do
    "badge.means": ("{level}：{reason}", "{level}: {reason}"),
    "badge.seen": ("{told}。这些文章本单都看过了，没有新的内容", "{told}. All of these were seen in this session"),
    "because.quoted": ("“{word}”", '"{word}"'),
    "because.only_one": ("只有这篇写着{words}，照它做即可", "only this article holds {words}; follow it"),
    "because.holds_all": (
        "您问的这篇都写到了，照前几条做，不用换词再搜",
        "it holds all that you asked; work from the first few, no need to search on",
    ),
    "because.holds_most": (
        "您问的这篇大多写到了，只缺{words}；先看前几条",
        "it holds most of what you asked, all but {words}; read the first few",
    ),
    "because.nearest": (
        "用词不同，意思与您问的最接近；先看前几条",
        "in other words, and the nearest in meaning to what you asked; read the first few",
    ),
    "because.other_code": (
        "知识库没有收录{words}；别的代码做法不同，请勿照搬",
        "{words} is not in the knowledge base; other codes need other steps, do not follow them as they stand",
    ),
    "because.lacks_words": (
        "这篇没有写到{words}；补上错误码、软件名或版本再搜会更准",
        "it does not hold {words}; an error code, a program or a version would help",
    ),
    "because.other_name": (
        "问的编号或名称，这篇没有写到；核对清楚再用",
        "it does not bear a number or name that was asked for; check before you follow it",
    ),
    "because.no_lead": (
        "有几篇一样接近，分不出哪一篇；补上错误码、软件名或版本再搜",
        "several articles are as near as this one; an error code, a program or a version would tell them apart",
    ),
    "because.far": (
        "对上的内容不够多，还说不准；补上错误码、软件名或版本再搜",
        "too little of it matches to be sure; an error code, a program or a version would help",
    ),
    "because.no_words_held": (
        "没有一篇写到{words}；换个说法再搜，查到办法后记一笔",
        "no article holds {words}; try other words, and make a note when you have found the answer",
    ),
    "because.nothing": (
        "没有一篇答得上，下面的只是有个别词相同；换个说法再搜，查到办法后记一笔",
        "no article answers it, those below only share a few words; try other words, and make a note when you know",
    ),
    # why this hit
    "why.ask": ("为什么？", "Why?"),
    "why.ask_tip": ("为什么是这一篇（Ctrl+I）", "Why this article (Ctrl+I)"),
    "why.ask_hit": ("为什么是这一篇？", "Why this article?"),
    "why.title": ("为什么是这一篇", "Why this article"),
    "why.no_level": ("不算答案", "Not an answer"),
    "why.place": ("排在第 {place} 位", "number {place} in the list"),
    "why.how": ("怎么找到的", "How it was found"),
    "why.declared": (
        "精确词{words}：这篇声明的关键词或标题，共 {count} 篇",
        "Exact term {words}: declared by {count} articles",
    ),
    "why.declared_alone": ("精确词{words}：只有这篇声明了它", "Exact term {words}: declared by this article only"),
    "why.mentioned": ("精确词{words}：正文里提到，共 {count} 篇", "Exact term {words}: mentioned by {count} articles"),
    "why.mentioned_alone": ("精确词{words}：只有这篇提到它", "Exact term {words}: mentioned by this article only"),
    "why.no_term": (
        "精确词：没有对上错误码、标题或声明的关键词",
        "Exact terms: no code, title or declared keyword matched",
    ),
    "why.above_others": ("精确词对上的文章排在其他文章之上", "What exact terms match stands above all others"),
    "why.lexical": ("关键词匹配：第 {place} 名，共 {of} 篇", "Keyword match: number {place} of {of}"),
    "why.lexical_not": ("关键词匹配：没有找到它", "Keyword match: did not find it"),
    "why.lexical_off": ("关键词匹配：这次不可用", "Keyword match: not available this time"),
    "why.semantic": ("语义相近：第 {place} 名，共 {of} 篇", "Semantic match: number {place} of {of}"),
    "why.semantic_not": ("语义相近：没有找到它", "Semantic match: did not find it"),
    "why.semantic_off": ("语义相近：这次不可用", "Semantic match: not available this time"),
    "why.by_taiwan": (
        "按改写的说法找到：{words}（繁体和台湾用语）",
        "Found by other words: {words} (Taiwan's wording)",
    ),
    "why.by_synonyms": ("按改写的说法找到：{words}（同义词）", "Found by other words: {words} (synonyms)"),
    "why.by_part": ("按问题的一部分找到：{words}", "Found by a part of the question: {words}"),
    "why.by_identifier": ("按问题里的代码找到：{words}", "Found by the code in the question: {words}"),
    "why.by_rewrite": ("按改写的说法找到：{words}", "Found by other words: {words}"),
    "why.replaces": ("它取代了《{title}》，所以排在那篇之上", "It replaced {title}, so it stands above that one"),
    "why.confirmed": (
        "相同的问题有 {count} 次被人确认是这篇，略微靠前",
        "Confirmed {count} times for the same question, so it stands a little higher",
    ),
    "why.words": ("问到的词", "What was asked"),
    "why.here": ("写到了：{words}", "Held: {words}"),
    "why.otherwise": ("换了说法：{words}，这篇写作{written}", "In other words: {words}, written here as {written}"),
    "why.elsewhere": (
        "不在最相关的一段，在文章别处：{words}",
        "Not in the best passage, but elsewhere in the article: {words}",
    ),
    "why.nowhere": ("没写到：{words}", "Not held: {words}"),
    "why.with_care": ("还要知道", "Also"),
    "why.held": ("本单 {time} 看过，当时问的是：{query}", "Read in this session at {time}, for: {query}"),
    "why.held_short": ("本单 {time} 看过", "Read in this session at {time}"),
    "why.figures": ("数值", "Figures"),
    "why.similarity": ("相似度", "Similarity"),
    "why.highly_from": ("“高度相关”的界线", '"Highly relevant" from'),
    "why.reference_from": ("“仅供参考”的界线", '"Reference" from'),
    "why.coverage": ("写到了问题的多少", "Share of the question that it holds"),
    "why.near_lead": ("比前三篇以外最近的近几个标准差", "Nearer than all but the first three, standard deviations"),
    "why.margin": ("领先后面第三篇多少", "Lead over the third article below"),
    "why.title_said": ("与标题相合多少", "Agreement with the title"),
    "why.information": ("对上的信息量", "Information that matches"),
    "why.distance": ("向量距离（L2 平方）", "Vector distance (squared L2)"),
    "why.cosine": ("向量余弦", "Vector cosine"),
    "why.lexical_score": ("BM25 分", "BM25 score"),
    "why.profile": ("阈值方案", "Thresholds of"),
    "why.uncalibrated": ("{profile}（初始阈值，未标定）", "{profile} (initial thresholds, not calibrated)"),
    "why.copy": ("复制", "Copy"),
    "why.close": ("关闭", "Close"),
    # the query as it was perhaps meant
    "suggest.line": ("您是不是要找：", "Did you mean:"),
    "suggest.tip": ("检索这句（{keys}）", "Search for this ({keys})"),
    "suggest.name": ("检索：{query}", "Search for: {query}"),
}
