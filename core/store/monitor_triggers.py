"""The triggers that keep the monitor's sums (m012): from a row of the log to what it adds to each period."""

from __future__ import annotations

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


# What each row of the log counts as. JSON that cannot be read counts as none.
_SOURCE = f"""
    CREATE VIEW lookup_source AS
    SELECT id, session_id,
        CAST(round((julianday(created_at) - 2440587.5) * 86400000.0) AS INTEGER) AS at,
        agent,
        ifnull(agent_type, substr(agent, 1, max(instr(agent, '/') - 1, 0))) AS agent_type,
        ifnull(domain, '') AS domain,
        ifnull(json_extract(details, '$.embedder'), '') AS embedder,
        ifnull(nullif(query_key, ''), 'text:' || lower(trim(query))) AS key,
        CASE WHEN outcome = 'degraded' THEN 5 WHEN relevance_level = 'PRECISE' THEN 0
            WHEN relevance_level = 'HIGHLY_RELEVANT' THEN 1 WHEN relevance_level = 'REFERENCE' THEN 2
            WHEN relevance_level = 'DEDUPED' OR outcome = 'deduped' THEN 3
            WHEN outcome = 'not_found' THEN 4 ELSE 6 END AS answer,
        CASE dedup_reason WHEN 'doc_retrieved' THEN 1 WHEN 'domain_retrieved' THEN 2 ELSE 0 END AS dedup,
        outcome <> 'degraded' AND ifnull(json_array_length(details, '$.missing_legs'), 0) > 0 AS leg_missing,
        duration_ms,
        {_duration_bin()} AS duration_bin,
        json_extract(details, '$.evidence.similarity') AS similarity
    FROM (SELECT t.id, session_id, created_at, ifnull(agent, '') AS agent, agent_type, domain, query_key, query,
            outcome, relevance_level, dedup_reason, duration_ms,
            CASE WHEN json_valid(retrieval_details) THEN retrieval_details END AS details
        FROM tool_invocation AS t LEFT JOIN lookup_fact AS f ON f.invocation_id = t.id
        WHERE superseded = 0 AND tool_name = 'lookup_knowledge' AND julianday(created_at) >= 2440587.5)
"""

_ADOPTED = """
    EXISTS (SELECT 1 FROM session_event AS e WHERE e.session_id = {session} AND (e.kind = 'copied'
        OR (e.kind = 'closed' AND e.doc_key IS NOT NULL)
        OR (e.kind = 'voted' AND e.value > 0 AND NOT EXISTS (SELECT 1 FROM session_event AS later
            WHERE later.session_id = e.session_id AND later.id > e.id AND later.kind = 'voted'
            AND later.doc_key IS e.doc_key AND later.invocation_id IS e.invocation_id))))
"""
# With a leg missing, similarity was formed from something else.
_SIMILARITY_BIN = (
    f"CASE WHEN leg_missing OR answer = 5 OR similarity IS NULL THEN NULL "
    f"ELSE max(0, min({SIMILARITY_BINS - 1}, CAST(similarity * {SIMILARITY_BINS} + 1e-9 AS INTEGER))) END"
)
_NEW_KEYS = (
    "INSERT INTO asked_key (key) SELECT DISTINCT key FROM lookup_source AS l "
    "WHERE {which} AND NOT EXISTS (SELECT 1 FROM asked_key AS k WHERE k.key = l.key)"
)
_NEW_SCOPES = (
    "INSERT INTO lookup_scope (agent, agent_type, domain, embedder) "
    "SELECT DISTINCT agent, agent_type, domain, embedder FROM lookup_source AS l WHERE {which} AND NOT EXISTS "
    "(SELECT 1 FROM lookup_scope AS s WHERE s.agent = l.agent AND s.agent_type = l.agent_type "
    "AND s.domain = l.domain AND s.embedder = l.embedder)"
)
_COUNTED = (
    "INSERT INTO counted_lookup (id, at, session, key, scope, answer, dedup, leg_missing, repeated, firsts, "
    "duration_ms, duration_bin, similarity_bin) "
    "SELECT l.id, l.at, c.id, k.id, s.id, answer, dedup, leg_missing, {repeated}, {firsts}, "
    f"duration_ms, duration_bin, {_SIMILARITY_BIN} "
    "FROM lookup_source AS l CROSS JOIN counted_session AS c ON c.session_id = l.session_id "
    "CROSS JOIN asked_key AS k ON k.key = l.key "
    "CROSS JOIN lookup_scope AS s ON s.agent = l.agent AND s.agent_type = l.agent_type "
    "AND s.domain = l.domain AND s.embedder = l.embedder WHERE {which}"
)


