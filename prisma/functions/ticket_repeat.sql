-- ticket_repeat: the executions for a ticket that had one before, each with the time of that one, and of the one before
-- by the same agent. The tickets that are new in a window are its executions for tickets, less those whose previous one
-- is in the window too; of an agent likewise.
--
-- The order of a ticket's executions is by created_at and execution_id. An execution that is added, removed, or moved
-- in it, or whose agent changes, changes its own row, and at most those of the next ones by each agent.

-- The execution's place in the order of its ticket; none where it is not for a ticket.
CREATE OR REPLACE FUNCTION "ticket_repeat_of"("e" "execution") RETURNS SETOF "ticket_execution"
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT e.tenant_id, e.environment, e.entity_id, e.execution_id, e.created_at
    WHERE e.entity_id IS NOT NULL AND e.entity_type = 'TICKET'
$$;

-- Serialises the writers of a ticket by an advisory lock, until the transaction ends: two that add an execution each
-- would not see the other's. A tenant has 64 locks, so that a statement on many tickets does not take as many.
CREATE OR REPLACE FUNCTION "ticket_repeat_lock"("moved" "ticket_execution"[]) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(lock) FROM (
        SELECT DISTINCT hashtextextended(
            jsonb_build_array(tenant_id, environment, hashtext(entity_id) & 63)::text, 0) AS lock
        FROM unnest(moved) ORDER BY lock
    ) AS locks;
END
$$;

-- Links the executions in "moved", and those that follow a place in it, to the ones before them as they are now.
CREATE OR REPLACE FUNCTION "ticket_repeat_link"("moved" "ticket_execution"[]) RETURNS VOID LANGUAGE plpgsql AS $$
BEGIN
    PERFORM ticket_repeat_lock(moved);
    -- A statement of its own: its snapshot sees what the last holder of a lock has committed.
    WITH linked AS MATERIALIZED (
        SELECT later.*, before.created_at AS previous_at, of_agent.created_at AS agent_previous_at FROM (
            SELECT m.tenant_id, m.environment, m.execution_id, e.agent_id, t.created_at, t.entity_id
            FROM unnest(moved) m
            LEFT JOIN execution e USING (tenant_id, environment, execution_id)
            LEFT JOIN LATERAL ticket_repeat_of(e) t ON true
            UNION
            SELECT next.* FROM unnest(moved) m CROSS JOIN LATERAL (
                SELECT e.created_at, e.execution_id FROM execution e
                WHERE e.tenant_id = m.tenant_id AND e.environment = m.environment
                    AND e.entity_id = m.entity_id AND e.entity_type = 'TICKET'
                    AND (e.created_at, e.execution_id) > (m.created_at, m.execution_id)
                ORDER BY e.created_at, e.execution_id LIMIT 1
            ) AS first CROSS JOIN LATERAL (
                -- The next by each agent, if there is any: mostly the one that moved is the last.
                SELECT DISTINCT ON (e.agent_id)
                    e.tenant_id, e.environment, e.execution_id, e.agent_id, e.created_at, e.entity_id
                FROM execution e
                WHERE e.tenant_id = m.tenant_id AND e.environment = m.environment
                    AND e.entity_id = m.entity_id AND e.entity_type = 'TICKET'
                    AND (e.created_at, e.execution_id) >= (first.created_at, first.execution_id)
                ORDER BY e.agent_id, e.created_at, e.execution_id
            ) AS next
        ) AS later LEFT JOIN LATERAL (
            SELECT e.created_at FROM execution e
            WHERE e.tenant_id = later.tenant_id AND e.environment = later.environment
                AND e.entity_id = later.entity_id AND e.entity_type = 'TICKET'
                AND (e.created_at, e.execution_id) < (later.created_at, later.execution_id)
            ORDER BY e.created_at DESC, e.execution_id DESC LIMIT 1
        ) AS before ON true LEFT JOIN LATERAL (
            SELECT e.created_at FROM execution e
            WHERE before.created_at IS NOT NULL
                AND e.tenant_id = later.tenant_id AND e.environment = later.environment
                -- As an expression: an index of the agent would have all its executions.
                AND e.entity_id = later.entity_id AND e.entity_type = 'TICKET' AND e.agent_id + 0 = later.agent_id
                AND (e.created_at, e.execution_id) < (later.created_at, later.execution_id)
            ORDER BY e.created_at DESC, e.execution_id DESC LIMIT 1
        ) AS of_agent ON true
    ), alone AS (
        DELETE FROM ticket_repeat r USING linked l
        WHERE r.tenant_id = l.tenant_id AND r.environment = l.environment AND r.execution_id = l.execution_id
            AND l.previous_at IS NULL
    )
    INSERT INTO ticket_repeat AS kept
        (tenant_id, environment, execution_id, agent_id, created_at, previous_at, agent_previous_at)
    SELECT tenant_id, environment, execution_id, agent_id, created_at, previous_at, agent_previous_at
    FROM linked WHERE previous_at IS NOT NULL
    ON CONFLICT (tenant_id, environment, execution_id) DO UPDATE SET
        agent_id = excluded.agent_id,
        created_at = excluded.created_at,
        previous_at = excluded.previous_at,
        agent_previous_at = excluded.agent_previous_at
        WHERE (kept.agent_id, kept.created_at, kept.previous_at, kept.agent_previous_at)
            IS DISTINCT FROM (excluded.agent_id, excluded.created_at, excluded.previous_at, excluded.agent_previous_at);
