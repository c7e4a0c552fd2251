"""The triggers that keep the monitor's sums (m012): from a row of the log to what it adds to each period."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from core.store import monitor_schema
from core.store.monitor_schema import (
    ANSWERS,
    BINS,
    COUNTS,
    DEDUP_REASONS,
    DURATION_BINS,
    DURATION_EDGES_MS,
    FIRSTS,
    HISTOGRAM_WIDTHS,
    SIMILARITY_BINS,
    SUM_WIDTHS,
)


def _duration_bin(low: int = 0, high: int = DURATION_BINS - 1) -> str:
    """The number of edges at or below duration_ms, by halving."""
    if low == high:
        return str(low)
    middle = (low + high) // 2
    return (
        f"CASE WHEN duration_ms < {DURATION_EDGES_MS[middle]} THEN {_duration_bin(low, middle)} "
        f"ELSE {_duration_bin(middle + 1, high)} END"
    )


COUNTS_AT_ALL = "superseded = 0 AND tool_name = 'lookup_knowledge' AND julianday(created_at) >= 2440587.5"
"""Which rows of tool_invocation are counted."""

# What rows of the log count as. Long JSON is read once, here; JSON that cannot be read says nothing.
_READ = f"""
    INSERT INTO lookup_reading (id, session_id, at, agent, agent_type, domain, key, answer, dedup, duration_ms,
        duration_bin, details)
    SELECT t.id, session_id, CAST(round((julianday(created_at) - 2440587.5) * 86400000.0) AS INTEGER),
        ifnull(agent, ''),
        ifnull(agent_type, substr(ifnull(agent, ''), 1, max(instr(ifnull(agent, ''), '/') - 1, 0))),
        ifnull(domain, ''), ifnull(nullif(query_key, ''), 'text:' || lower(trim(query))),
        CASE WHEN outcome = 'degraded' THEN 5 WHEN relevance_level = 'PRECISE' THEN 0
            WHEN relevance_level = 'HIGHLY_RELEVANT' THEN 1 WHEN relevance_level = 'REFERENCE' THEN 2
            WHEN relevance_level = 'DEDUPED' OR outcome = 'deduped' THEN 3
            WHEN outcome = 'not_found' THEN 4 ELSE 6 END,
        CASE dedup_reason WHEN 'doc_retrieved' THEN 1 WHEN 'domain_retrieved' THEN 2 ELSE 0 END,
        duration_ms, {_duration_bin()},
        CASE WHEN json_valid(retrieval_details)
            THEN json_extract(retrieval_details, '$.embedder', '$.missing_legs', '$.evidence.similarity') END
    FROM tool_invocation AS t LEFT JOIN lookup_fact AS f ON f.invocation_id = t.id
    WHERE {{which}} AND {COUNTS_AT_ALL}
"""
# With a leg missing, similarity was formed from something else.
_READ_DETAILS = f"""
    UPDATE lookup_reading SET embedder = ifnull(json_extract(details, '$[0]'), ''),
        leg_missing = answer <> 5 AND ifnull(json_array_length(details, '$[1]'), 0) > 0,
        similarity_bin = CASE WHEN answer = 5 OR ifnull(json_array_length(details, '$[1]'), 0) > 0 THEN NULL ELSE
            max(0, min({SIMILARITY_BINS - 1},
                CAST(json_extract(details, '$[2]') * {SIMILARITY_BINS} + 1e-9 AS INTEGER))) END
"""
_END = "DELETE FROM lookup_reading"

_ADOPTED = """
    EXISTS (SELECT 1 FROM session_event AS e WHERE e.session_id = {session} AND (e.kind = 'copied'
        OR (e.kind = 'closed' AND e.doc_key IS NOT NULL)
        OR (e.kind = 'voted' AND e.value > 0 AND NOT EXISTS (SELECT 1 FROM session_event AS later
            WHERE later.session_id = e.session_id AND later.id > e.id AND later.kind = 'voted'
            AND later.doc_key IS e.doc_key AND later.invocation_id IS e.invocation_id))))