def _anew(which: str) -> tuple[str, ...]:
    """Count the rows of whole sessions whose counted rows are gone, in order of their ids."""

    def first(*columns: str) -> str:
        names = ", ".join(("l.session_id", *(f"l.{column}" for column in columns)))
        return f"row_number() OVER (PARTITION BY {names} ORDER BY l.id) = 1"

    bits = " + ".join(f"{1 << bit} * ({first(*columns)})" for bit, columns in enumerate(FIRSTS))
    sessions = (
        "INSERT INTO counted_session (session_id, first_at, last_at, adopted) "
        f"SELECT session_id, min(at), max(at), {_ADOPTED.format(session='l.session_id')} "
        "FROM lookup_source AS l WHERE {which} GROUP BY session_id"
    )
    counted = _COUNTED.replace("{repeated}", f"NOT ({first('key')})").replace("{firsts}", bits)
    return tuple(
        statement.replace("{which}", which)
        for statement in (_NEW_KEYS, _NEW_SCOPES, sessions, f"{counted} ORDER BY l.id")
    )


def _triggers() -> tuple[str, ...]:
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
    one = "l.id = new.id"
    begun = (
        "INSERT INTO counted_session (session_id, first_at, last_at, adopted) "
        f"SELECT session_id, at, at, {_ADOPTED.format(session='l.session_id')} FROM lookup_source AS l "
        f"WHERE {one} AND NOT EXISTS (SELECT 1 FROM counted_session AS c WHERE c.session_id = l.session_id)"
    )
    went_on = (
        "UPDATE counted_session SET first_at = min(first_at, (SELECT at FROM lookup_source AS l WHERE l.id = new.id)), "
        "last_at = max(last_at, (SELECT at FROM lookup_source AS l WHERE l.id = new.id)) "
        "WHERE session_id = new.session_id"
    )
    forget = (
        "DELETE FROM counted_lookup WHERE session = "
        "(SELECT id FROM counted_session WHERE session_id = {session}); "
        "DELETE FROM counted_session WHERE session_id = {session}"
    )
    anew = "; ".join(_anew("l.session_id = new.session_id"))
    return (
        "CREATE TRIGGER lookup_logged AFTER INSERT ON tool_invocation WHEN new.superseded = 0 "
        "AND new.tool_name = 'lookup_knowledge' AND julianday(new.created_at) >= 2440587.5 BEGIN "
        + "; ".join(
            (
                _NEW_KEYS.replace("{which}", "l.id = new.id"),
                _NEW_SCOPES.replace("{which}", one),
                begun,
                went_on,
                _COUNTED.replace("{repeated}", repeated).replace("{firsts}", bits).replace("{which}", one),
            )
        )
        + "; END",
        # `INSERT INTO session_recount VALUES (id)`: count all of a session anew.
        "CREATE VIEW session_recount AS SELECT session_id FROM counted_session",
        "CREATE TRIGGER session_recounted INSTEAD OF INSERT ON session_recount BEGIN "
        f"{forget.replace('{session}', 'new.session_id')}; {anew}; END",
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
        "CREATE TRIGGER session_judged AFTER INSERT ON session_event WHEN new.kind IN ('copied', 'voted', 'closed') "
        f"BEGIN UPDATE counted_session SET adopted = {_ADOPTED.format(session='new.session_id')} "
        "WHERE session_id = new.session_id; END",
        *(
            f"CREATE TRIGGER {name} AFTER INSERT ON {table} WHEN {when} BEGIN "
            "INSERT INTO article_shown (doc_key, last_at) VALUES (new.doc_key, {at}) "
            "ON CONFLICT (doc_key) DO UPDATE SET last_at = max(last_at, excluded.last_at); END".replace("{at}", at)
            for name, table, when, at in (
                ("article_retrieved", "retrieved", "true", "new.first_at"),
                (
                    "article_handled",
                    "session_event",
                    "new.doc_key IS NOT NULL AND new.kind IN ('opened', 'copied', 'voted')",
                    "new.at",
                ),
            )
        ),
    )


