"""Words on charts."""

from __future__ import annotations

# name: (zh_CN, en), as in app/words.py.
PLOT_WORDS: dict[str, tuple[str, str]] = {
    "plot.no_data": ("暂无数据", "No data yet"),
    # the three layers are never mixed (contract §8)
    "plot.layer_request": ("请求层", "Request layer"),
    "plot.layer_tool": ("工具层", "Tool layer"),
    "plot.layer_agent": ("引擎层", "Agent layer"),
    "plot.about_request": (
        "请求层：一次检索算一次，不管它在里面查了几遍、用了哪个引擎。",
        "Request layer: each lookup counts once, whatever it did inside and whichever agent served it.",
    ),
    "plot.about_tool": (
        "工具层：检索内部做了什么，例如相似度、缓存、缺少的一路。",
        "Tool layer: what happened inside lookups, such as similarity, the cache, or a missing leg.",
    ),
    "plot.about_agent": (
        "引擎层：每个检索引擎的每次调用，探测也算；预览和缓存命中不算。",
        "Agent layer: each call of a retrieval agent, probes included; previews and cache hits do not count.",
    ),
    "plot.about_gaps": ("线断开的地方没有数据。", "Where a line breaks off there is no data."),
    "plot.about_zero": ("没有柱子的时段是 0 次。", "Where there is no bar, the count is 0."),
    "plot.n": ("n = {count} 次", "n = {count}"),
    "plot.degraded": ("其中降级 {count}（{share}）", "degraded: {count} ({share})"),
    "plot.period": ("{start} 至 {end}", "{start} to {end}"),
    "plot.above": ("{count} 个值在上方，最大 {largest}", "{count} above, up to {largest}"),
    "plot.show_all": ("显示全部", "Show all"),
    "plot.show_usual": ("只看常见范围", "Usual range"),
    "plot.reset": ("还原缩放", "Reset zoom"),
    "plot.reset_tip": ("回到整个时段（双击图表，或按 0）", "Back to the whole period (double click, or press 0)"),
    "plot.about": ("说明", "About"),
    "plot.about_name": ("“{title}”统计什么", "What “{title}” counts"),
    "plot.keys": (
        "拖动框选可放大，双击还原；点一下图表后可用滚轮缩放（或按住 Ctrl 滚动）。"
        "键盘：← → 逐点读数，+ − 缩放，0 还原。",
        "Drag a box to zoom in, double click to go back; after a click on the chart the wheel zooms too (or hold "
        "Ctrl). Keys: ← → read point by point, + − zoom, 0 resets.",
    ),
    "plot.export": ("导出", "Export"),
    "plot.export_name": ("导出“{title}”", "Export “{title}”"),
    "plot.export_image": ("图片（PNG）…", "Image (PNG)…"),
    "plot.export_table": ("表格（CSV）…", "Table (CSV)…"),
    "plot.image_files": ("图片 (*.png)", "Images (*.png)"),
    "plot.table_files": ("表格 (*.csv)", "Tables (*.csv)"),
    "plot.saved": ("已存为 {name}", "Saved as {name}"),
    "plot.not_saved": ("没有存成：{detail}", "Not saved: {detail}"),
    "plot.threshold": ("阈值 {value}", "Threshold {value}"),
    "plot.shares": ("占比", "Shares"),
    "plot.shares_tip": ("切换：各占多少 / 各有几次", "Switch between shares and counts"),
    "plot.choose": ("选择", "Choose"),
    "plot.hidden": ("{name}（已隐藏，按一下显示）", "{name} (hidden, press to show)"),
    "plot.shown": ("{name}（按一下隐藏）", "{name} (press to hide)"),
    "plot.value": ("{name}：{value}", "{name}: {value}"),
    "plot.value_n": ("{name}：{value}（n = {count} 次）", "{name}: {value} (n = {count})"),
    "plot.value_share": ("{name}：{value}（{share}）", "{name}: {value} ({share})"),
    "plot.no_value": ("{name}：没有数据", "{name}: no data"),
    "plot.total": ("合计：{value}", "Total: {value}"),
    "plot.more": ("……还有 {count} 条", "… and {count} more"),
    "plot.span": ("{start} – {end}", "{start} – {end}"),
    "plot.bin": ("{start} 到 {end}", "{start} to {end}"),
    # headings of an exported table
    "plot.column_time": ("时间（本地）", "Time (local)"),
    "plot.column_from": ("从（本地）", "From (local)"),
    "plot.column_to": ("到（本地）", "To (local)"),
    "plot.column_name": ("名称", "Name"),
    "plot.column_value": ("值", "Value"),
    "plot.column_ms": ("值（毫秒）", "Value (ms)"),
    "plot.column_n": ("n（次数）", "n"),
    "plot.column_count": ("次数", "Count"),
    "plot.column_total": ("合计", "Total"),
    "plot.column_low": ("下限", "From"),
    "plot.column_high": ("上限", "To"),
}