"""
_NEW_KEYS = (
    "INSERT INTO asked_key (key) SELECT DISTINCT key FROM lookup_reading AS l "
    "WHERE NOT EXISTS (SELECT 1 FROM asked_key AS k WHERE k.key = l.key)"
)
_NEW_SCOPES = (
    "INSERT INTO lookup_scope (agent, agent_type, domain, embedder) "
    "SELECT DISTINCT agent, agent_type, domain, embedder FROM lookup_reading AS l WHERE NOT EXISTS "
    "(SELECT 1 FROM lookup_scope AS s WHERE s.agent = l.agent AND s.agent_type = l.agent_type "
    "AND s.domain = l.domain AND s.embedder = l.embedder)"
)
_COUNTED = (
    "INSERT INTO counted_lookup (id, at, session, key, scope, answer, dedup, leg_missing, repeated, firsts, "
    "duration_ms, duration_bin, similarity_bin) "
    "SELECT l.id, l.at, c.id, k.id, s.id, answer, dedup, leg_missing, {repeated}, {firsts}, "
    "duration_ms, duration_bin, similarity_bin "
    "FROM lookup_reading AS l CROSS JOIN counted_session AS c ON c.session_id = l.session_id "
    "CROSS JOIN asked_key AS k ON k.key = l.key "
    "CROSS JOIN lookup_scope AS s ON s.agent = l.agent AND s.agent_type = l.agent_type "
    "AND s.domain = l.domain AND s.embedder = l.embedder"
)


def _anew(which: str) -> tuple[str, ...]:
    """Count the rows of whole sessions whose counted rows are gone. First is what was asked first: by the moment, and
    of one moment by the id."""

    def first(*columns: str) -> str:
        names = ", ".join(("l.session_id", *(f"l.{column}" for column in columns)))
        return f"row_number() OVER (PARTITION BY {names} ORDER BY l.at, l.id) = 1"

    bits = " + ".join(f"{1 << bit} * ({first(*columns)})" for bit, columns in enumerate(FIRSTS))
    sessions = (
        "INSERT INTO counted_session (session_id, first_at, last_at, adopted) "
        f"SELECT session_id, min(at), max(at), {_ADOPTED.format(session='l.session_id')} "
        "FROM lookup_reading AS l GROUP BY session_id"
    )
    counted = _COUNTED.replace("{repeated}", f"NOT ({first('key')})").replace("{firsts}", bits)
    read = _READ.replace("{which}", which)
    return read, _READ_DETAILS, _NEW_KEYS, _NEW_SCOPES, sessions, f"{counted} ORDER BY l.id", _END


def _triggers() -> tuple[str, ...]:
    anew = "; ".join(_anew("session_id = new.session_id"))
    return (
        "CREATE TRIGGER lookup_logged AFTER INSERT ON tool_invocation WHEN new.superseded = 0 "
        "AND new.tool_name = 'lookup_knowledge' AND julianday(new.created_at) >= 2440587.5 "
        f"BEGIN {'; '.join(_one_more())}; END",
        # `INSERT INTO session_recount VALUES (id)`: count all of a session anew.
        "CREATE VIEW session_recount AS SELECT session_id FROM counted_session",
        "CREATE TRIGGER session_recounted INSTEAD OF INSERT ON session_recount BEGIN "
        "DELETE FROM counted_lookup WHERE session = "
        "(SELECT id FROM counted_session WHERE session_id = new.session_id); "
        f"DELETE FROM counted_session WHERE session_id = new.session_id; {anew}; END",
        "CREATE TRIGGER lookup_superseded AFTER UPDATE OF superseded ON tool_invocation "
        "WHEN old.superseded <> new.superseded BEGIN INSERT INTO session_recount VALUES (new.session_id); END",
        # Whoever moves or deletes whole sessions takes their counted rows away first, and counts once at the end.
        "CREATE TRIGGER lookup_moved AFTER UPDATE OF session_id ON tool_invocation "
        "WHEN EXISTS (SELECT 1 FROM counted_lookup WHERE id = new.id) BEGIN "
        "DELETE FROM counted_lookup WHERE id = new.id; "
        "INSERT INTO session_recount VALUES (old.session_id); INSERT INTO session_recount VALUES (new.session_id); END",
        "CREATE TRIGGER lookup_deleted AFTER DELETE ON tool_invocation "
        "WHEN EXISTS (SELECT 1 FROM counted_lookup WHERE id = old.id) BEGIN "
        "DELETE FROM counted_lookup WHERE id = old.id; INSERT INTO session_recount VALUES (old.session_id); END",
        "CREATE TRIGGER lookup_fact_deleted AFTER DELETE ON tool_invocation BEGIN "
        "DELETE FROM lookup_fact WHERE invocation_id = old.id; END",
        *_sum_triggers(),
        *_event_triggers(),
    )


def _one_more() -> tuple[str, ...]:
    """Count one new row: cheaper than its session anew, and the same. One that is written after rows of later moments
    (the clock was set back, or threads were overtaken) has its session counted anew."""

    def earlier(columns: tuple[str, ...]) -> str:
        if not columns:
            return "EXISTS (SELECT 1 FROM counted_lookup AS e WHERE e.session = c.id)"
        same = " AND ".join(f"o.{column} = l.{column}" for column in columns)
        return (
            "EXISTS (SELECT 1 FROM counted_lookup AS e CROSS JOIN lookup_scope AS o ON o.id = e.scope "
            f"WHERE e.session = c.id AND {same})"
        )

    bits = " + ".join(f"{1 << bit} * (NOT {earlier(columns)})" for bit, columns in enumerate(FIRSTS))
    repeated = "EXISTS (SELECT 1 FROM counted_lookup AS e WHERE e.session = c.id AND e.key = k.id)"
    begun = (
        "INSERT INTO counted_session (session_id, first_at, last_at, adopted) "
        f"SELECT session_id, at, at, {_ADOPTED.format(session='l.session_id')} FROM lookup_reading AS l "
        "WHERE NOT EXISTS (SELECT 1 FROM counted_session AS c WHERE c.session_id = l.session_id)"
    )
    went_on = (
        "UPDATE counted_session SET first_at = min(first_at, (SELECT at FROM lookup_reading)), "
        "last_at = max(last_at, (SELECT at FROM lookup_reading)) WHERE session_id = new.session_id"
    )
    overtaken = (
        "INSERT INTO session_recount SELECT new.session_id FROM counted_lookup AS l "
        "CROSS JOIN counted_session AS c ON c.id = l.session WHERE l.id = new.id AND (c.last_at > l.at OR EXISTS "
        "(SELECT 1 FROM counted_lookup AS o INDEXED BY counted_lookup_by_time "
        "WHERE o.at = l.at AND o.session = l.session AND o.id > l.id))"
    )
    read = (_READ.replace("{which}", "t.id = new.id"), _READ_DETAILS, _NEW_KEYS, _NEW_SCOPES)
    counted = _COUNTED.replace("{repeated}", repeated).replace("{firsts}", bits)
    return *read, begun, went_on, counted, _END, overtaken


def _event_triggers() -> tuple[str, ...]:
    """What events say of sessions and articles."""
    handled = "new.doc_key IS NOT NULL AND new.kind IN ('opened', 'copied', 'voted')"
    return (
        "CREATE TRIGGER session_judged AFTER INSERT ON session_event WHEN new.kind IN ('copied', 'voted', 'closed') "
        f"BEGIN UPDATE counted_session SET adopted = {_ADOPTED.format(session='new.session_id')} "
        "WHERE session_id = new.session_id; END",
        *(
            f"CREATE TRIGGER {name} AFTER INSERT ON {table} WHEN {when} BEGIN "
            f"INSERT INTO article_shown (doc_key, last_at) VALUES (new.doc_key, {at}) "
            "ON CONFLICT (doc_key) DO UPDATE SET last_at = max(last_at, excluded.last_at); END"
            for name, table, when, at in (
                ("article_retrieved", "retrieved", "true", "new.first_at"),
                ("article_handled", "session_event", handled, "new.at"),
            )
        ),
    )


def _sum_triggers() -> tuple[str, ...]:
    """lookup_sum and lookup_histogram follow counted_lookup and counted_session.adopted. All find their rows by the
    key, which an UPDATE with a subselect would not."""

    def changed(row: str, sign: str) -> str:
        return "; ".join(
            f"INSERT INTO {table} (width, start, scope, {', '.join(names)}) "
            f"SELECT width, {row}.at / 1000 / width * width, {row}.scope, {', '.join(values)} "
            f"FROM ({_widths(widths)}) CROSS JOIN counted_session AS c ON c.id = {row}.session WHERE true "
            "ON CONFLICT (width, start, scope) DO UPDATE SET "
            + ", ".join(f"{name} = {name} {sign} excluded.{name}" for name in names)
            for table, widths, names, values in _summed(row)
        )

    adopted = [f"adopted_{bit}" for bit in range(len(FIRSTS))]
    turned = (
        f"INSERT INTO lookup_sum (width, start, scope, {', '.join(COUNTS)}) "
        f"SELECT width, at / 1000 / width * width AS start, scope, {'0, ' * (len(COUNTS) - len(adopted))}"
        + ", ".join(f"(new.adopted - old.adopted) * sum((firsts >> {bit}) & 1)" for bit in range(len(FIRSTS)))
        + f" FROM counted_lookup AS l CROSS JOIN ({_widths(SUM_WIDTHS)}) WHERE l.session = new.id GROUP BY 1, 2, 3 "
        "ON CONFLICT (width, start, scope) DO UPDATE SET "
        + ", ".join(f"{name} = {name} + excluded.{name}" for name in adopted)
    )
    return (
        f"CREATE TRIGGER lookup_counted AFTER INSERT ON counted_lookup BEGIN {changed('new', '+')}; END",
        f"CREATE TRIGGER lookup_uncounted AFTER DELETE ON counted_lookup BEGIN {changed('old', '-')}; END",
        "CREATE TRIGGER session_adopted AFTER UPDATE OF adopted ON counted_session "
        f"WHEN old.adopted <> new.adopted BEGIN {turned}; END",
    )


def _summed(row: str) -> tuple[tuple[str, tuple[int, ...], tuple[str, ...], tuple[str, ...]], ...]:
    """(table, widths, columns, what a row of counted_lookup beside its session adds to each)."""
    first = [f"({row}.firsts >> {bit}) & 1" for bit in range(len(FIRSTS))]
    counts = (
        *(f"{row}.answer = {code}" for code in range(len(ANSWERS))),
        *(f"{row}.dedup = {code}" for code in range(1, len(DEDUP_REASONS) + 1)),
        f"{row}.leg_missing",
        f"{row}.repeated",
        *first,
        *(f"({one}) * adopted" for one in first),
    )
    bins = (
        *(f"{row}.duration_bin = {number}" for number in range(DURATION_BINS)),
        *(f"ifnull({row}.similarity_bin = {number}, 0)" for number in range(SIMILARITY_BINS)),
    )
    return ("lookup_sum", SUM_WIDTHS, COUNTS, counts), ("lookup_histogram", HISTOGRAM_WIDTHS, BINS, bins)


def _widths(widths: tuple[int, ...]) -> str:
    return " UNION ALL ".join(f"SELECT {width} AS width" for width in widths)


def sums() -> Iterator[tuple[str, int, tuple[str, ...], str]]:
    """(table, width, columns, the query for its rows (width, start, scope, columns): those of the narrowest width from
    counted_lookup, the others from the next narrower); narrower ones first."""
    for table, widths, names, values in _summed("l"):
        from_rows = (
            f"SELECT {widths[0]}, l.at / 1000 / {widths[0]} * {widths[0]}, l.scope, "
            f"{', '.join(f'sum({value})' for value in values)} FROM counted_lookup AS l "
            "CROSS JOIN counted_session AS c ON c.id = l.session GROUP BY 2, 3"
        )
        yield table, widths[0], names, from_rows
        added = ", ".join(f"sum({name})" for name in names)
        for narrower, width in pairwise(widths):
            from_sums = (
                f"SELECT {width}, start / {width} * {width}, scope, {added} FROM {table} WHERE width = {narrower}"
            )
            yield table, width, names, f"{from_sums} GROUP BY 2, 3"


def _counting() -> tuple[str, ...]:
    return *_anew("true"), *(
        f"INSERT INTO {table} (width, start, scope, {', '.join(names)}) {rows}" for table, _, names, rows in sums()
    )


def filling() -> tuple[str, ...]:
    """Count all of a log that nothing was counted of; without the triggers, which would do the last part again."""
    shown = (
        "INSERT INTO article_shown (doc_key, last_at) SELECT doc_key, max(at) FROM ("
        "SELECT doc_key, first_at AS at FROM retrieved UNION ALL SELECT doc_key, at FROM session_event "
        "WHERE doc_key IS NOT NULL AND kind IN ('opened', 'copied', 'voted')) GROUP BY doc_key"
    )
    return *_counting(), shown


def recounting() -> tuple[str, ...]:
    """Count all of the log anew, whatever was counted of it."""
    triggers = _sum_triggers()
    tables = ("counted_lookup", "counted_session", "lookup_sum", "lookup_histogram")
    return (
        *(f"DROP TRIGGER IF EXISTS {trigger.split()[2]}" for trigger in triggers),
        *(f"DELETE FROM {table}" for table in tables),
        *_counting(),
        *triggers,
    )


def statements() -> tuple[str, ...]:
    """All of m012 in order: tables, the sums of what was logged before, triggers."""
    return (*monitor_schema.TABLES, *filling(), *_triggers())