def _sum_triggers() -> tuple[str, ...]:
    """lookup_sum and lookup_histogram follow counted_lookup and counted_session.adopted."""
    adopted = "(SELECT adopted FROM counted_session WHERE id = {row}.session)"

    def counts(row: str) -> tuple[str, ...]:
        first = [f"({row}.firsts >> {bit}) & 1" for bit in range(len(FIRSTS))]
        return (
            *(f"{row}.answer = {code}" for code in range(len(ANSWERS))),
            *(f"{row}.dedup = {code}" for code in range(1, len(DEDUP_REASONS) + 1)),
            f"{row}.leg_missing",
            f"{row}.repeated",
            *first,
            *(f"({one}) * {adopted.format(row=row)}" for one in first),
        )

    def bins(row: str) -> tuple[str, ...]:
        return (
            *(f"{row}.duration_bin = {number}" for number in range(DURATION_BINS)),
            *(f"ifnull({row}.similarity_bin = {number}, 0)" for number in range(SIMILARITY_BINS)),
        )

    def add(table: str, widths: tuple[int, ...], names: tuple[str, ...], values: tuple[str, ...]) -> str:
        width = " UNION ALL ".join(f"SELECT {one} AS width" for one in widths)
        return (
            f"INSERT INTO {table} (width, start, scope, {', '.join(names)}) "
            f"SELECT width, new.at / 1000 / width * width, new.scope, {', '.join(values)} FROM ({width}) WHERE true "
            f"ON CONFLICT (width, start, scope) DO UPDATE SET {', '.join(f'{n} = {n} + excluded.{n}' for n in names)}"
        )

    def places(row: str, widths: tuple[int, ...]) -> str:
        pairs = ", ".join(f"({one}, {row}.at / 1000 / {one} * {one})" for one in widths)
        return f"(width, start) IN (VALUES {pairs}) AND scope = {row}.scope"

    def take(table: str, widths: tuple[int, ...], names: tuple[str, ...], values: tuple[str, ...]) -> str:
        less = ", ".join(f"{name} = {name} - ({value})" for name, value in zip(names, values, strict=True))
        return f"UPDATE {table} SET {less} WHERE {places('old', widths)}"

    turned = ", ".join(
        f"adopted_{bit} = adopted_{bit} + (new.adopted - old.adopted) * (SELECT sum((firsts >> {bit}) & 1) "
        "FROM counted_lookup AS l WHERE l.session = new.id AND l.scope = lookup_sum.scope "
        "AND l.at / 1000 / width * width = start)"
        for bit in range(len(FIRSTS))
    )
    where = " UNION ALL ".join(
        f"SELECT {one}, at / 1000 / {one} * {one}, scope FROM counted_lookup WHERE session = new.id"
        for one in SUM_WIDTHS
    )
    return (
        "CREATE TRIGGER lookup_counted AFTER INSERT ON counted_lookup BEGIN "
        f"{add('lookup_sum', SUM_WIDTHS, COUNTS, counts('new'))}; "
        f"{add('lookup_histogram', HISTOGRAM_WIDTHS, BINS, bins('new'))}; END",
        "CREATE TRIGGER lookup_uncounted AFTER DELETE ON counted_lookup BEGIN "
        f"{take('lookup_sum', SUM_WIDTHS, COUNTS, counts('old'))}; "
        f"{take('lookup_histogram', HISTOGRAM_WIDTHS, BINS, bins('old'))}; END",
        "CREATE TRIGGER session_adopted AFTER UPDATE OF adopted ON counted_session "
        f"WHEN old.adopted <> new.adopted BEGIN UPDATE lookup_sum SET {turned} "
        f"WHERE (width, start, scope) IN ({where}); END",
    )


_FILL = (
    *_anew("true"),
    "INSERT INTO article_shown (doc_key, last_at) SELECT doc_key, max(at) FROM ("
    "SELECT doc_key, first_at AS at FROM retrieved UNION ALL SELECT doc_key, at FROM session_event "
    "WHERE doc_key IS NOT NULL AND kind IN ('opened', 'copied', 'voted')) GROUP BY doc_key",
)


def statements() -> tuple[str, ...]:
    """All of m012 in order: tables, triggers, and the sums of what was logged before."""
    return (*monitor_schema.TABLES, _SOURCE, *_triggers(), *_FILL)
