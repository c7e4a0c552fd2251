"""Stated figures of a day, and a monitor that hands them out: what the monitor page is tested and drawn with."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from core.desks import DeskFolder, DeskReport, DesksFigures
from core.figures import (
    EVERYTHING,
    AgentFigures,
    AgentSeries,
    Alert,
    AlertState,
    ArticleConcern,
    BreakerState,
    Bucket,
    CacheFigures,
    Concern,
    EngineFigures,
    LoggedLookup,
    Moment,
    Period,
    Rate,
    Selection,
    ServiceFigures,
    SimilarityHistogram,
    Suggestion,
    SuggestionKind,
    Unanswered,
)
from core.report import LevelShare, Thresholds

TYPES = {"network": "网络与系统", "workplace": "桌面与办公", "general": "综合"}
TIERS = ("hybrid-hashed-1", "hybrid-hashed-2", "keyword-1")
LEVELS = ("PRECISE", "HIGHLY_RELEVANT", "REFERENCE", "DEDUPED", "none", "degraded")
SLOW, BROKEN = "network/hybrid-hashed-2", "workplace/hybrid-hashed-1"


def agents() -> tuple[AgentFigures, ...]:
    """Nine, of which one is slow, one broken, and some without a call."""
    found = []
    for kind in TYPES:
        for place, name in enumerate(TIERS):
            agent = f"{kind}/{name}"
            total = (187, 64, 0)[place]
            made = AgentFigures(agent, kind, name[:-2], total, 1.0, 0, 38.0, 96.0, 0.0, 0.98, p50_ms=31.0)
            if agent == SLOW:
                made = AgentFigures(agent, kind, "hybrid-hashed", 41, 0.951, 2, 4200, 7900, 0.12, 0.638, p50_ms=3800)
            elif agent == BROKEN:
                since = datetime(2026, 12, 1, 2, 40, tzinfo=UTC)
                made = AgentFigures(
                    agent, kind, "hybrid-hashed", 152, 0.82, 21, 640, 2100, 0.16, 0.63, BreakerState.OPEN, since, 420
                )
            elif place == 1 and kind == "general":
                made = AgentFigures(agent, kind, "hybrid-hashed", 7, 0.857, 1, 45.0, 80.0, 0.0, 0.87, p50_ms=40)
            found.append(made)
    return tuple(found)


def series(period: Period) -> tuple[AgentSeries, ...]:
    """A day of six instances, with a gap for each."""
    found = []
    step = (period.end - period.start) / 200
    for place, agent in enumerate(agent for agent in agents() if agent.total >= 20):
        at = [period.start + step * number for number in range(200) if not 60 + place < number < 75]
        wave = [math.sin(number / 9 + place) for number in range(len(at))]
        bad = 0.12 if agent.id == BROKEN else 0.01
        rate = [max(0.0, min(1.0, 0.985 - bad * (1 + one) / 2)) for one in wave]
        slow = [agent.avg_ms * (1 + one / 3) for one in wave]
        penalty = [0.0 if one >= 0.9 else (0.9 - one) * 2 for one in rate]
        score = [0.7 * one + 0.3 / (1 + ms / 1000) for one, ms in zip(rate, slow, strict=True)]
        found.append(
            AgentSeries(
                *(agent.id, agent.type, tuple(at), tuple(rate), tuple(penalty), tuple(score)),
                p50_ms=tuple(slow),
                p95_ms=tuple(ms * 1.9 for ms in slow),
                degraded_share=tuple((1 - one) / 2 for one in rate),
                calls=tuple(40 for _ in at),
                width_s=round(step.total_seconds()),
            )
        )
    return tuple(found)


def buckets(edges: Sequence[datetime]) -> tuple[Bucket, ...]:
    """More by day than by night."""
    found = []
    for number, (start, end) in enumerate(pairwise(edges)):
        much = max(0, round(24 * math.sin(math.pi * number / max(1, len(edges) - 2))))
        counts = (much // 3, much // 2, much // 4, much // 9, much // 8, int(much > 20))
        levels = dict(zip(LEVELS, counts, strict=True))
        found.append(Bucket(start, round((end - start).total_seconds()), sum(counts), levels))
    return tuple(found)


def moment(hours: float) -> datetime:
    """So many hours before the fixed end of the day."""
    return datetime(2026, 12, 1, 3, tzinfo=UTC) - timedelta(hours=hours)


QUESTIONS = (
    "打印机 0x0000011b 怎么处理",
    "会议室投屏没有声音",
    '=HYPERLINK("http://127.0.0.1:9","x")',
    "新员工怎么开通 <b>门禁</b>",
    "钉钉审批单撤回以后在哪里找，之前能看到的列表里现在一条都没有了",
    "U8 月结报 Ora-01555",
)


def unanswered() -> tuple[Unanswered, ...]:
    """Six questions."""
    return tuple(
        Unanswered(query, query.casefold(), count, max(1, count - 2), moment(place * 1.7))
        for place, (query, count) in enumerate(zip(QUESTIONS, (12, 8, 5, 3, 2, 1), strict=True))
    )


CONCERNS = (
    ArticleConcern("network/vpn-691.md", "VPN 错误 691：用户名或密码被拒绝", Concern.FLAGGED, 4),
    ArticleConcern("printing/offline.md", "打印机显示脱机", Concern.FLAGGED, 2),
    ArticleConcern("printing/jam.md", "打印机卡纸", Concern.EXPIRED),
    ArticleConcern("odd/markup.md", "标题 <b>粗</b> TAG-34", Concern.NEVER_SHOWN),
)
HONESTY = {
    "PRECISE": LevelShare(64, 63, 63 / 64, 0.917, 0.997),
    "HIGHLY_RELEVANT": LevelShare(122, 111, 111 / 122, 0.846, 0.949),
    "REFERENCE": LevelShare(9, 4, 4 / 9, 0.189, 0.733),
}
ALERTS = (
    Alert(3, f"agent_success_rate:{BROKEN}", 0.82, 0.90, moment(0.4), AlertState.OPEN),
    Alert(4, "suspected_outage:vpn 连 不上", 7, 5, moment(0.2), AlertState.OPEN, detail="VPN 连不上，一直转圈"),
    Alert(2, f"agent_avg_ms:{SLOW}", 4200, 3000, moment(2), AlertState.ACKNOWLEDGED, acknowledged_at=moment(1.9)),
    Alert(1, "agent_avg_ms:general/hybrid-hashed-1", 3100, 3000, moment(9), AlertState.RESOLVED, resolved_at=moment(8)),
)
SUGGESTIONS = (
    Suggestion(
        SuggestionKind.OUTAGE,
        "疑似故障：“VPN 连不上，一直转圈”",
        "15 分钟内 7 张工单问到；先查服务状态，再统一答复。",
        10,
        {"query": "VPN 连不上，一直转圈", "sessions": 7},
        query="VPN 连不上，一直转圈",
    ),
    Suggestion(
        SuggestionKind.FAILING_AGENT,
        f"{BROKEN} 成功率 82.0%",
        "152 次调用里 27 次没成，21 次降级；现在由 workplace/hybrid-hashed-2 应答。",
        8,
        {"agent": BROKEN},
        agent=BROKEN,
    ),
    Suggestion(
        SuggestionKind.WRITE_ARTICLE,
        "“打印机 0x0000011b 怎么处理” 12 次无结果：写文章",
        "7 天里 10 张工单问过，知识库里没有答案。",
        6,
        {"query": QUESTIONS[0], "count": 12},
        query=QUESTIONS[0],
    ),
    Suggestion(
        SuggestionKind.REVIEW_ARTICLE,
        "《VPN 错误 691》4 次被投“没用”",
        "7 天里的投票；看看步骤是不是过时了。",
        4,
        {"doc_key": "network/vpn-691.md"},
        doc_key="network/vpn-691.md",
    ),
    Suggestion(SuggestionKind.BADGE_LIES, "“高度相关”只对了 91.0%", "应为 95%。", 8, {"level": "HIGHLY_RELEVANT"}),
    Suggestion(SuggestionKind.EXPIRED_ARTICLES, "12 篇文章过了复核期", "看一遍，改日期或改内容。", 2, {"count": 12}),
    Suggestion(SuggestionKind.FAILED_FILES, "3 个文件没能导入", "看看原因。", 3, {"count": 3}),
)


DESKS = (
    DeskReport("a", "一楼服务台", True, moment(0.5), False, "2026-11-28", 412, False, 820),
    DeskReport("b", "二楼服务台", False, moment(30), True, "2026-10-02", 371, True, 464),
)


def lookups() -> tuple[LoggedLookup, ...]:
    """One for each question, in two sessions; the second one failed."""
    found = []
    for place, query in enumerate(QUESTIONS):
        failed = place == 1
        found.append(
            LoggedLookup(
                *(place + 1, f"T-{1040 + place % 2}", query, moment(place), "person", "enter"),
                agent=BROKEN,
                domain="printing",
                outcome="degraded" if failed else "not_found" if place else "deduped",
                level="DEDUPED" if not place else None,
                dedup_reason=None if place else "doc_retrieved",
                degraded_reason="timeout" if failed else None,
                duration_ms=10_000.0 if failed else 35.0 + place,
            )
        )
    return tuple(found)


@dataclass
class StatedMonitor:
    """Hands out the figures above; `asked` and `acknowledged`: what was asked of it. `empty`: nothing happened yet;
    `breaks`: figures cannot be had, for a fault of the program."""

    empty: bool = False
    breaks: bool = False
    desks_are: DeskFolder = DeskFolder.OFF
    collections: int = 0
    asked: list[tuple[Selection, dict[str, Any]]] = field(default_factory=list)
    asked_of: list[Period] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)
    selections: list[Selection] = field(default_factory=list)
    periods: list[Period] = field(default_factory=list)

    def collect(self) -> bool:
        """Only counted."""
        self.collections += 1
        return True

    def agents(self) -> tuple[AgentFigures, ...]:
        """All nine."""
        return agents()

    def type_names(self) -> Mapping[str, str]:
        """Three."""
        return TYPES

    def service(self, period: Period, edges: Sequence[datetime], selection: Selection = EVERYTHING) -> ServiceFigures:
        """A day, or nothing."""
        if self.breaks:
            raise ZeroDivisionError("no figures")
        self.selections.append(selection)
        self.periods.append(period)
        if self.empty:
            none = Rate(0, 0)
            gone = tuple(Bucket(a, round((b - a).total_seconds()), 0, {}) for a, b in pairwise(edges))
            return ServiceFigures(period, 0, 0, none, none, none, none, None, 0, (), (), {}, {}, gone)
        return ServiceFigures(
            *(period, 1284, 412, Rate(1262, 1284), Rate(131, 1262), Rate(9, 14), Rate(88, 1284), 1284 / 412, 22),
            unanswered=unanswered(),
            concerns=CONCERNS,
            concern_counts={Concern.FLAGGED: 2, Concern.EXPIRED: 12, Concern.NEVER_SHOWN: 1043},
            honesty=HONESTY,
            timeline=buckets(edges),
        )

    def desks(self, period: Period) -> DesksFigures:
        """Two desks, where a folder is set."""
        if self.desks_are is DeskFolder.OFF:
            return DesksFigures(period, DeskFolder.OFF, "")
        rates = {"answered": Rate(1262, 1284), "without_result": Rate(131, 1262), "adopted": Rate(9, 14)}
        return DesksFigures(period, self.desks_are, "//server/desks", DESKS, 1284, 412, **rates)

    def engines(self, period: Period, edges: Sequence[datetime], selection: Selection = EVERYTHING) -> EngineFigures:
        """A day, or nothing."""
        self.selections.append(selection)
        self.periods.append(period)
        if self.empty:
            gone = tuple(Bucket(a, round((b - a).total_seconds()), 0, {}) for a, b in pairwise(edges))
            cold = CacheFigures(0, 0, 0)
            return EngineFigures(period, 0, 0, 0, None, None, agents(), (), gone, {}, (), cold, None, 0)
        counts = tuple(round(40 * math.exp(-(((number - 28) / 8) ** 2))) for number in range(40))
        similarity = (SimilarityHistogram("hashed", counts, Thresholds(0.62, 0.41)),)
        return EngineFigures(
            *(period, 1284, 22, 61, 42.0, 188.0, agents(), series(period), buckets(edges)),
            dedup_reasons={"doc_retrieved": 61, "domain_retrieved": 17},
            similarity=similarity,
            cache=CacheFigures(204, 1080, 3),
            index_written_at=datetime.now(UTC) - timedelta(hours=5),
            failed_files=3,
        )

    def alerts(self, since: datetime | None = None) -> tuple[Alert, ...]:
        """Four, as they stand; one that was acknowledged is no longer open."""
        return () if self.empty else tuple(alert for alert in ALERTS if alert.id not in self.acknowledged)

    def acknowledge(self, alert_id: int) -> None:
        """Remembered."""
        self.acknowledged.append(alert_id)

    def suggestions(self) -> tuple[Suggestion, ...]:
        """One of each kind."""
        return () if self.empty else SUGGESTIONS

    def lookups(self, period: Period, selection: Selection = EVERYTHING, **which: Any) -> tuple[LoggedLookup, ...]:
        """All of them, whatever is asked."""
        self.asked_of.append(period)
        self.asked.append((selection, {name: value for name, value in which.items() if value is not None}))
        return () if self.empty else lookups()

    def close(self) -> None:
        """Nothing to end."""

    def timeline(self, session_id: str) -> tuple[Moment, ...]:
        """The session's lookups, oldest first, and what was done after the last."""
        own = [row for row in reversed(lookups()) if row.session_id == session_id]
        last = own[-1].at + timedelta(minutes=1)
        return (
            *(Moment(row.at, "lookup", row) for row in own),
            Moment(last, "opened", None, "printing/jam.md", "打印机卡纸"),
            Moment(last, "voted", None, "printing/jam.md", "打印机卡纸", -1),
        )
