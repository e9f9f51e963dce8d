-- CreateEnum
CREATE TYPE "callback_source" AS ENUM ('WEBHOOK', 'POLL');

-- CreateEnum
CREATE TYPE "callback_action" AS ENUM ('CREATED', 'UPDATED', 'DELETED', 'UNKNOWN');

-- AlterTable
ALTER TABLE "callback" ADD COLUMN "event_id" TEXT,
ADD COLUMN "source" "callback_source" NOT NULL DEFAULT 'WEBHOOK',
ADD COLUMN "action" "callback_action" NOT NULL DEFAULT 'UNKNOWN',
ADD COLUMN "own_changes" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN "attempts" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN "has_job" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "waits_since" TIMESTAMPTZ(3);

-- CreateIndex
CREATE UNIQUE INDEX "callback_event" ON "callback"("tenant_id", "environment", "event_id");

-- CreateIndex
CREATE INDEX "callback_waiting" ON "callback"("tenant_id", "environment", "waits_since", "id")
    WHERE "waits_since" IS NOT NULL;

-- CreateIndex
CREATE INDEX "callback_in_flight" ON "callback"("environment", "received_at")
    WHERE "has_job" AND "status" IN ('RECEIVED', 'QUEUED', 'PROCESSING');

-- CreateTable
CREATE TABLE "callback_entity" (
    "tenant_id" TEXT NOT NULL,
    "environment" TEXT NOT NULL,
    "entity" TEXT NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 1,
    "version" JSONB NOT NULL,
    "is_announced" BOOLEAN NOT NULL,
    "callback_id" TEXT NOT NULL,
    "source" "callback_source" NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "callback_entity_pkey" PRIMARY KEY ("tenant_id", "environment", "entity")
);

-- CreateIndex
CREATE INDEX "callback_entity_seen" ON "callback_entity"("environment", "seen_at");

-- CreateIndex
CREATE INDEX "agent_triggered" ON "agent"("tenant_id", "environment", "entity_type", "id")
    WHERE "state" = 'ACTIVE' AND "trigger_type" = 'TRIGGERED';
