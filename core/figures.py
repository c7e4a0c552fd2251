"""What the monitor shows: frozen figures over a stretch of time, each with what it counts (contract §8, §9).

Three layers, never mixed: *request* (a lookup as it was asked: `tool_invocation`), *tool* (what its retrieval did:
legs, cache, similarity) and *agent* (the calls of an instance, probes included). All moments are aware UTC datetimes;
local time is the front end's to work out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.report import LevelShare, Thresholds

ENOUGH = 20  # below this many nothing is concluded: no alert, no penalty, "too few" beside a rate


class Layer(StrEnum):
    """What a figure is about."""

    REQUEST = "request"
    TOOL = "tool"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Period:
    """From `start` up to, not including, `end`; aware UTC."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Selection:
    """Which lookups count: of one agent type, one instance, one domain; None: all."""

    type: str | None = None
    agent: str | None = None
    domain: str | None = None


EVERYTHING = Selection()


@dataclass(frozen=True, slots=True)
class Rate:
    """`count` of `n`."""

    count: int
    n: int

    @property
    def share(self) -> float | None:
        """0 … 1; None without anything to count."""
        return self.count / self.n if self.n else None

    @property
    def enough(self) -> bool:
        """Whether n is large enough to conclude anything."""
        return self.n >= ENOUGH


# ------------------------------------------------------------------- agents


class BreakerState(StrEnum):
    """closed: calls go through; open: none does; half_open: exactly one, a probe, may."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True)
class AgentFigures:
    """An instance over its sliding window (contract §8). `total` = calls; `degraded` of the failures among them are
    those whose answer was told as degraded or lacked a leg. Without calls: success_rate 1.0, avg_ms and p95_ms 0."""

    id: str
    type: str
    tier: str
    total: int
    success_rate: float
    degraded: int
    avg_ms: float
    p95_ms: float
    monitor_penalty: float
    routing_score: float
    breaker: BreakerState = BreakerState.CLOSED
    breaker_since: datetime | None = None
    p50_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class AgentSeries:
    """One instance over time, from its persisted metrics; all tuples have the length of `at`. A stretch without any
    row is a gap."""

    agent: str
    type: str
    at: tuple[datetime, ...]
    success_rate: tuple[float, ...]
    penalty: tuple[float, ...]
    routing_score: tuple[float, ...]
    p50_ms: tuple[float, ...]
    p95_ms: tuple[float, ...]
    degraded_share: tuple[float, ...]
    calls: tuple[int, ...]
    width_s: int = 60


@dataclass(frozen=True, slots=True)
class CacheFigures:
    """Lookups answered from the cache, those that were not, and entries not used because something had changed."""

    hits: int
    misses: int
    stale_prevented: int


@dataclass(frozen=True, slots=True)
class Collected:
    """How many collections there were (contract §8), and of the newest: the lowest success rate of all agents, and
    when it was; 0, 1.0 and None before the first."""

    count: int
    min_success_rate: float
    at: datetime | None


# ------------------------------------------------------------------- alerts


class AlertState(StrEnum):
    """What became of an alert."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Alert:
    """`name` is `agent_success_rate:<id>`, `agent_avg_ms:<id>` or `suspected_outage:<query key>` (疑似故障);
    `value` and `threshold` in the name's own unit (a share, milliseconds, sessions). `value` is that of the last minute
    while the alert stands, of an outage that at its height. `detail`: the query as asked."""

    id: int
    name: str
    value: float
    threshold: float
    opened_at: datetime
    state: AlertState
    acknowledged_at: datetime | None = None
    resolved_at: datetime | None = None
    detail: str = ""

    @property
    def shown_name(self) -> str:
        """The name for readers outside the program, one line: that of an outage holds the query as asked, not its
        key."""
        kind, _, subject = self.name.partition(":")
        return f"{kind}:{' '.join((self.detail or subject).split())}"


