-- Made by `npm run migration`, then edited by hand, in what Prisma has no words for: generated columns, COLLATE "C" on
-- what lists sort by, checks, partial indexes, and what keeps the rollups, at the end.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- CreateEnum
CREATE TYPE "agent_state" AS ENUM ('DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED');

-- CreateEnum
CREATE TYPE "autonomy_type" AS ENUM ('AGENTIC', 'CHAINED_ACTIONS', 'CONVERSATIONAL');

-- CreateEnum
CREATE TYPE "trigger_type" AS ENUM ('TRIGGERED', 'SCHEDULED', 'ON_DEMAND', 'CHAT');

-- CreateEnum
CREATE TYPE "entity_type" AS ENUM ('TICKET', 'TIME_ENTRY', 'NONE');

-- CreateEnum
CREATE TYPE "execution_status" AS ENUM ('NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT', 'COMPLETED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED');

-- CreateEnum
CREATE TYPE "execution_resolution" AS ENUM ('NONE', 'PARTIAL', 'FULL');

-- CreateEnum
CREATE TYPE "execution_trigger" AS ENUM ('TRIGGERED', 'SCHEDULED', 'RUN_NOW', 'SCHEDULED_WORK', 'RETRY');

-- CreateEnum
CREATE TYPE "failure_kind" AS ENUM ('AGENT', 'TOOL', 'INTEGRATION', 'LIMIT', 'PLATFORM');

-- CreateTable
CREATE TABLE "agent" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "sort_name" TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower("name")) STORED,
    "description" TEXT,
    "state" "agent_state" NOT NULL DEFAULT 'DRAFT',
    "autonomy_type" "autonomy_type" NOT NULL,
    "trigger_type" "trigger_type" NOT NULL,
    "entity_type" "entity_type" NOT NULL,
    "agent_settings" JSONB,
    "agent_settings_edits" JSONB,
    "toolbox" JSONB,
    "integrations" JSONB,
    "schedule" JSONB,
    "callback_settings" JSONB,
    "actions" JSONB,
    "ticket_conditions" JSONB,
    "time_entry_conditions" JSONB,
    "supervised" BOOLEAN NOT NULL DEFAULT false,
    "supervisor_technician_ids" INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
    "created_by_user_id" TEXT,
    "created_by_name" TEXT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "agent_share" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "user_id" TEXT NOT NULL,
    "can_edit" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "agent_share_pkey" PRIMARY KEY ("tenant_id","environment","agent_id","user_id")
);

-- CreateTable
CREATE TABLE "company_link_count" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "system" TEXT NOT NULL,
    "total" INTEGER NOT NULL DEFAULT 0,
    "mapped" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "company_link_count_pkey" PRIMARY KEY ("tenant_id","environment","system")
);

-- CreateTable
CREATE TABLE "execution" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "execution_id" TEXT COLLATE "C" NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "status" "execution_status" NOT NULL DEFAULT 'NEW',
    "resolution" "execution_resolution" NOT NULL DEFAULT 'NONE',
    "trigger" "execution_trigger" NOT NULL,
    "supervised" BOOLEAN NOT NULL DEFAULT false,
    "entity_id" TEXT,
    "entity_number" TEXT,
    "processed_sub_entity_ids" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "seconds_spent" DECIMAL(14,3) NOT NULL DEFAULT 0,
    "hours_saved" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "credits_consumed" DECIMAL(14,4) NOT NULL DEFAULT 0,
    "run_count" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "failure_kind" "failure_kind",
    "message_for_dashboard" TEXT,
    "additional_custom_instructions" TEXT,
    "retry_of_execution_id" TEXT COLLATE "C",
    "callback_id" TEXT,
    "search_text" TEXT NOT NULL GENERATED ALWAYS AS (lower(coalesce("entity_number", '') || chr(10) || coalesce("message_for_dashboard", ''))) STORED,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "execution_pkey" PRIMARY KEY ("tenant_id","environment","execution_id"),
    CONSTRAINT "execution_not_negative" CHECK ("seconds_spent" >= 0 AND "hours_saved" >= 0 AND "credits_consumed" >= 0 AND "run_count" >= 0)
);

-- CreateTable
CREATE TABLE "credit_entry" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT COLLATE "C" NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "credits" DECIMAL(14,4) NOT NULL,

    CONSTRAINT "credit_entry_pkey" PRIMARY KEY ("tenant_id","environment","id"),
    CONSTRAINT "credit_entry_not_negative" CHECK ("credits" >= 0)
);

