-- execution_daily: per agent and UTC day, the sums over the executions created and the credits consumed on it.
--
-- Sharded counters. The sums of a day are those over its shards, the rows with its key. A transaction adds to a shard
-- that no other one has locked, or makes a shard: writers never wait for each other here, and a day of an agent has no
-- more shards than it had writers at once. execution_daily_fold() merges them.

-- The execution's share of its day: the one place that says what the sums are.
CREATE OR REPLACE FUNCTION "execution_daily_of"("e" "execution") RETURNS SETOF "execution_daily"
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT
        e.tenant_id,
        e.environment,
        (e.created_at AT TIME ZONE 'UTC')::date AS day,
        e.agent_id,
        1 AS total_executions,
        (e.entity_id IS NOT NULL AND e.entity_type = 'TICKET')::int AS ticket_executions,
        (e.status = 'COMPLETED')::int AS successful_executions,
        (e.status IN ('FAILED', 'TIMED_OUT'))::int AS failed_executions,
        (e.resolution = 'FULL')::int AS fully_resolved_executions,
        (e.resolution = 'PARTIAL')::int AS partially_resolved_executions,
        e.seconds_spent AS total_seconds_spent,
        CASE WHEN e.status = 'COMPLETED' THEN e.hours_saved ELSE 0 END AS total_hours_saved,
        e.credits_consumed AS credits_consumed,
        NULL::bigint AS shard
$$;

-- The share of credits that a chat agent consumed without an execution.
CREATE OR REPLACE FUNCTION "execution_daily_of"("c" "credit_entry") RETURNS SETOF "execution_daily"
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT
        c.tenant_id, c.environment, (c.at AT TIME ZONE 'UTC')::date AS day, c.agent_id,
        0, 0, 0, 0, 0, 0, 0, 0,
        c.credits AS credits_consumed,
        NULL::bigint AS shard
$$;

-- Adds the shares in "added" to the days, takes those in "removed" away, and returns how many days changed. Locks one
-- shard of each, until the transaction ends. SKIP LOCKED passes over the shards of other transactions.
CREATE OR REPLACE FUNCTION "execution_daily_add"("added" "execution_daily"[], "removed" "execution_daily"[])
RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    "changed" BIGINT;
BEGIN
    WITH change AS (
        SELECT tenant_id, environment, day, agent_id,
            sum(n * total_executions)::int AS total_executions,
            sum(n * ticket_executions)::int AS ticket_executions,
            sum(n * successful_executions)::int AS successful_executions,
            sum(n * failed_executions)::int AS failed_executions,
            sum(n * fully_resolved_executions)::int AS fully_resolved_executions,
            sum(n * partially_resolved_executions)::int AS partially_resolved_executions,
            sum(n * total_seconds_spent) AS total_seconds_spent,
            sum(n * total_hours_saved) AS total_hours_saved,
            sum(n * credits_consumed) AS credits_consumed
        FROM (SELECT 1 AS n, a.* FROM unnest(added) a UNION ALL SELECT -1, r.* FROM unnest(removed) r) AS shares
        GROUP BY tenant_id, environment, day, agent_id
    ), placed AS MATERIALIZED (
        SELECT change.*, free.shard FROM change LEFT JOIN LATERAL (
            SELECT s.shard FROM execution_daily s
            WHERE s.tenant_id = change.tenant_id AND s.environment = change.environment AND s.day = change.day
                AND s.agent_id = change.agent_id
            ORDER BY s.shard LIMIT 1 FOR UPDATE SKIP LOCKED
        ) AS free ON true
        WHERE (total_executions, ticket_executions, successful_executions, failed_executions,
            fully_resolved_executions, partially_resolved_executions, total_seconds_spent, total_hours_saved,
            credits_consumed) <> (0, 0, 0, 0, 0, 0, 0, 0, 0)
    ), updated AS (
        UPDATE execution_daily s SET
            total_executions = s.total_executions + p.total_executions,
            ticket_executions = s.ticket_executions + p.ticket_executions,
            successful_executions = s.successful_executions + p.successful_executions,
            failed_executions = s.failed_executions + p.failed_executions,
            fully_resolved_executions = s.fully_resolved_executions + p.fully_resolved_executions,
            partially_resolved_executions = s.partially_resolved_executions + p.partially_resolved_executions,
            total_seconds_spent = s.total_seconds_spent + p.total_seconds_spent,
            total_hours_saved = s.total_hours_saved + p.total_hours_saved,
            credits_consumed = s.credits_consumed + p.credits_consumed
        FROM placed p
        WHERE s.tenant_id = p.tenant_id AND s.environment = p.environment AND s.day = p.day
            AND s.agent_id = p.agent_id AND s.shard = p.shard
    ), inserted AS (
        INSERT INTO execution_daily (
            tenant_id, environment, day, agent_id, total_executions, ticket_executions, successful_executions,
            failed_executions, fully_resolved_executions, partially_resolved_executions, total_seconds_spent,
            total_hours_saved, credits_consumed
        )
        SELECT tenant_id, environment, day, agent_id, total_executions, ticket_executions, successful_executions,
            failed_executions, fully_resolved_executions, partially_resolved_executions, total_seconds_spent,
            total_hours_saved, credits_consumed
        FROM placed WHERE shard IS NULL
    )
    SELECT count(*) INTO changed FROM placed;
    RETURN changed;
