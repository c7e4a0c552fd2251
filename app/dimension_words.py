"""Words about what a question leaves open, and about codes that are near one that the base does not hold."""

from __future__ import annotations

# name: (zh_CN, en), as in app/words.py.
DIMENSION_WORDS: dict[str, tuple[str, str]] = {
    "facet.product": ("软件或设备", "Product"),
    "facet.version": ("版本", "Version"),
    "facet.system": ("系统版本", "Operating system"),
    "facet.error_code": ("错误码", "Error code"),
    "facet.symptom": ("具体现象", "Symptom"),
    "facet.one": ("{facet}：{value}", "{facet}: {value}"),
    "facet.lead": ("补一项会更准：", "Adding one of these would help:"),
    "facet.bar": ("补上缺少的一项再搜", "Add what is missing and search again"),
    "facet.tip": (
        "把它加到检索词后面再搜：{values}（{keys}）",
        "Adds it to the query and searches again: {values} ({keys})",
    ),
    "facet.name": ("补上{facet}：{values}", "Add {facet}: {values}"),
    "near.block": ("相近但不同的代码", "Similar, but different codes"),
    "near.name": (
        "{code}，与 {asked} 不同，不同处 {differing}：{title}",
        "{code}, differs from {asked} in {differing}: {title}",
    ),
    "near.tip": (
        "{title}\n这是 {code}，不是 {asked}；打开看看，请勿照搬",
        "{title}\nThis is {code}, not {asked}; open it, but do not follow it as it stands",
    ),
    "article.other_code": (
        "代码不同：这篇讲的是 {code}，请勿照搬",
        "Another code: this article is about {code}; do not follow it as it stands",
    ),
    "search.other_code": ("代码不同：{code}", "other code: {code}"),
}