-- CreateTable
CREATE TABLE "execution_daily" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "agent_id" INTEGER NOT NULL,
    "total_executions" INTEGER NOT NULL DEFAULT 0,
    "ticket_executions" INTEGER NOT NULL DEFAULT 0,
    "successful_executions" INTEGER NOT NULL DEFAULT 0,
    "failed_executions" INTEGER NOT NULL DEFAULT 0,
    "fully_resolved_executions" INTEGER NOT NULL DEFAULT 0,
    "partially_resolved_executions" INTEGER NOT NULL DEFAULT 0,
    "total_seconds_spent" DECIMAL(18,3) NOT NULL DEFAULT 0,
    "total_hours_saved" DECIMAL(18,4) NOT NULL DEFAULT 0,
    "credits_consumed" DECIMAL(18,4) NOT NULL DEFAULT 0,

    CONSTRAINT "execution_daily_pkey" PRIMARY KEY ("tenant_id","environment","day","agent_id")
);

-- CreateTable
CREATE TABLE "ticket_repeat" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "execution_id" TEXT COLLATE "C" NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "previous_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ticket_repeat_pkey" PRIMARY KEY ("tenant_id","environment","execution_id")
);

-- CreateTable
CREATE TABLE "tickets_received" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "tickets_received_pkey" PRIMARY KEY ("tenant_id","environment","hour"),
    CONSTRAINT "tickets_received_whole_hour" CHECK ("hour" = date_trunc('hour', "hour", 'UTC')),
    CONSTRAINT "tickets_received_not_negative" CHECK ("count" >= 0)
);

