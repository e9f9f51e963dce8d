-- company_link_count: how many listed links an integration has, and how many of those are mapped to a company.
--
-- A sharded counter. The count of a system is the sum of its shards, the rows with its key. A transaction adds to a
-- shard that no other one has locked, or makes a shard: writers never wait for each other here, and a system has no
-- more shards than it had writers at once. company_link_count_fold() merges them.

-- The link's share of its system's count: the one place that says what is counted.
CREATE OR REPLACE FUNCTION "company_link_count_of"("l" "company_link") RETURNS SETOF "company_link_count"
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT
        l.tenant_id,
        l.environment,
        l.system,
        (NOT l.hidden)::int AS total,
        (NOT l.hidden AND l.mapped)::int AS mapped,
        NULL::bigint AS shard
$$;

-- Adds the shares in "added" to the counts, takes those in "removed" away, and returns how many counts changed.
-- Locks one shard of each, until the transaction ends. SKIP LOCKED passes over the shards of other transactions.
CREATE OR REPLACE FUNCTION "company_link_count_add"("added" "company_link_count"[], "removed" "company_link_count"[])
RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    "changed" BIGINT;
BEGIN
    WITH change AS (
        SELECT tenant_id, environment, system, sum(n * total)::int AS total, sum(n * mapped)::int AS mapped
        FROM (SELECT 1 AS n, a.* FROM unnest(added) a UNION ALL SELECT -1, r.* FROM unnest(removed) r) AS shares
        GROUP BY tenant_id, environment, system
        HAVING (sum(n * total), sum(n * mapped)) <> (0, 0)
    ), placed AS MATERIALIZED (
        SELECT change.*, free.shard FROM change LEFT JOIN LATERAL (
            SELECT s.shard FROM company_link_count s
            WHERE s.tenant_id = change.tenant_id AND s.environment = change.environment AND s.system = change.system
            ORDER BY s.shard LIMIT 1 FOR UPDATE SKIP LOCKED
        ) AS free ON true
    ), updated AS (
        UPDATE company_link_count s SET total = s.total + p.total, mapped = s.mapped + p.mapped
        FROM placed p
        WHERE s.tenant_id = p.tenant_id AND s.environment = p.environment AND s.system = p.system
            AND s.shard = p.shard
    ), inserted AS (
        INSERT INTO company_link_count (tenant_id, environment, system, total, mapped)
        SELECT tenant_id, environment, system, total, mapped FROM placed WHERE shard IS NULL
    )
    SELECT count(*) INTO changed FROM placed;
    RETURN changed;
END
$$;

-- Keeps the counts, in the transaction that writes links. Fires once for each statement on "company_link", with the
-- rows that it added and removed.
-- PostgreSQL would plan anew for the arrays of every call, which takes longer than the call.
CREATE OR REPLACE FUNCTION "company_link_count_keep"() RETURNS trigger LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        PERFORM company_link_count_add(ARRAY(SELECT s FROM added a, company_link_count_of(a::company_link) s), NULL);
    WHEN 'UPDATE' THEN
        PERFORM company_link_count_add(
            ARRAY(SELECT s FROM added a, company_link_count_of(a::company_link) s),
            ARRAY(SELECT s FROM removed r, company_link_count_of(r::company_link) s));
    WHEN 'DELETE' THEN
        PERFORM company_link_count_add(NULL, ARRAY(SELECT s FROM removed r, company_link_count_of(r::company_link) s));
    WHEN 'TRUNCATE' THEN
        PERFORM company_link_count_rebuild();
    END CASE;
    RETURN NULL;
END
$$;

-- Adds what the counts lack: the shares of all links less the counts as they are, as one snapshot sees both. That is
-- right whatever others add meanwhile, so it locks only the counts that are wrong, and waits for nobody but another
-- rebuild, which would add the same again. Returns how many counts were wrong.
CREATE OR REPLACE FUNCTION "company_link_count_rebuild"() RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    "corrected" BIGINT;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('company_link_count_rebuild', 0));
    -- An array for each system keeps them small.
    SELECT coalesce(sum(company_link_count_add(expected, kept)), 0) INTO corrected FROM (
        SELECT array_agg(s) FILTER (WHERE is_share) AS expected, array_agg(s) FILTER (WHERE NOT is_share) AS kept
        FROM (
            SELECT s, true AS is_share FROM company_link l, company_link_count_of(l) s
            UNION ALL
            SELECT s, false FROM company_link_count s
        ) AS both_sides
        GROUP BY (s).tenant_id, (s).environment, (s).system
    ) AS systems;
    RETURN corrected;
END
$$;

-- Merges shards of the same count, a thousand at most, and returns how many are gone. Leaves those that a transaction
-- has locked, and waits for nobody.
CREATE OR REPLACE FUNCTION "company_link_count_fold"() RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    "spare" "company_link_count"[];
BEGIN
    WITH surplus AS MATERIALIZED (
        SELECT s.* FROM company_link_count s
        WHERE EXISTS (
            SELECT FROM company_link_count first
            WHERE (first.tenant_id, first.environment, first.system) = (s.tenant_id, s.environment, s.system)
                AND first.shard < s.shard
        ) LIMIT 1000 FOR UPDATE SKIP LOCKED
    ), gone AS (
        DELETE FROM company_link_count s USING surplus
        WHERE (s.tenant_id, s.environment, s.system, s.shard)
            = (surplus.tenant_id, surplus.environment, surplus.system, surplus.shard)
        RETURNING s
    )
    SELECT array_agg(s) INTO spare FROM gone;
    PERFORM company_link_count_add(spare, NULL);
    RETURN coalesce(cardinality(spare), 0);
END
$$;

-- Transactions that still count by another text of this file end first: the rebuild that follows relies on it.
LOCK TABLE "company_link" IN SHARE ROW EXCLUSIVE MODE;