END
$$;

-- Keeps the days, in the transaction that writes executions. Fires once for each statement on "execution", with the
-- rows that it added and removed.
-- PostgreSQL would plan anew for the arrays of every call, which takes longer than the call.
CREATE OR REPLACE FUNCTION "execution_daily_keep_executions"() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        PERFORM execution_daily_add(ARRAY(SELECT s FROM added a, execution_daily_of(a::execution) s), NULL);
    WHEN 'UPDATE' THEN
        PERFORM execution_daily_add(
            ARRAY(SELECT s FROM added a, execution_daily_of(a::execution) s),
            ARRAY(SELECT s FROM removed r, execution_daily_of(r::execution) s));
    WHEN 'DELETE' THEN
        PERFORM execution_daily_add(NULL, ARRAY(SELECT s FROM removed r, execution_daily_of(r::execution) s));
    WHEN 'TRUNCATE' THEN
        PERFORM execution_daily_rebuild();
    END CASE;
    RETURN NULL;
END
$$;

-- The same for "credit_entry".
CREATE OR REPLACE FUNCTION "execution_daily_keep_credits"() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        PERFORM execution_daily_add(ARRAY(SELECT s FROM added a, execution_daily_of(a::credit_entry) s), NULL);
    WHEN 'UPDATE' THEN
        PERFORM execution_daily_add(
            ARRAY(SELECT s FROM added a, execution_daily_of(a::credit_entry) s),
            ARRAY(SELECT s FROM removed r, execution_daily_of(r::credit_entry) s));
    WHEN 'DELETE' THEN
        PERFORM execution_daily_add(NULL, ARRAY(SELECT s FROM removed r, execution_daily_of(r::credit_entry) s));
    WHEN 'TRUNCATE' THEN
        PERFORM execution_daily_rebuild();
    END CASE;
    RETURN NULL;
END
$$;

-- Adds what the days lack: the shares of all rows less the days as they are, as one snapshot sees both. That is right
-- whatever others add meanwhile, so it locks only the days that are wrong, and waits for nobody but another rebuild,
-- which would add the same again. Returns how many days of an agent were wrong.
CREATE OR REPLACE FUNCTION "execution_daily_rebuild"() RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    "corrected" BIGINT;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('execution_daily_rebuild', 0));
    -- An array for each day of a tenant keeps them small.
    SELECT coalesce(sum(execution_daily_add(expected, kept)), 0) INTO corrected FROM (
        SELECT array_agg(s) FILTER (WHERE is_share) AS expected, array_agg(s) FILTER (WHERE NOT is_share) AS kept
        FROM (
            SELECT s, true AS is_share FROM execution e, execution_daily_of(e) s
            UNION ALL
            SELECT s, true FROM credit_entry c, execution_daily_of(c) s
            UNION ALL
            SELECT s, false FROM execution_daily s
        ) AS both_sides
        GROUP BY (s).tenant_id, (s).environment, (s).day
    ) AS days;
    RETURN corrected;
END
$$;

-- Merges shards of the same day of an agent, a thousand at most, and returns how many are gone. Leaves those that a
-- transaction has locked, and waits for nobody.
CREATE OR REPLACE FUNCTION "execution_daily_fold"() RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    "spare" "execution_daily"[];
BEGIN
    WITH surplus AS MATERIALIZED (
        SELECT s.* FROM execution_daily s
        WHERE EXISTS (
            SELECT FROM execution_daily first
            WHERE (first.tenant_id, first.environment, first.day, first.agent_id)
                    = (s.tenant_id, s.environment, s.day, s.agent_id)
                AND first.shard < s.shard
        ) LIMIT 1000 FOR UPDATE SKIP LOCKED
    ), gone AS (
        DELETE FROM execution_daily s USING surplus
        WHERE (s.tenant_id, s.environment, s.day, s.agent_id, s.shard)
            = (surplus.tenant_id, surplus.environment, surplus.day, surplus.agent_id, surplus.shard)
        RETURNING s
    )
    SELECT array_agg(s) INTO spare FROM gone;
    PERFORM execution_daily_add(spare, NULL);
    RETURN coalesce(cardinality(spare), 0);
END
$$;

-- Transactions that still sum by another text of this file end first: the rebuild that follows relies on it.
LOCK TABLE "execution", "credit_entry" IN SHARE ROW EXCLUSIVE MODE;
