"""Articles to look at: voted not useful, past their review date, or shown to nobody in a period."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection

from core.clock import iso
from core.figures import ArticleConcern, Concern, Period

_LISTED = 10
_AMONG = " AND article.domain IN (SELECT value FROM json_each(:domains))"
# Votes that stand: the last one on the same lookup's article.
_FLAGGED = """
    SELECT article.doc_key, title, count(DISTINCT e.invocation_id) AS votes
    FROM session_event AS e INDEXED BY session_event_against
    CROSS JOIN vote ON vote.invocation_id = e.invocation_id AND vote.doc_key = e.doc_key AND vote.value = -1
    CROSS JOIN article ON article.doc_key = e.doc_key
    WHERE e.kind = 'voted' AND e.value = -1 AND e.at >= :start AND e.at < :end{among}
    GROUP BY article.doc_key ORDER BY votes DESC, article.doc_key
"""
_EXPIRED = "FROM article WHERE (state = 'expired' OR (state = 'current' AND review_by < :today)){among}"
# What was shown last after the period may have been shown in it as well: only then the log is asked.
_SHOWN = """
    shown.last_at >= :start AND (shown.last_at < :end
        OR EXISTS (SELECT 1 FROM retrieved AS r WHERE r.doc_key = shown.doc_key
            AND r.first_at >= :start AND r.first_at < :end)
        OR EXISTS (SELECT 1 FROM session_event AS e WHERE e.doc_key = shown.doc_key
            AND e.at >= :start AND e.at < :end AND e.kind IN ('opened', 'copied', 'voted')))
"""
_COUNT_SHOWN = f"""
    SELECT count(*) FROM article_shown AS shown CROSS JOIN article ON article.doc_key = shown.doc_key
    WHERE article.state = 'current'{{among}} AND {_SHOWN}
"""
_NEVER_SHOWN = f"""
    SELECT doc_key, title FROM article WHERE state = 'current'{{among}} AND NOT EXISTS
        (SELECT 1 FROM article_shown AS shown WHERE shown.doc_key = article.doc_key AND {_SHOWN})
    ORDER BY id LIMIT {_LISTED}
"""


def flagged(connection: sqlite3.Connection, period: Period) -> tuple[ArticleConcern, ...]:
    """All articles voted not useful in the period, the most often first."""
    values = {"start": iso(period.start), "end": iso(period.end)}
    rows = connection.execute(_FLAGGED.replace("{among}", ""), values)
    return tuple(ArticleConcern(row["doc_key"], row["title"], Concern.FLAGGED, row["votes"]) for row in rows)


def concerns(
    connection: sqlite3.Connection, period: Period, today: str, domains: Collection[str] | None
) -> tuple[tuple[ArticleConcern, ...], dict[str, int]]:
    """The first ten of each concern, and how many there are of each. `today`: ISO 8601, for review dates; `domains`:
    only articles of these (None: of all). Never shown: current, and in the period neither handed over to a session that
    did not hold it, nor opened, copied or voted on."""
    values = {
        "start": iso(period.start),
        "end": iso(period.end),
        "today": today,
        "domains": json.dumps(sorted(domains or ())),
    }

    def rows(query: str) -> list[sqlite3.Row]:
        return connection.execute(query.replace("{among}", "" if domains is None else _AMONG), values).fetchall()

    against = rows(_FLAGGED)
    found = {
        Concern.FLAGGED: against[:_LISTED],
        Concern.EXPIRED: rows(f"SELECT doc_key, title {_EXPIRED} ORDER BY review_by, doc_key LIMIT {_LISTED}"),
        Concern.NEVER_SHOWN: rows(_NEVER_SHOWN),
    }
    current = rows("SELECT count(*) FROM article WHERE state = 'current'{among}")[0][0]
    counts = {
        Concern.FLAGGED: len(against),
        Concern.EXPIRED: rows(f"SELECT count(*) {_EXPIRED}")[0][0],
        Concern.NEVER_SHOWN: current - rows(_COUNT_SHOWN)[0][0],
    }
    listed = tuple(
        ArticleConcern(row["doc_key"], row["title"], concern, row["votes"] if concern is Concern.FLAGGED else 0)
        for concern, some in found.items()
        for row in some
    )
    return listed, {str(concern): count for concern, count in counts.items()}
