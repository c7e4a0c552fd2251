"""Words about the demonstration."""

from __future__ import annotations

# name: (zh_CN, en), as in app/words.py.
DEMO_WORDS: dict[str, tuple[str, str]] = {
    "demo.title": ("Deskside · 演示 Demo", "Deskside · Demo"),
    "demo.preparing": (
        "正在模拟服务台的一天，数据只放在临时文件夹里，关闭窗口后删除。",
        "A day at the help desk is being simulated, in a temporary folder that is removed when the window closes.",
    ),
    "demo.progress": ("检索 {done}/{total}", "{done} of {total} lookups"),
    "demo.cancel": ("取消", "Cancel"),
}
