-- AlterTable: an execution keeps what its agent worked on when it was created.
ALTER TABLE "execution" DISABLE TRIGGER USER;
ALTER TABLE "execution" ADD COLUMN     "entity_type" "entity_type";
UPDATE "execution" e SET "entity_type" = a."entity_type" FROM "agent" a
    WHERE a."tenant_id" = e."tenant_id" AND a."environment" = e."environment" AND a."id" = e."agent_id";
ALTER TABLE "execution" ALTER COLUMN "entity_type" SET NOT NULL;
ALTER TABLE "execution" ENABLE TRIGGER USER;

-- DropIndex
DROP INDEX "execution_recent";

-- CreateIndex
CREATE INDEX "execution_recent" ON "execution"("tenant_id", "environment", "created_at" DESC, "execution_id" DESC, "agent_id", "status", "resolution", "seconds_spent", "hours_saved", "credits_consumed", "entity_id", "entity_type");

-- AlterTable: what was counted by the hour stands in the hour's first quarter.
ALTER TABLE "tickets_received" DROP CONSTRAINT "tickets_received_whole_hour";
ALTER TABLE "tickets_received" RENAME COLUMN "hour" TO "quarter";
ALTER TABLE "tickets_received" ADD CONSTRAINT "tickets_received_whole_quarter"
    CHECK ("quarter" = date_bin('15 minutes', "quarter", '2000-01-01 00:00:00Z'));

-- Only executions for tickets count as tickets, and repeat one.

