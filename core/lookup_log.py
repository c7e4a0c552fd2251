"""Writing down a lookup: its row, and what it handed over, in one transaction (contract §2, §7)."""

from __future__ import annotations

from core.answering import Prepared, Request
from core.model import Actor, Trigger
from core.session import RetrievedDocTracker
from core.store.activity import Activity
from core.store.database import Database


def write_lookup(
    database: Database,
    activity: Activity,
    tracker: RetrievedDocTracker,
    prepared: Prepared,
    *,
    request: Request,
    actor: Actor,
    trigger: Trigger,
    duration_ms: float,
) -> int:
    """One `tool_invocation` row; with `request.hands_over` also a mark for each article handed over. Returns the
    row's id."""
    result = prepared.answer.result
    assert request.session_id is not None
    with database.transaction():
        invocation = activity.record_lookup(
            request.session_id,
            request.text,
            outcome=result.outcome,
            details=prepared.answer.details,
            duration_ms=duration_ms,
            actor=actor,
            trigger=trigger,
            degraded_reason=result.degraded.reason if result.degraded else None,
            relevance_level=result.relevance_level,
            evidence_level=result.evidence_level,
            dedup_reason=result.dedup_reason,
        )
        for handed in prepared.handed if request.hands_over else ():
            tracker.mark_retrieved(
                request.session_id,
                handed.domain,
                handed.doc_key,
                content_hash=handed.content_hash,
                query=request.text,
                invocation_id=invocation,
                answered=handed.level,
            )
    return invocation
