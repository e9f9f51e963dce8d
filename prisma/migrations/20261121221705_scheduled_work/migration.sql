-- CreateEnum
CREATE TYPE "scheduled_work_status" AS ENUM ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED');

-- CreateTable
CREATE TABLE "scheduled_work" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "id" SERIAL NOT NULL,
    "status" "scheduled_work_status" NOT NULL DEFAULT 'PENDING',
    "scheduled_for" TIMESTAMPTZ(3) NOT NULL,
    "workflow_id" INTEGER NOT NULL,
    "ticket_id" TEXT NOT NULL,
    "ticket_number" TEXT,
    "additional_custom_instructions" TEXT,
    "created_by" TEXT NOT NULL,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "cancel_reason" TEXT,
    "execution_message" TEXT,
    "execution_id" TEXT,
    "execution_temporal_run_id" TEXT,
    "executed_at" TIMESTAMPTZ(3),
    "search_text" TEXT NOT NULL GENERATED ALWAYS AS (lower("ticket_id" || chr(10) || coalesce("ticket_number", ''))) STORED,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "scheduled_work_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "scheduled_work_latest" ON "scheduled_work"("tenant_id", "environment", "scheduled_for" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "scheduled_work_status_latest" ON "scheduled_work"("tenant_id", "environment", "status", "scheduled_for" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "scheduled_work_ticket_latest" ON "scheduled_work"("tenant_id", "environment", "ticket_id", "scheduled_for" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "scheduled_work_agent_latest" ON "scheduled_work"("tenant_id", "environment", "workflow_id", "scheduled_for" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "scheduled_work_search" ON "scheduled_work" USING GIN ("search_text" gin_trgm_ops);

-- AddForeignKey
ALTER TABLE "scheduled_work" ADD CONSTRAINT "scheduled_work_tenant_id_environment_workflow_id_fkey" FOREIGN KEY ("tenant_id", "environment", "workflow_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- An agent is queued for a ticket once in a minute.
CREATE UNIQUE INDEX "scheduled_work_pending" ON "scheduled_work"("tenant_id", "environment", "workflow_id", "ticket_id", date_bin('1 minute', "scheduled_for", TIMESTAMPTZ '2000-01-01 00:00:00+00'))
    WHERE "status" = 'PENDING';