-- CreateIndex
CREATE INDEX "agent_tenant_id_environment_created_at_id_idx" ON "agent"("tenant_id", "environment", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "agent_tenant_id_environment_sort_name_id_idx" ON "agent"("tenant_id", "environment", "sort_name", "id");

-- CreateIndex
CREATE INDEX "agent_share_tenant_id_environment_user_id_agent_id_idx" ON "agent_share"("tenant_id", "environment", "user_id", "agent_id");

-- CreateIndex
CREATE INDEX "execution_recent" ON "execution"("tenant_id", "environment", "created_at" DESC, "execution_id" DESC, "agent_id", "status", "resolution", "seconds_spent", "hours_saved", "credits_consumed", "entity_id");

-- CreateIndex
CREATE INDEX "execution_agent_recent" ON "execution"("tenant_id", "environment", "agent_id", "created_at" DESC, "execution_id" DESC);

-- CreateIndex
CREATE INDEX "execution_agent_status_recent" ON "execution"("tenant_id", "environment", "agent_id", "status", "created_at" DESC, "execution_id" DESC);

-- CreateIndex
CREATE INDEX "execution_status_recent" ON "execution"("tenant_id", "environment", "status", "created_at" DESC, "execution_id" DESC);

-- CreateIndex
CREATE INDEX "execution_entity_recent" ON "execution"("tenant_id", "environment", "entity_id", "created_at" DESC, "execution_id" DESC);

-- CreateIndex
CREATE INDEX "execution_agent_finished" ON "execution"("tenant_id", "environment", "agent_id", "finished_at")
    WHERE "finished_at" IS NOT NULL;

-- CreateIndex
CREATE INDEX "execution_retry" ON "execution"("tenant_id", "environment", "retry_of_execution_id")
    WHERE "retry_of_execution_id" IS NOT NULL;

-- CreateIndex
CREATE INDEX "execution_search" ON "execution" USING GIN ("search_text" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "credit_entry_at" ON "credit_entry"("tenant_id", "environment", "at", "agent_id", "credits");

-- CreateIndex
CREATE INDEX "credit_entry_agent_recent" ON "credit_entry"("tenant_id", "environment", "agent_id", "at" DESC);

-- CreateIndex
CREATE INDEX "ticket_repeat_previous" ON "ticket_repeat"("tenant_id", "environment", "previous_at", "created_at");

-- CreateIndex
CREATE INDEX "company_link_search" ON "company_link" USING GIN ("sort_name" gin_trgm_ops);

-- AddForeignKey
ALTER TABLE "agent_share" ADD CONSTRAINT "agent_share_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "agent_share" ADD CONSTRAINT "agent_share_tenant_id_environment_user_id_fkey" FOREIGN KEY ("tenant_id", "environment", "user_id") REFERENCES "tenant_user"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "execution" ADD CONSTRAINT "execution_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "execution" ADD CONSTRAINT "execution_tenant_id_environment_retry_of_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "retry_of_execution_id") REFERENCES "execution"("tenant_id", "environment", "execution_id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "credit_entry" ADD CONSTRAINT "credit_entry_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "execution_daily" ADD CONSTRAINT "execution_daily_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- The rollups. A row adds to one of them, or takes away from it: `n` is 1 or -1. Triggers add up the rows that a
-- statement changed, in its transaction.

CREATE FUNCTION "rollup_rows"("of_table" TEXT, "n" INTEGER, "from_table" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
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
                %1$s * (entity_id IS NOT NULL)::int AS ticket_executions,
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

CREATE FUNCTION "add_to_company_link_count"("rows" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT 'INSERT INTO company_link_count AS kept (tenant_id, environment, system, total, mapped)
        SELECT * FROM (
            SELECT tenant_id, environment, system, sum(total) AS total, sum(mapped) AS mapped
            FROM (' || "rows" || ') AS changed GROUP BY tenant_id, environment, system
        ) AS change
        WHERE (total, mapped) <> (0, 0)
        ORDER BY tenant_id, environment, system
        ON CONFLICT (tenant_id, environment, system) DO UPDATE SET
            total = kept.total + excluded.total,
            mapped = kept.mapped + excluded.mapped'
$$;

CREATE FUNCTION "add_to_execution_daily"("rows" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT 'INSERT INTO execution_daily AS kept (
            tenant_id, environment, day, agent_id, total_executions, ticket_executions, successful_executions,
            failed_executions, fully_resolved_executions, partially_resolved_executions, total_seconds_spent,
            total_hours_saved, credits_consumed
        )
        SELECT * FROM (
            SELECT tenant_id, environment, day, agent_id,
                sum(total_executions) AS total_executions,
                sum(ticket_executions) AS ticket_executions,
                sum(successful_executions) AS successful_executions,
                sum(failed_executions) AS failed_executions,
                sum(fully_resolved_executions) AS fully_resolved_executions,
                sum(partially_resolved_executions) AS partially_resolved_executions,
                sum(total_seconds_spent) AS total_seconds_spent,
                sum(total_hours_saved) AS total_hours_saved,
                sum(credits_consumed) AS credits_consumed
            FROM (' || "rows" || ') AS changed GROUP BY tenant_id, environment, day, agent_id
        ) AS change
        WHERE (total_executions, ticket_executions, successful_executions, failed_executions,
            fully_resolved_executions, partially_resolved_executions, total_seconds_spent, total_hours_saved,
            credits_consumed) <> (0, 0, 0, 0, 0, 0, 0, 0, 0)
        ORDER BY tenant_id, environment, day, agent_id
        ON CONFLICT (tenant_id, environment, day, agent_id) DO UPDATE SET
            total_executions = kept.total_executions + excluded.total_executions,
            ticket_executions = kept.ticket_executions + excluded.ticket_executions,
            successful_executions = kept.successful_executions + excluded.successful_executions,
            failed_executions = kept.failed_executions + excluded.failed_executions,
            fully_resolved_executions = kept.fully_resolved_executions + excluded.fully_resolved_executions,
            partially_resolved_executions = kept.partially_resolved_executions + excluded.partially_resolved_executions,
            total_seconds_spent = kept.total_seconds_spent + excluded.total_seconds_spent,
            total_hours_saved = kept.total_hours_saved + excluded.total_hours_saved,
            credits_consumed = kept.credits_consumed + excluded.credits_consumed'
$$;

-- What was before an execution may change with the executions of `moved`, a query of them as they are or were: for
-- them, and for those that come next. Whoever finds it again for the same tickets waits. A tenant has sixty-four locks,
-- so that a statement on many tickets does not take as many.

CREATE FUNCTION "lock_repeats"("moved" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT 'SELECT pg_advisory_xact_lock(lock) FROM (
        SELECT DISTINCT hashtextextended(
            jsonb_build_array(tenant_id, environment, hashtext(entity_id) & 63)::text, 0) AS lock
        FROM (' || "moved" || ') AS moved ORDER BY lock
    ) AS locks'
$$;

CREATE FUNCTION "link_repeats"("moved" TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT 'WITH linked AS MATERIALIZED (
        SELECT later.*, before.created_at AS previous_at FROM (
            SELECT moved.tenant_id, moved.environment, moved.execution_id, e.entity_id, e.created_at
            FROM (' || "moved" || ') AS moved LEFT JOIN execution e USING (tenant_id, environment, execution_id)
            UNION
            SELECT next.* FROM (' || "moved" || ') AS moved CROSS JOIN LATERAL (
                SELECT e.tenant_id, e.environment, e.execution_id, e.entity_id, e.created_at FROM execution e
                WHERE e.tenant_id = moved.tenant_id AND e.environment = moved.environment
                    AND e.entity_id = moved.entity_id
                    AND (e.created_at, e.execution_id) > (moved.created_at, moved.execution_id)
                ORDER BY e.created_at, e.execution_id LIMIT 1
            ) AS next
        ) AS later LEFT JOIN LATERAL (
            SELECT e.created_at FROM execution e
            WHERE e.tenant_id = later.tenant_id AND e.environment = later.environment
                AND e.entity_id = later.entity_id
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

CREATE FUNCTION "keep_repeats"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "added" TEXT := 'SELECT tenant_id, environment, execution_id, entity_id, created_at FROM added';
    "removed" TEXT := 'SELECT tenant_id, environment, execution_id, entity_id, created_at FROM removed';
    "moved" TEXT := CASE TG_OP
        WHEN 'INSERT' THEN "added" || ' WHERE entity_id IS NOT NULL'
        WHEN 'DELETE' THEN "removed" || ' WHERE entity_id IS NOT NULL'
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

-- What the rollups lack is the sum of all rows less what is kept, as one snapshot sees both. Adding it is right
-- whatever others add meanwhile, so it locks none of their rows but those that are wrong. Two at once would add it
-- twice.
CREATE FUNCTION "rebuild_rollups"() RETURNS TABLE ("rollup" TEXT, "corrected" BIGINT) LANGUAGE plpgsql AS $$
DECLARE
    "wrong_repeats" TEXT := 'SELECT tenant_id, environment, execution_id, e.entity_id,
            coalesce(e.created_at, r.created_at) AS created_at
        FROM (
            SELECT tenant_id, environment, execution_id, entity_id, created_at, lag(created_at) OVER (
                PARTITION BY tenant_id, environment, entity_id ORDER BY created_at, execution_id) AS previous_at
            FROM execution WHERE entity_id IS NOT NULL
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

CREATE FUNCTION "keep_rollup"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    "added" TEXT := rollup_rows(TG_TABLE_NAME, 1, 'added');
    "removed" TEXT := rollup_rows(TG_TABLE_NAME, -1, 'removed');
    "changed" TEXT := CASE TG_OP
        WHEN 'INSERT' THEN "added"
        WHEN 'DELETE' THEN "removed"
        ELSE "added" || ' UNION ALL ' || "removed"
    END;
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        PERFORM rebuild_rollups();
    ELSIF TG_TABLE_NAME = 'company_link' THEN
        EXECUTE add_to_company_link_count("changed");
    ELSE
        EXECUTE add_to_execution_daily("changed");
    END IF;
    RETURN NULL;
END
$$;

SELECT rebuild_rollups();

CREATE TRIGGER "company_link_rollup_insert" AFTER INSERT ON "company_link"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "company_link_rollup_update" AFTER UPDATE ON "company_link"
    REFERENCING NEW TABLE AS "added" OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "company_link_rollup_delete" AFTER DELETE ON "company_link"
    REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "company_link_rollup_truncate" AFTER TRUNCATE ON "company_link"
    FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "execution_rollup_insert" AFTER INSERT ON "execution"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "execution_repeats_insert" AFTER INSERT ON "execution"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "keep_repeats"();
CREATE TRIGGER "execution_rollup_update" AFTER UPDATE ON "execution"
    REFERENCING NEW TABLE AS "added" OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "execution_repeats_update" AFTER UPDATE ON "execution"
    REFERENCING NEW TABLE AS "added" OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "keep_repeats"();
CREATE TRIGGER "execution_rollup_delete" AFTER DELETE ON "execution"
    REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "execution_repeats_delete" AFTER DELETE ON "execution"
    REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "keep_repeats"();
CREATE TRIGGER "execution_rollup_truncate" AFTER TRUNCATE ON "execution"
    FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "credit_entry_rollup_insert" AFTER INSERT ON "credit_entry"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "credit_entry_rollup_update" AFTER UPDATE ON "credit_entry"
    REFERENCING NEW TABLE AS "added" OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "credit_entry_rollup_delete" AFTER DELETE ON "credit_entry"
    REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
CREATE TRIGGER "credit_entry_rollup_truncate" AFTER TRUNCATE ON "credit_entry"
    FOR EACH STATEMENT EXECUTE FUNCTION "keep_rollup"();
