"""All words that the window shows, in Chinese and English, under names that say what they mean."""

from __future__ import annotations

from app.demo_words import DEMO_WORDS
from app.dimension_words import DIMENSION_WORDS
from app.late_words import LATE_WORDS
from app.model_words import MODEL_WORDS
from app.monitor_words import MONITOR_WORDS
from app.note_words import NOTE_WORDS
from app.plot_words import PLOT_WORDS
from app.trust_words import TRUST_WORDS
from app.vote_words import VOTE_WORDS

LANGUAGES = ("zh_CN", "en")

# name: (zh_CN, en). Values stand in braces; both languages use the same ones (a test holds this).
WORDS: dict[str, tuple[str, str]] = {
    **DEMO_WORDS,
    **DIMENSION_WORDS,
    **LATE_WORDS,
    **MODEL_WORDS,
    **MONITOR_WORDS,
    **NOTE_WORDS,
    **PLOT_WORDS,
    **TRUST_WORDS,
    **VOTE_WORDS,
    # frame
    "app.name": ("Deskside", "Deskside"),
    "tab.search": ("检索", "Search"),
    "tab.knowledge": ("知识库", "Knowledge"),
    "menu.view": ("外观与语言", "Appearance and language"),
    "language.zh_CN": ("简体中文", "简体中文"),
    "language.en": ("English", "English"),
    "theme.system": ("跟随系统", "Follow the system"),
    "theme.light": ("浅色", "Light"),
    "theme.dark": ("深色", "Dark"),
    "state.opening": ("正在打开知识库…", "Opening the knowledge base…"),
    "state.not_open": ("知识库没有打开", "The knowledge base is not open"),
    # search
    "search.placeholder": ("检索知识库（{keys}）", "Search the knowledge base ({keys})"),
    "search.box": ("检索框", "Search box"),
    "search.domain": ("领域筛选", "Filter by domain"),
    "search.all_domains": ("全部领域", "All domains"),
    "search.results": ("检索结果", "Results"),
    "search.copies": ("另有 {count} 份相同", "{count} identical copies"),
    "search.held": ("{time} 看过 · {query}", "seen {time} · {query}"),
    "search.held_short": ("{time} 看过", "seen {time}"),
    "search.others": ("其他相关文章", "Other related articles"),
    "search.only_similar": ("下面的文章只是有个别词相同", "The articles below only share a few words"),
    "search.untitled": ("（无标题）", "(untitled)"),
    # levels
    "level.PRECISE": ("精准", "Exact"),
    "level.HIGHLY_RELEVANT": ("高度相关", "Highly relevant"),
    "level.REFERENCE": ("仅供参考", "Reference"),
    "level.DEDUPED": ("本单看过", "Seen"),
    "level.NOT_FOUND": ("未收录", "Not found"),
    "level.seen_too": ("{level} · 本单看过", "{level} · Seen"),
    "level.name": ("相关性", "Relevance"),
    # the seed's sentences, for screen readers
    "sentence.PRECISE": (
        "知识库中不存在比上述结果更精准的文档",
        "No document in the knowledge base is more precise than this one",
    ),
    "sentence.HIGHLY_RELEVANT": (
        "当前结果已高度相关，继续检索不太可能找到更精准的文档",
        "These results are highly relevant; searching further is unlikely to find a more precise document",
    ),
    "sentence.REFERENCE": (
        "当前结果为相关参考，如需更精准信息请明确缺少的具体维度",
        "These results are for reference; for something more precise, name the dimension that is missing",
    ),
    # the hint line
    "hint.name": ("是否继续检索", "Whether to search on"),
    "hint.empty": ("输入错误码、软件名或来电人的原话", "Type an error code, a program or the caller's own words"),
    "hint.waiting": ("正在检索…", "Searching…"),
    "hint.precise": (
        "就是这篇，知识库里没有更准的，不用再搜",
        "This is the one; the knowledge base has nothing more exact, no need to search on",
    ),
    "hint.precise_pending": ("就是这篇", "This is the one"),
    "hint.highly": (
        "前几条已经对题，换词再搜一般不会更准",
        "The first few fit; other words are unlikely to find anything better",
    ),
    "hint.reference": (
        "只找到相关内容，补一项会更准：",
        "Only related articles; adding one of these would help:",
    ),
    "hint.reference_plain": (
        "只找到相关内容，补上错误码、软件名或版本会更准",
        "Only related articles; an error code, a program or a version would help",
    ),
    "hint.not_found": ("知识库里没有答案", "The knowledge base has no answer"),
    "hint.not_found_words": (
        "知识库里没有答案；没收录的词：{words}",
        "The knowledge base has no answer; words it does not hold: {words}",
    ),
    "hint.unknown_code": (
        "没有收录 {codes}。下面代码不同，请勿照搬",
        "{codes} is not in the knowledge base. The codes below differ; do not follow them as they stand",
    ),
    "hint.unknown_code_alone": ("没有收录 {codes}", "{codes} is not in the knowledge base"),
    "hint.gated": ("没有可检索的内容，请说说遇到了什么问题", "Nothing to search for; say what went wrong"),
    "hint.all_seen": ("这几篇本单都看过了，没有新的内容", "All of these were seen in this session; nothing new"),
    "hint.again_same": ("这句 {time} 搜过，结果没变", "Searched at {time}; the results have not changed"),
    "hint.again_more": ("这句 {time} 搜过，多了 {count} 篇", "Searched at {time}; {count} more articles now"),
    "hint.leg_vector": (
        "语义检索暂不可用，结果只按关键词匹配",
        "Semantic search is not available; these results match by keyword only",
    ),
    "hint.leg_keyword": (
        "关键词检索暂不可用，结果可能不全",
        "Keyword search is not available; results may be incomplete",
    ),
    "hint.degraded_timeout": (
        "这次没查成（超时），不代表没有答案",
        "This search did not finish (timeout); that does not mean there is no answer",
    ),
    "hint.degraded_other": (
        "这次没查成，不代表没有答案",
        "This search did not finish; that does not mean there is no answer",
    ),
    "hint.importing": (
        "知识导入中 {done}/{total}，可能不全",
        "Importing knowledge {done}/{total}; results may be incomplete",
    ),
    "hint.superseded": ("这篇已被《{title}》取代", "This article was replaced by “{title}”"),
    "hint.retry": ("重试", "Try again"),
    # result list, empty states
    "empty.start_title": ("说说来电人遇到了什么", "What is the caller's problem?"),
    "empty.start_body": (
        "错误码最准，例如 0x80070005；\n软件名加现象也行，例如 VPN 691。\n↓ 进入列表，Enter 打开，Ctrl+C 复制步骤。",
        "An error code is best, such as 0x80070005; a program and what happens works too, such as VPN 691.\n"
        "↓ goes to the list, Enter opens, Ctrl+C copies the steps.",
    ),
    "empty.nothing_title": ("没有找到", "Nothing found"),
    "empty.nothing_body": (
        "换一个说法，写上软件名或完整的错误码再试。",
        "Try other words, a program or the whole error code.",
    ),
    "empty.nothing_filtered": (
        "只找了一个领域：把右上的筛选换成“全部领域”再试，\n或者换一个说法。",
        "Only one domain was searched: set the filter to all domains, or try other words.",
    ),
    "empty.no_knowledge_title": ("知识库还是空的", "The knowledge base is empty"),
    "empty.no_knowledge_body": ("到“知识库”页导入文件或文件夹。", "Import files or a folder on the Knowledge page."),
    "empty.article_title": ("文章会显示在这里", "The article appears here"),
    "empty.article_body": ("按 Enter 打开第一条，或点一条结果。", "Press Enter for the first result, or click one."),
    # article
    "article.pane": ("文章", "Article"),
    "article.updated": ("更新于 {date}", "updated {date}"),
    "article.copy": ("复制步骤", "Copy steps"),
    "article.copy_tip": (
        "复制选中的文字；没有选中时复制标题和步骤（Ctrl+C）。\nCtrl+Shift+C 另带日期和编号。",
        "Copies the selected text, else the title and the steps (Ctrl+C).\nCtrl+Shift+C adds the date and the key.",
    ),
    "article.copied": ("已复制", "Copied"),
    "article.find": ("在文章里查找", "Find in the article"),
    "article.find_none": ("没有这个词", "Not in this article"),
    "article.marks": ("{at}/{count}", "{at}/{count}"),
    "article.next_mark": ("下一处（F3）", "Next mark (F3)"),
    "article.previous_mark": ("上一处（Shift+F3）", "Previous mark (Shift+F3)"),
    "article.close_find": ("关闭查找", "Close find"),
    "article.superseded": ("这篇已被《{title}》取代", "This article was replaced by “{title}”"),
    "article.open_successor": ("打开新的", "Open the new one"),
    "article.source_line": ("更新 {date} · {doc_key}", "updated {date} · {doc_key}"),
    "state.superseded": ("已被取代", "Replaced"),
    "state.draft": ("草稿", "Draft"),
    "state.unreviewed": ("现场笔记 · 未审核", "Field note · unreviewed"),
    "state.expired": ("已过复核期", "Review overdue"),
    # sessions
    "session.sidebar": ("本单记录", "This session"),
    "session.selector": ("当前工单", "Current session"),
    "session.fresh": ("新工单（还没检索）", "New (no lookups yet)"),
    "session.untitled": ("{time} 的工单", "Session of {time}"),
    "session.item": ("{count} 次检索 · {domains}", "lookups: {count} · {domains}"),
    "session.item_bare": ("{count} 次检索", "lookups: {count}"),
    "session.new": ("新工单", "New session"),
    "session.new_tip": ("开始一张新工单（Ctrl+N）", "Start a new session (Ctrl+N)"),
    "session.search": ("搜工单号、标题或检索过的话", "Find by id, title or what was searched"),
    "session.none_found": ("没有这样的工单", "No such session"),
    "session.start_named": ("新开工单 {name}", "Start session {name}"),
    "session.started": ("已开新工单", "A new session was started"),
    "session.merge": ("并回上一单", "Put back into the previous one"),
    "session.merged": ("已并回上一单", "Put back into the previous session"),
    "session.domains": ("检索过的领域", "Domains retrieved"),
    "session.docs": ("看过的文章", "Articles retrieved"),
    "session.nothing": ("打开、复制过的文章会记在这里", "Articles that you open or copy are kept here"),
    "session.doc_line": ("{time} · {query}", "{time} · {query}"),
    "session.changed_since": ("内容已更新", "changed since"),
    # knowledge
    "knowledge.drop": (
        "把文件或文件夹拖到这里，或者",
        "Drop files or a folder here, or",
    ),
    "knowledge.formats": (
        "支持 Markdown、文本、HTML、CSV、JSONL。原文件不会被改动。",
        "Markdown, text, HTML, CSV and JSONL. Your files are never changed.",
    ),
    "knowledge.import": ("导入…", "Import…"),
    "knowledge.import_folder": ("导入文件夹…", "Import a folder…"),
    "knowledge.import_files": ("导入文件…", "Import files…"),
    "knowledge.starter": (
        "现在带有一个示例知识库，可以随时移除。",
        "A starter knowledge base is included; it can be removed at any time.",
    ),
    "knowledge.remove_starter": ("移除示例知识库", "Remove the starter base"),
    "knowledge.starter_removed": ("已移除示例知识库的 {count} 篇文章", "Removed the {count} starter articles"),
    "knowledge.unfinished": (
        "上次导入没做完：{path}，已导入 {articles} 篇",
        "The last import was not finished: {path}, articles imported: {articles}",
    ),
    "knowledge.go_on": ("继续", "Go on"),
    "knowledge.forget": ("不再提示", "Dismiss"),
    "knowledge.domains": ("领域", "Domains"),
    "knowledge.report": ("上次导入", "Last import"),
    "knowledge.report_none": (
        "还没有导入过",
        "Nothing imported yet",
    ),
    "knowledge.report_what": (
        "导入之后，每个文件的结果都列在这里。",
        "After an import, every file's outcome is listed here.",
    ),
    "knowledge.outcome": ("结果", "Outcome"),
    "knowledge.file": ("文件", "File"),
    "knowledge.reason": ("说明", "Reason"),
    "outcome.added": ("新增", "Added"),
    "outcome.updated": ("更新", "Updated"),
    "outcome.unchanged": ("未变", "Unchanged"),
    "outcome.removed": ("移除", "Removed"),
    "outcome.skipped": ("跳过", "Skipped"),
    "outcome.failed": ("失败", "Failed"),
    "knowledge.counts": (
        "新增 {added} · 更新 {updated} · 未变 {unchanged} · 移除 {removed} · 跳过 {skipped} · 失败 {failed}",
        "{added} added · {updated} updated · {unchanged} unchanged · {removed} removed · {skipped} skipped · "
        "{failed} failed",
    ),
    "knowledge.cancelled": (
        "已停止；导入完的都保留，再导入一次会接着做。",
        "Stopped; what was imported stays, and importing again goes on.",
    ),
    # jobs
    "job.progress": ("导入进度", "Import progress"),
    "job.importing": ("正在导入", "Importing"),
    "job.removing": ("正在移除", "Removing"),
    "job.counts": ("{done}/{total}", "{done}/{total}"),
    "job.rate": ("每秒 {rate} 个文件", "{rate} files a second"),
    "job.left_seconds": ("还要约 {count} 秒", "about {count} s left"),
    "job.left_minutes": ("还要约 {count} 分钟", "about {count} min left"),
    "job.cancel": ("停止导入", "Stop the import"),
    "job.stopping": ("正在停止…", "Stopping…"),
    # closing
    "close.title": ("正在导入", "An import is running"),
    "close.question": (
        "知识还没导入完。停止后，已经导入的都保留，下次再导入会接着做。",
        "The import has not finished. If you stop it, what was imported stays and the next import goes on from there.",
    ),
    "close.stop": ("停止导入并退出", "Stop the import and close"),
    "close.stay": ("不退出", "Do not close"),
    # a bug
    "bug.title": ("程序出错了", "Something went wrong in the program"),
    "bug.body": (
        "这是程序的问题，不是您的操作造成的。您可以继续使用；把下面的内容发给管理员有助于修复。",
        "This is a fault of the program, not of anything you did. You can go on; the details below help to mend it.",
    ),
    "bug.log": ("日志：{path}", "Log: {path}"),
    "bug.copy": ("复制详情", "Copy details"),
    "bug.close": ("关闭", "Close"),
    "notice.dismiss": ("关闭提示", "Dismiss"),
    # expected errors, by code
    "error.expected": ("没能完成：{detail}", "This could not be done: {detail}"),
    "error.path_missing": (
        "找不到 {path}；请检查它是否被移动或改名。",
        "{path} is not there; check whether it was moved or renamed.",
    ),
    "error.locked": (
        "另一个程序正在写知识库（进程 {pid}，{host}，{since} 起）；等它结束后再试。",
        "Another program is writing knowledge (process {pid} on {host}, since {since}); try again when it is done.",
    ),
    "error.database_too_new": (
        "数据文件夹 {path} 是更新版本的程序写的（{found}）；请先升级本程序。",
        "The data folder {path} was written by a newer version of the program ({found}); please update this one.",
    ),
    "error.database_damaged": (
        "数据库 {path} 已损坏（{detail}）；请从备份恢复。",
        "The database {path} is damaged ({detail}); please restore it from a backup.",
    ),
    "error.data_folder_unusable": (
        "数据文件夹 {path} 不能读写（{detail}）；请检查权限和磁盘空间，或用 --data-dir 换一个。",
        "The data folder {path} cannot be read and written ({detail}); check its permissions and the space on the "
        "disk, or choose another with --data-dir.",
    ),
    "error.unknown_session": ("没有工单“{session_id}”。", "There is no session “{session_id}”."),
    "error.unknown_article": (
        "文章 {doc_key} 已不在知识库里；请重新检索。",
        "The article {doc_key} is no longer in the knowledge base; please search again.",
    ),
    "error.invalid_setting": (
        "设置 {name} 不能是 {value}（{detail}）；请改正 settings.json。",
        "The setting {name} cannot be {value} ({detail}); mend it in settings.json.",
    ),
    "error.settings_unusable": (
        "设置文件 {path} 读不了（{detail}）；请改正它，或删掉它恢复默认设置。",
        "The settings file {path} cannot be read ({detail}); mend it, or delete it to have the defaults again.",
    ),
    "error.invalid_input": ("{path} 第 {line} 行不能用：{detail}", "{path}, line {line} cannot be used: {detail}"),
    "error.no_screen": (
        "没有可用的屏幕（DISPLAY 和 WAYLAND_DISPLAY 都没有设置），窗口打不开；请在桌面会话里启动，或改用命令行，"
        "例如 lookup。",
        "There is no screen to open the window on (neither DISPLAY nor WAYLAND_DISPLAY is set); start it inside a "
        "desktop session, or use a command, such as lookup.",
    ),
    "error.window_elsewhere": (
        "这个数据文件夹正被另一个窗口使用（进程 {pid}，{host}）。",
        "This data folder is in use by another window (process {pid} on {host}).",
    ),
}


def word(name: str, language: str, /, **values: object) -> str:
    """The text of that name in `language` (zh_CN when it is not known), values filled in. KeyError for no such name."""
    chinese, english = WORDS[name]
    text = english if language == "en" else chinese
    return text.format(**values) if values else text
