-- CreateEnum
CREATE TYPE "execution_slot" AS ENUM ('WAITING', 'GRANTED', 'HELD');

-- CreateEnum
CREATE TYPE "tool_call_status" AS ENUM ('PROPOSED', 'WAITING', 'STARTED', 'SUCCEEDED', 'FAILED', 'DENIED', 'SKIPPED', 'TIMED_OUT');

-- AlterTable
ALTER TABLE "execution" ADD COLUMN     "acting_user_id" TEXT,
ADD COLUMN     "request_id" TEXT;

-- AlterTable
ALTER TABLE "execution_run" ADD COLUMN     "holder" TEXT;

-- CreateTable
CREATE TABLE "execution_work" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "slot" "execution_slot",
    "arrived_at" TIMESTAMPTZ(3) NOT NULL,
    "waits_since" TIMESTAMPTZ(3),
    "waited_seconds" DECIMAL(14,3) NOT NULL DEFAULT 0,
    "failed_attempts" INTEGER NOT NULL DEFAULT 0,
    "agent_name" TEXT NOT NULL,
    "autonomy_type" "autonomy_type" NOT NULL,
    "entity_type" "entity_type" NOT NULL,
    "agent_settings" JSONB NOT NULL,
    "actions" JSONB NOT NULL,
    "toolbox" JSONB NOT NULL,
    "integrations" JSONB NOT NULL,

    CONSTRAINT "execution_work_pkey" PRIMARY KEY ("tenant_id","environment","execution_id")
);

-- CreateTable
CREATE TABLE "tool_call" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "execution_id" TEXT NOT NULL,
    "sequence" INTEGER NOT NULL,
    "temporal_run_id" TEXT NOT NULL,
    "tool_name" TEXT NOT NULL,
    "reason" TEXT,
    "arguments" JSONB NOT NULL,
    "arguments_hash" TEXT NOT NULL,
    "status" "tool_call_status" NOT NULL,
    "result" JSONB,
    "error_code" TEXT,
    "error" TEXT,
    "failure_kind" "failure_kind",
    "til_request_id" TEXT,
    "model_call_id" TEXT,
    "started_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "tool_call_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "execution_work_slots" ON "execution_work"("tenant_id", "environment", "slot", "arrived_at", "execution_id")
    WHERE "slot" IS NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "tool_call_tenant_id_environment_execution_id_sequence_key" ON "tool_call"("tenant_id", "environment", "execution_id", "sequence");

-- AddForeignKey
ALTER TABLE "execution_work" ADD CONSTRAINT "execution_work_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "execution_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "tool_call" ADD CONSTRAINT "tool_call_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "execution_id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- Executions whose job waits for this release are cancelled: who started them has long gone on without them.
DO $$
BEGIN
    IF to_regclass('pgboss.job') IS NULL THEN
        RETURN;
    END IF;
    UPDATE execution e
    SET status = 'CANCELLED', updated_at = now(), finished_at = now(),
        error = 'It was accepted before executions were run, and never began.'
    FROM pgboss.job j
    WHERE j.name = 'executions.run' AND e.status = 'NEW'
        AND e.tenant_id = j.data -> 'tenancy' ->> 'tenant_id'
        AND e.environment = j.data -> 'tenancy' ->> 'environment'
        AND e.execution_id = j.data -> 'payload' ->> 'execution_id';
    DELETE FROM pgboss.job WHERE name = 'executions.run';
END
$$;

-- Of several executions of an agent that are live on one ticket or time entry, the newest stays.
UPDATE "execution" e
SET "status" = 'CANCELLED', "updated_at" = now(), "finished_at" = now(),
    "error" = 'A later execution of the agent took the work over.'
WHERE e."status" IN ('NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT') AND e."entity_id" IS NOT NULL
    AND EXISTS (
        SELECT FROM "execution" n
        WHERE n."tenant_id" = e."tenant_id" AND n."environment" = e."environment" AND n."agent_id" = e."agent_id"
            AND n."entity_id" = e."entity_id"
            AND n."status" IN ('NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT')
            AND (n."created_at", n."execution_id") > (e."created_at", e."execution_id")
    );
UPDATE "execution_run" r SET "status" = 'CANCELLED', "ended_at" = e."finished_at"
FROM "execution" e
WHERE e."tenant_id" = r."tenant_id" AND e."environment" = r."environment" AND e."execution_id" = r."execution_id"
    AND e."status" = 'CANCELLED' AND r."ended_at" IS NULL;
UPDATE "til_request" t SET "status" = 'CANCELLED', "updated_at" = e."finished_at", "closed_at" = e."finished_at"
FROM "execution" e
WHERE e."tenant_id" = t."tenant_id" AND e."environment" = t."environment" AND e."execution_id" = t."execution_id"
    AND e."status" = 'CANCELLED' AND t."status" = 'PENDING';

-- Prisma cannot express a partial unique index: at most one execution of an agent is live on a ticket or time entry.
DROP INDEX "execution_run_now_live";
CREATE UNIQUE INDEX "execution_live" ON "execution" ("tenant_id", "environment", "agent_id", "entity_id")
    WHERE "status" IN ('NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT');
