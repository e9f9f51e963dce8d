-- AlterTable
ALTER TABLE "execution" ADD COLUMN     "supervisor_technician_ids" INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[];

-- AlterTable
ALTER TABLE "agent_revision" ALTER COLUMN "changed_paths" SET NOT NULL;

-- Prisma cannot express a partial unique index: at most one RUN_NOW execution of an agent is live on a ticket or time entry.
CREATE UNIQUE INDEX "execution_run_now_live" ON "execution" ("tenant_id", "environment", "agent_id", "entity_id")
    WHERE "trigger" = 'RUN_NOW' AND "status" IN ('NEW', 'RUNNING', 'WAITING_FOR_APPROVAL', 'WAITING_FOR_INPUT');
