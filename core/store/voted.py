"""Lookups that people voted on in a period: the level that was told, the articles it was told of, and the votes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from core.clock import iso
from core.figures import Period, Selection
from core.store.lookup_sums import scope_of

if TYPE_CHECKING:
    from core.store.database import Database


def voted_lookups(
    database: Database, period: Period, selection: Selection, limit: int
) -> Iterator[tuple[str | None, list[str], Mapping[str, int]]]:
    """(evidence level, doc_keys as judged, doc_key → vote) of the lookups by people whose last vote lies in the period,
    newest vote first; superseded ones and votes taken back are left out."""
    with database.snapshot() as connection:
        scope = scope_of(connection, selection)
        rows = connection.execute(
            f"""
            SELECT t.evidence_level, CASE WHEN json_valid(retrieval_details)
                    THEN json_extract(retrieval_details, '$.judged[0].doc_key', '$.judged[1].doc_key',
                        '$.judged[2].doc_key') END AS judged,
                (SELECT json_group_object(doc_key, value) FROM vote WHERE invocation_id = t.id AND value <> 0) AS votes
            FROM (SELECT invocation_id, max(at) AS last FROM session_event INDEXED BY session_event_votes
                WHERE kind = 'voted' AND at >= ? AND at < ? GROUP BY invocation_id ORDER BY last DESC) AS v
            CROSS JOIN counted_lookup AS l ON l.id = v.invocation_id{scope.among}
            CROSS JOIN tool_invocation AS t ON t.id = l.id AND actor = 'person' LIMIT ?
            """,
            (iso(period.start), iso(period.end), limit),
        ).fetchall()
    for level, judged, votes in rows:
        if judged is not None and votes != "{}":
            yield level, [key for key in json.loads(judged) if key is not None], json.loads(votes)
