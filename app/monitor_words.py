"""Words of the monitor: service, engines, tables, alerts, and the lookups behind a number."""

from __future__ import annotations

# name: (zh_CN, en), as in app/words.py.
MONITOR_WORDS: dict[str, tuple[str, str]] = {
    "tab.monitor": ("监控", "Monitor"),
    # figures in general
    "figure.too_few": ("样本不足", "Too few"),
    "figure.of": ("{count} / {n}", "{count} / {n}"),
    "figure.just_now": ("刚刚", "just now"),
    "figure.minutes_ago": ("{count} 分钟前", "{count} min ago"),
    "figure.hours_ago": ("{count} 小时前", "{count} h ago"),
    "figure.days_ago": ("{count} 天前", "{count} d ago"),
    "figure.leads": ("Enter 打开", "Enter opens"),
    "figure.table_keys": (
        "方向键选格，Enter 看明细，Alt+↑ 或 Alt+↓ 按这一列排序",
        "Arrow keys choose a cell, Enter shows what is behind it, Alt+Up or Alt+Down sorts by the column",
    ),
    "figure.in_ms": ("{name}（毫秒）", "{name} (ms)"),
    "figure.as_share": ("{name}（占比 0–1）", "{name} (share, 0–1)"),
    "figure.workbook": ("工作簿（XLSX）…", "Workbook (XLSX)…"),
    "figure.workbook_files": ("工作簿 (*.xlsx)", "Workbooks (*.xlsx)"),
    # the line above
    "monitor.pages": ("监控分页", "Pages of the monitor"),
    "monitor.service": ("服务", "Service"),
    "monitor.engines": ("引擎", "Engines"),
    "monitor.range": ("时间范围", "Time range"),
    "monitor.range_hour": ("最近 1 小时", "Last hour"),
    "monitor.range_day": ("最近 24 小时", "Last 24 hours"),
    "monitor.range_week": ("最近 7 天", "Last 7 days"),
    "monitor.range_month": ("最近 30 天", "Last 30 days"),
    "monitor.range_custom": ("自定义", "Custom"),
    "monitor.range_from_to": ("{first} 至 {last}", "{first} to {last}"),
    "monitor.from": ("从", "From"),
    "monitor.until": ("到", "Until"),
    "monitor.all_types": ("全部类型", "All types"),
    "monitor.all_agents": ("全部实例", "All instances"),
    "monitor.fetching": ("正在统计…", "Counting…"),
    "monitor.fresh": ("{time} 更新", "Updated {time}"),
    "monitor.not_fresh": ("没能更新，显示的是上次的数字", "Could not be updated; these are the last figures"),
    # service: tiles
    "monitor.lookups": ("检索", "Lookups"),
    "monitor.lookups_counts": (
        "区间内的检索次数。预览不算，只是下一句开头的（被取代的）不算。",
        "Lookups in the range. Previews do not count, nor do lookups that were only the beginning of the next.",
    ),
    "monitor.sessions": ("工单", "Sessions"),
    "monitor.sessions_counts": ("区间内检索过的工单数。", "Sessions with a lookup in the range."),
    "monitor.answered": ("应答率", "Answered"),
    "monitor.answered_counts": (
        "查成了的检索占多少：找到、没有答案、本单看过都算查成；超时、出错、熔断不算。打开看没查成的。",
        "Share of lookups that were answered as asked: found, without result or seen all count; timeouts, errors and "
        "open breakers do not. Opens those that were not.",
    ),
    "monitor.without_result": ("无结果率", "Without result"),
    "monitor.without_result_counts": (
        "知识库里没有答案的检索占多少。没查成的不在内。打开看这些检索。",
        "Share of lookups to which the knowledge base has no answer. Those that could not be answered are left out. "
        "Opens these lookups.",
    ),
    "monitor.adopted": ("采用率", "Adopted"),
    "monitor.adopted_counts": (
        "有文章被复制、被投“有用”或结单时写明的工单占多少。只打开看看的不算。",
        "Share of sessions with an article copied, voted useful or named at closing. Opening alone does not count.",
    ),
    "monitor.per_session": ("单均检索", "Lookups per session"),
    "monitor.per_session_counts": (
        "每张工单平均检索几次。",
        "How many lookups a session takes on average.",
    ),
    "monitor.of_sessions": ("{count} 张工单", "of {count} sessions"),
    "monitor.repeated": ("重复率", "Repeated"),
    "monitor.repeated_counts": (
        "同一张工单里把问过的话又问一遍（说法相近也算）的检索占多少。",
        "Share of lookups whose question, or nearly the same, the session had asked before.",
    ),
    # service: cards
    "monitor.timeline": ("检索量", "Lookups over time"),
    "monitor.timeline_counts": (
        "每段时间的检索次数，分成有结果、无结果和没查成。预览和被取代的不算。",
        "Lookups in each stretch of time: with a result, without one, and not answered. Previews and superseded ones "
        "do not count.",
    ),
    "monitor.with_result": ("有结果", "With result"),
    "monitor.without": ("无结果", "No result"),
    "monitor.degraded": ("降级", "Degraded"),
    "monitor.no_lookups": ("这段时间里还没有检索", "No lookups in this range yet"),
    "monitor.unanswered": ("答不上的问题", "Questions without an answer"),
    "monitor.unanswered_counts": (
        "区间内没有答案、问得最多的十个问题，说法相近的合在一起。没查成的（超时、出错）不算。",
        "The ten most frequent questions without an answer in the range, near-equal ones grouped. Lookups that failed "
        "do not count.",
    ),
    "monitor.unanswered_none": (
        "这段时间里没有答不上的问题。",
        "Every question of this range had an answer.",
    ),
    "monitor.question": ("问题", "Question"),
    "monitor.times": ("次数", "Times"),
    "monitor.last": ("最近", "Last"),
    "monitor.act": ("处理", "Action"),
    "monitor.write_article": ("记一笔", "Add a note"),
    "monitor.concerns": ("该看看的文章", "Articles to look at"),
    "monitor.concerns_counts": (
        "区间内被投“没用”的、已过复核期的、区间内没有人看过的文章。只列最前面的，总数在标题下面。",
        "Articles voted not useful in the range, those past their review date, and those nobody opened in the range. "
        "Only the first are listed; all of them are counted below the title.",
    ),
    "monitor.concerns_none": ("没有需要看的文章。", "No article needs a look."),
    "monitor.article": ("文章", "Article"),
    "monitor.why": ("原因", "Why"),
    "monitor.votes_against": ("没用", "Not useful"),
    "monitor.flagged": ("被投“没用”", "Voted not useful"),
    "monitor.expired": ("已过复核期", "Past review"),
    "monitor.never_shown": ("没有人看过", "Opened by nobody"),
    "monitor.honesty": ("徽章说得准不准", "Do badges keep their word"),
    "monitor.honesty_counts": (
        "区间内大家投过票的检索里，每种徽章有多常是对的；后面是 95% 的把握范围。复制不算，撤销的不算。",
        "Of the lookups in the range that were voted on, how often each badge was right, with the 95% interval. "
        "Copying does not count, nor do votes that were taken back.",
    ),
    "monitor.honesty_none": ("这段时间里还没有人投票。", "Nobody has voted in this range yet."),
    "monitor.level": ("徽章", "Badge"),
    "monitor.right": ("说对了", "Right"),
    "monitor.voted": ("投票", "Votes"),
    "monitor.interval": ("95% 范围", "95% interval"),
    "monitor.interval_of": ("{low} 至 {high}", "{low} to {high}"),
    # more than one desk
    "monitor.desks": ("各服务台", "All desks"),
    "monitor.desks_counts": (
        "各服务台每小时写进共享文件夹的汇总加在一起，不随类型、实例、领域筛选变。超过 24 小时没有汇总就算没有消息。",
        "What desks wrote hour by hour into the shared folder, added up; filters by type, instance and domain do not "
        "apply. A desk without a report for more than 24 hours is silent.",
    ),
    "monitor.desks_none": ("还没有服务台写过汇总。", "No desk has reported yet."),
    "monitor.desks_unreachable": (
        "现在连不上 {path}，显示的是上次读到的",
        "{path} cannot be reached now; this is what was read last",
    ),
    "monitor.desks_sums": (
        "{desks} 个服务台 · 检索 {lookups} · 工单 {sessions} · 应答率 {answered} · 无结果率 {without} · "
        "采用率 {adopted}",
        "Desks {desks} · lookups {lookups} · sessions {sessions} · answered {answered} · without result {without} · "
        "adopted {adopted}",
    ),
    "monitor.desks_skipped": ("没有计入的文件：{names}", "Files that do not count: {names}"),
    "monitor.desk": ("服务台", "Desk"),
    "monitor.desk_here": ("{name}（本机）", "{name} (this one)"),
    "monitor.desk_last": ("最近汇总", "Last report"),
    "monitor.desk_silent": ("没有消息 · {age}", "silent · {age}"),
    "monitor.desk_knowledge": ("知识截至", "Knowledge as of"),
    "monitor.desk_behind": ("{date} · 比别处旧", "{date} · older than elsewhere"),
    "monitor.articles": ("文章数", "Articles"),
    # engines: tiles
    "monitor.latency": ("检索耗时 p95", "Lookup time, p95"),
    "monitor.latency_counts": (
        "请求层：95% 的检索在这个时间内答完，下面是中位数；含缓存命中。打开看这些检索，最慢的在前。",
        "Request layer: 95% of lookups were answered within this time; the median stands below. Cache hits count. "
        "Opens these lookups, the slowest first.",
    ),
    "monitor.median_of": ("p50 {median} · {n} 次", "p50 {median} · n {n}"),
    "monitor.degraded_share": ("没查成", "Not answered"),
    "monitor.degraded_share_counts": (
        "请求层：因超时、出错或熔断没有查成的检索占多少。打开看这些检索。",
        "Request layer: share of lookups that a timeout, an error or an open breaker kept from being answered. Opens "
        "these lookups.",
    ),
    "monitor.leg_missing": ("只按关键词", "A leg missing"),
    "monitor.leg_missing_counts": (
        "工具层：查成了，但少了一路（多为语义）的检索占多少。不算降级，也不进缓存。",
        "Tool layer: share of lookups answered without one of the legs, mostly the semantic one. That is not degraded; "
        "it is never cached.",
    ),
    "monitor.cache": ("缓存命中", "Cache hits"),
    "monitor.cache_counts": (
        "工具层：区间内（按整刻钟）直接用缓存答的检索占多少，不随类型、实例、领域筛选变。",
        "Tool layer: share of the range's lookups (whole quarter-hours) answered from the cache. Filters do not apply.",
    ),
    "monitor.stale": ("避免的旧缓存", "Stale hits prevented"),
    "monitor.stale_counts": (
        "工具层：区间内（按整刻钟）因为知识、投票或设置变了而没有误用的缓存条目数，不随筛选变。",
        "Tool layer: cached answers in the range (whole quarter-hours) that were not used because knowledge, votes or "
        "settings had changed; filters do not apply.",
    ),
    "monitor.index_age": ("索引写入", "Index written"),
    "monitor.index_age_counts": (
        "工具层：索引文件是什么时候写的；之后的改动另从数据库读，照样搜得到。",
        "Tool layer: when the index file was written; later changes are read from the database and found all the same.",
    ),
    "monitor.failed_files": ("失败文件", "Failed files"),
    "monitor.failed_files_counts": (
        "工具层：上次没能导入的文件数。打开看是哪些。",
        "Tool layer: files that their last import could not read. Opens the list.",
    ),
    # engines: alerts and suggestions
    "monitor.alerts": ("告警", "Alerts"),
    "monitor.alerts_counts": (
        "实例的成功率低于阈值、平均耗时高于阈值（都要满 20 次调用），或 15 分钟内多张工单问同一个问题（疑似故障）。"
        "恢复的留一天。",
        "An instance whose success rate is below or whose average time is above its threshold (from 20 calls on), or "
        "one question asked in several sessions within 15 minutes (suspected outage). Resolved ones stay for a day.",
    ),
    "monitor.alerts_none": ("现在没有告警。", "Nothing to warn of."),
    "monitor.alert_open": ("● 未处理", "● Open"),
    "monitor.alert_acknowledged": ("◐ 已确认", "◐ Acknowledged"),
    "monitor.alert_resolved": ("○ 已恢复", "○ Resolved"),
    "monitor.alert_success": ("成功率低：{agent}", "Low success rate: {agent}"),
    "monitor.alert_slow": ("平均耗时高：{agent}", "Slow on average: {agent}"),
    "monitor.alert_outage": ("疑似故障：{query}", "Suspected outage: {query}"),
    "monitor.alert_value": ("{value}（阈值 {threshold}）", "{value} (threshold {threshold})"),
    "monitor.alert_sessions": ("最多时 15 分钟内 {count} 张工单问到", "in up to {count} sessions within 15 minutes"),
    "monitor.alert_since": ("{time} 起", "since {time}"),
    "monitor.alert_until": ("{time} 恢复", "resolved {time}"),
    "monitor.alert_keys": ("空格确认，Enter 看检索", "Space acknowledges, Enter shows the lookups"),
    "monitor.acknowledge": ("确认收到", "Acknowledge"),
    "monitor.show_lookups": ("看检索", "Show lookups"),
    "monitor.suggestions": ("建议", "Suggestions"),
    "monitor.suggestions_counts": (
        "从各层数字里看出的、现在就能做的事，越急越靠前（10 最急）。没有依据就不提。",
        "What the figures say could be done now, most urgent first (10 is the most urgent). None without a reason.",
    ),
    "monitor.suggestions_none": ("现在没有建议。", "No suggestions now."),
    "monitor.suggestion_keys": ("Enter 去处理", "Enter follows it"),
    "monitor.priority": ("优先级 {priority}", "priority {priority}"),
    "monitor.do_agent": ("看这个实例", "Show the instance"),
    "monitor.do_badges": ("看徽章可靠性", "Show badge reliability"),
    "monitor.do_article": ("看文章", "Show the article"),
    "monitor.do_expired": ("看这些文章", "Show the articles"),
    "monitor.do_files": ("看失败文件", "Show the files"),
    # engines: instances
    "monitor.agents": ("检索引擎实例", "Retrieval agents"),
    "monitor.agents_counts": (
        "每个实例最近的调用（含探测），不随领域筛选变。预览和缓存命中不算。样本不足 20 次不罚分、不告警。",
        "The latest calls of each instance, of all domains, probes included. Previews and cache hits do not count. "
        "Below 20 calls there is no penalty and no alert.",
    ),
    "monitor.agents_none": ("没有这样的实例。", "No such instance."),
    "monitor.agents_window": (
        "滑动窗口里最近的调用，不随上面的时间范围变；点数字看区间内由它应答的检索。",
        "The latest calls (a sliding window, whatever the range above); each number opens the lookups that it served "
        "in the range.",
    ),
    "monitor.agent": ("实例", "Instance"),
    "monitor.type": ("类型", "Type"),
    "monitor.calls": ("调用", "Calls"),
    "monitor.success_rate": ("成功率", "Success"),
    "monitor.degraded_calls": ("降级或缺路", "Degraded"),
    "monitor.degraded_calls_counts": (
        "没成的调用里，回答是降级或少一路的。打开看区间内这样的检索。",
        "Failed calls whose answer was degraded or lacked a leg. Opens such lookups of the range.",
    ),
    "monitor.average": ("平均", "Average"),
    "monitor.median": ("中位 p50", "p50"),
    "monitor.slow_end": ("p95 耗时", "p95"),
    "monitor.penalty": ("惩罚分", "Penalty"),
    "monitor.penalty_counts": (
        "惩罚分：成功率低于 90% 或平均超过 3 秒时加上，最多 0.9；到 0.10 就让别的实例先答。",
        "Added below 90% success or above 3 s on average, 0.9 at most; from 0.10 on other instances answer first.",
    ),
    "monitor.routing_score": ("路由得分", "Routing score"),
    "monitor.routing_score_counts": (
        "（0.7 × 成功率 + 0.3 ÷（1 + 平均秒数））×（1 − 惩罚分）；同一档里得分最高的应答。",
        "(0.7 × success rate + 0.3 / (1 + average seconds)) × (1 − penalty); the highest of a tier answers.",
    ),
    "monitor.breaker": ("熔断", "Breaker"),
    "monitor.breaker_counts": (
        "连续失败 5 次就熔断，等 30 秒放一次探测，成功才恢复。",
        "Opens after 5 failures in a row; after 30 s one probe may pass, and its success closes it.",
    ),
    "monitor.breaker_closed": ("正常", "closed"),
    "monitor.breaker_open": ("熔断中", "open"),
    "monitor.breaker_half_open": ("试探中", "half-open"),
    "monitor.breaker_since": ("{state} · {time} 起", "{state} since {time}"),
    # engines: charts
    "monitor.line_of": ("{agent} · {what}", "{agent} · {what}"),
    "monitor.success_plot": ("成功率", "Success rate"),
    "monitor.success_plot_counts": (
        "每个实例滑动窗口里的成功率，含探测，不随领域筛选变。超时、出错和降级都算失败；预览和缓存命中不算。",
        "Success rate of each instance over its sliding window, of all domains, probes included. Timeouts, errors and "
        "degraded answers are failures; previews and cache hits do not count.",
    ),
    "monitor.penalty_plot": ("惩罚分：实线；路由得分：带点的线", "Penalty, and routing score (lines with dots)"),
    "monitor.penalty_plot_counts": (
        "每个实例的惩罚分（实线）和路由得分（虚线）。不随领域筛选变。惩罚只影响同类型里谁先答，不改变类型，也不筛结果。",
        "Penalty (solid) and routing score (dotted) of each instance, of all domains. A penalty decides who "
        "of a type answers first; it never changes the type nor filters results.",
    ),
    "monitor.latency_plot": ("引擎调用耗时：实线 p95，带点的线 p50", "Engine call time: p95, lines with dots p50"),
    "monitor.latency_plot_counts": (
        "每个实例滑动窗口里调用的 p95（实线）和 p50（虚线），不随领域筛选变；按真实用时，等不及而先答的也算。"
        "3,000 ms 是平均耗时的阈值。",
        "p95 (solid) and p50 (dotted) of each instance's calls over its sliding window, of all domains, by their true "
        "duration, even where the answer did not wait for them. 3,000 ms is the threshold of the average.",
    ),
    "monitor.no_calls": ("这段时间里引擎还没有被调用", "No engine calls in this range yet"),
    "monitor.levels_plot": ("结果的把握", "Levels of answers"),
    "monitor.levels_plot_counts": (
        "每段时间的检索按徽章分，无结果和降级也在内，加起来就是检索次数。预览和被取代的不算。",
        "Lookups in each stretch of time by badge, without result and degraded included: together they are all "
        "lookups. Previews and superseded ones do not count.",
    ),
    "monitor.dedup_plot": ("去重原因", "Reasons for dedup"),
    "monitor.dedup_plot_counts": (
        "判为“本单看过”的检索按原因分。没有去重的检索不在内。",
        "Lookups that were deduped, by reason. Others are left out.",
    ),
    "monitor.no_dedup": ("这段时间里没有去重", "Nothing was deduped in this range"),
    "monitor.doc_retrieved": ("文章本单看过", "Article already seen"),
    "monitor.domain_retrieved": ("领域本单查过", "Domain already searched"),
    "monitor.similarity_plot": ("相似度分布", "Similarity"),
    "monitor.similarity_plot_counts": (
        "首条结果的依据有多相似，按向量模型分开；竖线是现在的两条界线。没有依据的（没查成、少一路）不在内。",
        "How similar the evidence of the first result was, for each embedder; the upright lines are the two thresholds "
        "that hold now. Lookups without evidence (degraded, a leg missing) are left out.",
    ),
    "monitor.reference_from": ("仅供参考 {value}", "Reference {value}"),
    "monitor.highly_from": ("高度相关 {value}", "Highly relevant {value}"),
    # behind a number
    "monitor.back": ("← 返回监控", "← Back to the monitor"),
    "monitor.back_to_list": ("← 返回列表", "← Back to the list"),
    "monitor.all_lookups": ("全部检索", "All lookups"),
    "monitor.degraded_lookups": ("没查成的检索", "Lookups that were not answered"),
    "monitor.lookups_without": ("没有结果的检索", "Lookups without a result"),
    "monitor.lookups_adopted": ("有文章被采用的工单里的检索", "Lookups of sessions with an adopted article"),
    "monitor.lookups_repeated": ("把问过的话又问一遍的检索", "Lookups that repeated a question"),
    "monitor.lookups_leg_missing": ("少了一路的检索", "Lookups with a leg missing"),
    "monitor.slowest_lookups": ("检索，最慢的在前", "Lookups, the slowest first"),
    "monitor.lookups_of": ("问到“{query}”的检索", "Lookups that asked “{query}”"),
    "monitor.lookups_of_level": ("“{level}”的检索", "Lookups told as “{level}”"),
    "monitor.lookups_of_agent": ("由 {agent} 应答的检索", "Lookups served by {agent}"),
    "monitor.failed_of_agent": ("{agent} 没查成或少一路的检索", "Lookups {agent} failed, or answered without a leg"),
    "monitor.slowest_of_agent": ("由 {agent} 应答的检索，最慢的在前", "Lookups served by {agent}, the slowest first"),
    "monitor.listed": ("共 {count} 次", "{count} in all"),
    "monitor.listed_newest": ("只列最新的 {count} 次", "only the newest {count}"),
    "monitor.lookup_list": ("检索明细", "Lookups"),
    "monitor.lookup_list_counts": (
        "一行一次检索；Enter 看它所在工单的全部经过。预览和被取代的不在内。",
        "One row a lookup; Enter shows all that happened in its session. Previews and superseded ones are left out.",
    ),
    "monitor.lookup_list_none": ("这段时间里没有这样的检索。", "No such lookups in this range."),
    "monitor.session_of": ("工单 {session}", "Session {session}"),
    "monitor.session_about": ("这张工单里发生的事，从早到晚", "What happened in this session, oldest first"),
    "monitor.session_line": ("工单经过", "Session history"),
    "monitor.session_line_counts": (
        "检索、打开、复制、投票、结单和笔记。预览不在内。",
        "Lookups, articles opened, copied and voted on, closing and notes. Previews are left out.",
    ),
    "monitor.session_line_none": ("这张工单里还没有记录。", "Nothing is recorded in this session yet."),
    "monitor.at": ("时间", "Time"),
    "monitor.query": ("检索的话", "Query"),
    "monitor.session": ("工单", "Session"),
    "monitor.result": ("结果", "Result"),
    "monitor.note": ("说明", "Note"),
    "monitor.domain": ("领域", "Domain"),
    "monitor.how": ("方式", "How"),
    "monitor.took": ("用时", "Time taken"),
    "monitor.what": ("事情", "What"),
    "monitor.about": ("内容", "About"),
    "monitor.because_timeout": ("超时", "Timeout"),
    "monitor.because_circuit_open": ("熔断", "Breaker open"),
    "monitor.because_error": ("出错", "Error"),
    "monitor.by_enter": ("回车", "Enter"),
    "monitor.by_open": ("打开文章", "Article opened"),
    "monitor.by_copy": ("复制", "Copied"),
    "monitor.by_vote": ("投票", "Voted"),
    "monitor.by_settle": ("停下来看", "Text left standing"),
    "monitor.by_cli": ("命令行", "Command line"),
    "monitor.by_mcp": ("工具调用", "Tool call"),
    "monitor.kind_lookup": ("检索", "Lookup"),
    "monitor.kind_opened": ("打开文章", "Opened"),
    "monitor.kind_copied": ("复制步骤", "Copied"),
    "monitor.kind_voted": ("投票", "Voted"),
    "monitor.kind_vote": ("投票：{vote}", "Voted: {vote}"),
    "monitor.kind_closed": ("结单", "Closed"),
    "monitor.kind_noted": ("记了一笔", "Note added"),
}