class SuggestionKind(StrEnum):
    """What a suggestion is about; the front end finds its words by this and by `facts`."""

    SLOW_AGENT = "slow_agent"  # agent, avg_ms, hours, serving (who answers instead, or empty)
    FAILING_AGENT = "failing_agent"  # agent, success_rate, total, serving
    WRITE_ARTICLE = "write_article"  # query, count
    BADGE_LIES = "badge_lies"  # level, share, n
    REVIEW_ARTICLE = "review_article"  # doc_key, title, count (not useful)
    EXPIRED_ARTICLES = "expired_articles"  # count
    FAILED_FILES = "failed_files"  # count
    OUTAGE = "outage"  # query, sessions


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What could be done (contract §8). `title` and `detail` are sentences in the engine's language; `priority` 1–10,
    10 first; `agent`, `query`, `doc_key`: what it leads to, empty where it does not."""

    kind: SuggestionKind
    title: str
    detail: str
    priority: int
    facts: Mapping[str, str | int | float]
    agent: str = ""
    query: str = ""
    doc_key: str = ""


# ------------------------------------------------------- the two sub-pages


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question without an answer, near-equal ones grouped: as asked last, how often, in how many sessions."""

    query: str
    key: str
    count: int
    sessions: int
    last_at: datetime


class Concern(StrEnum):
    """Why an article should be looked at."""

    FLAGGED = "flagged"  # voted not useful in the period
    EXPIRED = "expired"  # past its review date
    NEVER_SHOWN = "never_shown"  # retrieved by nobody in the period


@dataclass(frozen=True, slots=True)
class ArticleConcern:
    """An article and why to look at it. `count`: votes against it; 0 for the others."""

    doc_key: str
    title: str
    concern: Concern
    count: int = 0


@dataclass(frozen=True, slots=True)
class Bucket:
    """Lookups (superseded ones left out) begun in [start, start + width): counts by what came of them. The six counts
    of `levels` (PRECISE, HIGHLY_RELEVANT, REFERENCE, DEDUPED, none, degraded) add up to `lookups`."""

    start: datetime
    width_s: int
    lookups: int
    levels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ServiceFigures:
    """The page a supervisor opens every morning. `answered`: answered as asked (success); `adopted`: sessions with an
    article copied, voted useful or named at closing; `repeated`: lookups whose question (near-equal) its session had
    asked before, the first seed's ISS-002; `lookups_per_session` None without a session; `concern_counts`: how many
    articles there are of each concern, of which `concerns` lists the first."""

    period: Period
    lookups: int
    sessions: int
    answered: Rate
    without_result: Rate
    adopted: Rate
    repeated: Rate
    lookups_per_session: float | None
    degraded: int
    unanswered: tuple[Unanswered, ...]
    concerns: tuple[ArticleConcern, ...]
    concern_counts: Mapping[str, int]
    honesty: Mapping[str, LevelShare]
    timeline: tuple[Bucket, ...]


@dataclass(frozen=True, slots=True)
class SimilarityHistogram:
    """Lookups by the similarity of their primary's evidence, in `len(counts)` equal bins over 0 … 1, for one embedder,
    with the thresholds that hold now."""

    embedder: str
    counts: tuple[int, ...]
    thresholds: Thresholds


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """How retrieval does. `degraded`: lookups told as degraded; `leg_missing`: answered without a leg; percentiles in
    milliseconds over requests, None without one."""

    period: Period
    lookups: int
    degraded: int
    leg_missing: int
    p50_ms: float | None
    p95_ms: float | None
    agents: tuple[AgentFigures, ...]
    series: tuple[AgentSeries, ...]
    levels: tuple[Bucket, ...]
    dedup_reasons: Mapping[str, int]
    similarity: tuple[SimilarityHistogram, ...]
    cache: CacheFigures
    index_written_at: datetime | None
    failed_files: int


# --------------------------------------------------------------- drill-down


@dataclass(frozen=True, slots=True)
class LoggedLookup:
    """One row of the log, as a list shows it. `level` None: nothing found."""

    id: int
    session_id: str
    query: str
    at: datetime
    actor: str
    trigger: str
    agent: str
    domain: str
    outcome: str
    level: str | None
    dedup_reason: str | None
    degraded_reason: str | None
    duration_ms: float


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of a session's time line: a lookup, or an event on an article (`kind`: opened, copied, voted …)."""

    at: datetime
    kind: str
    lookup: LoggedLookup | None = None
    doc_key: str = ""
    title: str = ""
    value: int | None = None