END
$$;

-- Keeps the links, in the transaction that writes executions. Fires once for each statement on "execution". Locks the
-- tickets whose executions it added, removed or moved, and none when an execution only makes progress.
-- PostgreSQL would plan anew for the arrays of every call, which takes longer than the call.
CREATE OR REPLACE FUNCTION "ticket_repeat_keep"() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    "moved" "ticket_execution"[];
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        moved := ARRAY(SELECT t FROM added a, ticket_repeat_of(a::execution) t);
    WHEN 'UPDATE' THEN
        WITH after AS (SELECT t, a.agent_id FROM added a, ticket_repeat_of(a::execution) t),
            before AS (SELECT t, r.agent_id FROM removed r, ticket_repeat_of(r::execution) t)
        SELECT array_agg(t) INTO moved FROM (
            (TABLE after EXCEPT TABLE before) UNION ALL (TABLE before EXCEPT TABLE after)
        ) AS differing;
    WHEN 'DELETE' THEN
        moved := ARRAY(SELECT t FROM removed r, ticket_repeat_of(r::execution) t);
    WHEN 'TRUNCATE' THEN
        PERFORM ticket_repeat_rebuild();
    END CASE;
    IF cardinality(moved) > 0 THEN
        PERFORM ticket_repeat_link(moved);
    END IF;
    RETURN NULL;
END
$$;

-- Links the executions whose row is wrong, missing or left over, and returns how many those were. Locks their tickets
-- only. Writers of other tickets go on meanwhile.
CREATE OR REPLACE FUNCTION "ticket_repeat_rebuild"() RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    "wrong" "ticket_execution"[];
BEGIN
    SELECT array_agg(ROW(
        tenant_id, environment, t.entity_id, execution_id, coalesce(t.created_at, r.created_at)
    )::ticket_execution) INTO wrong FROM (
        SELECT t.*, e.agent_id,
            lag(t.created_at) OVER (
                PARTITION BY t.tenant_id, t.environment, t.entity_id
                ORDER BY t.created_at, t.execution_id) AS previous_at,
            lag(t.created_at) OVER (
                PARTITION BY t.tenant_id, t.environment, t.entity_id, e.agent_id
                ORDER BY t.created_at, t.execution_id) AS agent_previous_at
        FROM execution e, ticket_repeat_of(e) t
    ) AS t FULL JOIN ticket_repeat r USING (tenant_id, environment, execution_id)
    WHERE t.previous_at IS DISTINCT FROM r.previous_at
        OR t.previous_at IS NOT NULL AND (t.created_at, t.agent_id, t.agent_previous_at)
            IS DISTINCT FROM (r.created_at, r.agent_id, r.agent_previous_at);
    IF cardinality(wrong) > 0 THEN
        PERFORM ticket_repeat_link(wrong);
    END IF;
    RETURN coalesce(cardinality(wrong), 0);
END
$$;

-- Transactions that still link by another text of this file end first: the rebuild that follows relies on it.
LOCK TABLE "execution" IN SHARE ROW EXCLUSIVE MODE;
