"""A small stated knowledge base with planted distances, and the embedder that plants them."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from core.protocols import Unit, Vectors

# A query means one topic. An article's cosine to it is planted; squared distance = 2 − 2·cosine (contract §4).
TOPICS = ("pool", "hikari", "exhausted", "fault", "logs", "cables", "greeting", "rota", "badge", "lunch", "silence")
QUERY_TOPICS = {
    "数据库连接池配置": "pool",
    "数据库连接池": "pool",
    "hikaricp 参数": "hikari",
    "连接池耗尽": "exhausted",
    "故障排查": "fault",
    "排查故障": "fault",
    "日志分析步骤": "logs",
    "网线标签颜色": "cables",
    "欢迎语": "greeting",
    "值班表": "rota",
    "工牌补办": "badge",
    "午餐券": "lunch",
    "没有答复": "silence",
}
# Doc key → topic → cosine: 0.8085 is distance 0.383, 0.6 is distance 0.8.
PLANTED: Mapping[str, Mapping[str, float]] = {
    "infrastructure/mysql-pool.md": {"pool": 0.8085},
    "infrastructure/redis.md": {"pool": 0.55},
    "infrastructure/hikari.md": {"hikari": 0.8},
    "infrastructure/exhausted.md": {"exhausted": 0.82},
    "troubleshooting/fault.md": {"fault": 0.6},
    "troubleshooting/grading.md": {"fault": 0.58},
    "troubleshooting/handover.md": {"fault": 0.56},
    "troubleshooting/review.md": {"fault": 0.54},
    "troubleshooting/logs.md": {"logs": 0.8},
    "api/err-timeout.md": {"silence": 0.8},
    "cabling/colours.md": {"cables": 0.9},
    "cabling/rack.md": {"pool": 0.52},
    "office/greeting.md": {"greeting": 0.9, "rota": 0.3},
    "office/rota.md": {"rota": 0.9},
    "office/badge.md": {"badge": 0.9},
    "office/lunch.md": {"lunch": 0.9},
}
# Every body starts with a mark that the embedder knows the article by.
ARTICLES: Mapping[str, tuple[str, str, str]] = {
    "infrastructure/mysql-pool.md": (
        "MySQL 数据库连接池配置说明",
        "",
        "数据库连接池配置：最大连接数设为 50，最小空闲 10。",
    ),
    "infrastructure/redis.md": ("Redis 缓存", "", "Redis 缓存配置：在数据库连接池前面再加一层缓存。"),
    "infrastructure/hikari.md": ("HikariCP 调优", "", "HikariCP 参数：maximumPoolSize、connectionTimeout。"),
    "infrastructure/exhausted.md": ("连接被占满时", "", "连接池耗尽：先看慢查询，再看泄漏。"),
    "api/err-timeout.md": ("接口超时", "keywords: [ERR_TIMEOUT]", "ERR_TIMEOUT 表示三十秒内没有答复。"),
    "api/err-refused.md": ("接口被拒", "keywords: [ERR_REFUSED]", "ERR_REFUSED 表示对端没有监听。"),
    "troubleshooting/fault.md": ("生产环境出事以后", "", "故障排查：先止血，再定位。"),
    "troubleshooting/grading.md": ("怎样定级", "", "故障排查分三级，先看影响多少人。"),
    "troubleshooting/handover.md": ("怎样交班", "", "故障排查没有做完时，把已经试过的办法写下来交给下一班。"),
    "troubleshooting/review.md": (
        "怎样复盘",
        "",
        "故障排查结束后一周内，请所有参加的人一起回看时间线，并把改进事项登记。",
    ),
    "troubleshooting/logs.md": ("怎样读日志", "", "日志分析步骤：按时间、级别、请求号三步筛选。"),
    "cabling/colours.md": ("机房布线", "", "网线标签颜色：红色为核心，蓝色为接入。"),
    "cabling/rack.md": ("机柜一览", "", "甲列放数据库，乙列放连接池的配置备份，丙列空着，丁列放交换机。"),
    "codes/e-1001.md": ("第一种告警", "keywords: [E-1001]", "E-1001：证书过期，重新签发。"),
    "codes/e-1002.md": ("第二种告警", "keywords: [E-1002]", "E-1002：时钟不同步，校准时间。"),
    "codes/e-1003.md": ("第三种告警", "keywords: [E-1003]", "E-1003：磁盘将满，清理旧档。"),
    "codes/e-1004.md": ("第四种告警", "keywords: [E-1004]", "E-1004：风扇停转，更换部件。"),
    "office/greeting.md": ("接线开场", "domain: general", "欢迎语：您好，这里是服务台。"),
    "office/rota.md": ("谁在值守", "domain: general", "值班表：每周一更新。"),
    "office/badge.md": ("门禁卡", "domain: general", "工牌补办：到前台登记。"),
    "office/lunch.md": ("吃饭", "domain: general", "午餐券：每月第一天发放。"),
}
_NOTHING = len(TOPICS)  # the axis of every text that means no topic
_FIRST_OWN = _NOTHING + 1


class PlantedEmbedder:
    """Unit vectors with stated angles, the same in every process. A fault can be planted as well."""

    name = "planted"
    dimension = 64
    fingerprint = "planted-64-1"
    unit = Unit.CHUNK

    def __init__(self) -> None:
        self.fault: BaseException | None = None

    def encode_documents(self, token_lists: Sequence[Sequence[str]], texts: Sequence[str]) -> Vectors:
        """An article's planted cosines; what remains of the length goes to an axis that no query has."""
        return np.stack([self._document(text) for text in texts])

    def encode_query(self, tokens: Sequence[str], weights: Sequence[float], text: str) -> Vectors:
        """The axis of the query's topic."""
        if self.fault is not None:
            raise self.fault
        vector = np.zeros(self.dimension, dtype=np.float32)
        topic = QUERY_TOPICS.get(text.strip().casefold())
        vector[_NOTHING if topic is None else TOPICS.index(topic)] = 1
        return vector

    def _document(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension, dtype=np.float64)
        for doc_key, cosines in PLANTED.items():
            if ARTICLES[doc_key][2] in text:
                for topic, cosine in cosines.items():
                    vector[TOPICS.index(topic)] = cosine
        own = hashlib.blake2b(text.encode(), digest_size=2).digest()
        axis = _FIRST_OWN + int.from_bytes(own, "big") % (self.dimension - _FIRST_OWN)
        vector[axis] = math.sqrt(1 - float(vector @ vector))
        return vector.astype(np.float32)


def write_articles(folder: Path, names: Sequence[str] = tuple(ARTICLES)) -> Path:
    """The stated articles as Markdown files below `folder`."""
    for name in names:
        title, front_matter, body = ARTICLES[name]
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        head = f"---\n{front_matter}\n---\n" if front_matter else ""
        path.write_text(f"{head}# {title}\n\n{body}\n", encoding="utf-8")
    return folder