CREATE OR REPLACE FUNCTION "rollup_rows"("of_table" TEXT, "n" INTEGER, "from_table" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT format(CASE "of_table"
        WHEN 'company_link' THEN
            'SELECT tenant_id, environment, system,
                %1$s * (NOT hidden)::int AS total,
                %1$s * (mapped AND NOT hidden)::int AS mapped
            FROM %2$I'
        WHEN 'company_link_count' THEN
            'SELECT tenant_id, environment, system, %1$s * total AS total, %1$s * mapped AS mapped FROM %2$I'
        WHEN 'execution' THEN
            'SELECT tenant_id, environment, (created_at AT TIME ZONE ''UTC'')::date AS day, agent_id,
                %1$s AS total_executions,
                %1$s * (entity_id IS NOT NULL AND entity_type = ''TICKET'')::int AS ticket_executions,
                %1$s * (status = ''COMPLETED'')::int AS successful_executions,
                %1$s * (status IN (''FAILED'', ''TIMED_OUT''))::int AS failed_executions,
                %1$s * (resolution = ''FULL'')::int AS fully_resolved_executions,
                %1$s * (resolution = ''PARTIAL'')::int AS partially_resolved_executions,
                %1$s * seconds_spent AS total_seconds_spent,
                CASE WHEN status = ''COMPLETED'' THEN %1$s * hours_saved ELSE 0 END AS total_hours_saved,
                %1$s * credits_consumed AS credits_consumed
            FROM %2$I'
        WHEN 'credit_entry' THEN
            'SELECT tenant_id, environment, (at AT TIME ZONE ''UTC'')::date AS day, agent_id,
                0 AS total_executions, 0 AS ticket_executions, 0 AS successful_executions,
                0 AS failed_executions, 0 AS fully_resolved_executions, 0 AS partially_resolved_executions,
                0 AS total_seconds_spent, 0 AS total_hours_saved, %1$s * credits AS credits_consumed
            FROM %2$I'
        WHEN 'execution_daily' THEN
            'SELECT tenant_id, environment, day, agent_id,
                %1$s * total_executions AS total_executions,
                %1$s * ticket_executions AS ticket_executions,
                %1$s * successful_executions AS successful_executions,
                %1$s * failed_executions AS failed_executions,
                %1$s * fully_resolved_executions AS fully_resolved_executions,
                %1$s * partially_resolved_executions AS partially_resolved_executions,
                %1$s * total_seconds_spent AS total_seconds_spent,
                %1$s * total_hours_saved AS total_hours_saved,
                %1$s * credits_consumed AS credits_consumed
            FROM %2$I'
    END, "n", "from_table")
$$;

CREATE OR REPLACE FUNCTION "link_repeats"("moved" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT 'WITH linked AS MATERIALIZED (
        SELECT later.*, before.created_at AS previous_at FROM (
            SELECT moved.tenant_id, moved.environment, moved.execution_id, e.created_at,
                CASE WHEN e.entity_type = ''TICKET'' THEN e.entity_id END AS entity_id
            FROM (' || "moved" || ') AS moved LEFT JOIN execution e USING (tenant_id, environment, execution_id)
            UNION
            SELECT next.* FROM (' || "moved" || ') AS moved CROSS JOIN LATERAL (
                SELECT e.tenant_id, e.environment, e.execution_id, e.created_at, e.entity_id FROM execution e
                WHERE e.tenant_id = moved.tenant_id AND e.environment = moved.environment
                    AND e.entity_id = moved.entity_id AND e.entity_type = ''TICKET''
                    AND (e.created_at, e.execution_id) > (moved.created_at, moved.execution_id)
                ORDER BY e.created_at, e.execution_id LIMIT 1
            ) AS next
        ) AS later LEFT JOIN LATERAL (
            SELECT e.created_at FROM execution e
            WHERE e.tenant_id = later.tenant_id AND e.environment = later.environment
                AND e.entity_id = later.entity_id AND e.entity_type = ''TICKET''
                AND (e.created_at, e.execution_id) < (later.created_at, later.execution_id)
            ORDER BY e.created_at DESC, e.execution_id DESC LIMIT 1
        ) AS before ON true
    ), first AS (
        DELETE FROM ticket_repeat r USING linked l
        WHERE r.tenant_id = l.tenant_id AND r.environment = l.environment AND r.execution_id = l.execution_id
            AND l.previous_at IS NULL
    )
    INSERT INTO ticket_repeat AS kept (tenant_id, environment, execution_id, created_at, previous_at)
    SELECT tenant_id, environment, execution_id, created_at, previous_at FROM linked WHERE previous_at IS NOT NULL
    ON CONFLICT (tenant_id, environment, execution_id) DO UPDATE SET
        created_at = excluded.created_at,
        previous_at = excluded.previous_at
        WHERE (kept.created_at, kept.previous_at) <> (excluded.created_at, excluded.previous_at)'
$$;

CREATE OR REPLACE FUNCTION "keep_repeats"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "added" TEXT := 'SELECT tenant_id, environment, execution_id, created_at,
        CASE WHEN entity_type = ''TICKET'' THEN entity_id END AS entity_id FROM added';
    "removed" TEXT := 'SELECT tenant_id, environment, execution_id, created_at,
        CASE WHEN entity_type = ''TICKET'' THEN entity_id END AS entity_id FROM removed';
    "moved" TEXT := CASE TG_OP
        WHEN 'INSERT' THEN "added" || ' WHERE entity_id IS NOT NULL AND entity_type = ''TICKET'''
        WHEN 'DELETE' THEN "removed" || ' WHERE entity_id IS NOT NULL AND entity_type = ''TICKET'''
        ELSE format('(%1$s EXCEPT %2$s) UNION ALL (%2$s EXCEPT %1$s)', "added", "removed")
    END;
    "locks" BIGINT;
BEGIN
    EXECUTE lock_repeats("moved");
    GET DIAGNOSTICS "locks" = ROW_COUNT;
    IF "locks" > 0 THEN
        EXECUTE link_repeats("moved");
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "rebuild_rollups"() RETURNS TABLE ("rollup" TEXT, "corrected" BIGINT) LANGUAGE plpgsql AS $$
DECLARE
    "wrong_repeats" TEXT := 'SELECT tenant_id, environment, execution_id, e.entity_id,
            coalesce(e.created_at, r.created_at) AS created_at
        FROM (
            SELECT tenant_id, environment, execution_id, entity_id, created_at, lag(created_at) OVER (
                PARTITION BY tenant_id, environment, entity_id ORDER BY created_at, execution_id) AS previous_at
            FROM execution WHERE entity_id IS NOT NULL AND entity_type = ''TICKET''
        ) AS e FULL JOIN ticket_repeat r USING (tenant_id, environment, execution_id)
        WHERE e.previous_at IS DISTINCT FROM r.previous_at
            OR e.previous_at IS NOT NULL AND e.created_at <> r.created_at';
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('rebuild_rollups', 0));
    "rollup" := 'company_link_count';
    EXECUTE add_to_company_link_count(rollup_rows('company_link', 1, 'company_link')
        || ' UNION ALL ' || rollup_rows("rollup", -1, "rollup"));
    GET DIAGNOSTICS "corrected" = ROW_COUNT;
    RETURN NEXT;
    "rollup" := 'execution_daily';
    EXECUTE add_to_execution_daily(rollup_rows('execution', 1, 'execution')
        || ' UNION ALL ' || rollup_rows('credit_entry', 1, 'credit_entry')
        || ' UNION ALL ' || rollup_rows("rollup", -1, "rollup"));
    GET DIAGNOSTICS "corrected" = ROW_COUNT;
    RETURN NEXT;
    "rollup" := 'ticket_repeat';
    EXECUTE 'SELECT count(*) FROM (' || "wrong_repeats" || ') AS wrong' INTO "corrected";
    IF "corrected" > 0 THEN
        EXECUTE lock_repeats("wrong_repeats");
        EXECUTE link_repeats("wrong_repeats");
    END IF;
    RETURN NEXT;
END
$$;

SELECT rebuild_rollups();
