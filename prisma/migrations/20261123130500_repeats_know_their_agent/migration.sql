-- Filled anew once the functions are applied.
TRUNCATE "ticket_repeat";

-- AlterTable
ALTER TABLE "ticket_repeat" ADD COLUMN     "agent_id" INTEGER NOT NULL,
ADD COLUMN     "agent_previous_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "ticket_repeat_agent_previous" ON "ticket_repeat"("tenant_id", "environment", "agent_id", "agent_previous_at", "created_at");
