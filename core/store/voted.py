"""Lookups that people voted on in a period: the level that was told, the articles it was told of, and the votes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from core.clock import iso
from core.figures import Period, Selection
from core.store.lookup_sums import scope_of
from core.store.many import rows_in

if TYPE_CHECKING:
    from core.store.database import Database

_NEWEST_VOTES = 20_000  # looked through for those of a selection
_VOTED = """
    SELECT evidence_level, CASE WHEN json_valid(retrieval_details) THEN json_extract(retrieval_details,
            '$.judged[0].doc_key', '$.judged[1].doc_key', '$.judged[2].doc_key') END,
        (SELECT json_group_object(doc_key, value) FROM vote WHERE invocation_id = tool_invocation.id AND value <> 0)
    FROM tool_invocation WHERE id IN (?) AND actor = 'person'
"""


def voted_lookups(
    database: Database, period: Period, selection: Selection, limit: int
) -> Iterator[tuple[str | None, list[str], Mapping[str, int]]]:
    """(evidence level, doc_keys as judged, doc_key → vote) of the lookups by people that were voted on in the period:
    the `limit` that were last, among the period's newest 20,000 votes. Superseded ones and votes taken back are left
    out."""
    with database.snapshot() as connection:
        among = scope_of(connection, selection).among
        asked = connection.execute(
            "SELECT l.id FROM (SELECT invocation_id, at FROM session_event INDEXED BY session_event_votes "
            "WHERE kind = 'voted' AND at >= ? AND at < ? ORDER BY at DESC LIMIT ?) AS e "
            f"CROSS JOIN counted_lookup AS l ON l.id = e.invocation_id{among}",
            (iso(period.start), iso(period.end), _NEWEST_VOTES),
        )
        newest: dict[int, None] = {}
        for (number,) in asked:
            newest[number] = None
            if len(newest) == limit:
                break
        rows = rows_in(connection, _VOTED, tuple(newest))
    for level, judged, votes in rows:
        if judged is not None and votes != "{}":
            yield level, [key for key in json.loads(judged) if key is not None], json.loads(votes)
